"""`learn` and `search` with a checkpoint: interrupted runs continue, and no result is worse than what was saved."""

from __future__ import annotations

import math
import shutil
import signal
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from bnsearch.budgets.events import Event
from bnsearch.checkpoints.container import Container
from bnsearch.data import Dataset
from bnsearch.errors import InputError
from bnsearch.knowledge import Knowledge
from bnsearch.learning.bounding import BoundSearch
from bnsearch.learning.candidates import CandidateSelector
from bnsearch.learning.learn import learn
from bnsearch.learning.methods import METHODS
from bnsearch.learning.search import search
from bnsearch.networks import load_network, random_network
from bnsearch.ondemand.island_model import IslandModel
from bnsearch.runs.problem import Problem
from bnsearch.runs.result import Result
from bnsearch.runs.run import Run
from bnsearch.runs.stop import Iterations, Seconds
from bnsearch.scores import BDeu, Scorer, make_score
from candidate_tables import random_candidates

ASIA = load_network("asia").sample(150, seed=5)
BIG = random_network(300, 3.0, 3, 1).sample(1000, 1)  # not all useful parent sets can be scored in some seconds
SCORER = Scorer(ASIA, make_score("bic"))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return the path of a checkpoint."""
    return tmp_path / "run.bns"


def interrupt_when(condition: Callable[[Event], bool]) -> Callable[[Event], None]:
    """Return an observer that sends Ctrl-C at the first event that satisfies a condition."""
    left = [1]

    def observe(event: Event) -> None:
        if left[0] and condition(event):
            left[0] = 0
            signal.raise_signal(signal.SIGINT)

    return observe


def is_searching(event: Event) -> bool:
    """Return True for events of the search."""
    return event.progress is not None


def write_often(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let checkpoints be written as often as possible."""
    monkeypatch.setattr("bnsearch.checkpoints.costs.SECONDS_BETWEEN_WRITES", 0.01)
    for name in ("MAX_SHARE", "MAX_PART_SHARE", "MAX_DISK_SHARE"):
        monkeypatch.setattr(f"bnsearch.checkpoints.costs.{name}", 1.0)


def read_files(folder: Path) -> dict[str, bytes]:
    """Return the content of all files of a folder."""
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def same_result(first: Result, second: Result) -> bool:
    """Return True if two results agree, except for a last note."""
    names = "dag", "score", "bound", "optimal", "stop", "iterations", "evaluations", "computed", "seconds", "seed"
    names = (*names, "scope", "method", "parameters", "empty_score", "families")
    points = first.trace.points, second.trace.points
    return all(getattr(first, name) == getattr(second, name) for name in names) and len(points[0]) == len(points[1])


@pytest.mark.parametrize("method", ["hillclimb", "auto", "obs"])
def test_the_result_of_an_ended_run_is_returned(path, method, monkeypatch):
    """The second call searches nothing, and returns all that the first one has returned."""
    options = {"method": method, "seconds": 20, "stop": Iterations(20), "seed": 1, "threads": 1, "checkpoint": path}
    first = learn(ASIA, **options)
    before = read_files(path)
    monkeypatch.setattr(METHODS[method], "search", None)
    second = learn(ASIA, **{**options, "seconds": 10, "threads": 2, "memory": "1GB"})
    assert same_result(first, second)
    assert second.notes == (*first.notes, f"the run of the checkpoint {path} has ended: this is its result")
    assert second.climbs.final.tolist() == first.climbs.final.tolist()
    assert read_files(path) == before


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"score": BDeu()}, "score BIC(), not BDeu(ess=1, prior=False)"),
        ({"method": "tabu"}, "method hillclimb, not tabu"),
        ({"seed": 2}, "seed 1, not 2"),
        ({"max_parents": 2}, "another knowledge"),
        ({"stop": Iterations(4)}, "stopping rule Iterations(limit=3), not Iterations(limit=4)"),
        ({"data": ASIA.select(ASIA.names[::-1])}, "another table"),
    ],
)
def test_another_run_is_refused(path, changes, expected):
    """The error names the difference in one line, and no file changes."""
    options = {"data": ASIA, "method": "hillclimb", "stop": Iterations(3), "seed": 1, "checkpoint": path}
    learn(**options)
    before = read_files(path)
    with pytest.raises(InputError, match="belongs to another run") as caught:
        learn(**{**options, **changes})
    assert expected in str(caught.value)
    assert "\n" not in str(caught.value)
    assert read_files(path) == before


def test_restart(path):
    """Another run replaces the saved one, also a damaged one; the argument makes no sense without a checkpoint."""
    options = {"method": "hillclimb", "stop": Iterations(3), "checkpoint": path}
    learn(ASIA, seed=1, **options)
    assert learn(ASIA, seed=2, restart=True, **options).seed == 2
    (path / "manifest.json").write_text("{")
    with pytest.raises(InputError, match="is damaged"):
        learn(ASIA, seed=2, **options)
    assert learn(ASIA, seed=3, restart=True, **options).seed == 3
    assert learn(ASIA, seed=3, **options).seed == 3
    with pytest.raises(InputError, match="restart needs a checkpoint"):
        learn(ASIA, restart=True)
    with pytest.raises(InputError, match="checkpoint must be a path"):
        learn(ASIA, checkpoint=3)


def test_a_seed_that_was_drawn_is_kept(path):
    """Without a seed, a run that continues has the seed of the first one."""
    options = {"method": "hillclimb", "seconds": 3600, "threads": 1, "checkpoint": path}
    first = learn(ASIA, observers=[interrupt_when(is_searching)], **options)
    second = learn(ASIA, **options)
    assert (first.stop, second.stop) == ("interrupted", "complete")
    assert first.seed == second.seed


@pytest.mark.parametrize("method", list(METHODS))
def test_every_method_continues(path, method):
    """After Ctrl-C at the first network, the same call continues and ends with a network that is at least as good."""
    options = {"method": method, "seconds": 3600, "stop": Iterations(30), "seed": 3, "threads": 1, "checkpoint": path}
    first = learn(ASIA, observers=[interrupt_when(is_searching)], **options)
    assert first.stop == "interrupted"
    second = learn(ASIA, **options)
    assert second.stop in ("iterations", "complete")
    assert second.score >= first.score
    assert second.score == pytest.approx(SCORER.network(second.dag), rel=1e-9)
    assert second.seconds >= first.seconds
    assert second.evaluations >= first.evaluations
    assert any(note.startswith("continued from the checkpoint") for note in second.notes)
    scores = [point.score for point in second.trace]
    assert scores == sorted(scores)
    third = learn(ASIA, **options)
    assert same_result(second, third)


def test_iterations_continue(path):
    """The second run makes the rest of the iterations only, with other random numbers."""
    options = {"method": "ginobs", "seconds": None, "stop": Iterations(2000), "seed": 1, "threads": 1}
    enough = interrupt_when(lambda event: event.progress is not None and event.progress.iterations >= 500)
    first = learn(BIG, checkpoint=path, observers=[enough], **options)
    assert (first.stop, first.iterations < 2000) == ("interrupted", True)
    counts: list[int] = []
    second = learn(BIG, checkpoint=path, observers=[lambda event: counts.append(event.progress.iterations)], **options)
    assert counts[0] == first.iterations
    assert second.stop == "iterations"
    assert 2000 <= second.iterations < 2100  # the rule is checked between rounds


def test_islands_continue(path, monkeypatch):
    """The islands of the second run have the networks, families, rounds and schedule of the first one."""
    monkeypatch.setattr("bnsearch.learning.all_subsets.MAX_FAMILIES", 0)
    monkeypatch.setattr("bnsearch.learning.candidates.EVALUATIONS", 500_000)
    options = {"seconds": None, "stop": Iterations(4000), "seed": 1, "checkpoint": path}
    models: list[IslandModel] = []
    start = IslandModel.start

    def keep(self: IslandModel) -> None:
        start(self)
        models.append(self)

    monkeypatch.setattr(IslandModel, "start", keep)
    enough = interrupt_when(lambda event: event.progress is not None and event.progress.iterations >= 1500)
    first = learn(BIG, observers=[enough], **options)
    old = models.pop()
    selects = count_calls(monkeypatch, CandidateSelector, "select")
    found: list[tuple[float, int, int, float]] = []

    def look(self: IslandModel) -> None:
        start(self)
        found.extend(describe(self))

    monkeypatch.setattr(IslandModel, "start", look)
    second = learn(BIG, **options)
    assert found == describe(old)
    assert not selects
    assert second.stop == "iterations"
    assert second.score >= first.score


def describe(model: IslandModel) -> list[tuple[float, int, int, float]]:
    """Return what a resumed model must have in common with the interrupted one; scores without rounding errors."""
    islands = model.islands
    return [(each.chain.score_of_best(), each.chain.n_families, each.n_climbs, model.n_rounds) for each in islands]


def count_calls(monkeypatch: pytest.MonkeyPatch, kind: type, name: str) -> list[str]:
    """Return a list that gets an entry at each call of a method."""
    calls: list[str] = []
    method = getattr(kind, name)

    def count(self: object, *arguments: object, **options: object) -> object:
        calls.append(name)
        return method(self, *arguments, **options)

    monkeypatch.setattr(kind, name, count)
    return calls


def test_a_copy_of_the_folder_continues(path, monkeypatch):
    """
    Copies of the folder while a run writes it are what SIGKILL leaves: each continues, with any number of threads.

    The saved score is at most ten seconds old, here much less, and the result is never below it.
    """
    write_often(monkeypatch)
    copies: list[Path] = []

    def copy(event: Event) -> None:
        manifest = path / "manifest.json"
        if event.progress is None or event.progress.seconds < 0.3 * (len(copies) + 1):
            return
        stamp, to = manifest.stat().st_mtime_ns, path.with_name(f"copy{len(copies)}.bns")
        try:
            shutil.copytree(path, to)
        except shutil.Error:  # a file was replaced meanwhile
            shutil.rmtree(to)
            return
        if manifest.stat().st_mtime_ns == stamp:
            copies.append(to)
        else:
            shutil.rmtree(to)

    learn(BIG, seconds=1.6, seed=1, threads=2, checkpoint=path, observers=[copy])
    assert len(copies) >= 2
    for threads, each in zip((1, 3, 2, 1, 3), copies, strict=False):
        saved = Container(each).read()["run"].facts
        result = learn(BIG, seconds=saved["seconds"] + 0.5, seed=1, threads=threads, checkpoint=each)
        assert result.score >= float(saved["score"])
        assert result.seconds >= saved["seconds"]
        assert not any("failed at least once" in note for note in result.notes)


def test_more_seconds_continue(path):
    """
    A run that has ended by its time continues if there is more, and its trace is that of both.

    A run may end a little early, if the rest of the time is too short for one more round of the bound.
    """
    first = learn(BIG, seconds=0.6, seed=1, threads=1, checkpoint=path)
    second = learn(BIG, seconds=1.2, seed=1, threads=1, checkpoint=path)
    assert (first.stop, second.stop) == ("seconds", "seconds")
    assert second.seconds >= 1.1
    assert second.score >= first.score
    assert [point.score for point in second.trace][: len(first.trace) - 1] == [p.score for p in first.trace][:-1]
    assert same_result(learn(BIG, seconds=0.6, seed=1, checkpoint=path), second)


def test_the_search_for_a_bound_ends_early(path, monkeypatch):
    """A run whose last part does not use all of its time has ended by time, too, and continues if there is more."""
    monkeypatch.setattr(BoundSearch, "finish", lambda self: None)
    first = learn(BIG, seconds=1.0, seed=1, threads=1, checkpoint=path)
    second = learn(BIG, seconds=2.0, seed=1, threads=1, checkpoint=path)
    assert (first.stop, second.stop) == ("seconds", "seconds")
    assert first.seconds < 1.5 < second.seconds


@pytest.mark.parametrize("method", ["auto", "ginobs", "rinobs"])
def test_less_time_than_has_passed(path, method):
    """A run whose time is over when it continues returns the saved network, and keeps all that was saved."""
    options = {"method": method, "seed": 1, "threads": 1, "checkpoint": path}
    enough = interrupt_when(lambda event: event.progress is not None and event.progress.seconds > 0.5)
    first = learn(BIG, seconds=60, observers=[enough], **options)  # a busy machine may take long to interrupt it
    parts = set(Container(path).read())
    second = learn(BIG, seconds=0.1, **options)
    assert (first.stop, second.stop, second.score) == ("interrupted", "seconds", first.score)
    assert second.dag == first.dag
    assert set(Container(path).read()) >= parts


def test_a_proof_needs_no_more_time(path):
    """A result that is proven optimal is returned for any time budget; its certificate is not saved."""
    first = learn(ASIA, seconds=20, seed=1, checkpoint=path)
    second = learn(ASIA, seconds=3600, seed=1, checkpoint=path)
    assert first.optimal
    assert same_result(first, second)
    with pytest.raises(InputError, match="has no certificate"):
        _ = second.certificate
    near = learn(ASIA, seconds=20, seed=1, checkpoint=path, within=3).near_optimal
    assert near is not None
    assert near.count >= 1


def test_all_subsets_are_scored_once(path, monkeypatch):
    """A run that is interrupted after all subsets were scored continues with exact search."""
    from bnsearch.learning import auto

    def stop(problem: Problem, run: Run) -> None:
        run.budget.request_stop()

    with monkeypatch.context() as patch:
        patch.setattr(auto, "search_exactly", stop)
        first = learn(ASIA, seconds=20, seed=1, checkpoint=path)
    assert (first.stop, first.optimal) == ("interrupted", False)
    monkeypatch.setattr(auto, "select_for_run", None)
    assert learn(ASIA, seconds=20, seed=1, checkpoint=path).optimal


@pytest.mark.parametrize("known", [None, Knowledge(required=[("xray", "smoke")], max_parents=3)])
def test_a_selection_is_made_once(path, monkeypatch, known):
    """A method over a candidate table continues with the table of the first run, unless Ctrl-C has cut it short."""
    options = {"method": "rinobs", "seconds": 3600, "stop": Iterations(10_000), "seed": 3, "checkpoint": path}
    first = learn(
        ASIA, knowledge=known, threads=1, observers=[interrupt_when(lambda event: event.progress is None)], **options
    )
    selects = count_calls(monkeypatch, CandidateSelector, "select")
    enough = interrupt_when(lambda event: event.progress is not None and event.progress.iterations > 10)
    second = learn(ASIA, knowledge=known, observers=[enough], **options)
    assert (first.stop, second.stop, bool(selects)) == ("interrupted", "interrupted", True)
    selects.clear()
    third = learn(ASIA, knowledge=known, **options)
    assert not selects
    assert third.score >= second.score >= first.score


def test_search_continues(path):
    """`search` over a candidate table has checkpoints, too."""
    problem = Problem(table=random_candidates(20, 50, 4, seed=4))
    options = {"stop": Iterations(3000) | Seconds(3600), "seed": 1, "checkpoint": path}
    first = search(problem, "rinobs", observers=[interrupt_when(is_searching)], **options)
    second = search(problem, "rinobs", **options)
    assert (first.stop, second.stop) == ("interrupted", "iterations")
    assert second.score >= first.score
    other = Problem(table=random_candidates(20, 50, 4, seed=5))
    with pytest.raises(InputError, match="another table"):
        search(other, "rinobs", **options)


@pytest.mark.parametrize("what", ["folder", "parent"])
def test_a_deleted_folder_does_not_end_the_run(tmp_path, monkeypatch, what):
    """One note says that the checkpoint could not be written; the network is returned."""
    write_often(monkeypatch)
    path = tmp_path / "sub" / "run.bns"
    path.parent.mkdir()

    def delete(event: Event) -> None:
        if event.progress is not None:
            shutil.rmtree(path if what == "folder" else path.parent, ignore_errors=True)

    result = learn(BIG, method="ginobs", seconds=0.5, seed=1, checkpoint=path, observers=[delete])
    assert result.stop == "seconds"
    (note,) = [note for note in result.notes if "failed at least once" in note]
    assert note.endswith("; the run continued")
    assert math.isfinite(result.score)


def test_a_path_that_is_not_writable_is_refused_at_once(tmp_path):
    """The error comes before the search."""
    with pytest.raises(InputError, match="does not exist"):
        learn(ASIA, checkpoint=tmp_path / "none" / "run.bns")
    (tmp_path / "file").write_text("x")
    with pytest.raises(InputError, match="is not a checkpoint of bnsearch"):
        learn(ASIA, checkpoint=tmp_path / "file", restart=True)
    assert (tmp_path / "file").read_text() == "x"


def test_another_score_function_is_refused(path):
    """A Python function of the same name that computes something else is found by the score of the network."""

    def make_score_function(penalty: float) -> Callable[..., float]:
        def mine(child: str, parents: tuple[str, ...]) -> float:
            return -1.0 - penalty * len(parents)

        return mine

    options = {"seconds": 3600, "stop": Iterations(5), "seed": 1, "checkpoint": path}
    data = Dataset.from_codes(np.array([[0, 0], [1, 1], [0, 1]]))
    learn(data, score=make_score_function(-0.5), observers=[interrupt_when(is_searching)], **options)
    with pytest.raises(InputError, match="the score function has changed"):
        learn(data, score=make_score_function(-0.25), **options)
