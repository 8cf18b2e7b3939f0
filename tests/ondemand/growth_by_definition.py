"""Growth through sets that score less, written with a scorer."""

from __future__ import annotations

import numpy as np

from bnsearch.data import Dataset
from bnsearch.graphs.dag import DAG
from bnsearch.scores import Scorer, improves


def uniform_table(n: int, rows: int, seed: int, states: int = 3) -> Dataset:
    """Return a table of independent variables."""
    codes = np.random.default_rng(seed).integers(0, states, (rows, n))
    return Dataset.from_codes(codes, arities=[states] * n)


def grow_by_definition(scorer: Scorer, v: int, parents: tuple[int, ...], candidates: set[int]) -> set[tuple[int, ...]]:
    """
    Return the best set of the path that always adds the best next parent, without members that cost nothing.

    If several parents are the best next one, up to rounding, there are several paths, and one result of each.
    """
    return {prune_by_definition(scorer, v, best) for best in walk_paths(scorer, v, parents, parents, candidates)}


def walk_paths(
    scorer: Scorer, v: int, grown: tuple[int, ...], best: tuple[int, ...], candidates: set[int]
) -> set[tuple[int, ...]]:
    """Return the best set of each path from the set `grown`; best : the best set so far, with its members in order."""
    if improves(scorer.family(v, grown), scorer.family(v, best)):
        best = grown
    scores = {u: scorer.family(v, [*grown, u]) for u in candidates - set(grown)}
    if not scores:
        return {best}
    highest = max(scores.values())
    ties = [u for u, score in scores.items() if not improves(highest, score)]
    return set().union(*(walk_paths(scorer, v, (*grown, u), best, candidates) for u in ties))


def prune_by_definition(scorer: Scorer, v: int, best: tuple[int, ...]) -> tuple[int, ...]:
    """Return a set without members that cost nothing, which are removed in the order of the path."""
    for u in best:
        rest = tuple(p for p in best if p != u)
        if not improves(scorer.family(v, best), scorer.family(v, rest)):
            best = rest
    return tuple(sorted(best))


def exchange_by_definition(scorer: Scorer, v: int, best: tuple[int, ...], candidates: set[int]) -> set[tuple[int, ...]]:
    """Return the sets in which no exchange of one parent gains, always by the first parent whose exchange gains."""
    for u in best:
        rest = tuple(p for p in best if p != u)
        scores = {w: scorer.family(v, [*rest, w]) for w in candidates - set(rest)}
        highest = max(scores.values())
        if improves(highest, scorer.family(v, best)):
            ties = [w for w, score in scores.items() if not improves(highest, score)]
            pruned = [prune_by_definition(scorer, v, (*rest, w)) for w in ties]
            return set().union(*(exchange_by_definition(scorer, v, each, candidates) for each in pruned))
    return {best}


def ancestors(dag: DAG, v: int) -> set[int]:
    """Return a variable and all of its ancestors."""
    return {v}.union(*(ancestors(dag, u) for u in dag.parents[v]))
