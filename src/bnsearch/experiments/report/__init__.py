"""The report of an experiment: one HTML page and Markdown tables."""

from __future__ import annotations

from bnsearch.experiments.report.writing import write_report

__all__ = ["write_report"]
