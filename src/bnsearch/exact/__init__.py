"""Exact search for the best network over a candidate table."""

from __future__ import annotations

from bnsearch.exact.method import Exact

__all__ = ["Exact"]
