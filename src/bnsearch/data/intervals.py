"""Intervals that are the states of a network: new numbers are divided at the same points."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from bnsearch.data.discretize import Cuts, Cutter, Discretize, GivenCuts, label_intervals, make_cutter

_END = re.compile(r"<=(.+)|.+\.\.(.+)")


def parse_intervals(states: Sequence[str]) -> Cuts | None:
    """Return the cut points of states that are labels of intervals, in any order; None if they are something else."""
    ends = [_END.fullmatch(state) for state in states]
    try:
        cuts = tuple(sorted(float(end[1] or end[2]) for end in ends if end is not None))
    except ValueError:
        return None
    return cuts if sorted(label_intervals(cuts)) == sorted(states) else None


@dataclass(frozen=True)
class KnownIntervals:
    """
    A rule that divides columns of numbers at the cut points of a network.

    Parameters
    ----------
    cuts : the cut points of some columns, by name; columns that do not contain numbers are not divided
    other : the rule of all other columns
    """

    cuts: Mapping[str, Cuts]
    other: Cutter | None = None

    def check_columns(self, names: Sequence[str]) -> None:
        """Check the other rule; a table need not have all columns of the network."""
        if self.other is not None:
            self.other.check_columns(names)

    def find_cuts(self, name: str, numbers: NDArray[Any] | None) -> Cuts | None:
        """Return the cut points of a column, or None if the column is not divided."""
        if name in self.cuts:
            return None if numbers is None else self.cuts[name]
        return None if self.other is None else self.other.find_cuts(name, numbers)


def make_known_cutter(states: Mapping[str, Sequence[str]], discretize: Discretize | None = None) -> Cutter | None:
    """
    Return a rule that divides columns whose states are intervals at the same points, and other columns by `discretize`.

    Cut points that `discretize` gives for a column have precedence.
    """
    found = {name: parse_intervals(labels) for name, labels in states.items()}
    other = make_cutter(discretize)
    given = other.by_name if isinstance(other, GivenCuts) else {}
    cuts = {name: points for name, points in found.items() if points is not None and name not in given}
    return KnownIntervals(cuts, other) if cuts else other
