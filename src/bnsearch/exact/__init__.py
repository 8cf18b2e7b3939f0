"""Exact search: the best network of a candidate table, proven optimal."""

from __future__ import annotations

from bnsearch.exact.dynamic import Exact

__all__ = ["Exact"]
