"""The closed, open and seen sets of one variable's search."""

from __future__ import annotations

import heapq

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from bnsearch.selection.frontier import Frontier
from bnsearch.selection.kernels_frontier import HEAP_VALUE, NODE_PARENT, NODES, OPEN, SEEN

VALUES = st.floats(-1e6, 1e6)


def frontier_of(candidates: int) -> Frontier:
    """Return the frontier of a search among candidates 10, 11, ... of 2, 3, 4, 2, 3, 4, ... states."""
    return Frontier(np.arange(10, 10 + candidates), np.arange(candidates) % 3 + 2, -7.0)


@given(st.lists(st.one_of(VALUES, st.tuples(VALUES), st.none()), max_size=60))
def test_heap_gives_the_highest_value(script: list[float | tuple[float] | None]) -> None:
    """A number is pushed, a tuple replaces the best entry, None removes it; the same as with heapq."""
    from bnsearch.selection.kernels_frontier import drop_top, push, replace_top

    frontier = frontier_of(3)
    slow: list[float] = []
    for i, action in enumerate(script):
        if isinstance(action, float):
            push(frontier.heap, frontier.number, action, i, 2 * i)
            heapq.heappush(slow, -action)
        elif slow and action is not None:
            replace_top(frontier.heap, frontier.number, action[0], i, 2 * i)
            heapq.heapreplace(slow, -action[0])
        elif slow:
            drop_top(frontier.heap, frontier.number)
            heapq.heappop(slow)
        assert frontier.number[OPEN] == len(slow)
        if slow:
            values, nodes, added = frontier.heap
            assert values[0] == -slow[0]
            assert added[0] == 2 * nodes[0]


@given(st.lists(st.integers(1, 40), max_size=100))
def test_keys_are_new_once(keys: list[int]) -> None:
    """A key is new the first time, also after the table was replaced by a larger one."""
    from bnsearch.selection.kernels_frontier import insert_key, move_keys

    slots, known = np.zeros(64, dtype=np.uint64), set[int]()
    for i, key in enumerate(keys):
        if i == len(keys) // 2:
            larger = np.zeros(128, dtype=np.uint64)
            move_keys(slots, larger)
            slots = larger
        assert insert_key(slots, np.uint64(key)) == (key not in known)
        known.add(key)


def test_nodes_know_their_members() -> None:
    """Node 1 = {11}, node 2 = {11, 14}: members, cells 3 and 3 * 3, keys, the best score of those extended."""
    from bnsearch.selection.kernels_frontier import close_best, push

    frontier = frontier_of(5)
    for value, node, added in ((-5.0, 0, 1), (-6.0, 1, 4)):
        push(frontier.heap, frontier.number, value, node, added)
        close_best(frontier.nodes, frontier.heap, frontier.number, frontier.arities, frontier.random)
    _, _, sizes, cells, scores, below, keys = (array[:3].tolist() for array in frontier.nodes)
    assert [frontier.members(node) for node in range(3)] == [(), (11,), (11, 14)]
    assert sizes == [0, 1, 2]
    assert cells == [1.0, 3.0, 9.0]
    assert scores == [-7.0, -5.0, -6.0]
    assert below == [-np.inf, -7.0, -5.0]
    assert keys == [0, frontier.random[1], frontier.random[1] ^ frontier.random[4]]


def test_a_set_is_extended_to_new_sets_only() -> None:
    """From {} all candidates are new; from {11} all but itself; then from {12} not 11, since {11, 12} was seen."""
    from bnsearch.selection.kernels_frontier import close_best, push, take_unseen

    frontier = frontier_of(4)
    seen = []
    for node, added in ((0, 1), (0, 2)):
        unseen = np.empty(4, dtype=np.int64)
        found = take_unseen(frontier.nodes, len(seen), frontier.random, frontier.slots, frontier.number, unseen)
        seen.append(unseen[:found].tolist())
        push(frontier.heap, frontier.number, -1.0, node, added)
        close_best(frontier.nodes, frontier.heap, frontier.number, frontier.arities, frontier.random)
    found = take_unseen(frontier.nodes, 2, frontier.random, frontier.slots, frontier.number, unseen)
    assert [*seen, unseen[:found].tolist()] == [[0, 1, 2, 3], [0, 2, 3], [0, 3]]
    assert frontier.number[SEEN] == 9


def test_sets_are_read_back() -> None:
    """{10} and {11, 13}, the second from node {11}, come with the empty set before them."""
    from bnsearch.selection.kernels_frontier import close_best, push

    frontier = frontier_of(4)
    push(frontier.heap, frontier.number, -5.0, 0, 1)
    close_best(frontier.nodes, frontier.heap, frontier.number, frontier.arities, frontier.random)
    found = frontier.sets(np.array([0, 1], np.int32), np.array([0, 3], np.int32), np.array([-2.0, -3.0]))
    assert found.scores.tolist() == [-7.0, -2.0, -3.0]
    assert found.sizes.tolist() == [0, 1, 2]
    assert found.members.tolist() == [10, 13, 11]


def test_room_is_made_and_nothing_lost() -> None:
    """After room for thousands more was reserved, nodes, heap and seen sets are unchanged."""
    from bnsearch.selection.kernels_frontier import close_best, push, take_unseen

    frontier = frontier_of(6)
    unseen = np.empty(6, dtype=np.int64)
    take_unseen(frontier.nodes, 0, frontier.random, frontier.slots, frontier.number, unseen)
    for value in (-1.0, -3.0, -2.0):
        push(frontier.heap, frontier.number, value, 0, int(-value))
    close_best(frontier.nodes, frontier.heap, frontier.number, frontier.arities, frontier.random)
    small = frontier.nbytes
    frontier.reserve(nodes=5000, opened=6000, seen=7000)
    assert (len(frontier.nodes[NODE_PARENT]) - 2, len(frontier.heap[HEAP_VALUE]) - 2) >= (5000, 6000)
    assert len(frontier.slots) >= 14000
    assert frontier.nbytes > small
    assert frontier.number.tolist() == [2, 2, 6]
    assert frontier.members(1) == (11,)
    assert frontier.heap[0][:2].tolist() == [-2.0, -3.0]
    assert take_unseen(frontier.nodes, 0, frontier.random, frontier.slots, frontier.number, unseen) == 0


@given(st.lists(VALUES, min_size=4, max_size=40))
def test_the_best_stay_open(values: list[float]) -> None:
    """Cut to 3, the open sets are the best three, best first; the third is the least value that was returned."""
    from bnsearch.selection.kernels_frontier import push

    frontier = frontier_of(2)
    for i, value in enumerate(values):
        push(frontier.heap, frontier.number, value, i, i)
    assert frontier.keep_best_open(3) == sorted(values)[-3]
    assert frontier.heap[HEAP_VALUE][: frontier.number[OPEN]].tolist() == sorted(values)[:-4:-1]
    assert [values[i] for i in frontier.heap[1][:3]] == sorted(values)[:-4:-1]
    assert frontier.number[NODES] == 1
