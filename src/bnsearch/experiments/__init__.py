"""Experiments: methods on tables over seeds, from a plan to a report with statistics."""

from __future__ import annotations

from bnsearch.experiments.experiment import ExperimentProgress, run_experiment
from bnsearch.experiments.plan import Plan
from bnsearch.experiments.plan_reader import read_plan
from bnsearch.experiments.report import write_report
from bnsearch.experiments.sections import PlanError

__all__ = ["ExperimentProgress", "Plan", "PlanError", "read_plan", "run_experiment", "write_report"]
