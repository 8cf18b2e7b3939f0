"""Execution of contraction plans: sums, derivatives and maxima of products of tables."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bnsearch.networks.inference.plans import Plan, Scope, Step

ROWS = -1
"""Label of the axis of rows, which is always the first axis of a table that has it; plans do not mention it."""

MIN_LARGEST = 1e-30
"""A table whose largest number is not above this one is rescaled, so that long products do not become zero."""

Table = NDArray[np.float64]


@dataclass(frozen=True)
class Factor:
    """
    An array with one axis for each of some variables.

    scope : the variables, with `ROWS` first if the first axis is the axis of rows
    table : numbers that are not negative
    """

    scope: Scope
    table: Table

    @property
    def has_rows(self) -> bool:
        """Whether the first axis is the axis of rows."""
        return self.scope[:1] == (ROWS,)


@dataclass(frozen=True)
class Contraction:
    """
    The result of a plan.

    factor : the result, divided by a scale
    log_scale : natural logarithm of the scale; float64[rows] if the factor has an axis of rows. It is -inf if the
        result is zero
    """

    factor: Factor
    log_scale: NDArray[np.float64]

    @property
    def log_sum(self) -> float:
        """Natural logarithm of the sum of all numbers of the result, -inf if it is zero; only without rows."""
        with np.errstate(divide="ignore"):
            return float(self.log_scale + np.log(self.factor.table.sum()))


def contract(plan: Plan, factors: Sequence[Factor]) -> Contraction:
    """Return the product of factors, summed over all variables that the plan does not keep."""
    values: list[Factor | None] = list(factors)
    log_scale = np.zeros(())
    for step in plan.steps:
        left, right = _get_factor(values, step.left), None if step.right is None else _get_factor(values, step.right)
        values[step.left] = None  # frees the memory of the operands
        if step.right is not None:
            values[step.right] = None
        result, scale = _rescale(_multiply_and_sum(left, right, step.scope))
        log_scale = log_scale + scale
        values.append(result)
    result, scale = _rescale(_get_factor(values, len(values) - 1))
    return Contraction(result, log_scale + scale)


def differentiate(plan: Plan, factors: Sequence[Factor]) -> tuple[list[Factor], float]:
    """
    Return the derivative of the result of a plan with respect to each factor, up to a scale, and the log of the result.

    If the result is zero, the list is empty. The plan must keep no variable. The product of a factor and its derivative
    is then proportional to the joint distribution of the variables of the factor. All derivatives together cost about
    three times as much as the result.

    References
    ----------
    Darwiche (2003), "A differential approach to inference in Bayesian networks", Journal of the ACM 50(3).
    """
    values = list(factors)
    log_scale = 0.0
    for step in plan.steps:
        right = None if step.right is None else values[step.right]
        result, scale = _rescale(_multiply_and_sum(values[step.left], right, step.scope))
        values.append(result)
        log_scale += float(scale)
    if not values[-1].table > 0:
        return [], -math.inf
    derivatives: list[Factor | None] = [None] * len(values)
    derivatives[-1] = Factor((), np.ones(()))
    for number in reversed(range(len(factors), len(values))):
        step = plan.steps[number - len(factors)]
        above = _get_factor(derivatives, number)
        derivatives[number] = None
        if step.right is None:
            like = values[step.left]
            repeated = np.broadcast_to(_align(above, like.scope, {}), like.table.shape)
            derivatives[step.left] = Factor(like.scope, repeated)
        else:
            left, right = values[step.left], values[step.right]
            derivatives[step.left] = _rescale(_multiply_and_sum(above, right, left.scope))[0]
            derivatives[step.right] = _rescale(_multiply_and_sum(above, left, right.scope))[0]
    log_value = log_scale + float(np.log(values[-1].table))
    return [_get_factor(derivatives, number) for number in range(len(factors))], log_value


def maximise(plan: Plan, factors: Sequence[Factor]) -> tuple[dict[int, int], float]:
    """
    Return the states of the variables that maximise the product of factors, and the logarithm of the maximum.

    The plan must keep no variable. The logarithm is -inf if the product is zero for all states.
    """
    values = list(factors)
    log_scale = 0.0
    for step in plan.steps:
        product = _multiply(values, step, {})
        axes = tuple(range(len(step.scope), product.ndim))
        result, scale = _rescale(Factor(step.scope, product.max(axis=axes)))
        values.append(result)
        log_scale += float(scale)
    states: dict[int, int] = {}
    for step in reversed(plan.steps):
        product = _multiply(values, step, states)
        best = np.unravel_index(int(product.argmax()), product.shape)
        states |= {x: int(state) for x, state in zip(step.dropped, best, strict=True)}
    with np.errstate(divide="ignore"):
        return states, log_scale + float(np.log(values[-1].table))


def _get_factor(values: Sequence[Factor | None], number: int) -> Factor:
    factor = values[number]
    assert factor is not None
    return factor


def _multiply_and_sum(left: Factor, right: Factor | None, scope: Scope) -> Factor:
    """Return the product of one or two factors, summed over all variables that are not in `scope`."""
    operands = [left] if right is None else [left, right]
    if any(operand.has_rows for operand in operands) and scope[:1] != (ROWS,):
        scope = (ROWS, *scope)
    labels = {x: label for label, x in enumerate(dict.fromkeys(x for operand in operands for x in operand.scope))}
    arguments: list[Any] = [
        part for operand in operands for part in (operand.table, [labels[x] for x in operand.scope])
    ]
    return Factor(scope, np.asarray(np.einsum(*arguments, [labels[x] for x in scope])))


def _rescale(factor: Factor) -> tuple[Factor, NDArray[np.float64]]:
    """Return a factor divided by its largest number, for each row if it has rows, and the logarithm of this number."""
    axes = tuple(range(1, factor.table.ndim)) if factor.has_rows else None
    largest = np.asarray(factor.table.max(axis=axes, keepdims=True))
    if largest.min() > MIN_LARGEST:
        return factor, np.zeros(())
    with np.errstate(divide="ignore"):
        log_scale = np.log(largest).reshape(-1 if factor.has_rows else ())
    return Factor(factor.scope, factor.table / np.where(largest > 0, largest, 1)), log_scale


def _multiply(values: Sequence[Factor], step: Step, states: dict[int, int]) -> Table:
    """Return the product of the operands of a step, with the axes of `scope` and then of `dropped`, at given states."""
    wanted = [x for x in (*step.scope, *step.dropped) if x not in states]
    product = np.ones(())
    for number in (step.left, step.right):
        if number is not None:
            product = product * _align(values[number], wanted, states)
    return product


def _align(factor: Factor, wanted: Sequence[int], states: dict[int, int]) -> Table:
    """Return the table at given states, with one axis for each wanted variable, of size 1 if it does not have it."""
    table = factor.table[tuple(states.get(x, slice(None)) for x in factor.scope)]
    free = [x for x in factor.scope if x not in states]
    table = table.transpose([free.index(x) for x in wanted if x in free])
    return np.asarray(table[tuple(slice(None) if x in free else np.newaxis for x in wanted)])
