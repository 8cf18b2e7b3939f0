"""Extension rows that a lazy climb has computed."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_extension_rows import check_row, every_score, row_of

from bnsearch.dags.lazy_climber import LazyClimber
from bnsearch.ondemand.chain import OnDemandChain
from bnsearch.ondemand.first_climb import make_first_climb, prepare_climbs
from bnsearch.ondemand.island import make_islands
from bnsearch.ondemand.kernels_row_cache import COMPUTED, HEAD, KEY
from bnsearch.ondemand.kernels_rows import FAMILY, UNFINISHED
from bnsearch.ondemand.schedule import Activity
from bnsearch.ondemand.source import Source
from bnsearch.runs.run import Run
from bnsearch.runs.stop import Iterations, Seconds
from clocks import Clock
from knowledge_cases import random_knowledge
from reference_ondemand import SCORES, Definition, Dependent, problem_of
from strategies import Table, examples, tables

MEMORY = 1 << 22


def cached_rows(chain: OnDemandChain) -> int:
    """Return the number of rows in the cache of a chain."""
    return int(np.count_nonzero(chain.arrays[1][KEY]))


@every_score
@examples(15)
@given(
    table=tables(min_variables=3, max_variables=8, max_rows=200),
    seed=st.integers(0, 1000),
    parts=st.integers(0, 20),
    informed=st.booleans(),
)
def test_known_rows_are_score_differences(score, table: Table, seed, parts, informed):
    """After some steps of a climb, the cache has rows of its families; each of them equals the definition."""
    data = table.dataset
    problem = problem_of(data, score, random_knowledge(data.names, seed) if informed else None)
    source = Source(problem)
    definition, climber = Definition(problem, source), LazyClimber(problem, source.pairs, source.limits)
    climber.start(problem.base.parents)
    for part, _ in enumerate(climber.climb(max_steps=1)):
        if part == parts:
            break
    chain = OnDemandChain(source, np.uint64(1), MEMORY)
    chain.cache_rows_of(climber)
    arrays, rows = chain.arrays[:2]
    number = cached_rows(chain)
    if climber.best is None:
        assert number == 0
        return
    found = 0
    for child, parents in enumerate(climber.best.parents):
        place, its_parents = source.place[child], tuple(sorted(source.place[list(parents)].tolist()))
        computed = int(rows[HEAD][COMPUTED])
        row = row_of(arrays, rows, place, its_parents)
        if its_parents and rows[HEAD][COMPUTED] == computed:
            found += 1
            check_row(definition, row, place, its_parents)
    assert found == number


def start_chain(stop) -> OnDemandChain:
    """Return the chain of an island after its first climb."""
    problem = problem_of(Dependent(250, (2, 3, 4) * 3, 0.5, 7).dataset, SCORES[1])
    source, run = Source(problem), Run(stop, seed=1, threads=1, clock=Clock())
    _, islands = make_islands(source, problem, run, 1, MEMORY)
    islands[0].chain.arrays[0][UNFINISHED][FAMILY] = 5
    prepare_climbs(islands, problem, source, MEMORY, timed=run.is_timed)
    make_first_climb(islands, problem, run, Activity(0.1), None)
    return islands[0].chain


@pytest.mark.parametrize("stop", [Seconds(1e6), Iterations(10**6)])
def test_the_first_climb_fills_the_cache(stop):
    """Under a time budget; a row of which a part was computed begins again then, because its scratch was used."""
    chain, timed = start_chain(stop), isinstance(stop, Seconds)
    assert (cached_rows(chain) > 0) == timed
    assert chain.arrays[0][UNFINISHED][FAMILY] == (0 if timed else 5)
