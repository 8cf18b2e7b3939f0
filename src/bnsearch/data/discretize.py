"""
Columns of numbers cut into intervals.

How is said by a text, "quantile:5" or "uniform:5" (up to five intervals that hold about as many rows each, or that are
equally wide), or by cut points for each column, {"age": (18, 65)}. An interval holds its upper end; the lowest and the
highest are open, so that every number has a place. Their labels are "<=18", "18..65" and ">65".

A text is about columns of numbers that are continuous, or whole with more than 20 distinct values; all others are left
alone. Cuts lie between values that occur and are rounded as far as that allows. Intervals that would be empty are
merged, so equal quantiles give fewer intervals; values fewer than the intervals asked for are all kept apart.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from bnsearch._tools.wording import listed, shown
from bnsearch.data.coding import MAX_ARITY, MISSING, Column, choose_code_type, is_whole, missing_value_error
from bnsearch.errors import InputError, require

if TYPE_CHECKING:
    import polars as pl

#: Whole numbers with no more distinct values than this are states already.
MAX_WHOLE_STATES = 20

Cuts = tuple[float, ...]
Discretize = str | Mapping[str, Sequence[float]]


class Cutter(Protocol):
    """Knows where columns of numbers are cut."""

    def check_columns(self, names: Sequence[str]) -> None:
        """Refuse a table that does not have the columns to be cut."""
        ...

    def find_cuts(self, name: str, numbers: NDArray[Any] | None) -> Cuts | None:
        """Return where a column is cut, None where it is left alone; `numbers` is None for a column of other things."""
        ...


@dataclass(frozen=True)
class Binning:
    """
    Cuts found in the data.

    Parameters
    ----------
    rule : "quantile" or "uniform"
    count : the most intervals of a column
    """

    rule: str
    count: int

    def __post_init__(self) -> None:
        require("the number of intervals", self.count, at_least=2, at_most=MAX_ARITY, whole=True)

    @classmethod
    def parse(cls, text: str) -> Binning:
        """Make one of a text, such as quantile:5."""
        match = re.fullmatch(r"(\w+):(\d{1,9})", text)
        if match is None or match[1] not in _RULES:
            raise InputError(f"discretize is quantile:K or uniform:K, such as quantile:5, not {shown(text)}")
        return cls(match[1], int(match[2]))

    def check_columns(self, names: Sequence[str]) -> None:
        """Take any table."""

    def find_cuts(self, name: str, numbers: NDArray[Any] | None) -> Cuts | None:
        """Return where a column is cut; None where it is left alone."""
        if numbers is None:
            return None
        distinct, counts = np.unique(_require_finite(name, numbers), return_counts=True)
        if len(distinct) <= max(MAX_WHOLE_STATES, self.count) and is_whole(distinct).all():
            return None
        if len(distinct) <= self.count:
            gaps = np.arange(len(distinct) - 1)
            wanted = _compute_midpoints(distinct)
        else:
            gaps, wanted = _RULES[self.rule](distinct, counts, self.count)
        triples = zip(distinct[gaps].tolist(), distinct[gaps + 1].tolist(), wanted.tolist(), strict=True)
        return tuple(_round_cut(*triple) for triple in triples)


@dataclass(frozen=True)
class GivenCuts:
    """Cuts that are known, by the names of the columns."""

    by_name: Mapping[str, Sequence[float]]

    def __post_init__(self) -> None:
        for name, cuts in self.by_name.items():
            try:
                points = np.asarray(cuts, dtype=np.float64)
            except (TypeError, ValueError):
                points = np.array([np.nan])
            if points.ndim != 1 or not np.isfinite(points).all() or (np.diff(points) <= 0).any():
                raise InputError(f"the cuts of column {name!r} must be finite numbers in ascending order, not {cuts!r}")

    def check_columns(self, names: Sequence[str]) -> None:
        """Refuse a table without one of the columns."""
        if absent := [name for name in self.by_name if name not in set(names)]:
            raise InputError(f"there are cuts for {listed(absent)}, which the table does not have")

    def find_cuts(self, name: str, numbers: NDArray[Any] | None) -> Cuts | None:
        """Return the cuts of a column that has some; it must hold numbers."""
        if name not in self.by_name:
            return None
        if numbers is None:
            raise InputError(f"there are cuts for column {name!r}, which does not hold numbers")
        return tuple(map(float, self.by_name[name]))


def make_cutter(discretize: Discretize | None) -> Cutter | None:
    """Return what knows where columns are cut."""
    if discretize is None:
        return None
    if isinstance(discretize, str):
        return Binning.parse(discretize)
    if isinstance(discretize, Mapping):
        return GivenCuts(discretize)
    raise InputError(f"discretize is a text such as quantile:5, or cut points by column, not {discretize!r}")


def cut_column(name: str, numbers: NDArray[Any] | None, cutter: Cutter | None) -> Column | None:
    """Return a column of numbers cut into intervals; None where it is left alone."""
    cuts = None if cutter is None else cutter.find_cuts(name, numbers)
    if cuts is None or numbers is None:
        return None
    states = label_intervals(cuts)
    codes = np.searchsorted(np.array(cuts), _require_finite(name, numbers), side="left")
    return Column(codes.astype(choose_code_type(len(states))), states)


def label_intervals(cuts: Sequence[float]) -> tuple[str, ...]:
    """Return the labels of the intervals between cuts, in order; without a cut all numbers are "any"."""
    if not len(cuts):
        return ("any",)
    ends = [str(int(cut)) if cut.is_integer() and abs(cut) < 1e15 else repr(cut) for cut in map(float, cuts)]
    between = [f"{low}..{high}" for low, high in pairwise(ends)]
    return (f"<={ends[0]}", *between, f">{ends[-1]}")


def parse_number_column(name: str, series: pl.Series) -> NDArray[Any] | None:
    """Return what a column from a text file holds where every field spells a finite number, else None."""
    import polars as pl

    if series.dtype != pl.String:
        return series.to_numpy()
    texts = series.str.strip_chars()
    missing = texts.is_in(sorted(MISSING))
    if missing.any():
        row = int(missing.arg_true()[0])
        raise missing_value_error(name, row, repr(series[row]))
    numbers = texts.cast(pl.Float64, strict=False).to_numpy()  # what is no number becomes NaN
    return numbers if np.isfinite(numbers).all() else None


def _find_quantile_gaps(
    distinct: NDArray[np.float64], counts: NDArray[np.int64], intervals: int
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the gaps between values where the rows below come nearest to equal shares, and their middles."""
    below = np.cumsum(counts)[:-1]
    shares = counts.sum() * np.arange(1, intervals) / intervals
    after = np.clip(np.searchsorted(below, shares), 1, len(below) - 1)
    nearest = np.where(shares - below[after - 1] <= below[after] - shares, after - 1, after)
    gaps = np.unique(nearest)
    return gaps, _compute_midpoints(distinct)[gaps]


def _find_uniform_gaps(
    distinct: NDArray[np.float64], counts: NDArray[np.int64], intervals: int
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the gaps between values that equally wide intervals cut, and the first cut in each."""
    share = np.arange(1, intervals) / intervals
    wanted = distinct[0] * (1 - share) + distinct[-1] * share
    gaps = np.clip(np.searchsorted(distinct, wanted, side="right") - 1, 0, len(distinct) - 2)
    gaps, first = np.unique(gaps, return_index=True)
    return gaps, wanted[first]


_Rule = Callable[[NDArray[np.float64], NDArray[np.int64], int], tuple[NDArray[np.int64], NDArray[np.float64]]]
_RULES: dict[str, _Rule] = {"quantile": _find_quantile_gaps, "uniform": _find_uniform_gaps}


def _compute_midpoints(distinct: NDArray[np.float64]) -> NDArray[np.float64]:
    return distinct[:-1] / 2 + distinct[1:] / 2  # the sum of two could overflow


def _round_cut(low: float, high: float, wanted: float) -> float:
    """Return the number of the fewest digits, three or more, close to the one wanted that parts low from high."""
    for digits in range(3, 18):
        cut = float(f"{wanted:.{digits}g}")
        if low <= cut < high:
            return cut
    return low


def _require_finite(name: str, numbers: NDArray[Any]) -> NDArray[np.float64]:
    """Return numbers as floats; refuse NaN and infinity."""
    values = numbers.astype(np.float64, copy=False)
    wrong = ~np.isfinite(values)
    if wrong.any():
        row = int(wrong.argmax())
        if np.isnan(values[row]):
            raise missing_value_error(name, row, "NaN")
        raise InputError(f"column {name!r}, row {row + 1}: {values[row]} has no place in an interval: replace it")
    return values
