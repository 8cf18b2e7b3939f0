"""Explanations of edges against local scores by definition."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from bnsearch.data import Dataset
from bnsearch.errors import InputError
from bnsearch.graphs import DAG, cpdag
from bnsearch.knowledge import Knowledge
from bnsearch.learning.learn import learn
from bnsearch.networks import load_network
from bnsearch.runs.explanation import ParentRole, explain_edge
from bnsearch.runs.result import Result
from bnsearch.runs.trace import Trace
from bnsearch.scores import BIC, BDeu, make_scorer

ASIA = load_network("asia")
DATA = ASIA.sample(500, 1)


def make_result(dag: DAG, data: Dataset) -> Result:
    """Return a result with a given network."""
    return Result(
        dag=dag,
        score=make_scorer(data, BIC()).network(dag),
        bound=None,
        optimal=False,
        stop="complete",
        trace=Trace(),
        iterations=0,
        evaluations=0,
        computed=0,
        seconds=0.0,
        method="none",
        parameters={},
        seed=0,
    )


@pytest.mark.parametrize("edge", ASIA.dag.edges)
def test_loss_is_the_difference_of_two_networks(edge):
    """The loss is the score of the network minus the score of the network without the edge."""
    result = make_result(ASIA.dag, DATA)
    explanation = result.explain(edge, DATA, score="bic")
    without = DAG.from_edges(ASIA.names, [other for other in ASIA.dag.edges if other != edge])
    assert explanation.loss == pytest.approx(result.score - make_scorer(DATA, BIC()).network(without), abs=1e-9)
    assert explanation.compelled == (edge in result.cpdag.directed_edges)
    assert (explanation.parent, explanation.child) == edge
    assert {role.name for role in explanation.parents} == {p for p, child in ASIA.dag.edges if child == edge[1]}


def test_roles_of_an_exclusive_or():
    """If c is the exclusive or of a and b, each parent alone says nothing, and both together everything."""
    codes = np.array([[a, b, a ^ b] for a in (0, 1) for b in (0, 1)] * 25)
    data = Dataset.from_codes(codes, names=list("abc"))
    explanation = make_result(DAG.from_edges("abc", ["ac", "bc"]), data).explain(("a", "c"), data, score="bic")
    first = explanation.parents[0]
    assert [role.role for role in explanation.parents] == ["stronger together"] * 2
    assert first.gain_alone == pytest.approx(-np.log(100) / 2)  # one more free parameter, and no information
    assert first.loss == pytest.approx(100 * np.log(2) - np.log(100))  # 4 - 2 free parameters
    assert explanation.compelled
    assert str(explanation).splitlines()[0] == (
        "a -> c: without it bic decreases by 64.710; the direction is compelled"
    )


def test_roles_in_words():
    """A parent that repeats another one is redundant; one without loss is not supported."""
    role = ParentRole(name="a", loss=3.0, gain_alone=9.0, is_only=False)
    assert role.role == "partly redundant"
    assert replace(role, loss=0.0).role == "not supported"
    assert replace(role, is_only=True).role == "only parent"
    assert replace(role, gain_alone=-1.0).role == "stronger together"


def test_order_of_columns_and_other_scores():
    """Columns are matched by name; a score given by name or as an object is used."""
    dag = ASIA.dag
    shuffled = DATA.select(tuple(reversed(DATA.names)))
    score = make_scorer(DATA, BIC()).network(dag)
    edge, mpdag = ("smoke", "lung"), cpdag(dag)
    assert explain_edge(dag, edge, shuffled, BIC(), score, mpdag) == explain_edge(dag, edge, DATA, BIC(), score, mpdag)


def test_directions_that_the_knowledge_compels():
    """With tiers, no edge whose reversal leads to an earlier tier is called reversible; the class stays the same."""
    tiers = Knowledge(tiers=[["asia", "smoke"], ["tub", "lung", "bronc"], ["either"], ["xray", "dysp"]])
    free, result = learn(DATA, seconds=10, seed=1), learn(DATA, seconds=10, seed=1, knowledge=tiers)
    assert result.cpdag == free.cpdag
    tier = {name: i for i, names in enumerate(tiers.tiers) for name in names}
    crossing = [edge for edge in result.cpdag.undirected_edges if tier[edge[0]] != tier[edge[1]]]
    assert crossing
    for edge in result.dag.edges:
        explanation = result.explain(edge, DATA)
        in_class = edge in result.cpdag.directed_edges
        assert explanation.compelled == (edge in result.mpdag.directed_edges)
        assert explanation.by_knowledge == (explanation.compelled and not in_class)
        assert ("compelled by the knowledge" in str(explanation)) == explanation.by_knowledge
        if tier[edge[0]] != tier[edge[1]]:
            assert explanation.compelled


def test_the_score_of_the_search_is_the_default():
    """Name and parameters of the score are those of the settings; a score that is not registered must be given."""
    result = learn(DATA, method="hillclimb", score=BDeu(ess=7), seconds=5, seed=1)
    edge = result.dag.edges[0]
    assert result.explain(edge, DATA) == result.explain(edge, DATA, score=BDeu(ess=7))
    for settings in (None, replace(result.settings, score=None), replace(result.settings, score="my function")):
        with pytest.raises(InputError, match="the result does not know the score of the search: pass it"):
            replace(result, settings=settings).explain(edge, DATA)


@pytest.mark.parametrize(
    ("edge", "score", "message"),
    [
        (("lung", "smoke"), "bic", "^the network has no edge from 'lung' to 'smoke': it has no parents$"),
        (("asia", "lung"), "bic", "^the network has no edge from 'asia' to 'lung': its parents are 'smoke'$"),
        (("asia", "lungs"), "bic", "^edge 'asia' -> 'lungs' names an unknown variable 'lungs'$"),
        ("asia", "bic", "^an edge is a pair of names, not 'asia'$"),
        (
            ("smoke", "lung"),
            "bdeu",
            "^the bdeu score of the network on these data is .*: pass the data and the ",
        ),
    ],
)
def test_wrong_questions_are_rejected(edge, score, message):
    """The message says what the network has."""
    with pytest.raises(InputError, match=message):
        make_result(ASIA.dag, DATA).explain(edge, DATA, score=score)
