"""Tools lent to one thread at a time."""

from __future__ import annotations

import pytest

from bnsearch._tools.parallel import parallel_map
from bnsearch._tools.pool import Pool


def test_a_tool_serves_one_piece_of_work_at_a_time():
    """Three tools and eight threads: no tool is in two hands, and only three are made."""
    made = [[0]]

    def fork():
        made.append([0])
        return made[-1]

    pool = Pool(made[0], fork)
    pool.prepare(3)
    pool.prepare(2)

    def work(item):
        with pool.lend() as tool:
            tool[0] += 1
            assert tool[0] == 1
            for _ in range(1000):
                pass
            tool[0] -= 1
        return item

    assert parallel_map(work, range(200), 8) == list(range(200))
    assert len(made) == 3


def test_a_tool_comes_back_after_an_error():
    """The next piece of work can still borrow the only tool."""
    pool = Pool("tool", lambda: "other")
    with pytest.raises(ZeroDivisionError), pool.lend():
        _ = 1 / 0
    with pool.lend() as tool:
        assert tool == "tool"
