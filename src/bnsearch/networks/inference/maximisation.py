"""The most probable states of variables given evidence."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from bnsearch._tools.memory import format_memory, parse_memory
from bnsearch.errors import InputError
from bnsearch.graphs.separation import find_indices
from bnsearch.networks.inference.contraction import Factor, contract, maximise
from bnsearch.networks.inference.distributions import MostProbable
from bnsearch.networks.inference.evidence import find_states, impossible_error, name_states, require_apart
from bnsearch.networks.inference.exact import BYTES_PER_CELL, Elimination, describe_need
from bnsearch.networks.inference.plans import Plan, make_plan

if TYPE_CHECKING:
    from bnsearch.networks.network import BayesianNetwork


def find_most_probable(
    network: BayesianNetwork,
    evidence: Mapping[str, object] | None,
    targets: str | Iterable[str] | None,
    memory: int | float | str | None,
) -> MostProbable:
    """Return the most probable states of the targets given evidence; None means all variables that are not observed."""
    observed = find_states(network, evidence)
    free = [x for x in range(len(network.names)) if x not in observed]
    chosen = free if targets is None else find_indices(network.names, targets, "targets")
    require_apart(network, chosen, observed)
    max_bytes = parse_memory(memory)
    elimination = Elimination(network, chosen, observed, max_bytes)
    plan = elimination.make_plan()
    _check_memory(plan, plan.peak_cells, max_bytes)
    log_evidence = contract(plan, elimination.factors).log_sum
    named = name_states(network, observed)
    if log_evidence == -math.inf:
        raise impossible_error(named)
    factors, log_scale = _sum_hidden_variables(elimination, chosen, max_bytes)
    plan = make_plan(tuple(factor.scope for factor in factors), elimination.sizes, (), elimination.max_cells)
    _check_memory(plan, plan.total_cells + plan.product_cells, max_bytes)
    states, log_maximum = maximise(plan, factors)
    return MostProbable(
        states=name_states(network, {x: states.get(x, 0) for x in chosen}),
        evidence=named,
        log_probability=min(0.0, log_scale + log_maximum - log_evidence),
        log_evidence=log_evidence,
    )


def _check_memory(plan: Plan, cells: int, max_bytes: int) -> None:
    if cells * BYTES_PER_CELL > max_bytes:
        raise InputError(
            f"the most probable states need {describe_need(plan, cells)} for tables, and the limit of memory is "
            f"{format_memory(max_bytes)}: raise the limit (memory), observe more variables, or choose other targets"
        )


def _sum_hidden_variables(
    elimination: Elimination, targets: Sequence[int], max_bytes: int
) -> tuple[list[Factor], float]:
    """
    Return factors over the targets alone, divided by a scale, and the logarithm of the scale.

    Hidden variables that share a table form a group. The tables of a group are replaced by their product, summed over
    the hidden variables. Groups do not depend on each other, so this creates no larger tables than necessary.
    """
    wanted = set(targets)
    found = [factor for factor in elimination.factors if wanted.issuperset(factor.scope)]
    others = [factor for factor in elimination.factors if not wanted.issuperset(factor.scope)]
    log_scale = 0.0
    for group in _group_factors(others, wanted):
        kept = sorted({x for factor in group for x in factor.scope if x in wanted})
        scopes = tuple(factor.scope for factor in group)
        plan = make_plan(scopes, elimination.sizes, tuple(kept), elimination.max_cells)
        _check_memory(plan, plan.peak_cells, max_bytes)
        result = contract(plan, group)
        found.append(result.factor)
        log_scale += float(result.log_scale)
    return found, log_scale


def _group_factors(factors: Sequence[Factor], targets: set[int]) -> list[list[Factor]]:
    """Return the factors in groups; factors that share a variable which is not a target are in the same group."""
    groups: list[tuple[set[int], list[Factor]]] = []
    for factor in factors:
        hidden = set(factor.scope) - targets
        members = [factor]
        apart = []
        for group in groups:
            if group[0].isdisjoint(hidden):
                apart.append(group)
            else:
                hidden |= group[0]
                members = group[1] + members
        groups = [*apart, (hidden, members)]
    return [members for _, members in groups]
