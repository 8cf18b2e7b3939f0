"""All sets up to a size, against one set at a time."""

from __future__ import annotations

from itertools import combinations
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnsearch.counting import Sweep, piece_sizes
from bnsearch.counting.cell_sums import CellFunction, CellSum
from bnsearch.counting.pieces import tabulate_binomials
from bnsearch.data import Dataset
from bnsearch.errors import InputError
from bnsearch.scores import BIC, QNML, BDeu, Scorer
from strategies import REPRESENTATIONS, Table, examples, tables

SCORES = (BIC(), BDeu(ess=2.0, prior=True), QNML())
XLOGX = CellSum(CellFunction.XLOGX)
# Arities 1, 2 and 3 twice, then some that bitmaps serve only in small sets.
WIDTHS = (("uniform", 2), ("constant", 1), ("skewed", 3), ("gaps", 7), ("copy", 7), ("constant", 1), ("uniform", 2))


def check(data, made, scores=SCORES):
    """Assert that every value of a sweep is that of a scorer, which counts one set at a time."""
    for score in scores:
        scorer = Scorer(data, score, representation="sparse")
        for size in range(made.max_size + 1):
            sets = sorted(combinations(range(len(made.order)), size), key=lambda places: places[::-1])
            expected = scorer.set_values([[int(made.order[p]) for p in places] for places in sets])
            assert made.values(size, score.joint(data.n_rows)) == pytest.approx(expected, rel=1e-11, abs=1e-9)


def binary(n, n_rows=3):
    """Return a small table of n variables."""
    return Table(n_rows, (("uniform", 2),) * n, seed=n).dataset


@pytest.mark.parametrize("size", range(6))
def test_rank_is_colexicographic(size):
    """Sets sorted by their largest place, then the next, have the ranks 0, 1, 2, ..."""
    made = Sweep(binary(7), 5)
    sets = sorted(combinations(range(7), size), key=lambda places: places[::-1])
    assert [made.rank(places) for places in sets] == list(range(made.count_sets(size)))


@pytest.mark.parametrize("representation", REPRESENTATIONS)
@pytest.mark.parametrize("n_rows", [1, 64, 65, 300])
def test_every_size(representation, n_rows):
    """Sets of all sizes up to all variables, constants among them, have the values of single sets."""
    data = Table(n_rows, WIDTHS, seed=n_rows).dataset
    check(data, Sweep(data, len(WIDTHS), representation=representation, threads=1))


@given(table=tables(max_rows=200), threads=st.integers(1, 3), memory=st.sampled_from([0, 100, 1 << 30]))
@examples(25)
def test_any_table(table, threads, memory):
    """Any table, number of threads and bound of memory."""
    check(table.dataset, Sweep(table.dataset, 4, threads=threads, memory=memory), SCORES[1:2])


@pytest.mark.parametrize("n_constant", [0, 1, 3])
@pytest.mark.parametrize("n_rows", [1, 63, 64, 65, 150, 3000])
def test_triples_of_binary_variables(n_rows, n_constant):
    """
    Sets of three binary variables or constants, and sets of four, which need their counts, have the values of others.

    With 63 rows, sums of two terms are tabulated for a second place from 8 on; with 150 rows, from 19 on. With 3,000
    rows, uniform columns have bitmaps of more than 16 words, and skewed ones of less.
    """
    columns = (("uniform", 2), ("skewed", 2), ("constant", 2)) * 7 + (("constant", 1),) * n_constant
    data = Table(n_rows, columns, seed=n_rows).dataset
    check(data, Sweep(data, 3 if n_rows > 100 else 4, threads=2), SCORES if n_rows < 100 else SCORES[:2])


def test_triples_in_small_pieces(monkeypatch):
    """If each second place is a piece of its own, constants are the second place of some pieces."""
    monkeypatch.setattr(piece_sizes, "MAX_SETS_PER_CALL", 1)
    monkeypatch.setattr(piece_sizes, "MIN_ROWS_PER_CALL", 1)
    data = Table(40, (("uniform", 2),) * 8 + (("constant", 1),) * 3, seed=5).dataset
    check(data, Sweep(data, 3, threads=1))


def test_triples_of_many_binary_variables():
    """600 variables are counted in two parts: sets with the three largest second places have the values of others."""
    data = Table(70, (("uniform", 2), ("skewed", 2)) * 300, seed=3).dataset
    made, scorer = Sweep(data, 3, threads=1), Scorer(data, BIC(), representation="sparse")
    piece = next(made.pieces(3))._replace(bottom=599, top=599, lowest=596, highest=599)
    blocks = made.for_each_piece(3, BIC().joint(70), lambda _, block: block.copy(), pieces=[piece])
    sets = [(x, second, 599) for second in range(596, 599) for x in range(second)]
    expected = scorer.set_values([[int(made.order[p]) for p in places] for places in sets])
    assert blocks[0] == pytest.approx(expected, rel=1e-11, abs=1e-9)


@pytest.mark.parametrize("n_rows", [400, 20_000])
def test_arities_beyond_the_reach_of_bitmaps(n_rows):
    """200 to 300 states with binary variables: 256 have bitmaps, 257 have none, 200 x 4 cells are too many for them."""
    columns = tuple(("skewed" if r < 5 else "uniform", r) for r in (200, 2, 255, 256, 257, 300, 4, 2))
    data = Table(n_rows, columns, seed=41).dataset
    check(data, Sweep(data, 3, threads=2), SCORES[:1])


@pytest.mark.parametrize("distinct", [2, 40])
def test_heavy_merging(distinct):
    """2 or 40 rows of a 260-state variable and others, repeated to 5,000: histograms over few rows do it all."""
    rows = Table(distinct, (("uniform", 260), ("uniform", 3), ("uniform", 1), ("skewed", 2), ("gaps", 90)), seed=42)
    codes = np.random.default_rng(43).choice(rows.codes.T, size=5_000)
    data = Dataset.from_codes(codes, arities=rows.arities)
    check(data, Sweep(data, 5), SCORES[:2])


def test_no_memory():
    """Without memory for counts of smaller sets only the pairs are counted by bitmaps; values stay the same."""
    data = Table(200, (("uniform", 2),) * 6 + (("uniform", 3),) * 2, seed=44).dataset
    for bound, served in [(0, 0), (4 * comb(6, 2), 6), (4 * comb(10, 2), 8)]:
        made = Sweep(data, 3, memory=bound)
        assert np.count_nonzero(np.diff(made.layout.columns.start)) == served
        check(data, made, SCORES[:1])
    assert np.count_nonzero(np.diff(Sweep(data, 2, memory=0).layout.columns.start)) == 8


def test_some_variables():
    """A sweep over the variables 6, 3 and 2 knows these alone, in ascending order of arity."""
    data = Table(100, WIDTHS, seed=45).dataset
    made = Sweep(data, 3, variables=[6, 3, 2])
    assert made.order.tolist() == [6, 2, 3]
    assert made.count_sets(2) == 3
    check(data, made)


@pytest.mark.parametrize("variables", [[], [4]])
def test_few_variables(variables):
    """No variable, or one: the sizes 0 and 1 are there, and no other, whatever was asked for."""
    data = Table(30, WIDTHS, seed=46).dataset
    made = Sweep(data, 5, variables=variables)
    assert made.max_size == 1
    assert [made.values(k, XLOGX).size for k in (0, 1)] == [1, len(variables)]
    check(data, made)


def test_sizes_in_any_order():
    """Larger sizes first, or one size twice, give what the sizes in their order give."""
    data = Table(150, WIDTHS, seed=47).dataset
    expected = [Sweep(data, 4).values(size, XLOGX).tolist() for size in range(5)]
    made = Sweep(data, 4)
    for size in (4, 2, 0, 3, 4, 1):
        assert made.values(size, XLOGX).tolist() == expected[size]


def test_threads_change_no_bit(monkeypatch):
    """One, two and five threads give the same numbers, in pieces of any size."""
    monkeypatch.setattr(piece_sizes, "MIN_ROWS_PER_CALL", 1000)
    data = Table(129, (("uniform", 2), ("skewed", 3), ("gaps", 5), ("uniform", 40)) * 3, seed=48).dataset
    one, *others = [
        [Sweep(data, 4, threads=threads).values(size, BIC().joint(129)).tolist() for size in (2, 3, 4)]
        for threads in (1, 2, 5)
    ]
    assert all(other == one for other in others)


@pytest.mark.parametrize("least", [1, 40, 1 << 23])
@pytest.mark.parametrize("most", [1, 5, 1 << 20])
def test_pieces_cover_every_set_once(monkeypatch, most, least):
    """The ranks of the pieces of a size are all ranks, each once, and no piece without need is larger than asked."""
    monkeypatch.setattr(piece_sizes, "MAX_SETS_PER_CALL", most)
    monkeypatch.setattr(piece_sizes, "MIN_ROWS_PER_CALL", least)
    monkeypatch.setattr(piece_sizes, "TRIPLES_FACTOR", 1)
    for n in (2, 3, 4, 7, 11):
        for threads in (1, 2, 16):
            made = Sweep(binary(n), n, threads=threads)
            for size in range(2, n + 1):
                pieces = list(made.pieces(size))
                ranks = [rank for piece in pieces for rank in range(*made.ranks(size, piece))]
                assert sorted(ranks) == list(range(comb(n, size)))
                assert all(p.bottom == p.top or np.diff(made.ranks(size, p))[0] <= most for p in pieces)
                wide = [p for p in pieces if np.diff(made.ranks(size, p))[0] > most and p.highest - p.lowest > 1]
                assert size == 2 or not any(
                    comb(p.highest - 1, size - 1) - comb(p.lowest, size - 1) > most for p in wide
                )


def test_binary_triples_have_fewer_pieces(monkeypatch):
    """A kernel call counts more sets of three binary variables than sets of three variables with three states."""
    monkeypatch.setattr(piece_sizes, "MAX_SETS_PER_CALL", 20)
    monkeypatch.setattr(piece_sizes, "MIN_ROWS_PER_CALL", 1)
    numbers = []
    for states in (2, 3):
        made = Sweep(Table(9, (("uniform", states),) * 30, seed=1).dataset, 3, representation="bitmap", threads=1)
        numbers.append(len(list(made.pieces(3))))
    assert numbers[0] < 0.7 * numbers[1]


def test_pieces_of_many_states_are_small(monkeypatch):
    """
    By hand: 64 rows are one word, and two variables of 10 states have 100 cells, so a call of 500 words counts 6 pairs.

    A top place with more smaller places is a piece of its own. Pairs of two states have four cells: 126 of them fit.
    """
    monkeypatch.setattr(piece_sizes, "MAX_WORDS_PER_CALL", 500)
    wide = Sweep(Table(64, (("uniform", 10),) * 12, seed=1).dataset, 2, representation="bitmap", threads=1)
    sizes = [int(np.diff(wide.ranks(2, piece))[0]) for piece in wide.pieces(2)]
    assert sizes == [11, 10, 9, 8, 7, 6, 5, 4, 6]
    narrow = Sweep(Table(64, (("uniform", 2),) * 12, seed=1).dataset, 2, representation="bitmap", threads=1)
    assert [int(np.diff(narrow.ranks(2, piece))[0]) for piece in narrow.pieces(2)] == [66]


@pytest.mark.parametrize("least", [1, 300, 1 << 23])
def test_pieces_are_visited_with_their_values(monkeypatch, least):
    """Each piece is visited once with its values by rank; answers in order. Kept, they are the values by rank."""
    monkeypatch.setattr(piece_sizes, "MIN_ROWS_PER_CALL", least)
    made = Sweep(Table(60, WIDTHS, seed=49).dataset, 3, threads=2)
    expected, kept = made.values(3, XLOGX), np.empty(35)

    def visit(piece, block):
        return made.ranks(3, piece)[0], block.tolist()

    answers = made.for_each_piece(3, XLOGX, visit)
    assert [a for a, _ in answers] == [made.ranks(3, piece)[0] for piece in made.pieces(3)]
    assert [v for _, values in sorted(answers) for v in values] == expected.tolist()
    assert made.for_each_piece(3, XLOGX, visit, into=kept) == answers
    assert kept.tolist() == expected.tolist()


@pytest.mark.parametrize("n_first", [0, 1, 2])
def test_larger_sets_need_the_counts_of_all_pieces(monkeypatch, n_first):
    """A sweep that has counted only some pieces of a size, in one or two calls, counts the others for larger sets."""
    monkeypatch.setattr(piece_sizes, "MIN_ROWS_PER_CALL", 1)
    data = Table(60, (("uniform", 2),) * 8, seed=7).dataset
    made = Sweep(data, 4, threads=1)
    pieces = list(made.pieces(2))
    assert len(pieces) > 4
    made.for_each_piece(2, XLOGX, lambda piece, block: None, pieces=pieces[1 : 1 + n_first])
    made.for_each_piece(2, XLOGX, lambda piece, block: None, pieces=pieces[3:])
    check(data, made)


def test_pieces_are_not_counted_again(monkeypatch):
    """If all pieces of a size were counted, in two calls, larger sets use their counts."""
    monkeypatch.setattr(piece_sizes, "MIN_ROWS_PER_CALL", 1)
    data = Table(60, (("uniform", 2),) * 8, seed=7).dataset
    made = Sweep(data, 4, threads=1)
    pieces = list(made.pieces(2))
    for part in (pieces[2:], pieces[:2]):
        made.for_each_piece(2, XLOGX, lambda piece, block: None, pieces=part)
    monkeypatch.setattr(Sweep, "_count_items", lambda *arguments: pytest.fail("counted again"))
    check(data, made)


def test_bad_requests_are_refused():
    """Sizes, variables, memory and threads that cannot be are input errors."""
    data = binary(4)
    made = Sweep(data, 2)
    for bad, text in [
        (lambda: Sweep(data, 0), "max_size must be at least 1, not 0"),
        (lambda: Sweep(data, 2.5), "max_size must be a whole number, not 2.5"),
        (lambda: Sweep(data, 2, memory=-1), "memory must be at least 0"),
        (lambda: Sweep(data, 2, threads=0), "threads must be at least 1"),
        (lambda: Sweep(data, 2, variables=[0, 4]), "variable 4 is not one of 0..3"),
        (lambda: Sweep(data, 2, variables=[0, -1]), "variable -1 is not one of 0..3"),
        (lambda: Sweep(data, 2, variables=[1, 1]), "twice"),
        (lambda: Sweep(data, 2, representation="abacus"), "representation must be one of"),
        (lambda: made.values(3, XLOGX), "size must be at least 0 and at most 2, not 3"),
        (lambda: made.values(-1, XLOGX), "size must be at least 0"),
        (lambda: made.for_each_piece(3, XLOGX, lambda *_: None), "size must be at least 2 and at most 2, not 3"),
        (lambda: made.for_each_piece(1, XLOGX, lambda *_: None), "size must be at least 2"),
    ]:
        with pytest.raises(InputError, match=text):
            bad()


def test_bitmaps_that_need_too_much_memory_are_refused():
    """Sixty variables of 30 states have 1,740 items: the 5-sets of these number 1e14."""
    data = Table(5, (("uniform", 30),) * 60, seed=50).dataset
    with pytest.raises(InputError, match="too much memory"):
        Sweep(data, 6, representation="bitmap")
    assert Sweep(data, 6, representation="auto").max_size == 6


def test_binomials_beyond_64_bits():
    """Coefficients are exact where ranks need them, and never negative where they are cut."""
    table = tabulate_binomials(300, 40)
    assert (table >= 0).all()
    for i in (0, 1, 5, 60, 299):
        for k in range(40):
            assert table[i, k] == comb(i, k) or comb(i, k) >= 2**62


def test_one_more_size():
    """A sweep that is made deeper keeps its counts, and has the values of single sets."""
    data = Table(150, WIDTHS, seed=1).dataset
    deepened = Sweep(data, 2, threads=1)
    deepened.values(2, XLOGX)
    while deepened.can_deepen():
        deepened.deepen()
    assert deepened.max_size == len(WIDTHS)
    check(data, deepened)


def test_no_memory_for_one_more_size():
    """Ten binary variables have 45 pairs, whose counts take 180 bytes in the counting of triples."""
    assert not Sweep(binary(10), 2, memory=179).can_deepen()
    assert Sweep(binary(10), 2, memory=180).can_deepen()
