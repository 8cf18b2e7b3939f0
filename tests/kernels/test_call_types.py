"""The cache of the types that Numba infers for calls."""

from __future__ import annotations

import operator

from numba.core import types
from numba.core.registry import cpu_target
from numba.core.types.functions import BaseFunction

from bnsearch.kernels.call_types import cached_call_types


def test_types_are_those_of_numba():
    """Within the block, operators have the same types as outside, at the first call and from the cache."""
    context = cpu_target.typing_context
    context.refresh()
    pairs = [(types.int64, types.float64), (types.uint64, types.int64), (types.boolean, types.int32)]
    calls = [(operation, pair) for operation in (operator.add, operator.lt, operator.truediv) for pair in pairs]
    expected = [context.resolve_function_type(operation, pair, {}) for operation, pair in calls]
    with cached_call_types():
        for _ in range(2):
            assert [context.resolve_function_type(operation, pair, {}) for operation, pair in calls] == expected


def test_numba_is_unchanged_after_the_block():
    """The method of Numba is replaced within the block only, also if blocks are nested."""
    original = BaseFunction.get_call_type
    with cached_call_types():
        inside = BaseFunction.get_call_type
        assert inside is not original
        with cached_call_types():
            assert BaseFunction.get_call_type is inside
        assert BaseFunction.get_call_type is inside
    assert BaseFunction.get_call_type is original
