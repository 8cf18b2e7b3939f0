"""Construction of a network from the contents of a file, with checks before memory is allocated."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np
from numpy.typing import NDArray

from bnsearch._tools.wording import listed, shown
from bnsearch.errors import InputError
from bnsearch.graphs.dag import DAG
from bnsearch.networks.formats.source import Source
from bnsearch.networks.network import BayesianNetwork

#: Arrays of NumPy have up to 64 axes: one for each parent and one for the variable itself.
MAX_PARENTS = 63
#: Difference between the sum of a row and one; files contain rounded numbers.
ROW_SUM_TOLERANCE = 0.01


class NetworkBuilder:
    """
    Collects variables and tables in the order of a file.

    All variables are added first, then all families: `start_family` checks the parents and returns the size of the
    table, `end_family` stores its numbers. `build` returns the network.

    Attributes
    ----------
    names, states : names and states of the variables added so far
    index : index of each variable by name
    codes : for each variable, the code of each state by label
    """

    def __init__(self, source: Source) -> None:
        self.source = source
        self.names: list[str] = []
        self.states: list[tuple[str, ...]] = []
        self.index: dict[str, int] = {}
        self.codes: list[dict[str, int]] = []
        self._parents: dict[int, list[int]] = {}
        self._tables: dict[int, NDArray[np.float64]] = {}

    def add_variable(self, name: str, states: Sequence[str], start: int | None = None) -> None:
        """Add a variable; raise an InputError if its name or a state is repeated, or if there is no state."""
        if name in self.index:
            raise self.source.error(f"variable {shown(name)} is declared twice", start)
        if not states:
            raise self.source.error(f"variable {shown(name)} has no states", start)
        codes = {state: code for code, state in enumerate(states)}
        if len(codes) < len(states):
            raise self.source.error(f"variable {shown(name)} has two states with the same label", start)
        self.index[name] = len(self.names)
        self.names.append(name)
        self.states.append(tuple(states))
        self.codes.append(codes)

    def start_family(self, name: str, parents: Sequence[str], start: int | None = None) -> tuple[int, list[int], int]:
        """Return the variable, its parents in the order of the file, and the number of rows of its table."""
        unknown = [each for each in (name, *parents) if each not in self.index]
        if unknown:
            raise self.source.error(f"no variable is named {listed(unknown)}", start)
        child = self.index[name]
        if child in self._parents:
            raise self.source.error(f"variable {shown(name)} has two tables", start)
        if name in parents or len(set(parents)) < len(parents):
            raise self.source.error(f"variable {shown(name)} is its own parent or has the same parent twice", start)
        if len(parents) > MAX_PARENTS:
            raise self.source.error(
                f"variable {shown(name)} has {len(parents)} parents; at most {MAX_PARENTS} are possible",
                start,
            )
        self._parents[child] = [self.index[parent] for parent in parents]
        return child, self._parents[child], prod(len(self.states[p]) for p in self._parents[child])

    def end_family(
        self, child: int, rows: NDArray[np.float64], starts: Sequence[int] | NDArray[np.int64] | None = None
    ) -> None:
        """
        Store the table of a family after `start_family`.

        rows : probabilities of the states for each configuration of the parents; the last parent varies fastest
        starts : position of each row in the text
        """
        bad = ~np.all((rows >= 0) & (rows <= 1 + ROW_SUM_TOLERANCE), axis=1)
        bad[~bad] = np.abs(rows[~bad].sum(axis=1) - 1) > ROW_SUM_TOLERANCE
        if bad.any():
            row = int(np.argmax(bad))
            numbers = ", ".join(map(repr, rows[row, :5].tolist())) + (", ..." if rows.shape[1] > 5 else "")
            raise self.source.error(
                f"the table of {shown(self.names[child])} has a row that is not a distribution"
                f" ({numbers}): it must sum to one",
                None if starts is None else int(starts[row]),
            )
        parents = self._parents[child]
        table = rows.reshape([len(self.states[i]) for i in (*parents, child)])
        ascending = sorted(range(len(parents)), key=parents.__getitem__)
        self._tables[child] = table.transpose(*ascending, len(parents))

    def build(self) -> BayesianNetwork:
        """Return the network; raise an InputError if a variable has no table."""
        if not self.names:
            raise self.source.error("the file has no variables")
        missing = [name for i, name in enumerate(self.names) if i not in self._tables]
        if missing:
            raise self.source.error(f"there is no table for {listed(missing)}")
        everyone = range(len(self.names))
        try:
            dag = DAG(self.names, [self._parents[i] for i in everyone])
            return BayesianNetwork(dag, self.states, [self._tables[i] for i in everyone])
        except InputError as error:
            raise self.source.error(str(error)) from None


def parse_numbers(source: Source, text: str, start: int) -> list[float]:
    """Return the numbers in a text, separated by blanks or commas; `start` is its position in the file."""
    words = text.replace(",", " ").split()
    try:
        if "_" in text:  # float() accepts 1_000, which is not a number in files
            raise ValueError
        return list(map(float, words))
    except ValueError:
        wrong = next(word for word in words if not _is_number(word))
        raise source.error(f"{shown(wrong)} is not a number", start + text.find(wrong)) from None


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return "_" not in word
