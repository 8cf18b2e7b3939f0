"""Greedy selection: best-first by local score."""

from __future__ import annotations

import math

import numpy as np
import pytest
from best_first_cases import Parents, ceiling_of_supersets, dependent_data, same_sets, same_tables, undominated

from bnsearch.budgets.budget import Budget
from bnsearch.budgets.events import Event
from bnsearch.data import Dataset
from bnsearch.errors import InputError
from bnsearch.scores import AIC, BIC, K2, BDeu, Score, Scorer, improves
from bnsearch.scores.bounds import max_useful_parents
from bnsearch.selection.greedy import Greedy


def search_by_definition(
    data: Dataset, score: Score, child: int, max_parents: int | None, evaluations: float
) -> dict[Parents, float]:
    """Return all sets that a greedy search scores: the best open set is extended by every other variable."""
    scorer = Scorer(data, score)
    most = max_useful_parents(data, score, max_parents)
    scored: dict[Parents, float] = {(): scorer.family(child, ())}
    best = dict(scored)  # of a set and those it was made from
    waiting = [()]
    while waiting:
        parents = max(waiting, key=lambda p: scored[p])
        waiting.remove(parents)
        ceiling = ceiling_of_supersets(data, score, child, parents)
        if len(parents) == most or not improves(ceiling, best[parents]):
            continue
        for other in range(data.n_variables):
            grown = tuple(sorted((*parents, other)))
            if other != child and other not in parents and grown not in scored:
                scored[grown] = scorer.family(child, grown)
                best[grown] = max(best[parents], scored[grown])
                waiting.append(grown)
        if len(scored) >= evaluations:
            break
    return scored


@pytest.mark.parametrize("score", [BIC(), AIC(), BDeu(ess=2.0), K2()])
@pytest.mark.parametrize("evaluations", [1, 20, 45, math.inf])
def test_scores_the_families_of_the_definition(score: Score, evaluations: float) -> None:
    """As many families as by definition are scored, and those that no subset matches are in the table."""
    data = dependent_data(1, n=7)
    limit = {"seconds": math.inf} if evaluations == math.inf else {"evaluations": 7 * evaluations}
    selection = Greedy(**limit).select(data, score, threads=1)
    scored = [search_by_definition(data, score, v, None, evaluations) for v in range(7)]
    assert selection.scored == sum(map(len, scored))
    assert all(same_sets(selection.table, v, undominated(s)) for v, s in enumerate(scored))
    assert selection.stop == ("complete" if evaluations == math.inf else "evaluations")


@pytest.mark.parametrize("max_parents", [0, 1, 2])
def test_respects_max_parents(max_parents: int) -> None:
    """No set is larger, all smaller ones are considered: of 5 others 1, 6 or 16 sets are scored for each variable."""
    data = dependent_data(2)
    selection = Greedy(max_parents=max_parents, seconds=math.inf).select(data, BIC(), threads=1)
    assert selection.scored == 6 * (1, 6, 16)[max_parents]
    assert selection.table.max_parents == max_parents
    assert selection.depth == max_parents
    assert selection.stop == "complete"


def test_one_variable_has_the_empty_set() -> None:
    """A table of one column yields one set."""
    selection = Greedy().select(Dataset.from_codes(np.array([[0], [1]])), BIC())
    assert list(selection.table.sets(0)) == [(pytest.approx(-2.5 * math.log(2)), ())]


def test_few_open_sets_make_a_beam() -> None:
    """With one open set left the search still climbs: from {} to the best single parent, to its best extension."""
    data = dependent_data(3, n=7)
    scorer = Scorer(data, BIC())
    beam = Greedy(max_open=1, seconds=math.inf).select(data, BIC(), threads=1)
    every = Greedy(seconds=math.inf).select(data, BIC(), threads=1)
    assert beam.scored < every.scored
    assert beam.depth == 1
    assert every.depth == max_useful_parents(data, BIC(), None)
    for v in range(7):
        single = max(((o,) for o in range(7) if o != v), key=lambda p: scorer.family(v, p))
        pair = max(
            (tuple(sorted((*single, o))) for o in range(7) if o not in (v, *single)), key=lambda p: scorer.family(v, p)
        )
        if improves(scorer.family(v, pair), scorer.family(v, single)):
            assert pair in [p for _, p in beam.table.sets(v)]


def test_threads_do_not_matter() -> None:
    """One thread and three find the same sets in the same order."""
    data = dependent_data(4, n=12)
    one, three = (Greedy(evaluations=12 * 200).select(data, BIC(), threads=t) for t in (1, 3))
    assert one.scored == three.scored
    assert one.table.members.tolist() == three.table.members.tolist()
    assert one.table.scores.tolist() == three.table.scores.tolist()


def test_time_ends_the_search() -> None:
    """Without any time every variable has been extended once."""
    data = dependent_data(5, n=9)
    for limit in ({"seconds": 1e-9}, {"seconds_per_variable": 1e-9}):
        selection = Greedy(**limit).select(data, BIC(), threads=1)
        assert selection.stop == "seconds"
        assert selection.scored == 9 * 9
        assert selection.depth == 1
    assert same_tables(selection.table, Greedy(max_parents=1).select(data, BIC()).table)


def test_memory_ends_the_search() -> None:
    """The 10,000 sets of up to 6 of 15 parents take more than a sixteenth of a megabyte, the share of each thread."""
    selection = Greedy(memory=1 << 20).select(dependent_data(6, n=16), BIC(), threads=16)
    assert selection.stop == "memory"
    assert selection.depth == 1


@pytest.mark.parametrize("threads", [1, 2])
def test_interrupted_returns_what_is_there(threads: int) -> None:
    """Interrupted after two variables, the table has their sets, and the empty set of those not yet started."""
    data = dependent_data(7, n=10)

    def stop_at_two(now: Event) -> None:
        assert (now.task, now.total, now.unit) == ("selecting parent sets", 10, "variables")
        if now.done >= 2:
            budget.request_stop()

    budget = Budget(threads=threads, observers=[stop_at_two])
    selection = Greedy(evaluations=300).select_within(budget, data, BIC())
    whole = Greedy(evaluations=300).select(data, BIC(), threads=1)
    assert selection.stop == "interrupted"
    assert selection.depth == 0
    assert sum(same_sets(selection.table, v, {p: s for s, p in whole.table.sets(v)}) for v in range(4)) >= 2
    assert all([p for _, p in selection.table.sets(v)] == [()] for v in range(4, 10))


def test_progress_counts_variables() -> None:
    """Every variable is reported once, with the sets of all so far."""
    seen: list[Event] = []
    found = Greedy(evaluations=30).select(dependent_data(8), BIC(), threads=1, observers=[seen.append])
    assert [(now.done, now.total) for now in seen] == [(i + 1, 6) for i in range(6)]
    kept = [now.found for now in seen]
    assert kept == sorted(kept)
    assert kept[-1] >= found.kept


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"max_parents": -1}, "max_parents must be at least 0, not -1"),
        ({"seconds": 0}, "seconds must be above 0, not 0"),
        ({"seconds_per_variable": -1.0}, "seconds_per_variable must be above 0, not -1.0"),
        ({"evaluations": 0}, "evaluations must be at least 1, not 0"),
        ({"evaluations": 10.5}, "evaluations must be a whole number, not 10.5"),
        ({"max_sets": 0}, "max_sets must be at least 1, not 0"),
        ({"pruning": ("luck",)}, "pruning must be one of in-degree, ceiling, not 'luck'"),
        ({"memory": 10}, "memory must be at least 1048576, not 10"),
        ({"max_open": 0}, "max_open must be at least 1, not 0"),
        (
            {"seconds": 1, "seconds_per_variable": 1},
            "seconds and seconds_per_variable are both given: choose one of them",
        ),
    ],
)
def test_refuses_bad_parameters(parameters: dict[str, float], message: str) -> None:
    """Every parameter out of its range is named, with the range and the value."""
    with pytest.raises(InputError) as error:
        Greedy(**parameters)
    assert str(error.value) == message


def test_sets_that_are_still_open_are_kept():
    """With as many evaluations as there are single parents, none of these is extended, and those that gain are kept."""
    data = dependent_data(3, n=8, rows=300)
    selection = Greedy(evaluations=8 * 8).select(data, BIC(), threads=1)
    scorer = Scorer(data, BIC())
    assert selection.scored == 8 * 8
    for v in range(8):
        alone = {(u,): scorer.family(v, [u]) for u in range(8) if u != v}
        gains = {s for s, value in alone.items() if improves(value, scorer.family(v, []))}
        assert {s for _, s in selection.table.sets(v)} == gains | {()}
