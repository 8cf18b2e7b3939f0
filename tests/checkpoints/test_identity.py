"""The identity of a run: equal for the same input and settings in any process, different otherwise."""

from __future__ import annotations

import numpy as np
import pytest

from bnsearch.checkpoints.identity import describe_rule, describe_value, identify_run, list_differences
from bnsearch.dags.hillclimb import HillClimb, Tabu
from bnsearch.data import Dataset
from bnsearch.graphs.dag import DAG
from bnsearch.knowledge import Knowledge
from bnsearch.networks import load_network
from bnsearch.runs.problem import Problem
from bnsearch.runs.stop import Iterations, Seconds, Target
from bnsearch.scores import BIC, BDeu
from bnsearch.selection import Sequential
from candidate_tables import random_candidates

ASIA = load_network("asia").sample(100, seed=5)
PROBLEM = Problem(data=ASIA, score=BIC())


def differences(**changes: object) -> list[str]:
    """Return how a run with changed arguments differs from the plain one."""
    usual = {"problem": PROBLEM, "method": HillClimb(), "seed": None, "stop": None}
    return list_differences(identify_run(**usual), identify_run(**{**usual, **changes}))


def test_the_same_run_does_not_differ():
    """Equal objects and another time budget make no difference."""
    copy = Dataset.from_codes(ASIA.codes.T.copy(), names=ASIA.names, states=ASIA.states)
    problem = Problem(data=copy, score=BIC(), threads=3)
    assert differences(problem=problem, method=HillClimb(), stop=Seconds(5)) == []


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"problem": Problem(data=ASIA, score=BDeu(ess=2))}, "score BIC(), not BDeu(ess=2, prior=False)"),
        ({"problem": Problem(data=ASIA.select(ASIA.names[:7]), score=BIC())}, "another table"),
        ({"problem": Problem(data=load_network("asia").sample(100, seed=6), score=BIC())}, "another table"),
        ({"problem": Problem(data=ASIA, score=BIC(), knowledge=Knowledge(max_parents=2))}, "another knowledge"),
        ({"problem": Problem(data=ASIA, score=BIC(), start=DAG.empty(ASIA.names))}, "another start"),
        ({"problem": Problem(data=ASIA, score=BIC(), builder=Sequential(max_parents=2))}, "selection none, not Seq"),
        ({"method": Tabu()}, "method hillclimb, not tabu"),
        ({"method": HillClimb(restarts=3)}, "parameters of the method "),
        ({"seed": 1}, "seed None, not 1"),
        ({"stop": Iterations(5) | Seconds(5)}, "stopping rule none, not Iterations(limit=5)"),
    ],
)
def test_differences_are_named(changes, expected):
    """The first difference names what has changed, with both values if these are short."""
    assert differences(**changes)[0].startswith(expected)


def test_candidate_tables_are_compared():
    """Two candidate tables differ in a score."""
    first, second = (Problem(table=random_candidates(6, 5, 2, seed=seed)) for seed in (1, 2))
    again = Problem(table=random_candidates(6, 5, 2, seed=1))
    assert identify_run(first, HillClimb(), 1, None) == identify_run(again, HillClimb(), 1, None)
    assert identify_run(first, HillClimb(), 1, None) != identify_run(second, HillClimb(), 1, None)


def test_rules_in_any_order():
    """The order of rules does not matter, and neither does the time budget."""
    assert describe_rule(Target(-5) | Iterations(3)) == describe_rule(Iterations(3) | Seconds(1) | Target(-5.0))
    assert describe_rule(Seconds(3)) is None


class Plain:
    """An object that Python describes by its address."""


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (np.int64(3), "3"),
        (3.0, "3"),
        (0.5, "0.5"),
        ("a", "'a'"),
        ([1, "b"], "[1, 'b']"),
        ({"x": 1}, "x=1"),
        (Plain(), "Plain"),
        (abs, "<built-in function abs>"),
        (Tabu, "<class 'bnsearch.dags.hillclimb.Tabu'>"),
    ],
)
def test_values_in_words(value, text):
    """A description does not depend on addresses, and equal numbers have the same one."""
    assert describe_value(value) == text


def test_arrays_by_content():
    """Arrays are compared by their content."""
    assert describe_value(np.arange(3)) == describe_value(np.arange(3))
    assert describe_value(np.arange(3)) != describe_value(np.arange(4))
