"""Compare search methods on samples of a known network: score, distance from the true structure, and time."""

from __future__ import annotations

import bnsearch

METHODS = ("ges", "hillclimb", "minobs", "auto")
SECONDS = 1.0

true = bnsearch.load_network("greenhouse")  # or bnsearch.random_network(50, 2.0, 3, 1)
data = true.sample(2_000, 1)
scorer = bnsearch.Scorer(data, bnsearch.BIC())

print(f"{'method':10} {'BIC':>12} {'SHD':>5} {'recall':>7} {'seconds':>8}")
print(f"{'(true)':10} {scorer.network(true.dag):12.1f} {0:5} {1:7.2f}")
for method in METHODS:
    result = bnsearch.learn(data, method=method, seconds=SECONDS, seed=1)
    found = bnsearch.compare(true, result)
    row = f"{result.score:12.1f} {found.shd_cpdag:5} {found.skeleton.recall:7.2f} {result.seconds:8.2f}"
    print(f"{method:10} {row}")
