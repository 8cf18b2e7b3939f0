"""Indices of the fields of `Columns`, which kernels take as a plain tuple."""

from __future__ import annotations

CODES, WEIGHTS, TOTAL, ARITIES, START, WORDS, SIZES, STATES, MODES, MAX_CELLS, DENSE = range(11)
