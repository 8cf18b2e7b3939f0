"""Queries: distributions of variables given evidence, exact if the tables fit into memory, otherwise by sampling."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bnsearch._tools.memory import format_memory, parse_memory
from bnsearch._tools.registry import require_choice
from bnsearch.errors import InputError, require
from bnsearch.graphs.separation import find_indices
from bnsearch.networks.inference.distributions import Distribution, Marginals
from bnsearch.networks.inference.evidence import find_states, impossible_error, name_states, require_apart
from bnsearch.networks.inference.exact import BYTES_PER_CELL, Elimination, describe_need
from bnsearch.networks.inference.plans import Plan
from bnsearch.networks.inference.weighting import WeightedCounts, weight_samples
from bnsearch.networks.sampling import make_generator

if TYPE_CHECKING:
    from bnsearch.networks.network import BayesianNetwork

METHODS = ("auto", "exact", "sampling")

MAX_AXES = 60
"""Number of variables of a joint distribution; NumPy supports arrays with up to 64 axes."""

MIN_EFFECTIVE_SAMPLES = 1000
"""Effective number of samples below which a note says that the estimates are unreliable."""


@dataclass(frozen=True, kw_only=True)
class QuerySettings:
    """
    How to answer a query.

    method : "exact", "sampling", or "auto", which samples only if exact inference needs too much memory
    samples : number of samples
    seed : seed of the samples
    memory : limit of the memory of tables; None is a quarter of the machine, at most 4 GiB
    """

    method: str = "auto"
    samples: int = 100_000
    seed: int = 0
    memory: int | float | str | None = None

    def __post_init__(self) -> None:
        require_choice("method", self.method, METHODS)
        require("samples", self.samples, at_least=1, whole=True)
        _ = self.max_bytes

    @property
    def max_bytes(self) -> int:
        """Limit of the memory of tables in bytes."""
        return parse_memory(self.memory)

    def choose_sampling(self, plan: Plan, cells: int) -> tuple[str, ...] | None:
        """Return None if exact inference, by a plan with this number of cells, is chosen, otherwise notes with why."""
        if cells * BYTES_PER_CELL <= self.max_bytes:
            return None
        reason = (
            f"exact inference needs {describe_need(plan, cells)} for its tables, and the limit of memory is "
            f"{format_memory(self.max_bytes)}"
        )
        if self.method == "exact":
            raise InputError(f"{reason}: raise the limit (memory), observe more variables, or use method='sampling'")
        return (f"{reason}; the probabilities are estimated from {self.samples:,} weighted samples",)


def compute_query(
    network: BayesianNetwork,
    targets: str | Iterable[str],
    evidence: Mapping[str, object] | None,
    settings: QuerySettings,
) -> Distribution:
    """Return the joint distribution of targets given evidence."""
    chosen = find_indices(network.names, targets, "targets")
    observed = find_states(network, evidence)
    require_apart(network, chosen, observed)
    if not chosen:
        raise InputError("targets: name at least one variable")
    _check_joint_size(network, chosen, settings)
    elimination = Elimination(network, chosen, observed, settings.max_bytes)
    plan = None if settings.method == "sampling" else elimination.make_plan(chosen)
    notes = () if plan is None else settings.choose_sampling(plan, plan.peak_cells)
    names = name_states(network, observed)
    if notes is not None:
        counts, notes = _sample(network, [chosen], observed, settings, notes)
        return _make_distribution(network, chosen, counts, 0, names, notes)
    probabilities, log_evidence = elimination.compute_joint(chosen)
    if log_evidence == -math.inf:
        raise impossible_error(names)
    return Distribution(
        names=tuple(network.names[x] for x in chosen),
        states=tuple(network.states[x] for x in chosen),
        probabilities=probabilities,
        evidence=names,
        log_evidence=log_evidence,
    )


def compute_marginals(
    network: BayesianNetwork,
    evidence: Mapping[str, object] | None,
    targets: str | Iterable[str] | None,
    settings: QuerySettings,
) -> Marginals:
    """Return the distribution of each target given evidence; None means all variables that are not observed."""
    observed = find_states(network, evidence)
    free = [x for x in range(len(network.names)) if x not in observed]
    chosen = free if targets is None else find_indices(network.names, targets, "targets")
    require_apart(network, chosen, observed)
    elimination = Elimination(network, chosen, observed, settings.max_bytes)
    plan = None if settings.method == "sampling" else elimination.make_plan()
    notes = () if plan is None else settings.choose_sampling(plan, 2 * plan.total_cells)
    names = name_states(network, observed)
    if notes is not None:
        groups = [[x] for x in chosen]
        counts, notes = _sample(network, groups, observed, settings, notes)
        found = [_make_distribution(network, group, counts, i, names, notes) for i, group in enumerate(groups)]
        return Marginals(found, names, counts.log_evidence, notes)
    marginals, log_evidence = elimination.compute_marginals()
    if log_evidence == -math.inf:
        raise impossible_error(names)
    found = [
        Distribution(
            names=(network.names[x],),
            states=(network.states[x],),
            probabilities=marginals[x],
            evidence=names,
            log_evidence=log_evidence,
        )
        for x in chosen
    ]
    return Marginals(found, names, log_evidence)


def _check_joint_size(network: BayesianNetwork, targets: Sequence[int], settings: QuerySettings) -> None:
    needed = BYTES_PER_CELL * math.prod(len(network.states[x]) for x in targets)
    if needed > settings.max_bytes or len(targets) > MAX_AXES:
        raise InputError(
            f"the joint distribution of {len(targets)} variables needs {format_memory(needed)}: query fewer targets, "
            "or use `marginals` for the distribution of each one"
        )


def _sample(
    network: BayesianNetwork,
    groups: Sequence[Sequence[int]],
    evidence: Mapping[int, int],
    settings: QuerySettings,
    notes: tuple[str, ...],
) -> tuple[WeightedCounts, tuple[str, ...]]:
    """Return weighted counts of groups of variables, and the notes with a further one if the counts are unreliable."""
    counts = weight_samples(network, groups, evidence, settings.samples, make_generator(settings.seed))
    effective = counts.effective_samples
    if not effective:
        raise InputError(
            f"none of {settings.samples:,} samples agrees with the evidence, which is impossible or very improbable: "
            "check the states, or draw more samples"
        )
    if effective < MIN_EFFECTIVE_SAMPLES:
        notes = (*notes, f"the weighted samples are worth only {effective:.0f} samples: draw more of them")
    return counts, notes


def _make_distribution(
    network: BayesianNetwork,
    targets: Sequence[int],
    counts: WeightedCounts,
    group: int,
    evidence: Mapping[str, str],
    notes: tuple[str, ...],
) -> Distribution:
    probabilities, errors = counts.estimate(group)
    return Distribution(
        names=tuple(network.names[x] for x in targets),
        states=tuple(network.states[x] for x in targets),
        probabilities=probabilities,
        errors=errors,
        evidence=evidence,
        log_evidence=counts.log_evidence,
        notes=notes,
    )
