"""What a search returns, and what can be done with it."""

from __future__ import annotations

import pickle
import sys

import pandas as pd
import pytest

from bnsearch.data import Dataset
from bnsearch.errors import InputError
from bnsearch.graphs.dag import DAG
from bnsearch.knowledge import Knowledge
from bnsearch.learning.methods import make_method
from bnsearch.learning.search import search
from bnsearch.networks.files import read_network, read_structure
from bnsearch.orderings.obs import OBS
from bnsearch.parent_sets.scope import ALL_NETWORKS, GIVEN_SETS, KEPT_SETS, limit_scope
from bnsearch.runs.problem import Problem
from bnsearch.runs.quality import relative_score
from bnsearch.runs.result import Result
from bnsearch.runs.stop import Iterations, Progress
from bnsearch.runs.trace import Climbs, Trace
from bnsearch.scores import BIC
from candidate_tables import table_of

FRAME = pd.DataFrame({"rain": ["yes", "no", "no", "no"], "<lawn>": ["wet", "dry", "dry", "wet"]})
DATA = Dataset.from_frame(FRAME)


def made(**changes):
    """Return a result of a search that never was."""
    facts = {
        "dag": DAG.from_edges(["rain", "<lawn>"], [("rain", "<lawn>")]),
        "score": -9.25,
        "bound": -9.0,
        "optimal": False,
        "stop": "seconds",
        "trace": Trace([Progress(seconds=0.5, score=-10.0), Progress(seconds=1.5, score=-9.25)]),
        "iterations": 3,
        "evaluations": 12,
        "computed": 10,
        "seconds": 2.0,
        "method": "hillclimb",
        "parameters": {},
        "seed": 1,
    }
    return Result(**(facts | changes))


def test_the_score_relative_to_that_of_no_edges():
    """RC = (-9.25 + 18.5) / 18.5 = 0.5; of a table with the empty sets -2 and -3 and a best network of -4, 1 / 5."""
    assert made(empty_score=-18.5).relative_score == 0.5
    assert made().relative_score is None
    assert relative_score([-20.0, -15.0], -20.0).tolist() == [0.0, 0.25]
    assert relative_score(1.0, 0.0) == 0.0
    nothing: frozenset[int] = frozenset()
    table = table_of([{nothing: -2.0}, {nothing: -3.0, frozenset({0}): -2.0}])
    result = search(Problem(table=table), OBS(), stop=Iterations(3), seed=1)
    assert (result.empty_score, result.relative_score) == (-5.0, 0.2)


@pytest.mark.parametrize("method", ["obs", "hillclimb"])
def test_the_score_of_no_edges_from_data(method):
    """It is the sum of the variables' scores without parents; with a required edge over a table it is not known."""
    problem = Problem(data=DATA, score=BIC())
    empty = sum(problem.scorer.family(v, []) for v in range(2))
    assert search(problem, make_method(method), stop=Iterations(2), seed=1).empty_score == pytest.approx(empty)
    assert problem.empty_score == pytest.approx(empty)
    known = Knowledge(required=[("rain", "<lawn>")])
    result = search(Problem(data=DATA, score=BIC(), knowledge=known), OBS(), stop=Iterations(2), seed=1)
    assert (result.empty_score, result.relative_score) == (None, None)


def test_climbs_are_kept_and_written(tmp_path):
    """Three numbers for each climb, also in a copy."""
    climbs = Climbs()
    climbs.add(-5.5, -4.0, 3)
    climbs.add(-6.0, -6.0, 0)
    copy = pickle.loads(pickle.dumps(made(climbs=climbs))).climbs
    assert (len(copy), copy.initial.tolist(), copy.final.tolist()) == (2, [-5.5, -6.0], [-4.0, -6.0])
    assert copy.steps.tolist() == [3, 0]
    copy.write(tmp_path / "climbs.csv")
    assert (tmp_path / "climbs.csv").read_text() == "initial,final,steps\n-5.5,-4.0,3\n-6.0,-6.0,0\n"
    assert len(made().climbs) == 0


def test_one_line():
    """The score, how good it is, and how it was found; the gap is 0.25 / 9."""
    assert repr(made()) == (
        "Result(2 variables, 1 edge, score -9.250000, gap 2.78%, hillclimb, 2.0 s, stopped: seconds)"
    )
    assert "optimal" in repr(made(optimal=True))
    assert "gap" not in repr(made(bound=None))


def test_a_bound_of_some_sets_is_said_to_be_one():
    """Where candidate sets are missing, neither the gap nor the lack of one is about all networks."""
    others = "other networks may score higher"
    kept = f"among networks over the parent sets kept; {others}, hillclimb"
    assert f"score -9.250000, gap 2.78% {kept}" in repr(made(scope=KEPT_SETS))
    closed = made(scope=KEPT_SETS, bound=-9.25)
    assert f"score -9.250000, gap 0% {kept}" in repr(closed)
    assert closed.gap == 0
    assert f"gap 2.78% among all networks with at most 2 parents; {others}," in repr(made(scope=limit_scope(2)))


def test_the_words_for_an_optimum_name_the_restrictions():
    """Only an optimum over all networks needs no further words; a given table is named as well."""
    assert made(optimal=True).quality == "optimal"
    limited = ALL_NETWORKS.restrict(1, by_knowledge=False)
    assert made(optimal=True, scope=limited).quality == "optimal among all networks with at most 1 parent"
    assert made(scope=limited).quality == "gap 2.78% among all networks with at most 1 parent"
    assert made(optimal=True, scope=GIVEN_SETS).quality == "optimal among networks over the given parent sets"
    assert made(bound=None).quality == ""


def test_notebook_view():
    """The facts in one line above the drawing; names are escaped."""
    view = made()._repr_html_()
    assert view.startswith("<div>2 variables, 1 edge, score -9.25")
    assert view.count("<svg") == 1
    assert "&lt;lawn&gt;" in view
    assert "<lawn>" not in view
    assert "<svg" not in made(dag=DAG.empty([f"v{i}" for i in range(501)]))._repr_html_()


@pytest.mark.parametrize("data", [DATA, FRAME], ids=["dataset", "frame"])
def test_network(data):
    """Tables are estimated from a Dataset or a frame: given no rain, 1 of 3 lawns is wet."""
    network = made().network(data)
    assert network.dag == made().dag
    assert network.tables[1].tolist() == [[2 / 3, 1 / 3], [0, 1]]
    smoothed = made().network(data, smoothing=1)
    assert smoothed.tables[1].tolist() == [[3 / 5, 2 / 5], [1 / 3, 2 / 3]]


def test_network_of_a_file(tmp_path):
    """The data may be the path of a table."""
    DATA.write(tmp_path / "t.csv")
    assert made().network(tmp_path / "t.csv").equals(made().network(DATA))


@pytest.mark.parametrize("name", ["x.json", "x.csv", "x.json.gz"])
def test_write_structure(tmp_path, name):
    """Without data the structure is written."""
    made().write(tmp_path / name)
    assert read_structure(tmp_path / name) == made().dag


@pytest.mark.parametrize("name", ["x.bif", "x.net", "x.json", "x.bif.gz"])
def test_write_network(tmp_path, name):
    """With data the tables are written too."""
    made().write(tmp_path / name, DATA)
    assert read_network(tmp_path / name).equals(made().network(DATA))


def test_write_drawings(tmp_path):
    """Drawings need no data and take no harm from it."""
    for name, mark in (("x.svg", "<svg"), ("x.dot", "digraph")):
        made().write(tmp_path / name)
        first = (tmp_path / name).read_text()
        assert first.startswith(mark)
        made().write(tmp_path / name, DATA)
        assert (tmp_path / name).read_text() == first


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("x.bif", r"x\.bif: .*tables.*write\(path, data\)"),
        ("x.net.gz", r"x\.net\.gz: .*tables"),
        ("x.xlsx", "the extension must be one of"),
        ("no/x.svg", "cannot write"),
    ],
)
def test_bad_targets(tmp_path, name, message):
    """Formats that need tables say so, others are listed."""
    with pytest.raises(InputError, match=message):
        made().write(tmp_path / name)
    assert not list(tmp_path.iterdir())


def test_networkx():
    """The structure as networkx has it."""
    assert list(made().to_networkx().edges) == [("rain", "<lawn>")]


@pytest.mark.filterwarnings("ignore")
def test_pgmpy_and_pyagrum():
    """With data, networks with tables; without, structures."""
    pytest.importorskip("pgmpy")
    assert list(made().to_pgmpy().edges) == [("rain", "<lawn>")]
    assert made().to_pgmpy(DATA).get_cpds("rain").values.tolist() == [0.75, 0.25]
    pytest.importorskip("pyagrum")
    assert set(made().to_pyagrum().arcs()) == {(0, 1)}
    model = made().to_pyagrum(DATA)
    assert model.cpt("rain").tolist() == [0.75, 0.25]


def test_absent_packages(monkeypatch):
    """Where matplotlib is absent, plots say how to get it."""
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    for plot in (made().plot, made().plot_trace):
        with pytest.raises(InputError, match=r"this needs matplotlib .*pip install 'bnsearch\[plots\]'"):
            plot()


def test_plots():
    """The graph and the anytime curve."""
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    from matplotlib import pyplot

    assert [text.get_text() for text in made().plot().texts] == ["rain", "<lawn>"]
    assert made().plot_trace().lines[0].get_ydata().tolist() == [-10.0, -9.25]
    pyplot.close("all")


def test_pickle():
    """A result survives the way to another process."""
    copy = pickle.loads(pickle.dumps(made()))
    assert copy.dag == made().dag
    assert copy.cpdag == made().cpdag
