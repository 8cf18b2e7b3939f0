"""Rows of extensions, growth and stores of families by definition, and problems on which to compare them."""

from __future__ import annotations

import itertools
import math
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from bnsearch.data import Dataset
from bnsearch.kernels.compile import kernel
from bnsearch.knowledge import Knowledge
from bnsearch.ondemand.chain import OnDemandChain
from bnsearch.ondemand.kernels_grow import grow_parents
from bnsearch.ondemand.kernels_rows import find_row
from bnsearch.ondemand.source import Source
from bnsearch.runs.problem import Problem
from bnsearch.scores import AIC, BIC, K2, QNML, BDeu, Score, Scorer
from bnsearch.scores.score import improves

SCORES = (BIC(), AIC(), BDeu(ess=2.0), K2(), QNML())
MEMORY = 1 << 22  # bytes, of a chain in a test

Members = tuple[int, ...]
Row = dict[int, float]  # what each further parent adds to the score


@kernel
def run_row_or_growth(
    source, rows, child, members, size, is_growth, limit, position, required, max_parents, spare, examined
):
    """
    Call `grow_parents` or `find_row` from Python; return the number of parents or the slot, and the score.

    `grow_parents` contains `find_row`, so a second kernel would double the compile time.
    """
    if is_growth:
        return grow_parents(source, rows, child, members, size, limit, position, required, max_parents, spare, examined)
    return find_row(source, rows, child, members, size), 0.0


def ask_row(source, rows, child, members, size):
    """Return the slot of the row of a child and its parents."""
    position, required = np.zeros(1, dtype=np.int32), np.zeros(1, dtype=np.uint64)
    examined = np.zeros(1, dtype=np.int64)
    return run_row_or_growth(source, rows, child, members, size, False, 0, position, required, 0, members, examined)[0]


def ask_growth(source, rows, child, members, size, limit, position, required, max_parents, spare, examined):
    """Return the number of parents that a child has after growth, and its score."""
    return run_row_or_growth(
        source, rows, child, members, size, True, limit, position, required, max_parents, spare, examined
    )


@dataclass(frozen=True)
class Dependent:
    """
    A recipe for a table in which all variables depend on each other, so that it prints as one short line.

    Every column is one hidden number, in as many steps as the column has states, except in a share of the rows.

    Parameters
    ----------
    n_rows, arities, noise, seed : the rows, the states of each column, the share, and the seed of all that is random
    """

    n_rows: int
    arities: tuple[int, ...]
    noise: float
    seed: int

    @property
    def dataset(self) -> Dataset:
        """The table as the library sees it."""
        rng = np.random.default_rng(self.seed)
        hidden = rng.random(self.n_rows)
        columns = []
        for arity in self.arities:
            noisy = rng.random(self.n_rows) < self.noise
            columns.append(np.where(noisy, rng.integers(arity, size=self.n_rows), (hidden * arity).astype(int)))
        return Dataset.from_codes(np.column_stack(columns), arities=self.arities)


@st.composite
def dependent_tables(draw: st.DrawFn, *, most: int = 7) -> Dependent:
    """Draw a table of three to `most` variables of 2 to 8 states that depend on each other."""
    arities = draw(st.lists(st.sampled_from([2, 2, 3, 3, 4, 8]), min_size=3, max_size=most))
    return Dependent(
        draw(st.sampled_from([150, 300])),
        tuple(arities),
        draw(st.sampled_from([0.3, 0.6])),
        draw(st.integers(0, 10**6)),
    )


def list_related(source: Source) -> NDArray[np.bool_]:
    """Return bool[n, n], True for places that the source lists as related."""
    related = np.zeros((source.size, source.size), dtype=bool)
    for place in range(source.size):
        related[place, source.relatives[source.relatives_begin[place] : source.relatives_begin[place + 1]]] = True
    return related


class Definition:
    """
    Rows and growth of a problem, one local score at a time; variables are places, as the source numbers them.

    Parameters
    ----------
    problem : the table, the score and the knowledge
    source : of the problem, for the numbering alone
    """

    def __init__(self, problem: Problem, source: Source) -> None:
        self.size = problem.size
        self._order = source.order.tolist()
        self._scorer = Scorer(problem.needed_data, problem.needed_score)
        known, at = problem.constraints, np.ix_(source.order, source.order)
        free = ~np.eye(self.size, dtype=bool)
        self.allowed = free if known is None else known.allowed[at] & free
        self.required = np.zeros_like(free) if known is None else known.required[at]
        self.related = np.zeros_like(free)
        alone = [self.score(child, []) for child in range(self.size)]
        for child in range(self.size):
            parents = np.flatnonzero(self.allowed[child]).tolist()
            scores = self.scores(child, [[parent] for parent in parents])
            self.related[child, parents] = [improves(score, alone[child]) for score in scores]
        self.related |= self.related.T

    def score(self, child: int, parents: Iterable[int]) -> float:
        """Return the local score of a place with other places as its parents."""
        return self._scorer.family(self._order[child], [self._order[p] for p in parents])

    def scores(self, child: int, sets: Sequence[Iterable[int]]) -> list[float]:
        """Return the local scores of a place with each of several parent sets."""
        order = self._order
        families = [order[child]] * len(sets), [[order[p] for p in parents] for parents in sets]
        return self._scorer.families(*families).tolist()

    def row(self, child: int, parents: Collection[int]) -> Row:
        """Return what every legal further parent adds that improves the score."""
        own = self.score(child, parents)
        others = [z for z in np.flatnonzero(self.allowed[child]).tolist() if z not in parents]
        scores = self.scores(child, [[*parents, z] for z in others])
        return {z: new - own for z, new in zip(others, scores, strict=True) if improves(new, own)}

    def grown(self, child: int, parents: Iterable[int], before: Collection[int], most: int) -> tuple[Members, float]:
        """
        Return the parents that a child ends with, and their score, one change after another.

        The best addition is made while one improves the score; then the best deletion or exchange.
        """
        now, must = tuple(sorted(parents)), set(np.flatnonzero(self.required[child]).tolist())
        while True:
            row = self.row(child, now) if len(now) < most else {}
            added = [z for z in row if z in before]
            if added:
                now = tuple(sorted((*now, max(added, key=lambda z: (row[z], -z)))))
                continue
            changed = self._changed(child, now, before, must)
            if changed is None:
                return now, self.score(child, now)
            now = changed

    def _changed(self, child: int, now: Members, before: Collection[int], must: Collection[int]) -> Members | None:
        """Return the best deletion or exchange if it improves the score."""
        least, found = self.score(child, now), None
        best = least
        for gone in now:
            if gone in must:
                continue
            rest = tuple(p for p in now if p != gone)
            row = self.row(child, rest)
            exchanges = [tuple(sorted((*rest, z))) for z in row if z in before and z != gone]
            for other in [rest, *exchanges]:
                score = self.score(child, other)
                if improves(score, least) and score > best + 1e-9:
                    best, found = score, other
        return found

    def neighbours(self, child: int, parents: Members, before: Collection[int], most: int) -> list[Members]:
        """Return all parent sets that differ by one legal addition, deletion or exchange."""
        must = set(np.flatnonzero(self.required[child]).tolist())
        free = [p for p in parents if p not in must]
        others = [z for z in before if self.allowed[child, z] and z not in parents]
        rests = [tuple(p for p in parents if p != gone) for gone in free]
        bases = [parents, *rests] if len(parents) < most else rests
        larger = [(*base, z) for base, z in itertools.product(bases, others)]
        return [tuple(sorted(found)) for found in [*rests, *larger]]


def problem_of(data: Dataset, score: Score, knowledge: Knowledge | None = None) -> Problem:
    """Return a problem whose candidate sets are selected on one thread."""
    return Problem(data=data, score=score, knowledge=knowledge, threads=1)


def chain_of(source: Source, order: Sequence[int], seed: int, memory: int = MEMORY) -> OnDemandChain:
    """Return a chain that has begun at an ordering, and whose results do not depend on the machine."""
    chain = OnDemandChain(source, np.uint64(seed), memory, timed=False)
    assert chain.start_at(np.array(order, dtype=np.int32), lambda: False)
    return chain


def step_by_step(chain: OnDemandChain, steps: int, rate: float) -> None:
    """Take a number of steps, in as many calls as necessary."""
    done = 0
    while done < steps:
        done += chain.step(steps - done, rate, 0.0)


def best_first(families: Iterable[tuple[float, Members]], most: int) -> list[float]:
    """Return the scores of the best different families of one child, given in order of arrival, best first."""
    kept: dict[Members, float] = {}
    for score, members in families:
        kept.setdefault(members, score)
        if len(kept) > most:
            del kept[min(kept, key=lambda each: kept[each])]
    return sorted(kept.values(), reverse=True)


def sum_of(scores: Iterable[float]) -> float:
    """Return a sum with a single rounding at the end."""
    return math.fsum(scores)
