"""Greedy equivalence search (GES) in several parts: as a part of the first climb, or in parallel with the islands."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from math import fsum, inf

from bnsearch.dags.climber import ScoredDAG
from bnsearch.equivalence.ges import GES, two_stage_search
from bnsearch.equivalence.neighbourhood import Neighbourhood
from bnsearch.runs.problem import Problem
from bnsearch.runs.run import Run
from bnsearch.scores.score import improves

BYTES_PER_PAIR = 8  # memory of GES for each pair of variables, an upper estimate
MAX_SHARE = 0.4  # maximum share of the remaining time for GES within the first climb
MAX_RATIO = 5.0  # maximum time of GES within the first climb, as a multiple of the elapsed time
TRIAL_SHARE = 0.05  # share of the remaining time after which the duration of GES is estimated; at most the elapsed time
FIRST_STEP_SHARE = 0.5  # share of the trial for the first step: where GES ended in time, this step took less (measured)
UNCERTAINTY = 1.5  # GES gives up if its estimated duration is more than this many times its maximum duration


def can_climb_over_classes(problem: Problem, memory: float) -> bool:
    """Return True if GES can search with the score of a problem, and some bytes of memory suffice."""
    return problem.needed_score.equivalent and BYTES_PER_PAIR * problem.size**2 <= memory


class ClassClimb:
    """
    GES that can be interrupted and continued. It needs a score-equivalent score. Only one thread at a time may use it.

    The climb uses the problem's own scorer, which has the values of all pairs of variables in its cache.

    Parameters
    ----------
    problem, run : the problem, and the run

    Attributes
    ----------
    ended : True if no step is left, or if one step took too long
    asked, computed : numbers of local scores used, and of set values computed, so far
    """

    def __init__(self, problem: Problem, run: Run) -> None:
        self._problem, self._run, self._deadline = problem, run, inf
        self._n_steps = 0
        self.ended = False
        self.asked = self.computed = 0

    def climb(self, n_edges: int) -> Iterator[None]:
        """
        Climb to the end; yield after each step.

        The climb gives up if it takes too long, or is clearly expected to do so. This estimate assumes one step for
        each edge of a good network. Limits depend on the remaining time and on the elapsed time: with a long time
        budget, other searches must not wait for a climb that fails.

        n_edges : number of edges of a good network
        """
        run, started = self._run, self._run.seconds
        elapsed = started if run.is_timed else inf
        max_seconds = min(MAX_SHARE * run.seconds_left, MAX_RATIO * elapsed)
        trial = min(TRIAL_SHARE * run.seconds_left, elapsed)
        self._deadline = started + FIRST_STEP_SHARE * trial  # for the first step, which computes the gains of all pairs
        while not self.ended:
            self._take_step()
            self._deadline = started + max_seconds
            yield
            spent = run.seconds - started
            expected = spent * max(1.0, n_edges / max(1, self._n_steps))
            if spent > max_seconds or (spent > trial and expected > UNCERTAINTY * max_seconds):
                return

    def advance(self, seconds: float) -> None:
        """Take steps for some seconds; offer each network that is better than the incumbent."""
        run, started, asked, computed = self._run, self._run.seconds, self.asked, self.computed
        self._deadline = started + 2.0 * seconds  # a step that takes as long as a whole part ends the climb
        while not self.ended and run.seconds - started < seconds:
            self._take_step()
            run.count(evaluations=self.asked - asked, computed=self.computed - computed)
            asked, computed = self.asked, self.computed
            if improves(self.score, run.progress.score):
                run.offer(self.score, self._state.dag_maker())

    @cached_property
    def _state(self) -> Neighbourhood:
        """The class and its operators; made at the first step, because it takes memory and time."""
        return GES().start_neighbourhood(self._problem.scorer, self._problem.constraints)

    @cached_property
    def _steps(self) -> Iterator[object]:
        """The remaining steps."""
        return two_stage_search(self._state, self._is_late)

    @property
    def score(self) -> float:
        """The score of the network so far."""
        return self._state.score

    @property
    def best(self) -> ScoredDAG:
        """The network so far."""
        parents = self._state.dag_maker()().parents
        scores = self._problem.scorer.families(range(len(parents)), parents)
        return ScoredDAG(fsum(scores), lambda: [list(own) for own in parents], scores)

    def _take_step(self) -> None:
        """Take the next step of GES; the climb ends if there is none."""
        self.ended = next(self._steps, None) is None
        self._n_steps += not self.ended
        counts = self._state.take_counts()
        self.asked += counts["evaluations"]
        self.computed += counts["computed"]

    def _is_late(self) -> bool:
        return self._run.halted() or self._run.seconds > self._deadline
