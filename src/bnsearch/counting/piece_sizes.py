"""How many sets a piece has: the time of a kernel call is bounded, but exceeds its overhead."""

from __future__ import annotations

import numpy as np

from bnsearch.counting.columns import Columns

# Limits on the sets of a kernel call, and on sets times rows.
MAX_SETS_PER_CALL, MIN_SETS_PER_CALL = 1 << 18, 1 << 13
MAX_ROWS_PER_CALL, MIN_ROWS_PER_CALL = 1 << 26, 1 << 25
TRIPLES_FACTOR = 4  # sets of three binary variables take so little time that a call may have this many times as many
FAST_FACTOR = 8  # bitmaps alone take less time for a row, so that a call may have this many times as many rows
MAX_WORDS_PER_CALL = 1 << 27  # limit on the words of bitmaps that a call reads: less than 0.1 s


def limit_piece(columns: Columns, size: int) -> tuple[int, int]:
    """Return the least and the largest number of sets of a piece of the sets of a size."""
    rows, words = len(columns.weights), columns.words.shape[1]
    is_fast = columns.are_bitmaps_enough(size)
    # Tests set MIN_ROWS_PER_CALL to small values, so that small tables have several pieces.
    min_sets = MIN_ROWS_PER_CALL // rows + 1
    min_sets = max(min_sets, min(MIN_SETS_PER_CALL, MIN_ROWS_PER_CALL)) if is_fast else min_sets // 16 + 1
    if is_fast and size == 3 and columns.arities[-1] <= 2:
        return min_sets, min(TRIPLES_FACTOR * MAX_SETS_PER_CALL, MAX_WORDS_PER_CALL // words + 1)
    max_rows = (FAST_FACTOR if is_fast else 1) * MAX_ROWS_PER_CALL
    cells = min(float(np.prod(columns.arities[-size:], dtype=np.float64)), columns.max_cells)  # of the largest places
    max_words = max(1.0, cells * words)
    return min_sets, min(MAX_SETS_PER_CALL, max_rows // rows + 1, int(MAX_WORDS_PER_CALL / max_words) + 1)
