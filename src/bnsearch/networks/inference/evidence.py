"""Checks of the targets and the evidence of a query."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from bnsearch._tools.registry import suggest
from bnsearch._tools.wording import listed, shown
from bnsearch.errors import InputError
from bnsearch.graphs.separation import find_indices

if TYPE_CHECKING:
    from bnsearch.networks.network import BayesianNetwork


def find_states(
    network: BayesianNetwork, states: Mapping[str, object] | None, role: str = "evidence"
) -> dict[int, int]:
    """
    Return the states of variables by index, given by name and label; None means no states.

    A label that is not text is converted, so that 0 is the state "0". An InputError is raised if a variable or a state
    is unknown; `role` is the name of the argument.
    """
    if states is None:
        return {}
    if not isinstance(states, Mapping):
        raise InputError(f"{role} must be a mapping from variables to states, such as {{'x': 'yes'}}, not {states!r}")
    variables = find_indices(network.names, states, role)
    return {x: _find_state(network, x, str(label), role) for x, label in zip(variables, states.values(), strict=True)}


def _find_state(network: BayesianNetwork, x: int, label: str, role: str) -> int:
    known = network.states[x]
    if label not in known:
        raise InputError(
            f"{role}: the variable {shown(network.names[x])} has no state {shown(label)}"
            f"{suggest(label, list(known))}; its states are {listed(known)}"
        )
    return known.index(label)


def require_apart(network: BayesianNetwork, targets: list[int], evidence: Mapping[int, int]) -> None:
    """Raise an InputError if a target is part of the evidence."""
    if both := [network.names[x] for x in targets if x in evidence]:
        raise InputError(f"{listed(both)} cannot be both a target and evidence: remove it from one of them")


def impossible_error(names: Mapping[str, str]) -> InputError:
    """Return the error for evidence of probability zero."""
    pairs = listed(f"{name}={state}" for name, state in names.items())
    return InputError(
        f"the evidence {pairs} has probability zero in this network: check the states, or estimate the tables so that "
        "no combination of states is impossible, with result.network(data, ess=1) or learn --table-ess 1"
    )


def name_states(network: BayesianNetwork, states: Mapping[int, int]) -> dict[str, str]:
    """Return states by name and label."""
    return {network.names[x]: network.states[x][state] for x, state in states.items()}
