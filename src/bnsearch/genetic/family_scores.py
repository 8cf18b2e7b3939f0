"""Local scores of the families of whole generations: each different family is scored once, in batches."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from bnsearch.counting.cell_sums import CellFunction, CellSum
from bnsearch.genetic.family_index import FamilyIndex
from bnsearch.genetic.graph_stacks import Floats, Graphs, Ints
from bnsearch.graphs.dag import DAG
from bnsearch.runs.problem import Problem
from bnsearch.runs.run import Run
from bnsearch.scores.loglik import LogLikelihood
from bnsearch.scores.scorer import Scorer

BATCH = 2_000  # families scored between two checks of the deadline: some tens of milliseconds
FAMILIES_PER_THREAD = 200  # number of new families for which one more thread saves time
MAX_FAMILIES = 1 << 20  # families in the cache, after which it is emptied: 16 MiB of values
SCORE, PENALTY = 0, 1  # rows of the cached values


class RunHalted(Exception):  # noqa: N818  # not an error
    """The run stops in the middle of a generation."""


class FamilyScores:
    """
    Local scores and penalties of the families of a population, with a cache.

    A local score is a fit minus a penalty. The fit is the maximised log-likelihood, the penalty all that the score
    subtracts from it. Under BIC and AIC this is Eq. 12 of Dai et al. (2020).

    Parameters
    ----------
    problem : the data and the score
    run : counts the evaluations, and halts the scoring
    """

    def __init__(self, problem: Problem, run: Run) -> None:
        self.names = problem.names
        self._run = run
        self._arities = problem.needed_data.arities
        self._scorers = [problem.scorer, *(problem.scorer.fork() for _ in range(run.threads - 1))]
        self._slope = find_penalty_slope(problem)
        self._likelihoods = [] if self._slope is not None else [s.fork(LogLikelihood()) for s in self._scorers]
        self._empty_cache()

    def _empty_cache(self) -> None:
        self._index = FamilyIndex(len(self.names))
        self._values = np.empty((2, 1024))  # [SCORE or PENALTY, number of the family]

    def score_families(self, children: Ints, parents: NDArray[np.bool_]) -> Floats:
        """Return the local scores of families; parents : bool[family, variable]."""
        numbers = self._number_families(children, parents)  # before the values are read: it may replace their array
        scores: Floats = self._values[SCORE, numbers]
        return scores

    def score_graphs(self, graphs: Graphs) -> tuple[Floats, Floats]:
        """Return the local scores and the penalties of all families of the graphs, each [graph, variable]."""
        number, n, _ = graphs.shape
        numbers = self._number_families(np.tile(np.arange(n), number), graphs.reshape(-1, n)).reshape(number, n)
        return self._values[SCORE, numbers], self._values[PENALTY, numbers]

    def offer_best(self, graphs: Graphs, local: Floats) -> None:
        """Offer the best of the graphs to the run; local : their local scores, [graph, variable]."""
        best = int(local.sum(axis=1).argmax())
        graph = graphs[best].copy()
        self._run.offer(math.fsum(local[best]), lambda: DAG.from_adjacency(self.names, graph.T))

    def score_and_offer(self, graphs: Graphs) -> Floats:
        """Return the scores of the graphs, and offer the best graph to the run."""
        local, _ = self.score_graphs(graphs)
        self.offer_best(graphs, local)
        scores: Floats = local.sum(axis=1)
        return scores

    def raise_if_halted(self) -> None:
        """Raise `RunHalted` if the run is halted."""
        if self._run.halted():
            raise RunHalted

    def _number_families(self, children: Ints, parents: NDArray[np.bool_]) -> Ints:
        """Return the numbers of families in the cache, after scoring the new ones."""
        if len(self._index) > MAX_FAMILIES:
            self._empty_cache()
        known = len(self._index)
        numbers, new = self._index.number_families(children, parents)
        self._run.count(evaluations=len(numbers))
        for begin in range(0, len(new), BATCH):
            if self._run.halted():
                self._empty_cache()  # the index has numbered families that have no values yet
                raise RunHalted
            chosen = new[begin : begin + BATCH]
            self._compute_values(known + begin, children[chosen], parents[chosen])
        return numbers

    def _compute_values(self, first: int, children: Ints, parents: NDArray[np.bool_]) -> None:
        """Compute the values of families, numbered from `first` on."""
        end = first + len(children)
        if end > self._values.shape[1]:
            wider = np.empty((2, 2 * end))
            wider[:, :first] = self._values[:, :first]
            self._values = wider
        scores = self._compute_scores(self._scorers, children, parents)
        if self._slope is None:
            penalties = self._compute_scores(self._likelihoods, children, parents) - scores
        else:
            cells = np.where(parents, self._arities.astype(np.float64), 1.0).prod(axis=1)
            penalties = self._slope * cells * (self._arities[children] - 1)
        self._values[:, first:end] = scores, penalties

    def _compute_scores(self, scorers: list[Scorer], children: Ints, parents: NDArray[np.bool_]) -> Floats:
        """Return scores computed in threads, each with the families of some of the children."""
        threads = min(len(scorers), 1 + len(children) // FAMILIES_PER_THREAD)
        shares = [np.flatnonzero(children % threads == t) for t in range(threads)]
        before = sum(scorer.computed for scorer in scorers)

        def score_share(t: int) -> Floats:
            share = shares[t]
            return scorers[t].families(children[share].tolist(), [*iterate_members(parents[share])])

        scores = np.empty(len(children))
        for share, found in zip(shares, self._run.map(score_share, range(threads)), strict=True):
            scores[share] = found
        self._run.count(computed=sum(scorer.computed for scorer in scorers) - before)
        return scores


def find_penalty_slope(problem: Problem) -> float | None:
    """Return the penalty for each free parameter; None if the score is not the log-likelihood minus such a penalty."""
    score = problem.needed_score
    joint = score.joint(problem.needed_data.n_rows)
    is_linear = score.equivalent and joint == CellSum(CellFunction.XLOGX, slope=joint.slope)
    return -joint.slope if is_linear else None


def iterate_members(parents: NDArray[np.bool_]) -> Iterator[list[int]]:
    """Yield the members of each row."""
    row, member = np.nonzero(parents)
    bounds = np.searchsorted(row, np.arange(len(parents) + 1)).tolist()
    members = member.tolist()
    for begin, end in pairwise(bounds):
        yield members[begin:end]
