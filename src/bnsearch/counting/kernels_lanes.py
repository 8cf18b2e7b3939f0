"""Sums of rows of bytes in vector registers."""

# Numba infers the types of kernels.
# mypy: allow-untyped-defs, no-check-untyped-defs, allow-untyped-calls
from __future__ import annotations

from typing import Any

from llvmlite import ir  # type: ignore[import-untyped]
from numba.core import cgutils, types
from numba.extending import intrinsic

from bnsearch.counting.columns import ITEM_ALIGNMENT
from bnsearch.kernels.compile import inner_kernel

LANES = ITEM_ALIGNMENT  # number of bytes that are summed at once: a cache line of the processor
MAX_SUMMED = 255  # largest number of rows of zeros and ones whose sums fit into bytes


@intrinsic
def sum_lanes(typing_context: Any, table: Any, order: Any, begin: Any, stop: Any, lane: Any, sums: Any) -> Any:
    """
    Write the sums over rows order[begin:stop] of table[:, lane : lane + LANES] to sums[lane : lane + LANES].

    table : uint8[rows, width]   C-contiguous; width a multiple of LANES
    order : int32[...]           rows, at least zero
    begin, stop, lane : int64
    sums : uint8[width]          written; sums above 255 overflow

    A loop in Numba would read and write the sums in memory for every row, because they could overlap the table.
    """

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        table, order, sums = (context.make_array(signature.args[i])(context, builder, arguments[i]) for i in (0, 1, 5))
        begin, stop, lane = arguments[2:5]
        vector = ir.VectorType(ir.IntType(8), LANES)
        stride = builder.extract_value(table.strides, 0)
        first = builder.gep(table.data, [lane])
        total = cgutils.alloca_once_value(builder, ir.Constant(vector, [0] * LANES))
        with cgutils.for_range_slice(builder, begin, stop, ir.Constant(begin.type, 1)) as (i, _):
            row = builder.zext(builder.load(builder.gep(order.data, [i])), stride.type)
            here = builder.bitcast(builder.gep(first, [builder.mul(row, stride)]), vector.as_pointer())
            builder.store(builder.add(builder.load(total), builder.load(here, align=1)), total)
        target = builder.bitcast(builder.gep(sums.data, [lane]), vector.as_pointer())
        builder.store(builder.load(total), target, align=1)
        return context.get_dummy_value()

    return types.void(table, order, types.int64, types.int64, types.int64, sums), generate


@inner_kernel
def sum_rows(table, order, begin, stop, sums, counts):
    """
    Sum the rows order[begin:stop] of a table of zeros and ones.

    table, order : as in sum_lanes
    sums : uint8[width]      scratch
    counts : int32[width]    written
    """
    for z in range(counts.size if begin == stop else 0):
        counts[z] = 0
    first = begin
    while begin < stop:
        until = min(begin + MAX_SUMMED, stop)
        for lane in range(0, sums.size, LANES):
            sum_lanes(table, order, begin, until, lane, sums)
        if begin == first:
            for z in range(counts.size):
                counts[z] = sums[z]
        else:
            for z in range(counts.size):
                counts[z] += sums[z]
        begin = until
