"""
Slow definitions of searches over DAGs: every move tried, every graph checked for cycles.

The fast code is compared with this file, so nothing here is shared with it and nothing is optimised.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from bnsearch.data import Dataset

Graph = tuple[frozenset[int], ...]  # the parents of each variable
Family = Callable[[int, frozenset[int]], float]
DELETE, ADD, REVERSE = range(3)
TOLERANCE = 1e-10


def is_acyclic(graph: Sequence[frozenset[int]]) -> bool:
    """Return True if all variables can be removed, one after the other, each after its parents."""
    gone: set[int] = set()
    while len(gone) < len(graph):
        free = [v for v in range(len(graph)) if v not in gone and graph[v] <= gone]
        if not free:
            return False
        gone.update(free)
    return True


def content_ranks(data: Dataset) -> list[int]:
    """Return the rank of each variable by its number of states and then its codes, row by row."""
    keys = [
        (int(r), list(map(int, codes)), v) for v, (r, codes) in enumerate(zip(data.arities, data.codes, strict=True))
    ]
    return [sorted(keys).index(key) for key in keys]


def neighbours(graph: Graph) -> Iterator[tuple[tuple[int, int, int], Graph]]:
    """Yield every move (kind, child, parent) on an edge parent -> child, and the acyclic graph it leads to."""
    for y in range(len(graph)):
        for x in range(len(graph)):
            if x == y:
                continue
            after = list(graph)
            if x not in graph[y]:
                after[y] = graph[y] | {x}
                changes = [(ADD, after)]
            else:
                after[y] = graph[y] - {x}
                turned = list(after)
                turned[x] = graph[x] | {y}
                changes = [(DELETE, after), (REVERSE, turned)]
            for kind, changed in changes:
                if is_acyclic(changed):
                    yield (kind, y, x), tuple(changed)


def score_of(graph: Graph, family: Family) -> float:
    """Return the sum of the local scores."""
    return sum(family(v, parents) for v, parents in enumerate(graph))


def climb_path(
    start: Graph,
    family: Family,
    ranks: Sequence[int],
    may_be: Callable[[Graph], bool] = lambda graph: True,
    tabu: int = 0,
    patience: int = 0,
    by_move: bool = False,
) -> list[Graph]:
    """
    Return the graphs of a climb: always the best neighbour, of equals the first by kind, child and parent.

    Without patience every step improves the score. With it the best neighbour that is not among the last `tabu` graphs
    is taken, better or not, until `patience` steps in a row have not improved on the best score. With `by_move` it is
    the best neighbour whose move does not undo one of the last `tabu` moves.
    """
    path = [start]
    made: list[tuple[int, int, int]] = []
    best = score_of(start, family)
    idle = 0
    while idle == 0 or idle < patience:
        now = score_of(path[-1], family)
        margin = TOLERANCE * max(1.0, abs(now))
        recent = path[-tabu:] if tabu and not by_move else []
        undoing = [undone(move) for move in made[-tabu:]] if tabu and by_move else []
        moves = [
            (score_of(after, family) - now, (kind, ranks[y], ranks[x]), (kind, y, x), after)
            for (kind, y, x), after in neighbours(path[-1])
            if may_be(after) and after not in recent and (kind, y, x) not in undoing
        ]
        moves = [move for move in moves if patience or move[0] > margin]
        if not moves:
            break
        top = max(gain for gain, *_ in moves)
        _, move, after = min((key, move, after) for gain, key, move, after in moves if gain >= top - margin)
        path.append(after)
        made.append(move)
        reached = score_of(after, family)
        improved = reached > best + TOLERANCE * max(1.0, abs(best))
        best, idle = (reached, 0) if improved else (best, idle + 1)
    return path


def undone(move: tuple[int, int, int]) -> tuple[int, int, int]:
    """Return the move (kind, child, parent) that undoes another."""
    kind, y, x = move
    return (REVERSE, x, y) if kind == REVERSE else (ADD + DELETE - kind, y, x)


def k2_parents(child: int, before: Sequence[int], most: int, family: Family, ranks: Sequence[int]) -> frozenset[int]:
    """Return the parents that K2 gives a child: the best predecessor is added while that improves the score."""
    parents: frozenset[int] = frozenset()
    while len(parents) < most and set(before) - parents:
        now = family(child, parents)
        scores = {x: family(child, parents | {x}) for x in before if x not in parents}
        top = max(scores.values())
        if top <= now + TOLERANCE * max(1.0, abs(now)):
            break
        equals = [x for x, s in scores.items() if s >= top - TOLERANCE * max(1.0, abs(top))]
        parents |= {min(equals, key=lambda x: ranks[x])}
    return parents
