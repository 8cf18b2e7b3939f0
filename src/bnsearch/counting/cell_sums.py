"""
Cell sums, the terms of all scores.

A cell sum gives a set T of variables the value

    V(T) = sum over the cells of T's joint table of f(n) + c(number of cells of T)

and every score of the library is a difference of two of them,

    s(x | S) = joint(S + x) - parents(S),

where the two are the same function for score-equivalent scores, and `parents` depends on the arity of x for K2 and
fNML. The same kernels, which count sets and sum f over their cells, therefore compute all scores. They take f as
numbers, never as a function.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from bnsearch.kernels.tuples import KernelTuple

if TYPE_CHECKING:
    from bnsearch.counting.kernels_terms import Terms

TABLE_ENTRIES = 1 << 21  # maximum number of tabulated values of f (16 MiB)
MAX_PRODUCTS = 4096  # maximum length of the list of tabulated numbers of cells


class CellFunction(IntEnum):
    """The forms that f takes; `a` is the cell sum's parameter."""

    XLOGX = 0  # n log n
    RISING = 1  # log of a (a + 1) ... (a + n - 1)
    RISING_SPREAD = 2  # the same with a / cells instead of a
    XLOGX_REGRET = 3  # n log n + log C(n, a), C the multinomial normaliser
    OCCURS = 4  # 1 for every cell that occurs


@dataclass(frozen=True)
class CellSum:
    """
    A sum over the cells of a set's joint table plus a constant of the set.

    Parameters
    ----------
    function : the form of f
    a : its parameter: pseudo-count, equivalent sample size or arity
    slope : the constant has the term slope * cells
    regret : True if the constant includes -log C(rows, cells)
    """

    function: CellFunction
    a: float = 0.0
    slope: float = 0.0
    regret: bool = False

    def terms(self, rows: int, products: NDArray[np.float64]) -> Terms:
        """Tabulate f and the constants for a table of `rows` rows and sets with these numbers of cells."""
        return _terms(self, rows, products.tobytes())  # bytes are hashed many times as fast as a tuple of floats


@lru_cache(maxsize=32)
def _terms(cell_sum: CellSum, rows: int, key: bytes) -> Terms:
    from bnsearch.counting.kernels_terms import fill_terms

    products = np.frombuffer(key).copy()
    spread = cell_sum.function == CellFunction.RISING_SPREAD
    wanted = max(1, len(products)) if spread else 1
    entries = TABLE_ENTRIES // wanted
    if cell_sum.function == CellFunction.XLOGX_REGRET:
        entries = max(1024, int(entries / cell_sum.a))
    terms = KernelTuple(
        (
            int(cell_sum.function),
            float(cell_sum.a),
            float(cell_sum.slope),
            bool(cell_sum.regret),
            rows,
            products,
            np.empty(len(products), dtype=np.float64),
            np.empty((wanted, min(rows + 1, entries)), dtype=np.float64),
        )
    )
    fill_terms(terms)
    return terms


def products_of_sets(arities: NDArray[np.int64], largest: int) -> NDArray[np.float64]:
    """Return the numbers of cells of sets of up to `largest` variables: the smallest MAX_PRODUCTS of them."""
    values = np.unique(arities).astype(np.float64)
    products = np.ones(1)
    for _ in range(largest):
        grown = np.unique(np.concatenate([products, np.outer(products, values).ravel()]))
        grown = grown[grown < 2.0**53][:MAX_PRODUCTS]  # larger products depend on the order of the factors
        if np.array_equal(grown, products):
            break
        products = grown
    return products
