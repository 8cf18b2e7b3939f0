"""The networks that an upper bound covers, in words, and the restrictions of a problem."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import reference_graphs as ref
from bnsearch.data import Dataset
from bnsearch.knowledge import Knowledge
from bnsearch.parent_sets.scope import (
    ALL_NETWORKS,
    GIVEN_SETS,
    KEPT_SETS,
    Scope,
    decode_scope,
    encode_scope,
    limit_scope,
)
from bnsearch.runs.problem import Problem
from bnsearch.scores import BIC
from bnsearch.selection.sequential import Sequential
from knowledge_cases import varied_knowledge
from strategies import examples

NAMES = ("a", "b", "c", "d")
DATA = Dataset.from_codes(np.random.default_rng(1).integers(0, 2, (50, 4)), names=NAMES)
DAGS = [ref.make_dag(4, arcs) for members in ref.equivalence_classes(4).values() for arcs in members]


def restrict(scope: Scope, known: Knowledge) -> Scope:
    """Return a scope with the restrictions of a problem of four variables."""
    return Problem(data=DATA, score=BIC(), knowledge=known).restrict(scope)


@pytest.mark.parametrize(
    ("known", "text"),
    [
        (Knowledge(), "all networks"),
        (Knowledge(max_parents=3), "all networks"),
        (Knowledge(max_parents=1), "all networks with at most 1 parent"),
        (Knowledge(max_parents={"a": 2}), "all networks that the knowledge allows"),
        (Knowledge(required=[("a", "b")]), "all networks that the knowledge allows"),
        (Knowledge(forbidden=[("a", "b")]), "all networks that the knowledge allows"),
        (Knowledge(tiers=[["a"], ["b"]]), "all networks that the knowledge allows"),
        (Knowledge(roots=["a"], max_parents=2), "all networks that the knowledge allows with at most 2 parents"),
        (
            Knowledge(max_parents={"a": 1, "b": 2, "c": 2, "d": 0}),
            "all networks that the knowledge allows with at most 2 parents",
        ),
    ],
)
def test_knowledge_in_words(known: Knowledge, text: str) -> None:
    """A limit that holds for all variables is named; a limit of three of four variables is none."""
    assert str(restrict(ALL_NETWORKS, known)) == text


@examples(60)
@given(st.integers(0, 2**32 - 1))
def test_restrictions_by_enumeration(seed: int) -> None:
    """A scope has no restriction if all networks of four variables are legal, and only a limit if that decides."""
    known = varied_knowledge(NAMES, seed)
    scope = restrict(ALL_NETWORKS, known)
    permits = known.constraints(NAMES).permits
    within = [
        dag for dag in DAGS if max(map(len, dag.parents)) <= (3 if scope.max_parents is None else scope.max_parents)
    ]
    legal = [dag for dag in DAGS if permits(dag)]
    assert set(legal) <= set(within)
    assert (len(legal) < len(within)) == scope.by_knowledge


def test_restrictions_of_other_scopes() -> None:
    """Given sets get both restrictions; a scope that is not complete keeps its own limit, which is lower."""
    known = Knowledge(roots=["a"], max_parents=2)
    expected = "networks over the given parent sets that the knowledge allows with at most 2 parents"
    assert str(restrict(GIVEN_SETS, known)) == expected
    assert str(restrict(limit_scope(1), known)) == "all networks that the knowledge allows with at most 1 parent"
    assert str(restrict(KEPT_SETS, known)) == "networks over the parent sets kept that the knowledge allows"
    for scope in (ALL_NETWORKS, GIVEN_SETS, KEPT_SETS, limit_scope(1)):
        once = restrict(scope, known)
        assert restrict(once, known) == once
        assert once.is_complete == scope.is_complete


def test_the_limit_of_a_builder() -> None:
    """A complete selection of sets of up to one parent covers no network with two; with BIC, 200 rows allow three."""
    data = Dataset.from_codes(np.random.default_rng(1).integers(0, 2, (200, 4)), names=NAMES)
    found = Sequential(max_parents=1).select(data, BIC())
    assert (found.complete, str(found.scope), found.scope.is_complete) == (
        True,
        "all networks with at most 1 parent",
        True,
    )
    assert Sequential().select(data, BIC()).scope == ALL_NETWORKS
    assert Sequential(max_parents=3).select(data, BIC()).scope == ALL_NETWORKS


def test_checkpoints() -> None:
    """A scope is restored from its facts; older files have the text and the flag only."""
    for scope in (ALL_NETWORKS, KEPT_SETS, limit_scope(2), Scope("all networks", True, 3, True)):
        assert decode_scope(encode_scope(scope)) == scope
    old = decode_scope({"scope": "all networks with at most 2 parents", "covers all": False})
    assert (str(old), old.is_complete) == ("all networks with at most 2 parents", False)
