"""The cached extensions of stored families, compared with their definition."""

from __future__ import annotations

from math import inf

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnsearch.networks import random_network
from bnsearch.ondemand.chain import OnDemandChain
from bnsearch.ondemand.extensions import find_max_per_row, list_extensions
from bnsearch.ondemand.kernels_row_cache import KEY
from bnsearch.ondemand.kernels_rows import AS_CHILD, AS_PARENT, HASHES
from bnsearch.ondemand.source import Source
from bnsearch.runs.problem import Problem
from bnsearch.scores import BIC
from bnsearch.scores.score import improves
from reference_ondemand import SCORES, chain_of, dependent_tables, problem_of, step_by_step
from strategies import examples


def chains_after(problem: Problem, steps: int, number: int = 2) -> list[OnDemandChain]:
    """Return chains that have searched for some steps from random orderings."""
    source, rng = Source(problem), np.random.default_rng(7)
    chains = [chain_of(source, rng.permutation(problem.size).tolist(), seed) for seed in range(number)]
    for chain in chains:
        step_by_step(chain, steps, 0.2)
    return chains


def rows_by_definition(chain: OnDemandChain) -> set[tuple[int, tuple[int, ...]]]:
    """Return the families whose rows are cached, of the stored families and of these without one parent."""
    families, place = chain.families(), chain.source.place
    source, rows, _, _ = chain.arrays
    found = set()
    for at, child in enumerate(families.child.tolist()):
        parents = families.members[families.first[at] : families.first[at + 1]].tolist()
        smaller = [[p for p in parents if p != dropped] for dropped in parents]
        for members in [*([parents] if len(parents) < chain.source.limits[place[child]] else []), *smaller]:
            hashes = [source[HASHES][AS_CHILD, place[child]], *source[HASHES][AS_PARENT, place[members]]]
            if np.bitwise_xor.reduce(np.array(hashes, dtype=np.uint64)) in rows[KEY]:  # nothing was overwritten
                found.add((child, tuple(sorted(members))))
    return found


def as_sets(families) -> set[tuple[int, tuple[int, ...]]]:
    """Return families as pairs of a child and its sorted parents."""
    first = families.first.tolist()
    return {
        (child, tuple(sorted(families.members[first[i] : first[i + 1]].tolist())))
        for i, child in enumerate(families.child.tolist())
    }


@examples(20)
@given(dependent_tables(most=6), st.sampled_from(SCORES), st.integers(1, 60))
def test_extensions_of_the_cached_rows(table, score, steps):
    """All improving extensions of the families with cached rows, with their scores; each is a family of the data."""
    problem = problem_of(table.dataset, score)
    chains = chains_after(problem, steps)
    parts = list_extensions(chains, inf, inf)
    scorer = problem.scorer
    expected = set()
    for chain in chains:
        for child, parents in rows_by_definition(chain):
            for z in set(range(problem.size)) - {child, *parents}:
                if improves(scorer.family(child, [*parents, z]), scorer.family(child, list(parents))):
                    expected.add((child, tuple(sorted([*parents, z]))))
    assert set().union(*(as_sets(part) for part in parts)) == expected
    for part in parts:
        for i, child in enumerate(part.child.tolist()):
            parents = part.members[part.first[i] : part.first[i + 1]].tolist()
            assert part.scores[i] == pytest.approx(scorer.family(child, parents), rel=1e-11, abs=1e-9)


def test_the_best_extensions_of_each_row():
    """With a limit, each row gives at most the same number of entries, and the total keeps to the limit."""
    problem = problem_of(random_network(12, 2.5, 3, 2).sample(300, seed=2), BIC())
    chains = chains_after(problem, 200)
    every = sum(len(part.child) for part in list_extensions(chains, inf, inf))
    totals = [sum(len(part.child) for part in list_extensions(chains, limit, limit)) for limit in (0, every - 1, every)]
    assert totals[0] == 0 < totals[1] < totals[2] == every
    least = sum(len(part.child) for part in list_extensions(chains, 0, inf))  # one of each row
    assert 0 < least < every
    assert sum(len(part.child) for part in list_extensions(chains, 0, least)) == least
    assert not list_extensions(chains, 0, least - 1)


@given(st.lists(st.integers(1, 30)), st.integers(0, 300))
def test_largest_number_of_entries_of_each_row(entries, limit):
    """Compared with trying all numbers."""
    fitting = [k for k in range(max(entries, default=0) + 1) if sum(min(k, e) for e in entries) <= limit]
    assert find_max_per_row(np.array(entries, dtype=np.int64), limit) == max(fitting)
