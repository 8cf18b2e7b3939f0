"""The functions of a count that scores sum over cells: tabulated for small counts, else in closed form."""

# Numba infers the types of kernels.
# mypy: allow-untyped-defs, no-check-untyped-defs
from __future__ import annotations

import math

import numpy as np

from bnsearch.kernels.compile import inner_kernel, kernel
from bnsearch.kernels.tuples import KernelTuple

XLOGX, RISING, RISING_SPREAD, XLOGX_REGRET, OCCURS = range(5)  # the values of CellFunction


# The terms of a cell sum, for kernels: a kernel tuple of
#   function   form of f
#   a          parameter of f
#   slope      the constant of a set is slope * cells,
#   regret     minus log C(rows, cells) if this is True
#   rows       number of rows counted
#   products   float64[R]     tabulated numbers of cells, ascending
#   constants  float64[R]     constant for each of them
#   table      float64[R, L]  f(n) for n < L; one row if f does not depend on the set
FUNCTION, PARAMETER, SLOPE, REGRET, ROWS, PRODUCTS, CONSTANTS, TABLE = range(8)
Terms = KernelTuple


@kernel
def log_rising(n, a):
    """Return the log of a (a + 1) ... (a + n - 1) for an integer n, accurate for tiny a > 0 and up to 1e18."""
    product = 1.0
    for i in range(min(n, 16)):
        product *= a + i
    value = math.log(product)
    if n > 16:
        # Stirling's series from b = a + 16 on, arranged so that no large terms cancel.
        b = a + 16.0
        more = n - 16.0
        c = b + more
        value += more * math.log(c) + (b - 0.5) * math.log1p(more / b) - more
        value += stirling_tail(c) - stirling_tail(b)
    return value


@kernel
def stirling_tail(x):
    """Return log gamma(x) - ((x - 1/2) log x - x + log(2 pi) / 2) for x >= 16."""
    y = 1.0 / (x * x)
    return (1.0 / 12.0 - y * (1.0 / 360.0 - y * (1.0 / 1260.0 - y / 1680.0))) / x


@kernel
def binary_normaliser(n):
    """
    Return C(n, 2), the normaliser of the NML distribution of a binary variable over n rows.

    C(n, 2) = 1 + Q(n) with Ramanujan's Q(n) = sum over k of n! / ((n - k)! n^k), summed for small n and by its
    asymptotic series (Flajolet et al. 1995) beyond.
    """
    if n < 1000:
        total = 1.0
        term = 1.0
        for k in range(n):
            term *= (n - k) / n
            total += term
            if term < 1e-18 * total:
                break
        return total
    root = math.sqrt(math.pi / (2.0 * n))
    return (
        1.0
        + n * root
        - 1.0 / 3.0
        + root / 12.0
        - 4.0 / (135.0 * n)
        + root / (288.0 * n)
        + 8.0 / (2835.0 * n * n)
        - 139.0 * root / (51840.0 * n * n)
    )


@kernel
def log_normaliser(n, states):
    """
    Return log C(n, states), the regret of a multinomial distribution over n rows.

    Few states: C(n, r + 2) = C(n, r + 1) + n / r * C(n, r) (Kontkanen & Myllymaki 2007). Many states: the finite sum of
    Mononen & Myllymaki (2008) over k of falling(n, k) rising(states - 1, k) / (n^k k!). All terms are positive.
    """
    if n == 0 or states <= 1.0:
        return 0.0
    scale = 0.0
    if states <= 1000.0 or states <= n / 8.0:
        before = 1.0
        now = binary_normaliser(n)
        for r in range(1, np.int64(states) - 1):
            before, now = now, now + n / r * before
            if now > 1e200:
                before *= 1e-200
                now *= 1e-200
                scale += 200.0 * math.log(10.0)
        return scale + math.log(now)
    total = 1.0
    term = 1.0
    for k in range(n):
        ratio = (n - k) * ((states - 1.0 + k) / (n * (k + 1.0)))
        term *= ratio
        total += term
        if ratio < 1.0 and term < 1e-18 * total:
            break
        if total > 1e200:
            total *= 1e-200
            term *= 1e-200
            scale += 200.0 * math.log(10.0)
    return scale + math.log(total)


@inner_kernel
def cell_term(n, function, a):
    """Return f(n) in closed form; for RISING_SPREAD, the argument a is a / cells."""
    if n == 0:
        return 0.0
    if function == XLOGX:
        return n * math.log(n)
    if function == OCCURS:
        return 1.0
    if function == XLOGX_REGRET:
        return n * math.log(n) + log_normaliser(n, a)
    return log_rising(n, a)


@inner_kernel
def term(n, table, function, a):
    """Return f(n), from the table if it is tabulated."""
    return table[n] if n < table.size else cell_term(n, function, a)


@inner_kernel
def set_constant(cells, slope, regret, rows):
    """Return the constant of a set with a number of cells."""
    penalty = slope * cells if slope != 0.0 else 0.0  # cells may be infinite
    return penalty - (log_normaliser(rows, cells) if regret else 0.0)


@kernel
def fill_terms(terms):
    """Fill the constants and the table of f."""
    function, a, slope, regret, rows, products, constants, table = terms
    for i in range(products.size):
        constants[i] = set_constant(products[i], slope, regret, rows)
    for row in range(table.shape[0]):
        spread = a / products[row] if function == RISING_SPREAD and products.size > 0 else a
        for n in range(table.shape[1]):
            table[row, n] = cell_term(n, function, spread)


@kernel
def find_product(products, cells):
    """Return the index of a number of cells among the tabulated ones, float64[R] ascending, or -1."""
    low, high = 0, products.size
    while low < high:
        middle = (low + high) >> 1
        if products[middle] < cells:
            low = middle + 1
        else:
            high = middle
    return low if low < products.size and products[low] == cells else -1


@inner_kernel
def table_of(terms, i, cells):
    """Return the row of the table and the a of a set; i : result of find_product for its number of cells."""
    function, a, _, _, _, _, _, table = terms
    if function != RISING_SPREAD:
        return table[0], a
    return table[i] if i >= 0 else table[0, :0], a / cells


@inner_kernel
def terms_of(terms, cells):
    """Return the constant, the row of the table and the a of a set with a number of cells."""
    _, _, slope, regret, rows, products, constants, _ = terms
    i = find_product(products, cells)
    constant = constants[i] if i >= 0 else set_constant(cells, slope, regret, rows)
    table, a = table_of(terms, i, cells)
    return constant, table, a


@inner_kernel
def terms_of_parents(others, chosen):
    """Return the terms of the parents for a child of one class, from the stacked terms of all classes."""
    function, a, slope, regret, rows, products, constants, table = others
    return function, a[chosen], slope[chosen], regret, rows, products, constants[chosen], table[chosen]


@kernel
def sum_counts(counts, stop, terms, cells):
    """Return the value of a set with a number of cells, of which those with counts[:stop] are not empty."""
    total, table, a = terms_of(terms, cells)
    for i in range(stop):
        n = counts[i]
        total += term(n, table, terms[FUNCTION], a)
    return total


@kernel
def sum_counts_of_each(counts, begin, terms, cells):
    """
    Return the values of several sets.

    counts : int64[...]        counts of the cells of the first set, then those of the second, and so on
    begin : int64[sets + 1]    where the counts of each set begin
    cells : float64[sets]      numbers of cells
    """
    values = np.empty(cells.size)
    for i in range(cells.size):
        values[i] = sum_counts(counts[begin[i] :], begin[i + 1] - begin[i], terms, cells[i])
    return values
