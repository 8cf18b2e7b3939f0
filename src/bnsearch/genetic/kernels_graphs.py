"""Cycles of graphs: found, broken, and not made."""

# Numba infers the types of kernels.
# mypy: allow-untyped-defs, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from bnsearch.kernels.compile import inner_kernel, kernel
from bnsearch.kernels.random_numbers import draw_below


@inner_kernel
def peel(graph, left, waiting, queue):
    """
    Take away variables without parents until none is left, or only such as lie on or below a cycle; return how many.

    graph : bool[n, n]     [child, parent]
    left : bool[n]         written: who could not be taken away
    waiting, queue : int64[n]   scratch
    """
    n = graph.shape[0]
    end = 0
    for child in range(n):
        waiting[child] = 0
        left[child] = True
        for parent in range(n):
            waiting[child] += graph[child, parent]
        if waiting[child] == 0:
            queue[end] = child
            end += 1
    begin = 0
    while begin < end:
        parent = queue[begin]
        left[parent] = False
        begin += 1
        for child in range(n):
            if graph[child, parent]:
                waiting[child] -= 1
                if waiting[child] == 0:
                    queue[end] = child
                    end += 1
    return n - end


@inner_kernel
def break_a_cycle(graph, kept, left, path, seen, random):
    """
    Take away a random edge of a cycle, which is found by going up from parent to random parent.

    kept : bool[n, n]      [child, parent], edges that stay; there is no cycle of them alone
    left : bool[n]         as written by peel: all of them have a parent among them
    path, seen : int64[n]  scratch
    random : uint64[1]
    """
    n = graph.shape[0]
    for i in range(n):
        seen[i] = -1
    start = draw_below(random, n)
    while not left[start]:
        start = (start + 1) % n
    length = 0
    here = start
    while seen[here] < 0:
        seen[here] = length
        path[length] = here
        length += 1
        parents = 0
        for parent in range(n):
            if graph[here, parent] and left[parent]:
                parents += 1
        skip = draw_below(random, parents)
        for parent in range(n):
            if graph[here, parent] and left[parent]:
                if skip == 0:
                    here = parent
                    break
                skip -= 1
    first = seen[here]
    i = first + draw_below(random, length - first)
    while True:
        parent = here if i + 1 == length else path[i + 1]
        if not kept[path[i], parent]:
            graph[path[i], parent] = False
            return
        i = i + 1 if i + 1 < length else first


@kernel
def break_cycles(graphs, kept, random):
    """
    Take random edges away until no graph has a cycle.

    graphs : bool[number, n, n]   updated
    kept : bool[n, n]             edges that stay; there is no cycle of them alone
    """
    n = graphs.shape[1]
    left = np.empty(n, np.bool_)
    waiting, queue = np.empty(n, np.int64), np.empty(n, np.int64)
    for g in range(graphs.shape[0]):
        while peel(graphs[g], left, waiting, queue) > 0:
            break_a_cycle(graphs[g], kept, left, queue, waiting, random)


@kernel
def find_reversible(graphs, orders, reversible):
    """
    Find the edges whose reversal makes no cycle: those with no other path from the parent to the child.

    orders : int64[number, n]         consistent with the graphs
    reversible : bool[number, n, n]   written, [child, parent]
    """
    n = graphs.shape[1]
    above = np.empty((n, n), np.bool_)  # [variable, ancestor]
    for g in range(graphs.shape[0]):
        for at in range(n):
            child = orders[g, at]
            for v in range(n):
                above[child, v] = False
            for before in range(at):
                parent = orders[g, before]
                if graphs[g, child, parent]:
                    for v in range(n):
                        above[child, v] |= above[parent, v]
            for parent in range(n):
                reversible[g, child, parent] = graphs[g, child, parent] and not above[child, parent]
            for parent in range(n):
                above[child, parent] |= graphs[g, child, parent]


@kernel
def put_before(graphs, orders, children, parents):
    """
    Bring the child of one edge of each graph before its parent, with those of its ancestors that stand between.

    graphs : bool[number, n, n]   still with the edge, which must be reversible
    orders : int64[number, n]     updated
    """
    n = graphs.shape[1]
    needed = np.empty(n, np.bool_)
    moved = np.empty(n, np.int64)
    for g in range(graphs.shape[0]):
        order = orders[g]
        for v in range(n):
            needed[v] = v == children[g]
        end = n - 1
        while order[end] != children[g]:
            end -= 1
        begin = end
        while order[begin] != parents[g]:
            begin -= 1
        for at in range(end - 1, begin, -1):
            for later in range(at + 1, end + 1):
                if needed[order[later]] and graphs[g, order[later], order[at]]:
                    needed[order[at]] = True
        ahead = begin
        behind = 0
        for at in range(begin, end + 1):
            v = order[at]
            if needed[v]:
                order[ahead] = v
                ahead += 1
            else:
                moved[behind] = v
                behind += 1
        for i in range(behind):
            order[ahead + i] = moved[i]


@kernel
def find_ranked(candidates, order, ranks, found):
    """
    Find, in each row, the candidate of a rank.

    candidates : bool[rows, places]
    order : int64[places]   all places, the first in rank first
    ranks : int64[rows]     from 0; below the number of the row's candidates, else nothing is found
    found : int64[rows]     written: the place, or -1
    """
    for row in range(candidates.shape[0]):
        left = ranks[row]
        found[row] = -1
        for place in order:
            if candidates[row, place]:
                if left == 0:
                    found[row] = place
                    break
                left -= 1
