"""The share of the time of a run that the search for an upper bound gets."""

from __future__ import annotations

import math

from bnsearch.runs.run import Run

SHARE = 0.05  # share of the time of all threads for the bound while the search improves fast
FAST_GAIN = 1e-3  # a search improves fast if it gains more, relative to the score, in the second half of its time
STALLED_SHARE = 0.25  # the share once the search has stalled; between the two, it depends on the logarithm of the gain
STALLED_GAIN = 1e-4  # a search has stalled if it has gained less
IDLE_SHARE = 0.4  # the share if the search has gained nothing in the second half of its time


def get_bound_share(run: Run) -> float:
    """Return the share of the time of all threads for the bound: the less the search gains, the more."""
    gain = run.progress.score - run.trace.score_at(run.seconds / 2)
    if gain <= 0.0:
        return IDLE_SHARE
    if gain >= FAST_GAIN * abs(run.progress.score):
        return SHARE
    position = math.log(FAST_GAIN * abs(run.progress.score) / gain) / math.log(FAST_GAIN / STALLED_GAIN)
    return SHARE + (STALLED_SHARE - SHARE) * min(1.0, position)
