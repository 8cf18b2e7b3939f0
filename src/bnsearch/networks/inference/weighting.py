"""Approximate inference by likelihood weighting."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from bnsearch.graphs.separation import find_ancestors
from bnsearch.networks.family_codes import compute_joint_codes
from bnsearch.networks.sampling import BLOCK_ROWS, accumulate_rows, draw_states

if TYPE_CHECKING:
    from bnsearch.networks.network import BayesianNetwork


class WeightedCounts:
    """
    Weighted counts of the joint states of groups of variables.

    Weights are kept relative to the largest weight so far, so that they do not underflow.

    Parameters
    ----------
    groups : the variables of each group, by index
    arities : number of states of each variable
    """

    def __init__(self, groups: Sequence[Sequence[int]], arities: Sequence[int]) -> None:
        self.groups, self.arities = groups, arities
        self.samples = 0
        self._largest = -math.inf  # natural logarithm of the largest weight so far
        # Sums of weights and of their squares, for each joint state of each group, and of all samples.
        self._sums = [np.zeros((2, math.prod(arities[x] for x in group))) for group in groups]
        self._totals = np.zeros(2)

    def add_rows(self, codes: NDArray[np.unsignedinteger], log_weights: NDArray[np.float64]) -> None:
        """Add rows with the logarithms of their weights."""
        self.samples += len(log_weights)
        largest = float(log_weights.max())
        if largest == -math.inf:
            return
        scale = np.array([1.0, 1.0])
        if largest > self._largest:
            scale = np.exp((self._largest - largest) * np.array([1.0, 2.0]))
            self._largest = largest
        weights = np.exp(log_weights - self._largest)
        self._totals = self._totals * scale + [weights.sum(), (weights**2).sum()]
        for i, group in enumerate(self.groups):
            cells = compute_joint_codes(codes, self.arities, group)
            counted = [np.bincount(cells, w, minlength=self._sums[i].shape[1]) for w in (weights, weights**2)]
            self._sums[i] = self._sums[i] * scale[:, np.newaxis] + counted

    @property
    def log_evidence(self) -> float:
        """Natural logarithm of the mean weight, which estimates the probability of the evidence."""
        return self._largest + math.log(self._totals[0] / self.samples) if self._totals[0] else -math.inf

    @property
    def effective_samples(self) -> float:
        """The number of unweighted samples that would be about as accurate (Kish)."""
        return float(self._totals[0] ** 2 / self._totals[1]) if self._totals[1] else 0.0

    def estimate(self, group: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """
        Return the distribution of a group, and the standard error of each probability.

        Both arrays have one axis for each variable. The error is that of a ratio of two means, by the delta method. It
        is at least that of one effective sample, because a state that was not drawn may still be possible.
        """
        shape = [self.arities[x] for x in self.groups[group]]
        sums, inside = self._sums[group]
        outside = np.maximum(self._totals[1] - inside, 0)
        probabilities = sums / self._totals[0]
        errors = np.sqrt(inside * (1 - probabilities) ** 2 + outside * probabilities**2) / self._totals[0]
        return probabilities.reshape(shape), np.maximum(errors, 1 / self.effective_samples).reshape(shape)


def weight_samples(
    network: BayesianNetwork,
    groups: Sequence[Sequence[int]],
    evidence: Mapping[int, int],
    samples: int,
    rng: np.random.Generator,
) -> WeightedCounts:
    """
    Return the counts of groups of variables in samples that are weighted by the probability of the evidence.

    Variables are drawn given their parents. Observed variables are not drawn; their probabilities given their parents
    are multiplied to the weight of the sample.

    References
    ----------
    Fung & Chang (1989), "Weighing and integrating evidence for stochastic simulation in Bayesian networks", UAI.
    """
    arities = network.arities.tolist()
    needed = find_ancestors(network.dag.parents, [*evidence, *(x for group in groups for x in group)])
    order = [x for x in network.dag.order if x in needed]
    cumulative = {x: accumulate_rows(network.tables[x]) for x in order if x not in evidence}
    with np.errstate(divide="ignore"):
        logs = {x: np.log(network.probabilities(x)[..., state]).ravel() for x, state in evidence.items()}
    counts = WeightedCounts(groups, arities)
    codes = np.zeros((len(arities), min(samples, BLOCK_ROWS)), dtype=np.uint16)
    for start in range(0, samples, BLOCK_ROWS):
        block = codes[:, : min(BLOCK_ROWS, samples - start)]
        log_weights = np.zeros(block.shape[1])
        for x in order:
            rows = compute_joint_codes(block, arities, network.dag.parents[x])
            if x in evidence:
                block[x] = evidence[x]
                log_weights += logs[x].take(rows)
            else:
                block[x] = draw_states(cumulative[x], rows, rng.random(len(rows)))
        counts.add_rows(block, log_weights)
    return counts
