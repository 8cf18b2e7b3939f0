"""All extensions of a family at once: by bitmaps, by one-pass histograms and label by label, against single scores."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnsearch.counting.cell_sums import products_of_sets
from bnsearch.counting.columns import REPRESENTATIONS, Layout
from bnsearch.counting.kernels_expand import occupied_cells, score_extensions
from bnsearch.counting.kernels_expand_scratch import PAIRS, SUMS, new_scratch
from bnsearch.data import Dataset
from bnsearch.kernels.tuples import KernelTuple
from bnsearch.scores import AIC, BIC, FNML, K2, QNML, BDeu, Scorer
from reference import joint_counts
from strategies import EDGES, MIXED, Table, examples, tables

SCORES = (BIC(), AIC(), BDeu(ess=2.0), BDeu(ess=3.0, prior=True), K2(), FNML(), QNML())
every_score = pytest.mark.parametrize("score", SCORES, ids=repr)
every_representation = pytest.mark.parametrize("representation", REPRESENTATIONS)


class Extensions:
    """Families of a table extended by one variable, with scratch memory that is used again."""

    def __init__(self, data: Dataset, score, representation: str = "auto") -> None:
        self.data, self.score = data, score
        self.layout = Layout(data, representation=representation)
        self.scratch = new_scratch(self.layout)
        self.products = products_of_sets(self.layout.columns.arities, 4)
        self.scorer = Scorer(data, score, representation="sparse")

    def scores(self, child: int, parents: list[int], candidates: list[int]) -> tuple[float, np.ndarray]:
        """Return the score of a family, and of it with each of the candidates, by the kernel."""
        rows, place = self.data.n_rows, self.layout.place
        joint = self.score.joint(rows).terms(rows, self.products)
        others = self.score.parents(rows, int(self.data.arities[child])).terms(rows, self.products)
        found = np.full(len(candidates), np.nan)
        own = score_extensions(
            self.layout.arrays,
            place[child],
            place[np.array(parents, dtype=np.int64)],
            place[np.array(candidates, dtype=np.int64)],
            joint,
            others,
            self.scratch,
            found,
        )
        return float(own), found

    def check(self, child: int, parents: list[int], candidates: list[int]) -> None:
        """Compare with a scorer, family by family, with all candidates and without any."""
        own, found = self.scores(child, parents, candidates)
        alone, _ = self.scores(child, parents, [])
        expected = self.scorer.families([child] * len(candidates), [[*parents, z] for z in candidates])
        assert [own, alone] == pytest.approx([self.scorer.family(child, parents)] * 2, rel=1e-11, abs=1e-9)
        assert found == pytest.approx(expected, rel=1e-11, abs=1e-9)

    def check_some(self, seed: int, number: int, most: int) -> None:
        """Check families of random children with up to `most` parents, extended by all others in any order."""
        rng = np.random.default_rng(seed)
        for _ in range(number):
            child, *others = rng.permutation(self.data.n_variables).tolist()
            parents = others[: rng.integers(0, min(most, len(others)) + 1)]
            self.check(child, parents, others[len(parents) :])


@every_score
@examples(30)
@given(table=tables(min_variables=2), seed=st.integers(0, 1000))
def test_extensions_of_any_table(score, table: Table, seed):
    """For any table, the extensions and the family itself have the scores of a scorer."""
    Extensions(table.dataset, score).check_some(seed, 4, 4)


@every_representation
@pytest.mark.parametrize("n_rows", EDGES)
def test_extensions_at_the_edges_of_words(representation, n_rows):
    """Row counts at and around multiples of 64, one row among them, however the rows are counted."""
    Extensions(Table(n_rows, MIXED, seed=n_rows).dataset, BIC(), representation).check_some(n_rows, 12, 4)


@every_score
@pytest.mark.parametrize("wide", [100, 255, 256, 257, 300])
def test_many_states(score, wide):
    """Columns of up to 300 states, as children, parents and candidates, beside narrow ones."""
    columns = (("uniform", wide), ("skewed", wide), ("gaps", wide), ("uniform", 2), ("copy", 2), ("skewed", 9))
    Extensions(Table(300, columns, seed=wide).dataset, score).check_some(wide, 10, 3)


@every_score
@pytest.mark.parametrize("n_rows", [1, 2, 64, 5000])
def test_repeated_rows(score, n_rows):
    """Few different rows, each of which is there many times, are counted once, with their weights."""
    rng = np.random.default_rng(n_rows)
    different = rng.integers([2, 3, 2, 4, 2, 40], size=(min(n_rows, 12), 6))
    data = Dataset.from_codes(different[rng.integers(len(different), size=n_rows)], arities=[2, 3, 2, 4, 2, 40])
    extensions = Extensions(data, score)
    assert n_rows < 64 or len(extensions.layout.columns.weights) <= 12
    extensions.check_some(n_rows, 10, 4)


def test_histograms_that_just_fit():
    """Numbers of cells around 4,096, up to which one pass counts parents, child and candidate together."""
    arities = (16, 16, 15, 16, 17, 2)
    data = Table(700, tuple(("uniform", arity) for arity in arities), seed=1).dataset
    extensions = Extensions(data, BDeu(ess=1.0))
    for parents, candidates in (([1], [2, 3, 4, 5]), ([1, 5], [2, 3, 4]), ([1, 3], [5, 2, 4]), ([1, 2, 3], [4, 5])):
        extensions.check(0, parents, candidates)


def test_more_cells_than_can_be_numbered():
    """Ten parents of 200 states have 1e23 cells: counted still, by labels."""
    data = Table(150, (("uniform", 200),) * 12, seed=3).dataset
    Extensions(data, K2()).check(0, list(range(1, 11)), [11])


class SummedExtensions(Extensions):
    """Extensions that take note of whether rows were summed."""

    def was_summed(self, child: int, parents: list[int], candidates: list[int]) -> bool:
        """Check a family, and tell whether its candidates were counted by sums of rows."""
        self.scratch[SUMS][:] = 255  # more than a sum of items in a group of these tables
        self.check(child, parents, candidates)
        return bool((self.scratch[SUMS] != 255).any())


@every_score
@pytest.mark.parametrize("n_rows", [700, 704, 1300])
@pytest.mark.parametrize("pairs", [True, False], ids=["pairs", "no pairs"])
def test_sums_of_rows(score, n_rows, pairs):
    """Many candidates of two to five states: all are counted at once, with and without the counts of pairs."""
    columns = (("uniform", 2), ("skewed", 2), ("copy", 2), ("skewed", 3), ("gaps", 5), ("uniform", 4)) * 12
    extensions = SummedExtensions(Table(n_rows, columns, seed=n_rows).dataset, score)
    if not pairs:
        scratch = list(extensions.scratch)
        scratch[PAIRS] = scratch[PAIRS][:0]
        extensions.scratch = KernelTuple(scratch)
    rng = np.random.default_rng(n_rows)
    summed = 0
    for size in (1, 2, 3, 4, 5, 5):
        child, *others = rng.permutation(len(columns)).tolist()
        summed += extensions.was_summed(child, others[:size], others[size:])
    assert summed >= 3


def test_sums_of_rows_beside_histograms():
    """Candidates of too many states for bitmaps are counted by histograms, while all others are summed."""
    columns = (("uniform", 2), ("skewed", 2), ("uniform", 3)) * 20 + (("uniform", 300), ("gaps", 280))
    extensions = SummedExtensions(Table(900, columns, seed=5).dataset, BDeu(ess=1.0))
    assert extensions.was_summed(0, [1, 2, 3, 4], list(range(61, 4, -1)))


def test_cells_that_are_skipped():
    """Cells of one row, and cells whose rows have one state of the child, contribute what they should."""
    rng = np.random.default_rng(8)
    codes = rng.integers(2, size=(600, 80))
    codes[:, 0] = codes[:, 1] & codes[:, 2]  # known where column 1 is 0, and from both
    codes[:, 3:7] = rng.random((600, 4)) < 0.03  # cells of few rows
    for score in SCORES:
        extensions = SummedExtensions(Dataset.from_codes(codes), score)
        assert extensions.was_summed(0, [1, 3, 4, 5, 6], [2, *range(7, 80)])
        extensions.check(0, [1, 2, 3, 4, 5, 6], list(range(7, 80)))


@examples(40)
@given(table=tables(min_variables=2), seed=st.integers(0, 1000))
def test_occupied_cells(table: Table, seed):
    """The number of combinations of states of a family that occur in the rows."""
    extensions = Extensions(table.dataset, BIC())
    child, *others = np.random.default_rng(seed).permutation(len(table.columns)).tolist()
    for size in range(len(others) + 1):
        place = extensions.layout.place
        family = np.array(others[:size], dtype=np.int64)
        number = occupied_cells(extensions.layout.arrays, place[child], place[family], extensions.scratch)
        assert number == len(joint_counts(table.codes.T.tolist(), [child, *others[:size]]))
