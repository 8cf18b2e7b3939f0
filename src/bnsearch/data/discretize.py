"""
Discretisation: columns of numbers are divided into intervals.

The rule is "quantile:K" (up to K intervals with about equal numbers of rows), "uniform:K" (up to K intervals of equal
width), or a dictionary of cut points, {"age": (18, 65)}. As text, cut points are "age=18,65". Semicolons separate
several columns and a rule for all others: "age=18,65; bmi=25; quantile:3". An interval includes its upper end. The
first and the last interval are unbounded, so every number falls into an interval. The labels of this example are
"<=18", "18..65", ">65".

"quantile:K" and "uniform:K" apply to continuous columns and to whole numbers with more than 20 distinct values; other
columns are not changed. Cut points lie between values that occur and have as few digits as possible. Empty
intervals are merged, so equal quantiles produce fewer intervals. A column with at most K distinct values gets one
interval for each.
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

#: Number of distinct whole numbers up to which a column is not divided.
MAX_WHOLE_STATES = 20

Cuts = tuple[float, ...]
Discretize = str | Mapping[str, Sequence[float]]


class Cutter(Protocol):
    """A rule that determines the cut points of columns."""

    def check_columns(self, names: Sequence[str]) -> None:
        """Raise an InputError if the table does not have a column that the rule names."""
        ...

    def find_cuts(self, name: str, numbers: NDArray[Any] | None) -> Cuts | None:
        """
        Return the cut points of a column, or None if the column is not divided.

        `numbers` is None if the column does not contain numbers.
        """
        ...


@dataclass(frozen=True)
class Binning:
    """
    A rule that finds cut points in the data.

    Parameters
    ----------
    rule : "quantile" or "uniform"
    count : maximum number of intervals of a column
    """

    rule: str
    count: int

    def __post_init__(self) -> None:
        require("the number of intervals", self.count, at_least=2, at_most=MAX_ARITY, whole=True)

    @classmethod
    def parse(cls, text: str) -> Binning:
        """Return the rule of a text such as "quantile:5"."""
        match = re.fullmatch(r"(\w+):(\d{1,9})", text)
        if match is None or match[1] not in _RULES:
            raise InputError(
                f"discretize must be quantile:K, uniform:K or X=CUT,CUT, such as quantile:5, not {shown(text)}"
            )
        return cls(match[1], int(match[2]))

    def check_columns(self, names: Sequence[str]) -> None:
        """Do nothing: the rule applies to any table."""

    def find_cuts(self, name: str, numbers: NDArray[Any] | None) -> Cuts | None:
        """Return the cut points of a column, or None if the column is not divided."""
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
    """Given cut points, by the names of the columns, and a rule for all other columns."""

    by_name: Mapping[str, Sequence[float]]
    other: Cutter | None = None

    def __post_init__(self) -> None:
        for name, cuts in self.by_name.items():
            try:
                points = np.asarray(cuts, dtype=np.float64)
            except (TypeError, ValueError):
                points = np.array([np.nan])
            if points.ndim != 1 or not np.isfinite(points).all() or (np.diff(points) <= 0).any():
                raise InputError(f"the cut points of column {name!r} must be finite ascending numbers, not {cuts!r}")

    def check_columns(self, names: Sequence[str]) -> None:
        """Raise an InputError if the table does not have one of the columns."""
        if absent := [name for name in self.by_name if name not in set(names)]:
            raise InputError(
                f"discretize has cut points for {listed(absent)}, but the table has no such column; its columns are "
                f"{listed(names)}"
            )
        if self.other is not None:
            self.other.check_columns(names)

    def find_cuts(self, name: str, numbers: NDArray[Any] | None) -> Cuts | None:
        """Return the cut points of a column, or None; a column with cut points must contain numbers."""
        if name not in self.by_name:
            return None if self.other is None else self.other.find_cuts(name, numbers)
        if numbers is None:
            raise InputError(f"discretize has cut points for column {name!r}, which does not contain numbers")
        return tuple(map(float, self.by_name[name]))


def parse_rule(text: str) -> Cutter:
    """Return the rule of a text: quantile:3, uniform:3, age=18,65, or several of these, separated by semicolons."""
    parts = [part.strip() for part in text.split(";")]
    rules = [part for part in parts if "=" not in part]
    if len(rules) == len(parts) == 1:
        return Binning.parse(text)
    if len(rules) > 1:
        raise InputError(f"discretize has two rules for all columns, {shown(rules[0])} and {shown(rules[1])}: keep one")
    cuts: dict[str, tuple[float, ...]] = {}
    for name, _, points in (part.rpartition("=") for part in parts if "=" in part):
        try:
            cuts[name.strip()] = tuple(float(point) for point in points.split(","))
        except ValueError:
            raise InputError(
                f"the cut points of column {name.strip()!r} must be numbers separated by commas, such as 18,65, not "
                f"{shown(points)}"
            ) from None
    return GivenCuts(cuts, Binning.parse(rules[0]) if rules else None)


def make_cutter(discretize: Discretize | None) -> Cutter | None:
    """Return the rule that `discretize` describes."""
    if discretize is None:
        return None
    if isinstance(discretize, str):
        return parse_rule(discretize)
    if isinstance(discretize, Mapping):
        return GivenCuts(discretize)
    raise InputError(f"discretize must be a text such as quantile:5 or cut points by column, not {discretize!r}")


def cut_column(name: str, numbers: NDArray[Any] | None, cutter: Cutter | None) -> Column | None:
    """Return a column of numbers divided into intervals, or None if it is not divided."""
    cuts = None if cutter is None else cutter.find_cuts(name, numbers)
    if cuts is None or numbers is None:
        return None
    states = label_intervals(cuts)
    codes = np.searchsorted(np.array(cuts), _require_finite(name, numbers), side="left")
    return Column(codes.astype(choose_code_type(len(states))), states)


def label_intervals(cuts: Sequence[float]) -> tuple[str, ...]:
    """Return the labels of the intervals, in order; without cut points the only label is "any"."""
    if not len(cuts):
        return ("any",)
    ends = [str(int(cut)) if cut.is_integer() and abs(cut) < 1e15 else repr(cut) for cut in map(float, cuts)]
    between = [f"{low}..{high}" for low, high in pairwise(ends)]
    return (f"<={ends[0]}", *between, f">{ends[-1]}")


def parse_number_column(name: str, series: pl.Series) -> NDArray[Any] | None:
    """Return the numbers of a column from a text file, or None if a field is not a finite number."""
    import polars as pl

    if series.dtype != pl.String:
        return series.to_numpy()
    texts = series.str.strip_chars()
    missing = texts.is_in(sorted(MISSING))
    if missing.any():
        row = int(missing.arg_true()[0])
        raise missing_value_error(name, row, repr(series[row]))
    numbers = texts.cast(pl.Float64, strict=False).to_numpy()  # text that is not a number becomes NaN
    return numbers if np.isfinite(numbers).all() else None


def _find_quantile_gaps(
    distinct: NDArray[np.float64], counts: NDArray[np.int64], intervals: int
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the gaps between values that divide the rows most evenly, and their midpoints."""
    below = np.cumsum(counts)[:-1]
    shares = counts.sum() * np.arange(1, intervals) / intervals
    after = np.clip(np.searchsorted(below, shares), 1, len(below) - 1)
    nearest = np.where(shares - below[after - 1] <= below[after] - shares, after - 1, after)
    gaps = np.unique(nearest)
    return gaps, _compute_midpoints(distinct)[gaps]


def _find_uniform_gaps(
    distinct: NDArray[np.float64], counts: NDArray[np.int64], intervals: int
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the gaps between values in which the ends of equally wide intervals lie, and the first end in each."""
    share = np.arange(1, intervals) / intervals
    wanted = distinct[0] * (1 - share) + distinct[-1] * share
    gaps = np.clip(np.searchsorted(distinct, wanted, side="right") - 1, 0, len(distinct) - 2)
    gaps, first = np.unique(gaps, return_index=True)
    return gaps, wanted[first]


_Rule = Callable[[NDArray[np.float64], NDArray[np.int64], int], tuple[NDArray[np.int64], NDArray[np.float64]]]
_RULES: dict[str, _Rule] = {"quantile": _find_quantile_gaps, "uniform": _find_uniform_gaps}


def _compute_midpoints(distinct: NDArray[np.float64]) -> NDArray[np.float64]:
    return distinct[:-1] / 2 + distinct[1:] / 2  # the sum of two values could overflow


def _round_cut(low: float, high: float, wanted: float) -> float:
    """Return `wanted` rounded to the fewest digits, at least three, that still separate low from high."""
    for digits in range(3, 18):
        cut = float(f"{wanted:.{digits}g}")
        if low <= cut < high:
            return cut
    return low


def _require_finite(name: str, numbers: NDArray[Any]) -> NDArray[np.float64]:
    """Return numbers as floats; NaN and infinity raise an InputError."""
    values = numbers.astype(np.float64, copy=False)
    wrong = ~np.isfinite(values)
    if wrong.any():
        row = int(wrong.argmax())
        if np.isnan(values[row]):
            raise missing_value_error(name, row, "NaN")
        raise InputError(f"column {name!r}, row {row + 1}: {values[row]} cannot be assigned to an interval: replace it")
    return values
