"""Every score through every representation, against its definition in the literature."""

from __future__ import annotations

import random
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnsearch.data import Dataset
from bnsearch.errors import InputError
from bnsearch.graphs.dag import DAG
from bnsearch.scores import AIC, BIC, FNML, K2, QNML, AllSets, BDeu, LogLikelihood, Scorer, make_score
from reference import SCORES as DEFINITIONS
from reference import count_family, family_score, network_score
from strategies import (
    EDGES,
    MIXED,
    REPRESENTATIONS,
    Table,
    covered_edge_reversals,
    examples,
    tables,
    tables_and_families,
)

EQUIVALENT = [
    ("loglik", {}),
    ("aic", {}),
    ("bic", {}),
    ("bdeu", {"ess": 10.0}),
    ("bdeu", {"ess": 0.1}),
    ("bdeu", {"ess": 10.0, "prior": True}),
    ("qnml", {}),
]
OTHERS = [("k2", {}), ("fnml", {})]
SCORES = EQUIVALENT + OTHERS


def for_scores(scores):
    """Run a test once for each score."""
    ids = ["-".join([name, *map(str, params.values())]) for name, params in scores]
    return pytest.mark.parametrize(("name", "params"), scores, ids=ids)


def near(expected):
    """Accept what agrees to 1e-9, relative, or absolute near zero."""
    return pytest.approx(expected, rel=1e-9, abs=1e-9)


def by_definition(name, params, table, child, parents):
    """Return the slow score of a family of a table."""
    return family_score(name, table.codes.tolist(), table.arities, child, parents, **params)


def all_families(n_variables, max_size):
    """Yield every child with every set of fewer than `max_size` parents."""
    for child in range(n_variables):
        others = [v for v in range(n_variables) if v != child]
        for size in range(min(max_size, n_variables)):
            yield from ((child, parents) for parents in combinations(others, size))


@given(case=tables_and_families())
def test_family_matches_the_definition(case):
    """The score of a family with 0 to 6 parents agrees with its definition through every representation."""
    table, child, parents = case
    counted = count_family(table.codes.tolist(), table.arities, child, parents)
    scorers = [Scorer(table.dataset, BIC(), representation=representation) for representation in REPRESENTATIONS]
    for name, params in SCORES:
        expected = near(DEFINITIONS[name](counted, **params))
        for scorer, representation in zip(scorers, REPRESENTATIONS, strict=True):
            value = scorer.fork(make_score(name, **params)).family(child, parents)
            assert value == expected, (name, params, representation)


@pytest.mark.parametrize("n_rows", EDGES)
@for_scores(SCORES)
def test_family_at_the_edges_of_words(name, params, n_rows):
    """Row counts at and around multiples of 64 give the defined scores through every representation."""
    table = Table(n_rows, MIXED, seed=n_rows)
    families = list(all_families(len(MIXED), 3))[n_rows % 5 :: 5]
    expected = [by_definition(name, params, table, *f) for f in families]
    for representation in REPRESENTATIONS:
        scorer = Scorer(table.dataset, make_score(name, **params), representation=representation)
        assert [scorer.family(*f) for f in families] == near(expected), representation


@pytest.mark.parametrize("representation", REPRESENTATIONS)
@for_scores(SCORES)
def test_family_of_wide_columns(name, params, representation):
    """Columns of 300 and 65,535 declared states, mostly unseen, score by their declared arities."""
    table = Table(200, (("uniform", 65_535), ("uniform", 300), ("skewed", 2)), seed=5)
    scorer = Scorer(table.dataset, make_score(name, **params), representation=representation)
    for child, parents in all_families(3, 3):
        assert scorer.family(child, parents) == near(by_definition(name, params, table, child, parents))


@for_scores([("bic", {}), ("bdeu", {"ess": 10.0}), ("k2", {}), ("fnml", {}), ("qnml", {})])
def test_family_of_two_thousand_rows(name, params):
    """Larger counts, where an asymptotic normaliser or a short table of logarithms would show."""
    table = Table(2_000, (("skewed", 3), ("uniform", 2), ("function", 4)), seed=6)
    scorer = Scorer(table.dataset, make_score(name, **params))
    for child, parents in all_families(3, 3):
        assert scorer.family(child, parents) == near(by_definition(name, params, table, child, parents))


@given(case=tables_and_families(), seed=st.integers(0, 99))
@examples(30)
def test_order_of_parents_does_not_matter(case, seed):
    """The parents are a set: another order gives the same number, also in a scorer that starts afresh."""
    table, child, parents = case
    shuffled = random.Random(seed).sample(parents, len(parents))
    for name, params in SCORES:
        first, second = (Scorer(table.dataset, make_score(name, **params)) for _ in range(2))
        value = first.family(child, parents)
        assert isinstance(value, float)
        assert value == first.family(child, iter(shuffled)) == second.family(child, shuffled), (name, params)


@given(case=tables_and_families())
@examples(50)
def test_family_is_a_difference_of_set_values(case):
    """An equivalent score has a set function: s(x | S) = G(S + x) - G(S)."""
    table, child, parents = case
    counted = count_family(table.codes.tolist(), table.arities, child, parents)
    for name, params in EQUIVALENT:
        scorer = Scorer(table.dataset, make_score(name, **params))
        difference = scorer.set_value([child, *parents]) - scorer.set_value(parents)
        assert difference == near(DEFINITIONS[name](counted, **params)), (name, params)


@for_scores(OTHERS)
def test_scores_without_a_set_function_refuse_set_values(name, params):
    """K2 and fNML are not score-equivalent, so no set function exists."""
    scorer = Scorer(Table(10, (("uniform", 2),) * 2, seed=7).dataset, make_score(name, **params))
    with pytest.raises(InputError):
        scorer.set_value([0, 1])


@given(case=covered_edge_reversals())
@examples(30)
def test_network_is_the_sum_of_its_families(case):
    """A random DAG has the total of the definition, also when it lists its variables in another order."""
    table, parents, _ = case
    dag, codes = DAG(table.dataset.names, parents), table.codes.tolist()
    for name, params in SCORES:
        expected = near(network_score(name, codes, table.arities, parents, **params))
        scorer = Scorer(table.dataset, make_score(name, **params))
        assert scorer.network(dag) == expected, (name, params)
        assert scorer.network(dag.reordered(dag.names[::-1])) == expected, (name, params)


@given(case=covered_edge_reversals())
@examples(30)
def test_equivalent_networks_score_alike(case):
    """Reversing a covered edge leaves the total of an equivalent score unchanged."""
    table, parents, reversed_parents = case
    for name, params in EQUIVALENT:
        scorer = Scorer(table.dataset, make_score(name, **params))
        totals = [scorer.network(DAG(table.dataset.names, ps)) for ps in (parents, reversed_parents)]
        assert totals[0] == near(totals[1]), (name, params)


@given(table=tables(max_variables=5))
@examples(25)
def test_batch_equals_single(table):
    """Asking for many families at once, some of them twice, gives the numbers of asking one by one."""
    asked = list(all_families(len(table.columns), 5))[::3] * 2
    children, parent_sets = zip(*asked, strict=True)
    for name, params in SCORES:
        score = make_score(name, **params)
        values = Scorer(table.dataset, score).families(children, parent_sets)
        single = Scorer(table.dataset, score)
        assert values.dtype == np.float64
        assert values.shape == (len(asked),)
        expected = [single.family(child, parents) for child, parents in asked]
        assert values.tolist() == near(expected), (name, params)


def test_empty_batch():
    """No families have no scores."""
    scorer = Scorer(Table(10, (("uniform", 2),) * 2, seed=8).dataset, BIC())
    assert scorer.families([], []).shape == (0,)
    assert scorer.asked == 0


def test_counters_of_a_set_function():
    """
    Count the families asked for and the set values computed.

    s(0 | 1 2) needs {0 1 2} and {1 2}: 2. Again: none more. s(1 | 0 2) shares {0 1 2} and adds {0 2}: 3.
    A batch of s(2 | 0 1), twice, adds {0 1}: 4. A network of three variables asks for three families.
    """
    data = Table(65, (("uniform", 3),) * 3, seed=9).dataset
    scorer = Scorer(data, BIC())
    assert (scorer.asked, scorer.computed) == (0, 0)
    scorer.family(0, [1, 2])
    assert (scorer.asked, scorer.computed) == (1, 2)
    scorer.family(0, [2, 1])
    assert (scorer.asked, scorer.computed) == (2, 2)
    scorer.family(1, [0, 2])
    assert (scorer.asked, scorer.computed) == (3, 3)
    scorer.families([2, 2], [[0, 1], [1, 0]])
    assert (scorer.asked, scorer.computed) == (5, 4)
    scorer.network(DAG(data.names, [[1, 2], [2], []]))
    assert scorer.asked == 8


@for_scores(OTHERS)
def test_counters_of_a_family_score(name, params):
    """A score without a set function counts what it is asked for too."""
    scorer = Scorer(Table(65, (("uniform", 3),) * 3, seed=10).dataset, make_score(name, **params))
    scorer.family(0, [1, 2])
    scorer.families([1, 2], [[0], [0]])
    assert scorer.asked == 3
    assert scorer.computed > 0


@for_scores(SCORES)
def test_eviction_changes_no_value(name, params):
    """1,000 bytes cannot hold the values of 330 sets: some are computed again, and come out the same."""
    table = Table(129, (("uniform", 2), ("gaps", 5), ("skewed", 3), ("function", 2), ("uniform", 4)) * 2, seed=11)
    families = [f for f in all_families(10, 4) if len(f[1]) == 3] * 2
    random.Random(12).shuffle(families)
    large = Scorer(table.dataset, make_score(name, **params))
    small = Scorer(table.dataset, make_score(name, **params), cache_bytes=1_000)
    assert [small.family(*f) for f in families] == near([large.family(*f) for f in families])
    if (name, params) in EQUIVALENT:
        assert small.computed > large.computed


@given(table=tables(max_rows=130))
@examples(10)
def test_all_sets_match_the_definition(table):
    """Every family of up to three parents agrees, in every representation, and threads change no bit."""
    max_size = min(4, len(table.columns))
    families = list(all_families(len(table.columns), max_size))
    counted = [count_family(table.codes.tolist(), table.arities, *f) for f in families]
    for name, params in SCORES:
        score, expected = make_score(name, **params), [DEFINITIONS[name](c, **params) for c in counted]
        for representation in REPRESENTATIONS:
            one, two = (
                AllSets(table.dataset, score, max_size, threads=threads, representation=representation)
                for threads in (1, 2)
            )
            values = [one.family(*f) for f in families]
            assert np.allclose(values, expected, rtol=1e-9, atol=1e-9), (name, representation)  # faster than `near`
            for first, second in zip([*one.joint, *one.parents], [*two.joint, *two.parents], strict=True):
                assert np.array_equal(first, second), (name, representation)


def test_all_sets_refuse_a_larger_family():
    """A family of three variables is outside sets of up to two; all variables are covered by default."""
    sets = AllSets(Table(20, (("uniform", 2),) * 4, seed=13).dataset, BIC(), 2)
    assert tuple(sets.variables) == (0, 1, 2, 3)
    assert isinstance(sets.family(0, [3]), float)
    with pytest.raises(InputError):
        sets.family(0, [1, 2])


def test_make_score_by_name():
    """Each name makes its score, parameters included."""
    made = {"loglik": LogLikelihood, "aic": AIC, "bic": BIC, "k2": K2, "fnml": FNML, "qnml": QNML}
    for name, kind in made.items():
        assert type(make_score(name)) is kind
    bdeu = make_score("bdeu", ess=3.0, prior=True)
    assert type(bdeu) is BDeu
    assert (bdeu.ess, bdeu.prior) == (3.0, True)


def test_bad_requests_are_refused():
    """Unknown names, parameters out of range, and families that cannot be are input errors."""
    data = Dataset.from_codes(np.array([[0, 1], [1, 0], [1, 1]]), arities=[2, 2])
    for bad in [
        lambda: make_score("bayes"),
        lambda: make_score("bic", ess=1.0),
        lambda: BDeu(ess=0.0),
        lambda: Scorer(data, BIC(), representation="sundial"),
        lambda: Scorer(data, BIC()).family(0, [0]),
        lambda: Scorer(data, BIC()).family(0, [2]),
        lambda: Scorer(data, BIC()).family(-1, [0]),
        lambda: Scorer(data, BIC()).families([0, 1], [[1]]),
    ]:
        with pytest.raises(InputError):
            bad()
