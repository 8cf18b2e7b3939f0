"""Walks through graphs: topological orders, cycles, and the reversal of edges."""

# Numba infers the types of kernels.
# mypy: allow-untyped-defs, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from bnsearch.kernels.compile import inner_kernel, kernel
from bnsearch.kernels.random_numbers import draw_below


@inner_kernel
def place_variables(graph, priority, order, unplaced_parents):
    """
    Write the variables with parents before children; return how many can be placed, all unless there is a cycle.

    graph : bool[n, n]                [child, parent]
    priority : float64[n]             the variable with the highest one, among those whose parents are placed, is next
    order : int64[n]                  written
    unplaced_parents : int64[n]       written: number of parents that could not be placed; -1 for a placed variable
    """
    n = graph.shape[0]
    for child in range(n):
        unplaced_parents[child] = 0
        for parent in range(n):
            unplaced_parents[child] += graph[child, parent]
    for at in range(n):
        chosen = -1
        for v in range(n):
            if unplaced_parents[v] == 0 and (chosen < 0 or priority[v] > priority[chosen]):
                chosen = v
        if chosen < 0:
            return at
        order[at] = chosen
        unplaced_parents[chosen] = -1
        for child in range(n):
            unplaced_parents[child] -= graph[child, chosen]
    return n


@kernel
def order_topologically(graphs, priority, orders):
    """
    Write an ordering with parents before children for each acyclic graph.

    graphs : bool[number, n, n]      [child, parent]
    priority : float64[number, n]    as for place_variables
    orders : int64[number, n]        written
    """
    unplaced_parents = np.empty(graphs.shape[1], np.int64)
    for g in range(graphs.shape[0]):
        place_variables(graphs[g], priority[g], orders[g], unplaced_parents)


@inner_kernel
def break_cycle(graph, kept, unplaced_parents, path, step_of, random):
    """
    Remove a random edge of a cycle, which is found by walking from a variable to a random parent, and so on.

    kept : bool[n, n]               [child, parent], edges that stay; they form no cycle
    unplaced_parents : int64[n]     as written by place_variables: those above 0 have a parent of the same kind
    path, step_of : int64[n]        scratch
    random : uint64[1]              state of the generator
    """
    n = graph.shape[0]
    for i in range(n):
        step_of[i] = -1
    start = draw_below(random, n)
    while unplaced_parents[start] <= 0:
        start = (start + 1) % n
    length = 0
    here = start
    while step_of[here] < 0:
        step_of[here] = length
        path[length] = here
        length += 1
        parents = 0
        for parent in range(n):
            if graph[here, parent] and unplaced_parents[parent] > 0:
                parents += 1
        skip = draw_below(random, parents)
        for parent in range(n):
            if graph[here, parent] and unplaced_parents[parent] > 0:
                if skip == 0:
                    here = parent
                    break
                skip -= 1
    first = step_of[here]
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
    Remove random edges of cycles until no graph has a cycle.

    graphs : bool[number, n, n]   updated
    kept : bool[n, n]             edges that stay; they form no cycle
    random : uint64[1]            state of the generator, updated
    """
    n = graphs.shape[1]
    priority = np.zeros(n)  # any order will do
    unplaced_parents, path, step_of = np.empty(n, np.int64), np.empty(n, np.int64), np.empty(n, np.int64)
    for g in range(graphs.shape[0]):
        while place_variables(graphs[g], priority, path, unplaced_parents) < n:
            break_cycle(graphs[g], kept, unplaced_parents, path, step_of, random)


@kernel
def find_reversible(graphs, orders, reversible):
    """
    Find the edges whose reversal closes no cycle: no other path leads from the parent to the child.

    graphs : bool[number, n, n]       [child, parent]
    orders : int64[number, n]         topological orders of the graphs
    reversible : bool[number, n, n]   written, [child, parent]
    """
    n = graphs.shape[1]
    ancestors = np.empty((n, n), np.bool_)  # [variable, ancestor]
    for g in range(graphs.shape[0]):
        for at in range(n):
            child = orders[g, at]
            for v in range(n):
                ancestors[child, v] = False
            for before in range(at):
                parent = orders[g, before]
                if graphs[g, child, parent]:
                    for v in range(n):
                        ancestors[child, v] |= ancestors[parent, v]
            for parent in range(n):
                reversible[g, child, parent] = graphs[g, child, parent] and not ancestors[child, parent]
            for parent in range(n):
                ancestors[child, parent] |= graphs[g, child, parent]


@kernel
def put_before(graphs, orders, children, parents):
    """
    Move the child of one edge of each graph before its parent, with the ancestors of the child that stand between.

    graphs : bool[number, n, n]   graphs with the edge, whose reversal must close no cycle
    orders : int64[number, n]     topological orders of the graphs, updated
    children, parents : int64[number]   the edges
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
    Find the candidate of a given rank in each row.

    candidates : bool[rows, columns]
    order : int64[columns]   the columns by rank
    ranks : int64[rows]      from 0
    found : int64[rows]      written: the column; -1 if the row has too few candidates
    """
    for row in range(candidates.shape[0]):
        left = ranks[row]
        found[row] = -1
        for column in order:
            if candidates[row, column]:
                if left == 0:
                    found[row] = column
                    break
                left -= 1
