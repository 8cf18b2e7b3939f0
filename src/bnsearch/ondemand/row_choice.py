"""The choice of narrow extension rows in search on demand."""

from __future__ import annotations

from collections.abc import Sequence

from bnsearch.ondemand.chain import NARROW_SIZES, OnDemandChain


class RowChoice:
    """
    Chooses from which number of parents on extension rows are narrow, where computing rows takes much of the time.

    Rows of one parent are usually full, because parents that matter only in pairs are missing in narrow ones. On wide
    tables with many rows, computing them takes long. There both kinds of rows are tried, each in one search. After
    that, each search uses the kind with the higher gain per second in its last search. Gains decrease, so both are
    tried again from time to time.

    Parameters
    ----------
    chains : the chains of all islands

    Attributes
    ----------
    is_active : True if rows of one parent may be narrow
    """

    def __init__(self, chains: Sequence[OnDemandChain]) -> None:
        self._chains = chains
        self.is_active = False
        self._rates: dict[int, float] = {}  # gain per second of the last search, by the smallest size of a narrow row
        self._size = 0  # this size in the present search
        self._start = 0.0, 0.0  # score and time when it began

    def start_search(self, score: float, now: float) -> None:
        """Choose the rows of a search; score, now : the sum of the islands' best scores, and the elapsed time."""
        if self.is_active:
            untried = [size for size in NARROW_SIZES if size not in self._rates]
            self._size = untried[0] if untried else max(NARROW_SIZES, key=lambda size: (self._rates[size], size))
            self._start = score, now
            self._use_narrow_rows(self._size)

    def end_search(self, score: float, now: float) -> None:
        """Record the gain of a search; score, now : as for `start_search`."""
        before, started = self._start
        if self.is_active and now > started:
            self._rates[self._size] = (score - before) / (now - started)

    def use_full_rows(self) -> None:
        """Use only full rows from now on."""
        self.is_active = False
        self._use_narrow_rows(0)

    def _use_narrow_rows(self, size: int) -> None:
        for chain in self._chains:
            chain.use_narrow_rows(size)
