"""Extension rows: their contents, and that the cache does not change them."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnsearch.networks import random_network
from bnsearch.ondemand import row_caches
from bnsearch.ondemand.kernels_peers import ENTRIES
from bnsearch.ondemand.kernels_row_cache import (
    BATCH,
    BEGIN,
    CANDIDATE,
    COMPUTED,
    COUNT,
    EVALUATIONS,
    FAMILY_SCORE,
    GAIN,
    HEAD,
    IS_REFUSED,
    STOP,
    copy_rows,
)
from bnsearch.ondemand.kernels_rows import POOL
from bnsearch.ondemand.row_caches import RowCaches
from bnsearch.ondemand.source import Source
from knowledge_cases import random_knowledge
from reference_ondemand import (
    SCORES,
    Definition,
    Dependent,
    ask_row,
    chain_of,
    list_related,
    problem_of,
    step_by_step,
)
from strategies import Table, examples, tables

every_score = pytest.mark.parametrize("score", SCORES, ids=lambda score: score.name)
LARGE = 1 << 20


def new_rows(memory: int, n: int):
    """Return the cache of a single chain."""
    return RowCaches(1, memory, n).rows_of(0)


def row_of(arrays, rows, child: int, parents: tuple[int, ...]) -> tuple[float, list[int], list[float]]:
    """Return the local score of a family, the candidates of its row, and their gains."""
    members = np.zeros(len(arrays[POOL]) + 1, dtype=np.int32)
    members[: len(parents)] = parents
    slot = ask_row(arrays, rows, child, members, len(parents))
    begin = rows[BEGIN][slot] % len(rows[CANDIDATE])
    inside = slice(begin, begin + rows[COUNT][slot])
    return float(rows[FAMILY_SCORE][slot]), rows[CANDIDATE][inside].tolist(), rows[GAIN][inside].tolist()


def random_families(definition: Definition, seed: int, number: int, most: int = 4) -> Iterator[tuple[int, tuple]]:
    """Yield children and legal parents in ascending order."""
    rng = np.random.default_rng(seed)
    for _ in range(number):
        child = int(rng.integers(definition.size))
        legal = np.flatnonzero(definition.allowed[child])
        chosen = rng.permutation(legal)[: rng.integers(0, most + 1)]
        yield child, tuple(sorted(chosen.tolist()))


def check_row(definition: Definition, found, child: int, parents: tuple[int, ...]) -> None:
    """Compare a row with the differences of all local scores."""
    own, candidates, gains = found
    expected = definition.row(child, parents)
    margin = 1e-9 * max(1.0, abs(own))
    assert own == pytest.approx(definition.score(child, parents), rel=1e-11, abs=1e-9)
    assert len(set(candidates)) == len(candidates)
    assert gains == sorted(gains, reverse=True)
    assert all(gain > 0.0 for gain in gains)
    for z, gain in zip(candidates, gains, strict=True):
        assert gain == pytest.approx(expected.get(z, 0.0), abs=2 * margin)
    for z, gain in expected.items():
        assert z in candidates or gain <= margin


@every_score
@examples(20)
@given(table=tables(min_variables=2, max_variables=7, max_rows=200), seed=st.integers(0, 1000), informed=st.booleans())
def test_rows_are_score_differences(score, table: Table, seed, informed):
    """
    A row holds exactly the allowed variables that improve the score, with their gains, best first.

    So a variable that is left out because its entropy is below its penalty would not have improved the score.
    """
    data = table.dataset
    problem = problem_of(data, score, random_knowledge(data.names, seed) if informed else None)
    source = Source(problem)
    definition, arrays, rows = Definition(problem, source), source.arrays(), new_rows(LARGE, source.size)
    for child, parents in random_families(definition, seed, 12):
        check_row(definition, row_of(arrays, rows, child, parents), child, parents)


@pytest.mark.parametrize("score", [SCORES[0], SCORES[3]], ids=lambda score: score.name)
@pytest.mark.parametrize("n", [63, 64, 65, 70])
def test_rows_across_words_of_bits(score, n):
    """Bits of legal variables come in words of 64: the same at the ends of the first word."""
    data = random_network(n, 2.5, 3, n).sample(200, seed=n)
    problem = problem_of(data, score, random_knowledge(data.names, n))
    source = Source(problem)
    definition, arrays, rows = Definition(problem, source), source.arrays(), new_rows(LARGE, n)
    assert (list_related(source) == definition.related).all()
    for child, parents in [*random_families(definition, n, 12), (0, (n - 1,)), (n - 1, (0,)), (n - 1, (n - 2,))]:
        if all(definition.allowed[child, p] for p in parents):
            check_row(definition, row_of(arrays, rows, child, parents), child, parents)


@every_score
@examples(15)
@given(table=tables(min_variables=3, max_variables=7, max_rows=200), seed=st.integers(0, 1000), batch=st.integers(1, 3))
def test_rows_in_parts(score, table: Table, seed, batch):
    """
    A row of which each call computes a part is that which is computed at once.

    Until it is complete, the slot is -1 and a note says so. A row of another family in between discards the part.
    """
    problem = problem_of(table.dataset, score)
    source, definition = Source(problem), Definition(problem, Source(problem))
    arrays, rows, whole = source.arrays(), new_rows(LARGE, source.size), new_rows(LARGE, source.size)
    head = rows[HEAD]
    for child, parents in random_families(definition, seed, 6):
        expected = row_of(source.arrays(), whole, child, parents)
        members = np.zeros(source.size + 1, dtype=np.int32)
        members[: len(parents)] = parents
        head[BATCH], calls, slot = batch, 0, -1
        while slot < 0:
            head[STOP], head[IS_REFUSED] = head[EVALUATIONS] + 1, 0
            slot = ask_row(arrays, rows, child, members, len(parents))
            assert head[IS_REFUSED] == (slot < 0)
            calls += 1
            if calls == 1 and slot < 0:
                row_of(arrays, rows, (child + 1) % source.size, ())
        assert calls <= 2 + source.size
        assert row_of(arrays, rows, child, parents)[1] == expected[1]
        assert row_of(arrays, rows, child, parents)[2] == pytest.approx(expected[2], rel=1e-9, abs=1e-9)
        check_row(definition, row_of(arrays, rows, child, parents), child, parents)


def test_many_states():
    """Columns of 2 to 8 states, all of which depend on each other."""
    problem = problem_of(Dependent(300, (8, 7, 6, 5, 4, 3, 2), 0.3, 1).dataset, SCORES[2])
    source = Source(problem)
    definition, arrays, rows = Definition(problem, source), source.arrays(), new_rows(LARGE, 7)
    for child, parents in random_families(definition, 1, 40, most=3):
        found = row_of(arrays, rows, child, parents)
        check_row(definition, found, child, parents)
        assert set(found[1]) == set(definition.row(child, parents))


def dense_source(n: int = 12) -> tuple[Definition, Source]:
    """Return a source whose variables all depend on each other: its rows are functions of the family alone."""
    problem = problem_of(Dependent(250, (2, 3, 4) * (n // 3), 0.5, 7).dataset, SCORES[1])
    source = Source(problem)
    assert (list_related(source) | np.eye(n, dtype=bool)).all()
    return Definition(problem, source), source


def test_overwritten_rows_are_computed_again():
    """A ring of 48 entries, overwritten many times, gives the same rows as a cache that holds all of them."""
    definition, source = dense_source()
    arrays, small, large = source.arrays(), new_rows(0, source.size), new_rows(LARGE, source.size)
    families = list(random_families(definition, 3, 40))
    for child, parents in families + families[::-1]:
        assert row_of(arrays, small, child, parents) == row_of(arrays, large, child, parents)
    assert small[HEAD][ENTRIES] > 3 * len(small[CANDIDATE])
    assert large[HEAD][ENTRIES] < len(large[CANDIDATE])


def test_copied_rows_are_found_again():
    """After a copy into a larger cache every row is there, the same, and none is computed again."""
    definition, source = dense_source()
    arrays, rows, larger = source.arrays(), new_rows(1 << 16, source.size), new_rows(1 << 17, source.size)
    families = list(random_families(definition, 4, 60))
    before = [row_of(arrays, rows, *family) for family in families]
    assert rows[HEAD][ENTRIES] < len(rows[CANDIDATE])
    copy_rows(rows, larger)
    assert larger[HEAD].tolist() == rows[HEAD].tolist()
    assert [row_of(arrays, larger, *family) for family in families] == before
    assert larger[HEAD].tolist() == rows[HEAD].tolist()


def test_a_row_that_would_wrap_around_is_not_copied():
    """A ring that was overwritten: the rows still there are copied, each to where its beginning says, or left out."""
    definition, source = dense_source()
    arrays, rows, larger = source.arrays(), new_rows(1 << 12, source.size), new_rows(1 << 13, source.size)
    families = list(random_families(definition, 6, 90))
    before = [row_of(arrays, rows, *family) for family in families]
    assert len(rows[CANDIDATE]) < rows[HEAD][ENTRIES]
    copy_rows(rows, larger)
    copied = larger[HEAD][COMPUTED]
    assert [row_of(arrays, larger, *family) for family in families] == before
    assert 0 < larger[HEAD][COMPUTED] - copied < len(set(families))  # some were still there


def test_enlarging_an_overwritten_cache(monkeypatch):
    """A cache that was overwritten within one call, and is doubled afterwards, still gives the right rows."""
    monkeypatch.setattr(row_caches, "FIRST_BYTES", 0)
    definition, source = dense_source()
    caches = RowCaches(1, 1 << 20, source.size)
    arrays, rows, families, met = source.arrays(), caches.rows_of(0), random_families(definition, 5, 400), []
    while rows[HEAD][ENTRIES] < 1.3 * len(rows[CANDIDATE]):
        met.append(next(families))
        row_of(arrays, rows, *met[-1])
    caches.enlarge()
    larger = caches.rows_of(0)
    assert len(larger[CANDIDATE]) > len(rows[CANDIDATE])
    for family in met:
        check_row(definition, row_of(arrays, larger, *family), *family)


@pytest.mark.parametrize(("first", "most"), [(0, 0), (1 << 12, 0), (1 << 17, 1 << 24)], ids=["few", "more", "enlarged"])
def test_the_size_of_the_cache_changes_no_search(monkeypatch, first, most):
    """With a cache of a few rows, overwritten again and again, and with one that is enlarged: the same networks."""
    _, source = dense_source()
    order = np.random.default_rng(2).permutation(source.size).tolist()
    large = chain_of(source, order, 9, 1 << 24)
    step_by_step(large, 600, 0.3)
    monkeypatch.setattr(row_caches, "FIRST_BYTES", first)
    small = chain_of(source, order, 9, 1 << 24)
    small._caches.memory = most
    ring = len(small._rows[CANDIDATE])
    step_by_step(small, 600, 0.3)
    assert (len(small._rows[CANDIDATE]) > ring) == (most > 0)
    assert (small.current, small.best) == (large.current, large.best)
    assert small._order.tolist() == large._order.tolist()
    assert small.best_parents() == large.best_parents()


def test_rows_of_peers_are_not_computed_again():
    """Chain 1 finds the rows of chain 0, the same to the last bit, computes none of them, and keeps copies."""
    definition, source = dense_source()
    caches = RowCaches(3, LARGE, source.size)
    families = list(random_families(definition, 7, 50))
    rows = [caches.rows_of(chain) for chain in range(3)]
    expected = [row_of(source.arrays(), rows[0], *family) for family in families]
    arrays = source.arrays()
    assert [row_of(arrays, rows[1], *family) for family in families] == expected
    assert (rows[0][HEAD][COMPUTED] > 0, rows[1][HEAD][COMPUTED]) == (True, 0)
    assert rows[1][HEAD][ENTRIES] == rows[0][HEAD][ENTRIES]
    caches.enlarge()
    assert [row_of(arrays, caches.rows_of(2), *family) for family in families] == expected


def test_peers_that_overwrite_their_rows_meanwhile():
    """Four threads with caches of a few rows, read by each other while they are overwritten: all rows are whole."""
    definition, source = dense_source()
    families = list(random_families(definition, 8, 200))
    alone, arrays = new_rows(LARGE, source.size), source.arrays()
    expected = {family: row_of(arrays, alone, *family) for family in families}
    caches = RowCaches(4, 1 << 12, source.size)

    def look(chain: int) -> int:
        arrays, rows, rng = source.arrays(), caches.rows_of(chain), np.random.default_rng(chain)
        for at in rng.integers(len(families), size=3000).tolist():
            assert row_of(arrays, rows, *families[at]) == expected[families[at]]
        return int(rows[HEAD][COMPUTED])

    with ThreadPoolExecutor(4) as pool:
        computed = list(pool.map(look, range(4)))
    assert caches.rows_of(0)[HEAD][ENTRIES] > 3 * len(caches.rows_of(0)[CANDIDATE])
    assert sum(computed) < 4 * look_alone(source, families)


def look_alone(source: Source, families: list) -> int:
    """Return how many rows a chain with the same small cache computes if it is not shared."""
    arrays, rows, rng = source.arrays(), new_rows(1 << 12, source.size), np.random.default_rng(0)
    for at in rng.integers(len(families), size=3000).tolist():
        row_of(arrays, rows, *families[at])
    return int(rows[HEAD][COMPUTED])
