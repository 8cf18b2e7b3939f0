"""Family scores of whole generations: each different family asked for once, in one batch."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from bnsearch.counting.cell_sums import CellFunction, CellSum
from bnsearch.genetic.graphs import Graphs, Numbers, Reals
from bnsearch.genetic.numbering import Numbering
from bnsearch.graphs.dag import DAG
from bnsearch.runs.problem import Problem
from bnsearch.runs.run import Run
from bnsearch.scores.loglik import LogLikelihood
from bnsearch.scores.scorer import Scorer

BATCH = 2_000  # families between two looks at the clock: some tens of milliseconds
WORTH_THREADS = 200  # new families for each thread
MOST_KNOWN = 1 << 20


class Halted(Exception):  # noqa: N818  # nothing went wrong
    """The run is to stop now, in the middle of a generation."""


class Families:
    """
    Local scores of the families of a population, remembered by their members.

    Each score is also known as fit less penalty: fit is the maximised log-likelihood, and the penalty is what the score
    takes off. Where BIC or AIC is the score that is Eq. 12 of Dai et al. (2020).

    Parameters
    ----------
    problem, run : whose scores, and who counts them
    """

    def __init__(self, problem: Problem, run: Run) -> None:
        self.names = problem.names
        self._run = run
        self._arities = problem.needed_data.arities
        self._scorers = [problem.scorer, *(problem.scorer.fork() for _ in range(run.threads - 1))]
        self._slope = penalty_slope(problem)
        self._likelihoods = [] if self._slope is not None else [s.fork(LogLikelihood()) for s in self._scorers]
        self._forget()

    def _forget(self) -> None:
        self._numbering = Numbering(len(self.names))
        self._values = np.empty((2, 1024))  # scores, penalties

    def scores(self, children: Numbers, parents: NDArray[np.bool_]) -> Reals:
        """Return the local scores of families; parents : bool[families, variables]."""
        slots = self._slots(children, parents)  # first: it may replace the values by a wider array
        scores: Reals = self._values[0, slots]
        return scores

    def parts(self, graphs: Graphs) -> tuple[Reals, Reals]:
        """Return the scores and the penalties of all families of some graphs, each [graphs, variables]."""
        number, n, _ = graphs.shape
        slots = self._slots(np.tile(np.arange(n), number), graphs.reshape(-1, n)).reshape(number, n)
        return self._values[0, slots], self._values[1, slots]

    def offer(self, graphs: Graphs, local: Reals) -> None:
        """Offer the best of some graphs to the run; local : scores of their families, [graphs, variables]."""
        best = int(local.sum(axis=1).argmax())
        graph = graphs[best].copy()
        self._run.offer(math.fsum(local[best]), lambda: DAG.from_adjacency(self.names, graph.T))

    def offered(self, graphs: Graphs) -> Reals:
        """Return the scores of some graphs, having offered the best to the run."""
        local, _ = self.parts(graphs)
        self.offer(graphs, local)
        scores: Reals = local.sum(axis=1)
        return scores

    def check_halted(self) -> None:
        """Raise `Halted` if the run is to stop."""
        if self._run.halted():
            raise Halted

    def _slots(self, children: Numbers, parents: NDArray[np.bool_]) -> Numbers:
        """Return where the values of families are kept, having worked out those that are new."""
        if len(self._numbering) > MOST_KNOWN:
            self._forget()
        known = len(self._numbering)
        slots, new = self._numbering.numbers(children, parents)
        self._run.count(evaluations=len(slots))
        for begin in range(0, len(new), BATCH):
            if self._run.halted():
                self._forget()  # or it would seem to know the rest
                raise Halted
            chosen = new[begin : begin + BATCH]
            self._keep(known + begin, children[chosen], parents[chosen])
        return slots

    def _keep(self, first: int, children: Numbers, parents: NDArray[np.bool_]) -> None:
        """Work out the values of families, which are to be kept from a place on."""
        end = first + len(children)
        if end > self._values.shape[1]:
            wider = np.empty((2, 2 * end))
            wider[:, :first] = self._values[:, :first]
            self._values = wider
        scores = self._scored(self._scorers, children, parents)
        if self._slope is None:
            penalties = self._scored(self._likelihoods, children, parents) - scores
        else:
            cells = np.where(parents, self._arities.astype(np.float64), 1.0).prod(axis=1)
            penalties = self._slope * cells * (self._arities[children] - 1)
        self._values[:, first:end] = scores, penalties

    def _scored(self, scorers: list[Scorer], children: Numbers, parents: NDArray[np.bool_]) -> Reals:
        """Return scores counted now; in threads, each with the families of some of the children."""
        threads = min(len(scorers), 1 + len(children) // WORTH_THREADS)
        shares = [np.flatnonzero(children % threads == t) for t in range(threads)]
        before = sum(scorer.computed for scorer in scorers)

        def score(t: int) -> Reals:
            mine = shares[t]
            return scorers[t].families(children[mine].tolist(), [*lists_of(parents[mine])])

        scores = np.empty(len(children))
        for share, found in zip(shares, self._run.map(score, range(threads)), strict=True):
            scores[share] = found
        self._run.count(computed=sum(scorer.computed for scorer in scorers) - before)
        return scores


def penalty_slope(problem: Problem) -> float | None:
    """Return what a score takes off for each free parameter, if that is all it takes off the log-likelihood."""
    score = problem.needed_score
    joint = score.joint(problem.needed_data.n_rows)
    plain = score.equivalent and joint == CellSum(CellFunction.XLOGX, slope=joint.slope)
    return -joint.slope if plain else None


def lists_of(parents: NDArray[np.bool_]) -> Iterator[list[int]]:
    """Yield the members of each row."""
    row, member = np.nonzero(parents)
    bounds = np.searchsorted(row, np.arange(len(parents) + 1)).tolist()
    members = member.tolist()
    for begin, end in pairwise(bounds):
        yield members[begin:end]
