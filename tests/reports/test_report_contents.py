"""What a report says about a network and a run."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from page_reader import read_contents

from bnsearch.data import Dataset
from bnsearch.errors import InputError
from bnsearch.graphs import cpdag
from bnsearch.graphs.dag import DAG
from bnsearch.knowledge import Knowledge
from bnsearch.knowledge.orientation import orient_class
from bnsearch.learning.learn import learn
from bnsearch.networks import load_network, random_network
from bnsearch.reports import contents as contents_module
from bnsearch.reports.contents import build_contents
from bnsearch.reports.run_facts import MAX_POINTS, list_curve_points, make_call
from bnsearch.runs.stop import Iterations, Progress
from bnsearch.runs.trace import Trace
from bnsearch.scores import BIC, BDeu, make_score, make_scorer

ASIA = load_network("asia")
DATA = ASIA.sample(500, 1)


@pytest.fixture(scope="module")
def result():
    """Return the result of a short run."""
    return learn(DATA, score=BDeu(ess=5), seconds=10, seed=3)


def without(dag, edge):
    """Return a graph without one edge of names."""
    return DAG.from_edges(dag.names, [other for other in dag.edges if other != edge])


@pytest.mark.parametrize("score", [BIC(), BDeu(ess=10), make_score("k2")], ids=lambda score: score.name)
def test_losses_by_definition(score):
    """The loss of an edge is the score of the network minus the score of the network without the edge."""
    found = build_contents(ASIA, DATA, score, title="")
    scorer = make_scorer(DATA, score)
    for parent, child, _, loss in found["edges"]:
        edge = ASIA.names[parent], ASIA.names[child]
        assert loss == pytest.approx(scorer.network(ASIA.dag) - scorer.network(without(ASIA.dag, edge)), abs=1e-9)


def test_compelled_edges():
    """An edge is compelled if it is directed in the CPDAG."""
    dag = random_network(12, 1.5, 2, 4).dag
    directed = cpdag(dag).directed_edges
    for parent, child, compelled, loss in build_contents(dag, None, None, title="")["edges"]:
        assert compelled == ("class" if (dag.names[parent], dag.names[child]) in directed else "")
        assert loss is None


def test_edges_that_the_knowledge_compels():
    """In a -> b -> c, all edges can be reversed; if a comes before b, the knowledge compels both."""
    dag = DAG.from_edges("abc", ["ab", "bc"])
    known = Knowledge(tiers=[["a"], ["b"]]).constraints(dag.names)
    edges = build_contents(dag, None, None, title="", mpdag=orient_class(dag, known))["edges"]
    assert edges == [[0, 1, "knowledge", None], [1, 2, "knowledge", None]]
    assert build_contents(dag, None, None, title="")["edges"] == [[0, 1, "", None], [1, 2, "", None]]


def test_probabilities_of_a_network():
    """Tables have 12 digits; without data, distributions are those of a sample."""
    found = build_contents(ASIA, None, None, title="")
    for x, variable in enumerate(found["variables"]):
        assert variable["states"] == ASIA.states[x]
        np.testing.assert_allclose(variable["table"], ASIA.tables[x].ravel(), rtol=1e-11)
    assert (found["distributions"], found["rows"], found["score"]) == ("sample", None, None)
    assert found["variables"][2]["distribution"] == pytest.approx([0.5, 0.5], abs=0.03)  # smoke


def test_distributions_and_tables_of_data():
    """A structure gets the tables and the distributions of the data: given no rain, 1 of 3 lawns is wet."""
    table = Dataset.from_codes([[1, 1], [0, 0], [0, 0], [0, 1]], names=["rain", "wet"])
    found = build_contents(DAG.from_edges(["rain", "wet"], [("rain", "wet")]), table, BIC(), title="")
    rain, wet = found["variables"]
    assert rain["distribution"] == rain["table"] == [0.75, 0.25]
    assert wet["table"] == [round(2 / 3, 12), round(1 / 3, 12), 0, 1]
    assert (found["distributions"], found["rows"], found["score"]) == ("data", 4, "BIC")


def test_a_structure_alone():
    """Without data and tables there are names, edges and positions only."""
    found = build_contents(ASIA.dag, None, None, title="t")
    assert set(found["variables"][0]) == {"name", "label", "parents"}
    assert len(found["layout"]["boxes"]) == len(found["layout"]["routes"]) == 8
    assert all(len(points) >= 4 for points in found["layout"]["routes"])


def test_large_graphs_have_no_layout(monkeypatch):
    """Beyond the limits the page draws neighbourhoods only."""
    monkeypatch.setattr(contents_module, "MAX_DRAWN_VARIABLES", 7)
    assert build_contents(ASIA, None, None, title="")["layout"] is None
    monkeypatch.setattr(contents_module, "MAX_DRAWN_VARIABLES", 8)
    monkeypatch.setattr(contents_module, "MAX_DRAWN_EDGES", 7)
    assert build_contents(ASIA, None, None, title="")["layout"] is None


def test_large_tables_are_left_out(monkeypatch):
    """The largest tables are left out, and a note says so."""
    monkeypatch.setattr(contents_module, "MAX_TABLE_CHARACTERS", 100)
    found = build_contents(ASIA, None, None, title="")
    assert [("table" in variable) for variable in found["variables"]].count(False) > 0
    assert "table" in found["variables"][0]
    assert "left out" in found["notes"][0]


def test_structures_whose_tables_are_too_large():
    """A note gives the reason why there are no probabilities."""
    n = 27
    data = Dataset.from_codes(np.zeros((2, n), dtype=int), arities=[2] * n)
    found = build_contents(
        DAG(data.names, [range(n - 1) if i == n - 1 else [] for i in range(n)]), data, None, title=""
    )
    assert "table" not in found["variables"][0]
    assert "cells" in found["notes"][0]


def test_report_of_a_result(tmp_path, result):
    """The page has the facts of the run, its curve and a call that repeats it."""
    result.report(tmp_path / "r.html", DATA, title="asia")
    found = read_contents(tmp_path / "r.html")
    run = found["run"]
    assert (found["title"], found["score"], run["score"]) == ("asia", "BDeu", result.score)
    assert (run["bound"], run["gap"], run["optimal"], run["seed"]) == (result.bound, result.gap, result.optimal, 3)
    assert run["curve"][-1][1] == result.score
    assert run["budget"]["time budget"] == "10 s"
    assert run["budget"]["score function"] == "bdeu (ess=5, prior=False)"
    assert run["notes"] == list(result.notes)
    assert found["versions"]["numpy"] == np.__version__
    assert run["command"] == make_call(result)
    assert run["command"].startswith("bnsearch.learn(data, method=")


def test_the_call_repeats_the_run(result):
    """Python can evaluate the call, and its result has the same score."""
    import bnsearch

    again = eval(make_call(result), {"bnsearch": bnsearch, "data": DATA})
    assert again.score == pytest.approx(result.score)
    assert again.settings == result.settings


def test_settings_of_a_run(result):
    """Score, rows and budget; a further rule is described."""
    settings = result.settings
    assert (settings.score, settings.score_parameters) == ("bdeu", {"ess": 5, "prior": False})
    assert (settings.rows, settings.seconds, settings.rule) == (500, 10, None)
    limited = learn(DATA, method="hillclimb", stop=Iterations(3), seconds=None, threads=1)
    assert (limited.settings.seconds, limited.settings.threads) == (None, 1)
    assert "Iterations(" in limited.settings.rule


def test_report_without_data(tmp_path, result):
    """The structure and the run, but no probabilities and no losses."""
    result.report(tmp_path / "r.html")
    found = read_contents(tmp_path / "r.html")
    assert "table" not in found["variables"][0]
    assert found["score"] is None


def test_report_with_other_data(tmp_path, result):
    """If the score of the network on the data is not that of the run, losses are left out, and a note says why."""
    result.report(tmp_path / "r.html", ASIA.sample(400, 2))
    found = read_contents(tmp_path / "r.html")
    assert found["score"] is None
    assert "pass the data and the score of the search" in found["notes"][0]


def test_a_score_by_name(tmp_path, result):
    """A score can be given by its name, as for `explain`; here it is not that of the run."""
    result.report(tmp_path / "r.html", DATA, score="bic")
    assert "the bic score of the network on these data is" in read_contents(tmp_path / "r.html")["notes"][0]


def test_scores_that_are_python_functions(tmp_path):
    """A function named like a score of the library is not mistaken for it; it can be given."""

    def bic(child, parents, counts):
        return -(float(len(parents) - 1) ** 2)

    found = learn(ASIA.sample(50, 1).select(ASIA.names[:3]), score=bic, seconds=5)
    found.report(tmp_path / "r.html", ASIA.sample(50, 1))
    assert read_contents(tmp_path / "r.html")["score"] is None
    from bnsearch.scores.local import as_score

    found.report(tmp_path / "r.html", ASIA.sample(50, 1), score=as_score(bic))
    page = read_contents(tmp_path / "r.html")
    assert page["score"] == "bic"
    assert all(edge[3] > 0 for edge in page["edges"])


def test_results_without_settings(tmp_path, result):
    """A result made by hand has a page, too."""
    replace(result, settings=None).report(tmp_path / "r.html", DATA)
    run = read_contents(tmp_path / "r.html")["run"]
    assert (run["budget"], run["command"]) == (None, None)


def test_long_traces_are_thinned(result):
    """The first and the last point are kept; points before the first network have no score."""
    points = [Progress(), *(Progress(seconds=i / 10, score=-1000.0 + i) for i in range(5000))]
    curve = list_curve_points(replace(result, trace=Trace(points)))
    assert len(curve) == MAX_POINTS
    assert (curve[0], curve[-1]) == ([0, -1000.0], [499.9, 3999.0])
    assert all(math.isfinite(score) for _, score in curve)


@pytest.mark.parametrize(
    ("path", "data", "message"),
    [
        ("x.pdf", None, "use the extension .html"),
        ("no/x.html", None, "cannot write"),
        ("x.html", DATA.select(ASIA.names[:3]), "no column for the network's 'lung', 'bronc'"),
        ("x.html", Dataset.from_codes([[2] * 8], names=ASIA.names), "asia"),
    ],
)
def test_bad_arguments(tmp_path, path, data, message):
    """Errors say what is wrong, and no file is written."""
    from bnsearch.reports.report import write_report

    with pytest.raises(InputError, match=message):
        write_report(ASIA, tmp_path / path, data)
    assert not list(tmp_path.iterdir())
