"""The faster lists of the variables of Numba's instructions."""

from __future__ import annotations

import numba
import pytest
from numba.core import event, ir
from numba.core.compiler import run_frontend

from bnsearch.kernels.variable_lists import fast_variable_lists


def example(values, limit):
    """Use expressions of several kinds: a call with keywords, tuples, slices, loops and branches."""
    total = 0.0
    pair = (limit, values[1:limit])
    for index, value in enumerate(values):
        if index < pair[0] and not value > 3:
            total += max(value, abs(pair[1][0]))
        values[index] = total
    return print(total, sep="") if total > 1 else (total, [-index for index in values])


def list_all(blocks):
    """Return the names of the variables of each statement, and of each value that is an expression."""
    lists = []
    for _, block in sorted(blocks.items()):
        for statement in block.body:
            lists.append([variable.name for variable in statement.list_vars()])
            value = getattr(statement, "value", None)
            if isinstance(value, ir.Expr):
                lists.append([variable.name for variable in value.list_vars()])
    return lists


def test_lists_are_those_of_numba():
    """Within the block, each instruction has the same list of variables, in the same order."""
    blocks = run_frontend(example).blocks
    expected = list_all(blocks)
    assert sum(map(len, expected)) > 50
    with fast_variable_lists():
        assert list_all(blocks) == expected


def test_numba_is_unchanged_after_the_block():
    """Numba's functions are replaced within the block only, also if blocks are nested or end with an error."""
    originals = ir.Stmt.list_vars, ir.Expr.list_vars, event.trigger_event
    with pytest.raises(ZeroDivisionError), fast_variable_lists():
        inside = ir.Stmt.list_vars
        assert inside is not originals[0]
        with fast_variable_lists():
            assert ir.Stmt.list_vars is inside
        assert ir.Stmt.list_vars is inside
        _ = 1 / 0
    assert (ir.Stmt.list_vars, ir.Expr.list_vars, event.trigger_event) == originals


def test_listeners_are_told():
    """Events are announced if somebody listens."""
    with event.install_recorder("numba:run_pass") as recorder, fast_variable_lists():
        numba.njit(lambda value: value + 1)(1)
    assert len(recorder.buffer) > 0
