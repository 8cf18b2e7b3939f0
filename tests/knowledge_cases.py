"""Random knowledge for tests, and the best legal network by enumeration."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace

import numpy as np
from hypothesis import strategies as st

from bnsearch.errors import InputError
from bnsearch.graphs import DAG
from bnsearch.knowledge import Constraints, Knowledge
from candidate_tables import is_acyclic

Family = Callable[[int, tuple[int, ...]], float]


def random_knowledge(names: Sequence[str], seed: int) -> Knowledge:
    """
    Return knowledge that does not contradict itself: required edges along one ordering, and more of every kind.

    Forbidden edges, tiers, roots and leaves leave required edges alone, and limits leave room for them.
    """
    rng = np.random.default_rng(seed)
    order = [names[v] for v in rng.permutation(len(names))]
    forward = [(a, b) for i, a in enumerate(order) for b in order[i + 1 :]]
    required = [edge for edge in forward if rng.random() < rng.choice([0.0, 0.15, 0.3])]
    every = [(a, b) for a in names for b in names if a != b]
    free = [edge for edge in every if edge not in required]
    tiers = [tier for tier in np.array_split(np.array(order), 2) if len(tier)] if rng.random() < 0.3 else []
    has_parents, has_children = {b for _, b in required}, {a for a, _ in required}
    degrees = {name: sum(b == name for _, b in required) + int(rng.integers(3)) for name in names}
    return Knowledge(
        required=required,
        forbidden=[edge for edge in free if rng.random() < 0.2],
        allowed=[edge for edge in every if rng.random() < 0.7] if rng.random() < 0.3 else None,
        tiers=[[str(name) for name in tier] for tier in tiers],
        roots=[name for name in names if name not in has_parents and rng.random() < 0.1],
        leaves=[name for name in names if name not in has_children and rng.random() < 0.1],
        max_parents=degrees if rng.random() < 0.5 else None,
    )


def varied_knowledge(names: Sequence[str], seed: int) -> Knowledge:
    """Return random knowledge, with settings of tiers and one limit for all where that contradicts nothing."""
    rng = np.random.default_rng(seed)
    known = random_knowledge(names, seed)
    order = [names[v] for v in rng.permutation(len(names))]
    changes = (
        {"tiers": (order[:1], order[1:3], order[3:])},
        {"within_tiers": False},
        {"across_tiers": False},
        {"max_parents": int(rng.integers(1, 4))},
    )
    for change in changes:
        with suppress(InputError):
            changed = replace(known, **change)
            changed.constraints(names)
            known = changed if rng.random() < 0.4 else known
    return known


def knowledge(names: Sequence[str]) -> st.SearchStrategy[Knowledge]:
    """Draw knowledge about some variables."""
    return st.integers(0, 2**32 - 1).map(lambda seed: random_knowledge(names, seed))


def legal_sets(known: Constraints, child: int) -> Iterator[tuple[int, ...]]:
    """Yield every parent set that a variable may have."""
    must = set(np.flatnonzero(known.required[child]).tolist())
    may = [v for v in range(known.size) if known.allowed[child, v] and v not in must]
    for number in range(int(known.max_parents[child]) - len(must) + 1):
        for chosen in itertools.combinations(may, number):
            yield tuple(sorted(must.union(chosen)))


def best_legal_score(known: Constraints, family: Family) -> float:
    """Return the score of the best legal network, all orderings of the variables tried."""
    families = [{parents: family(v, parents) for parents in legal_sets(known, v)} for v in range(known.size)]
    best = -math.inf
    for order in itertools.permutations(range(known.size)):
        place = {v: i for i, v in enumerate(order)}
        choices = [
            max((s for p, s in own.items() if all(place[u] < place[v] for u in p)), default=-math.inf)
            for v, own in enumerate(families)
        ]
        best = max(best, math.fsum(choices))
    return best


def is_legal(known: Constraints, parents: Sequence[Sequence[int]]) -> bool:
    """Return True if a network is acyclic and each parent set is legal."""
    allowed = all(tuple(sorted(own)) in set(legal_sets(known, v)) for v, own in enumerate(parents))
    return allowed and is_acyclic([set(own) for own in parents])


def breaches(known: Knowledge, dag: DAG) -> list[str]:
    """Return what a network does against knowledge, by the words of `Knowledge` alone."""
    edges = {(dag.names[p], dag.names[v]) for v, parents in enumerate(dag.parents) for p in parents}
    tier = {name: i for i, names in enumerate(known.tiers) for name in names}
    tiered = {(tier[a], tier[b]) for a, b in edges if a in tier and b in tier}
    limit = known.max_parents
    limits = limit if isinstance(limit, dict) else {} if limit is None else dict.fromkeys(dag.names, limit)
    degree = {name: sum(b == name for _, b in edges) for name in dag.names}
    broken = {
        "required": set(known.required) - edges,
        "forbidden": edges & set(known.forbidden),
        "allowed": set() if known.allowed is None else edges - set(known.allowed) - set(known.required),
        "roots": {edge for edge in edges if edge[1] in known.roots},
        "leaves": {edge for edge in edges if edge[0] in known.leaves},
        "tiers": {(a, b) for a, b in tiered if a > b},
        "within tiers": {(a, b) for a, b in tiered if a == b and not known.within_tiers},
        "across tiers": {(a, b) for a, b in tiered if b > a + 1 and not known.across_tiers},
        "max_parents": {name for name, most in limits.items() if degree[name] > most},
    }
    return [rule for rule, against in broken.items() if against]
