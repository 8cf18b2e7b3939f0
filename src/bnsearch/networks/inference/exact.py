"""Exact inference by variable elimination."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from bnsearch._tools.memory import format_memory
from bnsearch.graphs.separation import find_ancestors
from bnsearch.networks.inference.contraction import Factor, contract, differentiate
from bnsearch.networks.inference.plans import Plan, make_plan

if TYPE_CHECKING:
    from bnsearch.networks.network import BayesianNetwork

BYTES_PER_CELL = 8


class Elimination:
    """
    The tables that a query needs, at the states of the evidence.

    Descendants that are neither targets nor evidence are left out, because their tables sum to one. A variable with a
    single state is treated like evidence.

    Parameters
    ----------
    network : BayesianNetwork
    targets : variables of the query, by index
    evidence : states of the observed variables, both by index
    max_bytes : limit of memory, beyond which planning ends; None for no limit

    Attributes
    ----------
    variables : the variables whose tables are needed, ascending
    fixed : states of the variables that are not random, by index
    factors : the table of each of the variables, at the fixed states
    """

    def __init__(
        self,
        network: BayesianNetwork,
        targets: Iterable[int],
        evidence: Mapping[int, int],
        max_bytes: int | None = None,
    ) -> None:
        self.max_cells = None if max_bytes is None else max_bytes // BYTES_PER_CELL
        self.sizes: tuple[int, ...] = tuple(network.arities.tolist())
        self.fixed = {**{x: 0 for x, size in enumerate(self.sizes) if size == 1}, **evidence}
        self.variables = sorted(find_ancestors(network.dag.parents, [*targets, *evidence]))
        self.factors = [self._slice_table(network, x) for x in self.variables] or [Factor((), np.ones(()))]

    def _slice_table(self, network: BayesianNetwork, x: int) -> Factor:
        family = (*network.dag.parents[x], x)
        table = network.probabilities(x)[tuple(self.fixed.get(v, slice(None)) for v in family)]
        return Factor(tuple(v for v in family if v not in self.fixed), np.asarray(table))

    def make_plan(self, kept: Iterable[int] = ()) -> Plan:
        """Return the plan that sums over all random variables that are not kept."""
        return make_plan(
            tuple(factor.scope for factor in self.factors),
            self.sizes,
            tuple(sorted(x for x in kept if x not in self.fixed)),
            self.max_cells,
        )

    def compute_joint(self, targets: Sequence[int]) -> tuple[NDArray[np.float64], float]:
        """
        Return the joint distribution of variables given the evidence, and the log-probability of the evidence.

        The array has one axis for each target. If the evidence is impossible, the array is zero.
        """
        plan = self.make_plan(targets)
        result = contract(plan, self.factors)
        free = [x for x in targets if x not in self.fixed]
        table = result.factor.table.transpose([result.factor.scope.index(x) for x in free])
        total = table.sum()
        shape = [1 if x in self.fixed else self.sizes[x] for x in targets]
        return (table / total if total > 0 else table).reshape(shape), result.log_sum

    def compute_marginals(self) -> tuple[dict[int, NDArray[np.float64]], float]:
        """
        Return the distribution of each variable that is not evidence, and the log-probability of the evidence.

        If the evidence is impossible, there are no distributions, and the log-probability is -inf.
        """
        derivatives, log_probability = differentiate(self.make_plan(), self.factors)
        marginals: dict[int, NDArray[np.float64]] = {}
        if not derivatives:
            return marginals, log_probability
        for x, factor, derivative in zip(self.variables, self.factors, derivatives, strict=True):
            if x in factor.scope:
                cells = factor.table * derivative.table
                marginal = cells.sum(axis=tuple(i for i, v in enumerate(factor.scope) if v != x))
                marginals[x] = marginal / marginal.sum()
            elif self.sizes[x] == 1:
                marginals[x] = np.ones(1)
        return marginals, log_probability


def describe_need(plan: Plan, cells: int) -> str:
    """Return the memory of a number of cells of a plan in words, such as "at least 12 GB"."""
    size = format_memory(cells * BYTES_PER_CELL)
    return size if plan.is_complete or size.startswith("more") else f"at least {size}"


def compute_joint_probabilities(network: BayesianNetwork, variables: Sequence[int]) -> NDArray[np.float64]:
    """Return the joint distribution of variables, given by index, as an array with one axis for each."""
    return Elimination(network, variables, {}).compute_joint(variables)[0]
