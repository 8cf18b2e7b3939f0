"""`learn`: its arguments, its errors and its notes."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import polars as pl
import pytest

import bnsearch
from bnsearch.budgets.events import Event
from bnsearch.dags.hillclimb import HillClimb
from bnsearch.data import Dataset
from bnsearch.errors import InputError
from bnsearch.knowledge import Knowledge
from bnsearch.learning.learn import learn
from bnsearch.learning.methods import METHODS, has_end, make_method
from bnsearch.learning.search import search
from bnsearch.networks import load_network, random_network
from bnsearch.parent_sets import ParentSets
from bnsearch.parent_sets.scope import ALL_NETWORKS
from bnsearch.runs.method import get_declaration
from bnsearch.runs.problem import Problem
from bnsearch.runs.run import Run
from bnsearch.runs.stop import Evaluations, Iterations, NoImprovement, Progress, Seconds, Stop, Target
from bnsearch.scores import BDeu, Scorer, make_score
from clocks import Clock

ASIA = load_network("asia").sample(300, seed=5)
QUICK: dict[str, Any] = {"method": "hillclimb", "seconds": None, "stop": Iterations(2), "seed": 0, "threads": 1}


@pytest.mark.parametrize("kind", ["pandas", "polars", "arrow", "codes", "lists", "path", "path as text"])
def test_forms_of_data(kind: str, tmp_path: Path) -> None:
    """Frames and files keep their names; an array of codes has columns 0, 1, ...; the score is the same."""
    path = tmp_path / "asia.csv"
    ASIA.to_polars().write_csv(path)
    table = {
        "pandas": lambda: ASIA.to_polars().to_pandas(),
        "polars": ASIA.to_polars,
        "arrow": lambda: ASIA.to_polars().to_arrow(),
        "codes": lambda: ASIA.codes.T,
        "lists": ASIA.codes.T.tolist,
        "path": lambda: path,
        "path as text": lambda: str(path),
    }[kind]()
    result = learn(table, method="exact", seed=0)
    assert result.dag.names == (tuple("01234567") if kind in ("codes", "lists") else ASIA.names)
    assert result.score == pytest.approx(learn(ASIA, method="exact", seed=0).score, rel=1e-12)


def test_the_score_is_that_of_the_network() -> None:
    """The score can be given by name or as an object."""
    named = learn(ASIA, score="bdeu", **QUICK)
    assert named.score == pytest.approx(Scorer(ASIA, BDeu()).network(named.dag), rel=1e-12)
    assert learn(ASIA, score=BDeu(ess=4.0), **QUICK).score != named.score


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            {"method": "rinob"},
            r"there is no method 'rinob' \(did you mean 'rinobs'\?\): choose from auto, ginobs, rinobs",
        ),
        ({"score": "bdue"}, r"there is no score 'bdue' \(did you mean 'bdeu'\?\)"),
        (
            {"method": "minobs", "parameters": {"populaton": 3}},
            r"the minobs method has no parameter 'populaton' \(did you mean 'population'\?\)",
        ),
        ({"method": HillClimb(), "parameters": {"restarts": 3}}, "parameters can only be given with the name"),
        ({"seconds": -1}, "seconds must be above 0, not -1"),
        ({"seconds": 0}, "seconds must be above 0, not 0"),
        ({"seconds": float("nan")}, "seconds must be above 0, not nan"),
        ({"seconds": "10"}, "seconds must be a number, not '10'"),
        ({"max_parents": -1}, "max_parents must be at least 0, not -1"),
        ({"max_parents": 1.5}, "max_parents must be a whole number, not 1.5"),
        ({"threads": 0}, "threads must be at least 1 and at most 1024, not 0"),
        ({"seed": -3}, "seed must be at least 0, not -3"),
        ({"observers": print}, r"observers must be a list of functions, such as \[print\], not <built-in"),
        ({"observers": ["print"]}, r"observers must be a list of functions"),
        ({"method": "ges", "score": "k2"}, "needs a score that equivalent networks share"),
        ({"method": HillClimb}, r"method must be a name or a method such as .*, not <class"),
        ({"method": None}, r"method must be a name or a method such as .*, not None"),
        ({"score": BDeu}, r"score must be a name, a function or a score such as .*, not <class"),
        ({"stop": 100}, r"stop must be a rule such as Iterations\(100\), not 100"),
        ({"knowledge": {"roots": ["asia"]}}, r"knowledge must be a Knowledge or the path of a file, not {'roots'"),
        ({"knowledge": "nowhere.json"}, "nowhere.json"),
        ({"knowledge": Knowledge(roots=["asai"])}, r"unknown variable 'asai' in roots \(did you mean 'asia'\?\)"),
    ],
    ids=lambda value: "-".join(value) if isinstance(value, dict) else "",
)
def test_errors(given: dict[str, Any], message: str) -> None:
    """The error says what is wrong, and suggests the most similar name if a name is unknown."""
    with pytest.raises(InputError, match=message):
        learn(ASIA, **{**QUICK, **given})


def test_one_column_has_no_structure() -> None:
    """A table of one column is refused; of two columns it is not."""
    with pytest.raises(InputError, match="the table has one column, 'asia': there is no structure to learn"):
        learn(ASIA.to_polars().select("asia"))
    assert learn(ASIA.to_polars().select("asia", "tub"), seconds=60, seed=0).optimal


def test_no_rows() -> None:
    """A table without rows is refused."""
    with pytest.raises(InputError, match="the table is empty: 0 rows"):
        learn(ASIA.to_polars().clear())


def test_a_method_with_its_parameters() -> None:
    """A method by name with parameters is the same as an object."""
    named = learn(ASIA, **{**QUICK, "method": "tabu", "parameters": {"length": 3}})
    made = learn(ASIA, **{**QUICK, "method": bnsearch.make_method("tabu", length=3)})
    assert named.parameters == made.parameters
    assert named.parameters["length"] == 3
    assert named.dag == made.dag


def test_knowledge_from_a_file(tmp_path: Path) -> None:
    """Knowledge can be a path, the path as text, or an object."""
    known = Knowledge(required=[("xray", "smoke")], forbidden=[("smoke", "lung")])
    known.write(tmp_path / "known.json")
    expected = learn(ASIA, knowledge=known, **QUICK)
    assert ("xray", "smoke") in expected.dag.edges
    for path in (tmp_path / "known.json", str(tmp_path / "known.json")):
        assert learn(ASIA, knowledge=path, **QUICK).dag == expected.dag


@pytest.mark.parametrize(
    ("limits", "most"),
    [
        (None, dict.fromkeys(ASIA.names, 2)),
        (1, dict.fromkeys(ASIA.names, 1)),
        (5, dict.fromkeys(ASIA.names, 2)),
        ({"dysp": 0, "lung": 7}, {**dict.fromkeys(ASIA.names, 2), "dysp": 0}),
    ],
    ids=["none", "smaller", "larger", "by name"],
)
@pytest.mark.parametrize("method", ["auto", "hillclimb"])
def test_limits_on_parents_are_joined(method: str, limits: Any, most: dict[str, int]) -> None:
    """With `max_parents=2` and limits of the knowledge, the smaller limit applies to each variable."""
    result = learn(
        ASIA,
        **{**QUICK, "stop": Iterations(9), "method": method},
        max_parents=2,
        knowledge=Knowledge(max_parents=limits),
    )
    assert all(len(parents) <= most[name] for name, parents in zip(ASIA.names, result.dag.parents, strict=True))
    for child in ("either", "lung"):
        required = [(parent, child) for parent in ("asia", "tub", "smoke")]
        with pytest.raises(InputError, match=f"'{child}' has 3 required parents, but at most"):
            learn(ASIA, max_parents=2, knowledge=Knowledge(required=required, max_parents=limits), **QUICK)


@pytest.mark.parametrize(
    ("stop", "reason"),
    [
        (Iterations(3), "iterations"),
        (Evaluations(1), "evaluations"),
        (Target(-1e9), "target"),
        (NoImprovement(2), "no improvement"),
        (Seconds(0) | Iterations(5), "seconds"),
    ],
    ids=["iterations", "evaluations", "target", "no improvement", "joined"],
)
def test_further_rules(stop: Stop, reason: str) -> None:
    """Each rule ends a search with a time budget of an hour."""
    assert learn(ASIA, method="rinobs", seconds=3600, stop=stop, seed=1, threads=1).stop == reason


@pytest.mark.parametrize("seconds", [None, 3600], ids=["no limit", "an hour"])
def test_exact_search_ends_before_the_deadline(seconds: float | None) -> None:
    """With eight variables the optimum is proven, with any time budget."""
    result = learn(ASIA, seconds=seconds, seed=0)
    assert (result.stop, result.optimal, result.gap, result.method) == ("complete", True, 0.0, "auto")
    exact = learn(ASIA, method="exact", seconds=seconds, seed=0)
    assert exact.score == pytest.approx(result.score, rel=1e-12)


def test_without_a_limit_it_ends_by_convergence() -> None:
    """The search ends ten seconds after its last improvement; each reading moves the clock by 20 ms."""
    seen: list[Progress] = []

    def note(event: Event) -> None:
        if event.progress is not None:
            seen.append(event.progress)

    result = learn(ASIA, method="rinobs", seconds=None, seed=0, threads=1, clock=Clock(tick=0.02), observers=[note])
    assert result.stop == "converged"
    assert result.seconds - seen[-1].improved >= 10
    assert seen[-1].improved == max(point.improved for point in result.trace)


@pytest.mark.parametrize(
    ("method", "parameters", "iterations"),
    [("miiga", {"population": 6, "generations": 60}, 60), ("tabu", {"restarts": 200}, 201)],
)
def test_without_a_limit_a_method_with_an_end_runs_to_it(
    method: str, parameters: dict[str, int], iterations: int
) -> None:
    """All generations and restarts are made in spite of convergence; each reading moves the clock by 9 s."""
    result = learn(ASIA, method=method, parameters=parameters, seconds=None, seed=0, threads=1, clock=Clock(tick=9.0))
    assert (result.stop, result.iterations) == ("complete", iterations)
    last = max(point.improved for point in result.trace)
    assert result.seconds - last > 2 * last + 10  # long enough to have converged


def test_which_methods_have_an_end() -> None:
    """Methods with a number of iterations or with nothing left to do have an end; endless restarts have none."""
    assert {name for name in METHODS if has_end(make_method(name))} == {
        "bncpso", "bnpc", "cga", "dga", "exact", "ges", "gresp", "hillclimb", "iges", "ik2vmb", "ilges", "k2", "miiga",
        "mmhc", "tabu", "vnges",
    }  # fmt: skip
    assert not any(has_end(make_method(name, restarts=None)) for name in ("hillclimb", "mmhc", "tabu"))


def test_which_methods_begin_with_a_given_network() -> None:
    """Searches over DAGs, over classes and with islands begin with `start`; for others it is the first incumbent."""
    assert {name for name in METHODS if get_declaration(METHODS[name]).begins_at_start} == {
        "auto", "ges", "ginobs", "gresp", "hillclimb", "iges", "ilges", "tabu", "vnges",
    }  # fmt: skip


def test_a_foreign_method_ends_by_convergence() -> None:
    """A method from elsewhere may have no end, even if it has the name of a method of the library."""

    @dataclass(frozen=True)
    class Foreign:
        name: ClassVar[str] = "ges"

        def search(self, problem: Problem, run: Run) -> None:
            while run.going():
                run.offer(problem.base_score, lambda: problem.base)

    assert not has_end(Foreign())
    assert learn(ASIA, method=Foreign(), seconds=None, clock=Clock(tick=1.0)).stop == "converged"


def test_selection_is_no_convergence() -> None:
    """A minute of candidate selection before the first network does not end the search by convergence."""
    clock = Clock()

    def wait_a_minute(event: Event) -> None:
        clock.now += 60 * (event.progress is None)

    result = learn(ASIA, seconds=None, seed=0, threads=1, clock=clock, observers=[wait_a_minute])
    assert (result.stop, result.optimal) == ("complete", True)


@pytest.mark.parametrize("method", ["auto", "exact"])
def test_a_proof_is_no_convergence(method: str) -> None:
    """The clock is read for each of 16 blocks of subsets, and each reading moves it by 10 s after the first network."""
    data = random_network(16, 2.0, 2, 1).sample(200, seed=1)
    clock = Clock()

    def hurry(event: Event) -> None:
        if event.progress is not None:
            clock.tick = 10.0

    result = learn(data, method=method, seconds=None, seed=0, threads=1, clock=clock, observers=[hurry])
    assert result.seconds > 150
    assert (result.stop, result.optimal) == ("complete", True)


def test_nothing_is_optimal_over_part_of_the_candidates(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a budget of 20 families, many families are not scored."""
    monkeypatch.setattr("bnsearch.learning.candidates.EVALUATIONS", 20)
    part = learn(ASIA, method="exact", seconds=None, seed=0)
    assert (part.optimal, part.scope.is_complete, part.gap) == (False, False, 0.0)
    assert "; other networks may score higher, exact" in repr(part)
    monkeypatch.undo()
    whole = learn(ASIA, method="exact", seconds=None, seed=0)
    assert (whole.optimal, whole.scope) == (True, ALL_NETWORKS)
    assert part.score < whole.score


def test_auto_proves_nothing_over_part_of_the_candidates(monkeypatch: pytest.MonkeyPatch) -> None:
    """If subsets are not counted and 20 families are selected, the result of the islands is not called optimal."""
    monkeypatch.setattr("bnsearch.learning.candidates.EVALUATIONS", 20)
    monkeypatch.setattr("bnsearch.learning.all_subsets.MAX_FAMILIES", 0)
    part = learn(ASIA, seconds=None, stop=Iterations(300), seed=0)
    assert (part.optimal, part.scope.is_complete, part.stop) == (False, False, "iterations")
    monkeypatch.undo()
    whole = learn(ASIA, seconds=None, seed=0)
    assert (whole.optimal, whole.scope) == (True, ALL_NETWORKS)
    assert part.score <= whole.score + 1e-9 * abs(whole.score)


def test_auto_says_what_it_chose(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    """A note names the choice: exact search over all subsets, or over a complete table if these are too many."""
    with caplog.at_level(logging.INFO, logger="bnsearch"):
        notes = learn(ASIA, seconds=3600, seed=0).notes
    assert notes[0].endswith(": all that can be optimal")
    assert notes[1] == "chose exact search: all subsets of 8 variables were scored"
    assert notes[1] in caplog.messages
    monkeypatch.setattr("bnsearch.learning.all_subsets.MAX_FAMILIES", 0)
    result = learn(ASIA, seconds=None, seed=0)
    assert result.optimal
    assert result.notes[0].endswith(": all that can be optimal")
    assert result.notes[1].startswith("chose exact search: the largest component of the candidate parents has ")
    assert result.notes[1].endswith(" of 8 variables")


def test_auto_says_that_it_searches(monkeypatch: pytest.MonkeyPatch) -> None:
    """If neither all subsets nor a complete table fit, a note says that the islands search, and why."""
    monkeypatch.setattr("bnsearch.learning.table_search.MAX_EXACT_VARIABLES", 2)
    result = learn(ASIA, seconds=None, stop=Iterations(50), seed=0)
    assert result.optimal  # the table was complete, and the bound of the dual ascent agrees with the score
    assert result.notes[-1] == (
        "chose search over orderings (ginobs, rinobs) and over DAGs (tabu): exact search over all subsets of "
        "8 variables would take too long"
    )


def test_auto_says_that_memory_is_the_reason() -> None:
    """The scores of all subsets of 22 variables take 8 * 2^22 bytes, more than half of 64 MB."""
    data = random_network(22, 2.0, 2, 5).sample(100, seed=5)
    result = learn(data, seconds=None, stop=Iterations(20), seed=0, memory="64MB")
    assert result.notes[-1].endswith("exact search over all subsets of 22 variables would take too much memory")


def test_auto_says_why_not_exact_search(monkeypatch: pytest.MonkeyPatch) -> None:
    """Over a given table, the reason is too many variables that can form cycles, or too little time."""
    problem = Problem(data=ASIA, score=make_score("bic"))
    problem = Problem(data=ASIA, score=problem.score, table=problem.parent_sets)
    stop = Iterations(50) | Seconds(3600)
    result = search(problem, bnsearch.make_method("auto"), stop=Seconds(3600), seed=0)
    assert result.optimal
    assert result.notes[0].startswith("chose exact search: the largest component of the candidate parents has ")
    with monkeypatch.context() as patch:
        patch.setattr("bnsearch.learning.table_search.MAX_EXACT_VARIABLES", 3)
        result = search(problem, bnsearch.make_method("auto"), stop=stop, seed=0)
    assert "chose search over orderings (rinobs)" in result.notes[0]
    assert "too many for exact search" in result.notes[0]
    with monkeypatch.context() as patch:
        patch.setattr("bnsearch.learning.table_search.SECONDS_FOR_20", 1e10)
        result = search(problem, bnsearch.make_method("auto"), stop=stop, seed=0)
    assert "exact search would take about" in result.notes[0]


def test_a_bound_over_families_met_is_none_over_all(monkeypatch: pytest.MonkeyPatch) -> None:
    """
    A run that ends just after a complete selection reports no upper bound below the best network.

    Two variables are the exclusive or of two others: no pair of these is dependent, so that almost all families met
    before the selection are empty sets.
    """
    rng = np.random.default_rng(0)
    pairs = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 100)
    columns = [column for _ in range(2) for x, y in [rng.permutation(pairs).T] for column in (x, y, x ^ y)]
    twice = rng.integers(2, size=400)
    data = Dataset.from_codes(np.column_stack([*columns, twice, twice]))
    best = learn(data, method="exact", seconds=None, seed=0)

    def end(table: ParentSets, problem: Problem, run: Run) -> tuple[bool, str]:
        run.budget.request_stop()
        return False, ""

    monkeypatch.setattr("bnsearch.learning.table_search.MAX_EXACT_VARIABLES", 2)
    monkeypatch.setattr("bnsearch.learning.auto.exact_fits", end)  # asked where a selection is complete
    result = learn(data, seconds=600, seed=1, threads=1, clock=Clock(tick=0.02))
    assert result.stop == "interrupted"
    assert not result.scope.is_complete or result.bound is None or result.bound >= best.score - 1e-9 * abs(best.score)
    assert not result.optimal or result.score == pytest.approx(best.score)


def test_max_parents_reaches_the_candidates() -> None:
    """The optimum among networks with at most one parent each is proven."""
    result = learn(ASIA, max_parents=1, seconds=3600, seed=0)
    assert result.optimal
    assert max(map(len, result.dag.parents)) == 1
    assert result.score < learn(ASIA, seconds=3600, seed=0).score


def test_events_of_selection_and_search() -> None:
    """Scores only rise; the work done of a selection never exceeds its total."""
    events: list[Event] = []
    result = learn(ASIA, seconds=3600, seed=0, observers=[events.append], threads=1)
    scores = [event.progress.score for event in events if event.progress is not None]
    assert scores == sorted(scores)
    assert scores[-1] == result.score
    selecting = [event for event in events if event.progress is None]
    assert selecting
    assert all(0 < event.done <= event.total for event in selecting)
    assert {event.task for event in events if event not in selecting} == {"searching"}
    events.clear()
    result = learn(ASIA, method="exact", seconds=3600, seed=0, observers=[events.append], threads=1)
    selecting = [event for event in events if event.progress is None]
    assert all(0 < event.done <= event.total for event in selecting)
    assert f"kept {selecting[-1].found:,}" in result.notes[0]


def test_nltcs(shared_data: Path) -> None:
    """16 variables, 3,236 rows: the proven optimum is that of an independent dynamic program."""
    data = Dataset.read(shared_data / "debd" / "nltcs.test.csv.gz", header=False)
    result = learn(data, seconds=60, seed=0)
    assert result.optimal
    assert result.score == pytest.approx(-20033.595540, abs=1e-6)
    assert Scorer(data, make_score("bic")).network(result.dag) == pytest.approx(result.score, rel=1e-12)


def test_kernels_of_restarts_are_loaded_before_the_run():
    """The kernels of restarts are loaded before the run, so that they are not compiled within its time budget."""
    from bnsearch.ondemand.kernels_chain import run_task

    learn(ASIA, method="ginobs", stop=Iterations(1), seed=0, threads=1)
    assert run_task.signatures


def test_a_frame_is_discretised() -> None:
    """`discretize` applies to frames and files; codes and datasets are discrete already."""
    rng = np.random.default_rng(1)
    x = rng.normal(size=200)
    frame = pl.DataFrame({"x": x, "y": x + 0.1 * rng.normal(size=200), "z": ["a", "b"] * 100})
    with pytest.raises(InputError, match='discretize="quantile:5"'):
        learn(frame)
    result = learn(frame, discretize="quantile:3", seconds=20, seed=1)
    assert result.dag.skeleton == {("x", "y")}
    assert learn(frame, discretize={"x": [0.0], "y": [0.0]}, seconds=20, seed=1).dag.skeleton == {("x", "y")}
    for data in (ASIA, np.zeros((3, 2), dtype=int)):
        with pytest.raises(InputError, match="discretize applies to files and data frames"):
            learn(data, discretize="quantile:3")


@pytest.mark.parametrize("method", ["hillclimb", "tabu", "ges", "ilges"])
def test_a_search_begins_with_a_network(method: str) -> None:
    """Without an iteration, or with the first one, the result is at least as good as the network to begin with."""
    best = learn(ASIA, seconds=None, seed=1)
    again = learn(ASIA, method=method, start=best, seconds=None, seed=1, threads=1)
    assert again.score >= best.score - 1e-9 * abs(best.score)
    assert again.trace.points[0].score == pytest.approx(best.score, rel=1e-12)
    assert not any("first incumbent" in note for note in again.notes)


def test_other_methods_take_a_network_as_first_incumbent() -> None:
    """The result is not worse, and a note says how the network is used."""
    best = learn(ASIA, seconds=None, seed=1)
    found = learn(ASIA, method="cga", start=best.dag, stop=Iterations(1), seconds=None, seed=1)
    assert found.score >= best.score
    assert any(note.startswith("cga does not begin its search with the given network") for note in found.notes)


def test_a_network_to_begin_with_must_be_legal() -> None:
    """The network has the variables of the data, and respects the knowledge."""
    asia = load_network("asia")
    with pytest.raises(InputError, match="the network `start` does not respect the knowledge"):
        learn(ASIA, start=asia, knowledge=Knowledge(forbidden=[("asia", "tub")]))
    with pytest.raises(InputError, match="the graphs have different variables"):
        learn(ASIA, start=load_network("greenhouse"))
    with pytest.raises(InputError, match="a DAG, a network or a result is needed here"):
        learn(ASIA, start="asia")


def test_search_by_name() -> None:
    """`search` has the default method, and accepts names."""
    table = Problem(data=ASIA, score=make_score("bic")).parent_sets
    assert search(Problem(table=table)).optimal
    assert search(Problem(table=table), "exact").optimal
    with pytest.raises(InputError, match="the method ges needs data and a score"):
        search(Problem(table=table), "ges")


@pytest.mark.parametrize("method", ["auto", "rinobs", "hillclimb"])
def test_one_limit_on_parents(method: str) -> None:
    """`max_parents` of `learn` and of the knowledge are the same limit."""
    limited = learn(ASIA, method=method, max_parents=1, stop=Iterations(5), seconds=None, seed=1)
    known = learn(ASIA, method=method, knowledge=Knowledge(max_parents=1), stop=Iterations(5), seconds=None, seed=1)
    assert limited.dag == known.dag
    assert max(map(len, limited.dag.parents)) == 1
