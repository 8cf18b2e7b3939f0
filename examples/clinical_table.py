"""
Learn a network from a clinical table: numbers, categories, and the order in time.

The table is simulated here. To use your own, replace `simulate` by `pandas.read_csv` or `polars.read_csv`.
"""

from __future__ import annotations

import numpy as np
import polars as pl

import bnsearch


def simulate(patients: int = 2_000) -> pl.DataFrame:
    """Return a table of patients: age and smoking raise the blood pressure, which raises the risk of a stroke."""
    rng = np.random.default_rng(1)
    age = rng.normal(55, 15, patients).round()
    smoker = rng.random(patients) < 0.3
    pressure = 100 + 0.6 * age + 12 * smoker + rng.normal(0, 8, patients)
    stroke = rng.random(patients) < 1 / (1 + np.exp(-(pressure - 160) / 8))
    died = rng.random(patients) < np.where(stroke, 0.3, 0.02)
    return pl.DataFrame({"age": age, "smoker": smoker, "pressure": pressure, "stroke": stroke, "died": died})


table = simulate()

# What comes later cannot cause what came earlier.
knowledge = bnsearch.Knowledge(tiers=[["age", "smoker"], ["pressure"], ["stroke"], ["died"]])

# Columns of numbers are divided into four intervals, each with about the same number of patients.
data = bnsearch.Dataset.from_frame(table, discretize="quantile:4")
result = bnsearch.learn(data, knowledge=knowledge, score="bdeu", seconds=5, seed=1)
print(result)
for parent, child in result.dag.edges:
    print(f"{parent} -> {child}")

network = result.network(data, ess=1)  # with probability tables
result.write("clinical.bif", data)
result.write("clinical.svg")
