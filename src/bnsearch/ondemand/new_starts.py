"""When the islands search over their table from new orderings."""

from __future__ import annotations

from bnsearch.runs.run import Run

STALLED_GAIN = 1e-4  # a search has stalled if it gains less, relative to the score, in a part of the elapsed time
STALLED_SHARE = 0.25  # this part
SEARCH_SHARE = 0.15  # length of the searches from new orderings as a share of the elapsed time
MAX_REST = 0.4  # and as a share of the remaining time at most
MIN_LENGTH = 0.15  # shortest useful length in seconds: an island makes 15 searches of some milliseconds or more
FAILURE_FACTOR = 2.0  # growth of the elapsed time after searches without gain, before which no others are due


class NewStarts:
    """
    Decides when the islands search over their table from new orderings, and for how long.

    All other searches of an island begin at its best network. Where this is a local optimum that they do not leave,
    searches from other orderings often find a better network. They are due when the score has hardly improved in the
    last part of the elapsed time. The next ones are not due before as much time has passed again, and later if the last
    ones have gained nothing.
    """

    def __init__(self) -> None:
        self._next = 0.0  # elapsed time before which no such searches are due

    def find_seconds(self, run: Run) -> float:
        """Return the time that searches from new orderings should take now; 0 if they are not due."""
        now = run.seconds
        seconds = min(SEARCH_SHARE * now, MAX_REST * run.seconds_left)
        if not run.is_timed or now < self._next or seconds < MIN_LENGTH:
            return 0.0
        score = run.progress.score
        has_stalled = score - run.trace.score_at((1.0 - STALLED_SHARE) * now) <= STALLED_GAIN * abs(score)
        return seconds if has_stalled else 0.0

    def record(self, now: float, gain: float) -> None:
        """Record that such searches have ended at some elapsed time, and what they have gained."""
        self._next = now / (1.0 - STALLED_SHARE) if gain > 0.0 else FAILURE_FACTOR * now
