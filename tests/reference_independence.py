"""
Slow definitions of dependence: contingency tables in dictionaries, d-separation by moral graphs.

The fast code is compared with this file, so nothing here is shared with it and nothing is optimised.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import chain, combinations
from math import isnan, log, prod

Strength = Callable[[int, int, tuple[int, ...]], float]


def dependence(codes: Sequence[Sequence[int]], x: int, y: int, given: Sequence[int]) -> tuple[float, int]:
    """
    Return N times the conditional mutual information of x and y, in nats, and its degrees of freedom.

    Under each condition z that occurs: the sum of n_xyz log(n_xyz n_z / (n_xz n_yz)), and one less than the states of
    x that occur with z times one less than those of y.
    """
    rows = list(zip(*codes, strict=True))
    strata: dict[tuple[int, ...], list[tuple[int, int]]] = {}
    for row in rows:
        strata.setdefault(tuple(row[v] for v in given), []).append((row[x], row[y]))
    total, degrees = 0.0, 0
    for pairs in strata.values():
        xs, ys, both = Counter(a for a, _ in pairs), Counter(b for _, b in pairs), Counter(pairs)
        total += sum(n * log(n * len(pairs) / (xs[a] * ys[b])) for (a, b), n in both.items())
        degrees += (len(xs) - 1) * (len(ys) - 1)
    return total, degrees


def enough_rows(rows: int, arities: Sequence[int], x: int, y: int, given: Iterable[int], per_degree: float) -> bool:
    """Return True if there are `per_degree` rows for each degree of freedom of the declared states."""
    return rows >= per_degree * (arities[x] - 1) * (arities[y] - 1) * prod(arities[z] for z in given)


def subsets(members: Iterable[int], most: int) -> list[tuple[int, ...]]:
    """Return all subsets of at most `most` members."""
    members = list(members)
    return list(chain.from_iterable(combinations(members, size) for size in range(min(most, len(members)) + 1)))


def max_min_set(strength: Strength, target: int, candidates: Sequence[int], most: int) -> set[int]:
    """
    Return what MMPC finds for one target: the max-min heuristic forwards, then removal backwards.

    At every step, the weakest dependence of each candidate over all conditions among the chosen is computed again. NaN
    is a test that cannot be made.
    """
    chosen: list[int] = []
    while True:
        weakest = {}
        for x in candidates:
            if x not in chosen:
                found = [strength(target, x, s) for s in subsets(chosen, most)]
                weakest[x] = -1.0 if isnan(found[0]) else min(f for f in found if not isnan(f))
        best = max(weakest, key=weakest.__getitem__, default=None)
        if best is None or weakest[best] <= 0:
            break
        chosen.append(best)
    for x in list(chosen):
        if any(strength(target, x, s) <= 0 for s in subsets([y for y in chosen if y != x], most) if s):
            chosen.remove(x)
    return set(chosen)


def are_separated(parents: Sequence[Iterable[int]], x: int, y: int, given: Iterable[int]) -> bool:
    """
    Return True if a DAG implies that x and y are independent given some variables.

    They are where every path between them in the moral graph of their common ancestral set meets the condition
    (Lauritzen et al. 1990).
    """
    given = set(given)
    kept = {x, y} | given
    while (more := kept | {p for v in kept for p in parents[v]}) != kept:
        kept = more
    joined: set[frozenset[int]] = set()
    for v in kept:
        joined |= {frozenset((v, p)) for p in parents[v]}
        joined |= {frozenset(pair) for pair in combinations(sorted(parents[v]), 2)}
    reached = {x}
    while (more := reached | {w for edge in joined if edge & reached for w in edge if w not in given}) != reached:
        reached = more
    return y not in reached


def blanket_of(parents: Sequence[Iterable[int]], v: int) -> set[int]:
    """Return a variable's parents, children, and children's other parents."""
    children = [c for c, s in enumerate(parents) if v in set(s)]
    return (set(parents[v]) | set(children) | {p for c in children for p in parents[c]}) - {v}
