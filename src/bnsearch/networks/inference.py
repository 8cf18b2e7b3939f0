"""Exact joint distributions of small sets of variables of a network."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bnsearch.networks.network import BayesianNetwork

Factor = tuple[tuple[int, ...], NDArray[np.float64]]  # the variables, and an array with one axis for each


def compute_joint_probabilities(network: BayesianNetwork, variables: Sequence[int]) -> NDArray[np.float64]:
    """
    Return the joint distribution of variables, given by index, as an array with one axis for each.

    The algorithm is variable elimination over the variables and their ancestors. The next variable to be eliminated is
    the one that produces the smallest table.
    """
    needed = _find_ancestors(network, variables)
    factors: list[Factor] = [((*network.dag.parents[x], x), network.probabilities(x)) for x in sorted(needed)]
    hidden = needed - set(variables)
    while hidden:
        x = min(sorted(hidden), key=lambda v: prod(network.arities[w] for w in _find_scope(factors, v)))
        scope = _find_scope(factors, x)
        touching = [factor for factor in factors if x in factor[0]]
        factors = [factor for factor in factors if x not in factor[0]] + [(scope, _multiply_factors(touching, scope))]
        hidden.remove(x)
    return _multiply_factors(factors, variables)


def _find_ancestors(network: BayesianNetwork, variables: Sequence[int]) -> set[int]:
    found: set[int] = set()
    waiting = list(variables)
    while waiting:
        x = waiting.pop()
        if x not in found:
            found.add(x)
            waiting += network.dag.parents[x]
    return found


def _find_scope(factors: Sequence[Factor], x: int) -> tuple[int, ...]:
    """Return the variables that share a factor with x, without x."""
    return tuple(sorted({v for variables, _ in factors if x in variables for v in variables} - {x}))


def _multiply_factors(factors: Sequence[Factor], kept: Sequence[int]) -> NDArray[np.float64]:
    """Return the product of factors, summed over all variables that are not in `kept`."""
    axes = {v: i for i, v in enumerate(sorted({v for variables, _ in factors for v in variables}))}
    operands: list[Any] = [np.ones(()), []]  # einsum needs at least one operand
    for variables, table in factors:
        operands += [table, [axes[v] for v in variables]]
    return np.asarray(np.einsum(*operands, [axes[v] for v in kept], optimize=True))
