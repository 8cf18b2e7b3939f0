"""HillClimb, Tabu and K2 over scripted parts: what is counted, perturbed, restarted and added."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import bnsearch.dags.hillclimb as hillclimb_module
from bnsearch import Knowledge
from bnsearch.dags import K2, HillClimb, Tabu
from bnsearch.dags.climber import ScoredDAG
from bnsearch.dags.hillclimb import remove_edges
from bnsearch.dags.k2 import add_parents_greedily
from bnsearch.data import Dataset
from bnsearch.errors import InputError
from bnsearch.learning.arguments import limit_parents
from bnsearch.runs.problem import Problem
from bnsearch.runs.run import Run
from bnsearch.runs.stop import Iterations
from bnsearch.scores import BIC, Scorer

ROWS = np.random.default_rng(1).integers(2, size=(60, 4))


def problem_of(**knowledge) -> Problem:
    """Return a problem over a, b, c, d."""
    data = Dataset.from_codes(ROWS, names="abcd", arities=[2] * 4)
    return Problem(data=data, score=BIC(), knowledge=Knowledge(**knowledge) if knowledge else None)


class ScriptedClimber:
    """A climber whose climbs end at scripted scores; each climb asks for 10 local scores and computes 3, twice."""

    def __init__(self, pricer):
        self.asked, self.computed, self.score, self.best = 0, 0, -np.inf, None
        self.ends, self.starts = [], []

    def fork(self):
        """Return itself."""
        return self

    def start(self, parents, tie_order=None, moves=None):
        """Record the start."""
        self.starts.append([list(s) for s in parents])
        self.score, self.best = -np.inf, None

    def climb(self):
        """Climb in two calls: 5 below the end, then to the end."""
        end = self.ends.pop(0)
        for score in (end - 5.0, end):
            self.asked, self.computed, self.score = self.asked + 10, self.computed + 3, score
            self.best = ScoredDAG(score, lambda: [[], [], [], []], np.zeros(4))
            yield


@pytest.fixture
def script(monkeypatch) -> ScriptedClimber:
    """Return a scripted climber in place of the class."""
    climber = ScriptedClimber(None)
    monkeypatch.setattr(hillclimb_module, "Climber", lambda pricer: climber)
    return climber


def test_climbs_are_counted_and_offered(script):
    """
    A first climb and two restarts, each of 20 local scores, 6 of them computed.

    The first climb offers both of its graphs, -15 and -10; a restart offers its end: -12, which is no improvement, and
    -9.
    """
    script.ends = [-10.0, -12.0, -9.0]
    run = Run(seed=1)
    HillClimb(restarts=2).search(problem_of(), run)
    assert (run.progress.iterations, run.progress.evaluations, run.computed) == (3, 60, 18)
    assert [point.score for point in run.trace] == [-15.0, -10.0, -9.0]


def test_restarts_end_with_the_run(script):
    """Nine restarts are asked for; after four iterations in all the run stops: three restarts are made."""
    script.ends = [-10.0] * 10
    run = Run(Iterations(4), seed=1)
    HillClimb(restarts=9).search(problem_of(), run)
    assert (len(script.starts), run.progress.iterations, run.reason) == (4, 4, "iterations")


def test_restarts_come_four_at_a_time(script):
    """Six restarts are a round of four from the first graph and a round of two."""
    rounds = []

    class Recorded(HillClimb):
        def restart(self, number, best, climbers, problem, run):
            rounds.append((number, best.score))
            return super().restart(number, best, climbers, problem, run)

    script.ends = [-10.0, -11.0, -9.0, -12.0, -9.5, -8.0, -7.0]
    Recorded(restarts=6).search(problem_of(), Run(seed=1))
    assert rounds == [(4, -10.0), (2, -9.0)]


def test_a_halted_first_climb_is_the_last(script):
    """An interrupted run ends the first climb after its first call, and no restart follows."""
    script.ends = [-10.0, -9.0]
    run = Run(seed=1, observers=[lambda progress: run.budget.request_stop()])
    HillClimb(restarts=5).search(problem_of(), run)
    assert [point.score for point in run.trace] == [-15.0]
    assert (len(script.starts), run.progress.iterations) == (1, 1)


def test_a_halted_restart_ends_after_its_first_call(script):
    """The run is interrupted when a restart begins: this restart ends 5 below its end, at -11, and is offered."""
    script.ends = [-20.0, -6.0, -5.0]
    run = Run(seed=1)
    begin = script.start

    def start(parents, tie_order=None, moves=None):
        begin(parents, tie_order, moves)
        if tie_order is not None:
            run.budget.request_stop()

    script.start = start
    HillClimb(restarts=1).search(problem_of(), run)
    assert [point.score for point in run.trace] == [-25.0, -20.0, -11.0]


def test_edges_are_removed_at_the_share():
    """With a share of .5 the draw .49 removes an edge, .5 does not; a required edge stays."""
    known = Knowledge(required=[("b", "c")]).constraints("abc")

    class Draws:
        def __init__(self, *draws):
            self.draws = list(draws)

        def random(self):
            return self.draws.pop(0)

    parents = [[1], [], [0, 1]]
    assert remove_edges(parents, 0.5, None, Draws(0.49, 0.5, 0.49)) == [[], [], [0]]
    assert remove_edges(parents, 0.5, known, Draws(0.5, 0.49, 0.49)) == [[1], [], [1]]


def test_perturbations():
    """By default edges are removed, all of them with a share of 1; by moves the graph stays, with one word a move."""
    best = ScoredDAG(-1.0, lambda: [[], [0], [0, 1], []], np.zeros(4))
    rng = np.random.default_rng(1)
    assert HillClimb(perturbation=1.0).perturb(best, problem_of(), rng) == ([[], [], [], []], None)
    required = problem_of(required=[("a", "c")])
    assert HillClimb(perturbation=1.0).perturb(best, required, rng) == ([[], [], [0], []], None)
    start, moves = HillClimb(restart_moves=3).perturb(best, problem_of(), rng)
    assert start == [[], [0], [0, 1], []]
    assert (moves.shape, moves.dtype) == ((3,), np.uint64)
    many = HillClimb(restart_moves=40).perturb(best, problem_of(), rng)[1]
    assert many.max() >= 2**63 > many.min()  # of all 64 bits


def test_rules():
    """Limits are the known ones; required edges are allowed; the tabu list is set."""
    allowed = np.zeros((3, 3), dtype=bool)
    allowed[0, 1] = allowed[1, 0] = True
    assert HillClimb().rules(allowed).limits.tolist() == [3, 3, 3]
    known = Knowledge(required=[("c", "b")], forbidden=[("a", "b")], max_parents={"a": 1}).constraints("abc")
    rules = HillClimb().rules(allowed, known)
    assert np.argwhere(rules.allowed).tolist() == [[0, 1], [1, 2]]
    assert rules.limits.tolist() == [1, 2, 2]
    assert np.argwhere(rules.required).tolist() == [[1, 2]]
    assert (rules.tabu, rules.by_move, rules.patience) == (0, False, 0)
    for tabu_list, by_move in (("graphs", False), ("moves", True)):
        rules = Tabu(length=7, patience=8, tabu_list=tabu_list).rules(allowed, known)
        assert (rules.tabu, rules.by_move, rules.patience) == (7, by_move, 8)
        assert rules.limits.tolist() == [1, 2, 2]  # of three variables, at most the other two


def test_candidates_are_the_best_single_parents(monkeypatch):
    """With two candidates each variable may have its two best single parents, of those that knowledge allows."""
    seen = []
    monkeypatch.setattr(HillClimb, "search_within", lambda method, allowed, problem, run: seen.append(allowed))
    for problem in (problem_of(), problem_of(forbidden=[("a", "b")])):
        HillClimb(candidates=2).search(problem, Run(seed=1))
        HillClimb().search(problem, Run(seed=1))
        scorer = Scorer(problem.needed_data, BIC())
        every = ~np.eye(4, dtype=bool) if problem.constraints is None else problem.constraints.allowed
        few, whole = seen[-2:]
        assert np.array_equal(whole, every)
        for child in range(4):
            others = sorted(np.flatnonzero(every[child]), key=lambda x, child=child: -scorer.family(child, [int(x)]))
            assert set(np.flatnonzero(few[child])) == set(others[:2])


class ScriptedExtender:
    """Local scores of a child by its parents; each call is recorded."""

    def __init__(self, scores):
        self.scores, self.calls = scores, []

    def family(self, child, parents):
        """Return the score of a family."""
        return self.scores[frozenset(parents)]

    def extend(self, child, parents, candidates):
        """Return the scores with each candidate."""
        self.calls.append((parents, candidates.tolist()))
        return np.array([self.scores[frozenset({*parents, int(x)})] for x in candidates])


SCORES = {
    frozenset(): -10.0, frozenset({1}): -7.0, frozenset({2}): -6.0, frozenset({3}): -6.0 - 1e-12,
    frozenset({1, 2}): -5.0, frozenset({2, 3}): -4.0, frozenset({1, 3}): -5.5, frozenset({1, 2, 3}): -4.0,
}  # fmt: skip


def test_k2_by_script():
    """
    From -10: 3 and 2 score -6 up to rounding, and 3 comes first; then 2 is better than 1: -4; 1 gains nothing.

    With one parent at most the first alone is added; required ones are there before; a halted run adds nothing.
    """
    extender = ScriptedExtender(SCORES)
    assert add_parents_greedily(extender, 0, np.array([1, 3, 2]), 5) == ([3, 2], -4.0)
    assert extender.calls == [([], [1, 3, 2]), ([3], [1, 2]), ([2, 3], [1])]
    assert add_parents_greedily(extender, 0, np.array([1, 3, 2]), 1) == ([3], SCORES[frozenset({3})])
    assert add_parents_greedily(extender, 0, np.array([2, 3]), 3, required=[1]) == ([1, 2, 3], -4.0)
    assert add_parents_greedily(extender, 0, np.array([2, 3]), 3, lambda: True, [1]) == ([1], -7.0)
    assert add_parents_greedily(extender, 0, np.array([], dtype=np.int64), 3) == ([], -10.0)
    answers = iter([False, True])
    assert add_parents_greedily(extender, 0, np.array([1, 3, 2]), 5, lambda: next(answers))[0] == [3]


def test_k2_counts_and_offers():
    """
    Along d, c, b, a with one parent at most, by hand: families of 0, 1, 2 and 3 candidates.

    Each family without parents is one evaluation, and each candidate another: 4 + 0 + 1 + 2 + 3 = 10. The score is that
    of the network.
    """
    problem, run = replace(problem_of(), knowledge=Knowledge(max_parents=1)), Run(seed=1)
    K2(ordering=tuple("dcba")).search(problem, run)
    assert run.progress.iterations == 1
    assert run.progress.evaluations == run.computed
    assert run.progress.evaluations == 10
    assert run.progress.score == pytest.approx(problem.scorer.network(run.best()))


def test_k2_orderings():
    """A random ordering is that of the run's generator; a given one may be any sequence of names, but no text."""
    problem = problem_of()
    order = np.random.default_rng(3).permutation(4)
    runs = Run(seed=3), Run(seed=3)
    K2().search(problem, runs[0])
    K2(ordering=[problem.names[v] for v in order]).search(problem, runs[1])
    assert runs[0].progress.score == runs[1].progress.score
    assert K2(ordering=["a", "b"]).ordering == ("a", "b")
    for wrong in ("abcd", 5):
        with pytest.raises(InputError, match="ordering must be a list of all variables' names"):
            K2(ordering=wrong)


def test_k2_obeys_knowledge():
    """
    Along a, b, c, d with knowledge: c requires a; d may have one parent; b may not have a.

    So b has no candidate, c has a and may add b, d may add one of three.
    """
    rows = np.repeat(np.arange(16), 8)[:, None] >> np.arange(4) & 1  # independent columns: only required parents
    copies = np.stack([rows[:, 0]] * 4, axis=1)
    for codes, expected in ((rows, [[], [], [0], []]), (copies, [[], [], [0], [0]])):
        data = Dataset.from_codes(codes, names="abcd", arities=[2] * 4)
        known = Knowledge(required=[("a", "c")], forbidden=[("a", "b")], max_parents={"d": 1})
        run = Run(seed=1)
        K2(ordering=tuple("abcd")).search(Problem(data=data, score=BIC(), knowledge=known), run)
        assert [list(s) for s in run.best().parents] == expected


@pytest.mark.parametrize(
    ("max_parents", "known", "number"),
    [(None, None, 2), (1, None, 1), (0, None, 0), (2, {"c": 1}, 1), (1, {"c": 2}, 1), (None, {"c": 1}, 1)],
)
def test_k2_limits_parents(max_parents, known, number):
    """With c = 2 a + b, c has the parents a and b, as far as the limits of `learn` and of the knowledge allow."""
    a, b = np.arange(64) % 2, np.arange(64) // 2 % 2
    data = Dataset.from_codes(np.stack([a, b, 2 * a + b], axis=1), names="abc", arities=[2, 2, 4])
    knowledge = None if known is None else Knowledge(max_parents=known)
    run = Run(seed=1)
    limited = limit_parents(knowledge, max_parents, data.names)
    K2(ordering=tuple("abc")).search(Problem(data=data, score=BIC(), knowledge=limited), run)
    assert [len(parents) for parents in run.best().parents] == [0, 0, number]
