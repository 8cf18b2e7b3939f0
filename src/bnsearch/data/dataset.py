"""The table that all methods learn from: discrete data, coded as small integers."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bnsearch.data.coding import MAX_ARITY, Column, check_names, choose_code_type, code_range_error, recode_column
from bnsearch.errors import InputError

if TYPE_CHECKING:
    import polars as pl
    from narwhals.stable.v2.typing import IntoDataFrame

    from bnsearch.data.discretize import Discretize


@dataclass(frozen=True, eq=False, repr=False)
class Dataset:
    """
    An immutable table of discrete data, with one contiguous array of codes for each variable.

    Use `read`, `from_frame` or `from_codes` to create a Dataset.

    Parameters
    ----------
    codes : codes of each variable, integers of shape (n_variables, n_rows). They are stored read-only and C-contiguous,
        as uint8 if every arity is at most 256, otherwise as uint16. An array of this kind is not copied
    names : names of the variables, all different
    states : labels of the codes 0, 1, ... of each variable, including states that do not occur

    Attributes
    ----------
    arities : int64[n_variables], number of states of each variable
    """

    codes: NDArray[np.uint8] | NDArray[np.uint16]
    arities: NDArray[np.int64]
    names: tuple[str, ...]
    states: tuple[tuple[str, ...], ...]

    def __init__(self, codes: NDArray[Any], names: Sequence[str], states: Sequence[Sequence[str]]) -> None:
        object.__setattr__(self, "names", tuple(names))
        object.__setattr__(self, "states", tuple(tuple(s) for s in states))
        object.__setattr__(self, "arities", np.array([len(s) for s in self.states], dtype=np.int64))
        self._check_states()
        self._check_codes(codes)
        object.__setattr__(self, "codes", _freeze_codes(codes, choose_code_type(int(self.arities.max()))))
        self.arities.flags.writeable = False

    def _check_states(self) -> None:
        check_names(self.names)
        if len(self.names) != len(self.states):
            raise InputError(f"{len(self.names)} names but {len(self.states)} lists of states")
        for name, states in zip(self.names, self.states, strict=True):
            if len(set(states)) != len(states):
                twice = next(s for s in states if states.count(s) > 1)
                raise InputError(f"column {name!r} has two states labelled {twice!r}: rename one")
            if not 1 <= len(states) <= MAX_ARITY:
                raise InputError(f"column {name!r} has {len(states):,} states; it must have 1 to {MAX_ARITY:,}")

    def _check_codes(self, codes: NDArray[Any]) -> None:
        from bnsearch.data.arrays import check_mask

        if codes.dtype.kind not in "iu":
            raise InputError(f"codes must be integers, not {codes.dtype}")
        if codes.ndim != 2 or len(codes) != len(self.names):
            raise InputError(
                f"codes have shape {codes.shape}; for {len(self.names)} variables it must be ({len(self.names)}, rows)"
            )
        check_mask(codes.T, self.names)
        if not codes.shape[1]:
            raise InputError("the table has no rows")
        legal = (codes.min(axis=1) >= 0) & (codes.max(axis=1) < self.arities)
        if not legal.all():
            v = int(legal.argmin())
            row = int(((codes[v] < 0) | (codes[v] >= self.arities[v])).argmax())
            raise code_range_error(self.names[v], row, int(codes[v, row]), int(self.arities[v]))

    @classmethod
    def read(
        cls,
        path: str | os.PathLike[str],
        *,
        header: bool = True,
        arities_row: bool | None = None,
        discretize: Discretize | None = None,
    ) -> Dataset:
        """
        Read a table from a CSV, `.dat` or Parquet file, which may be gzipped.

        Parameters
        ----------
        path : file whose name ends with .csv, .dat or .parquet, optionally followed by .gz
        header : whether the first row of a text file contains the names; otherwise the columns are named "0", "1", ...
        arities_row : whether the next row of a text file contains the arities, followed by rows of codes
            0 .. arity - 1, as in Benchpress. None means True for .dat files. For CSV files, None detects such a row:
            there are two or more columns, ten or more rows follow, all values are whole numbers from 0, and in every
            column the number is larger than all that follow. With `discretize`, None means False
        discretize : rule for columns of numbers, as in `from_frame`

        Notes
        -----
        The fields of a .dat file are separated by blanks. In text files, a column in which all values are numbers is a
        column of numbers: equal numbers are one state, and states are in numeric order. The values of other columns
        are text ("TRUE" stays "TRUE"), in alphabetical order. A field that is empty or NA, N/A, NaN, nan, null, NULL
        or ? is a missing value and raises an InputError. In CSV files, such a field in quotes is a state ("NA"),
        unless it is empty. None is a common state and is not a missing value. Columns of Parquet files are coded by
        their type, as in `from_frame`. Error messages count data rows from 1.
        """
        from bnsearch.data.discretize import make_cutter
        from bnsearch.data.reading import read_table

        cutter = make_cutter(discretize)
        return cls.from_columns(*read_table(path, header=header, arities_row=arities_row, cutter=cutter))

    @classmethod
    def from_frame(cls, frame: IntoDataFrame, *, discretize: Discretize | None = None) -> Dataset:
        """
        Return the Dataset of a pandas or polars DataFrame or an Arrow Table.

        The states of a pandas Categorical, a polars Enum and an Arrow dictionary are the declared levels, in their
        order, including levels that do not occur. In all other columns the states are the distinct values: integers
        and whole-valued floats in numeric order, booleans as "False" and "True", text in alphabetical order.

        `discretize` divides columns of numbers into intervals. "quantile:5" and "uniform:5" apply to continuous columns
        and to whole numbers with more than 20 distinct values. {"age": (18, 65)} gives the cut points of the named
        columns. Other columns are not changed. See `bnsearch.data.discretize`.
        """
        from bnsearch.data.discretize import make_cutter
        from bnsearch.data.frames import code_frame

        return cls.from_columns(*code_frame(frame, make_cutter(discretize)))

    @classmethod
    def from_codes(
        cls,
        array: ArrayLike,
        *,
        arities: Sequence[int] | NDArray[np.integer] | None = None,
        names: Sequence[str] | None = None,
        states: Sequence[Sequence[str]] | None = None,
    ) -> Dataset:
        """
        Return the Dataset of an array of codes, rows x variables.

        Parameters
        ----------
        array : integers from 0, or booleans
        arities : number of states of each variable; by default the number of `states`, or the largest code + 1
        names : names of the variables; by default "0", "1", ...
        states : labels of the codes; by default "0", "1", ...
        """
        from bnsearch.data.arrays import check_codes, check_mask, label_codes

        codes = check_codes(array)
        names = [str(i) for i in range(len(codes))] if names is None else [str(name) for name in names]
        check_mask(array, names)
        return cls(codes, names, label_codes(codes, names, arities, states))

    @classmethod
    def from_columns(cls, names: Sequence[str], columns: Sequence[Column]) -> Dataset:
        """Return the Dataset of coded columns of equal length."""
        dtype = choose_code_type(max(len(column.states) for column in columns))
        codes = np.empty((len(columns), len(columns[0].codes)), dtype=dtype)
        for row, column in zip(codes, columns, strict=True):
            row[:] = column.codes
        codes.flags.writeable = False
        return cls(codes, names, [column.states for column in columns])

    def __repr__(self) -> str:
        low, high = self.arities.min(), self.arities.max()
        arity = f"{low}" if low == high else f"{low} to {high}"
        return f"Dataset({self.n_variables:,} variables, {self.n_rows:,} rows, {arity} states each)"

    def __reduce__(self) -> tuple[type[Dataset], tuple[Any, ...]]:
        return Dataset, (self.codes, self.names, self.states)  # pickled arrays are writeable when loaded

    @property
    def n_variables(self) -> int:
        """The number of variables."""
        return int(self.codes.shape[0])

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return int(self.codes.shape[1])

    def select(self, names: Sequence[str]) -> Dataset:
        """Return the table of the named variables, in the given order."""
        if not names:
            raise InputError("no columns are selected")
        picked = [self._index(name) for name in names]
        return Dataset.from_columns(names, [Column(self.codes[v], self.states[v]) for v in picked])

    def with_states(self, states: Mapping[str, Sequence[str]]) -> Dataset:
        """
        Return the same table with the declared states; variables that are not named keep their states.

        Every label that occurs must be declared. Labels that do not occur may be omitted.
        """
        columns = [Column(*pair) for pair in zip(self.codes, self.states, strict=True)]
        for name, declared in states.items():
            v = self._index(name)
            columns[v] = recode_column(name, columns[v], tuple(map(str, declared)))
        return Dataset.from_columns(self.names, columns)

    def to_polars(self) -> pl.DataFrame:
        """Return a polars DataFrame of Enum columns with the declared states in their order."""
        import polars as pl

        return pl.DataFrame(
            {
                name: pl.Series(states, dtype=pl.Enum(states)).gather(codes)
                for name, codes, states in zip(self.names, self.codes, self.states, strict=True)
            }
        )

    def write(self, path: str | os.PathLike[str]) -> None:
        """
        Write the labels to a .csv or .parquet file, optionally followed by .gz.

        Parquet keeps the declared states and their order. CSV keeps only the values. Labels that would change when
        read from CSV (empty ones, other spellings of a number) raise an InputError. If a label is spelled like a
        missing value, such as NA, all fields are written in quotes.
        """
        from bnsearch.data.writing import write_table

        write_table(self.to_polars(), path)

    @cached_property
    def _positions(self) -> dict[str, int]:
        return {name: v for v, name in enumerate(self.names)}

    def _index(self, name: str) -> int:
        try:
            return self._positions[name]
        except KeyError:
            raise InputError(f"the table has no column {name!r}") from None


def _freeze_codes(codes: NDArray[Any], dtype: type[np.uint8 | np.uint16]) -> NDArray[Any]:
    """Return the array itself if it is read-only and has the right type and layout, otherwise a read-only copy."""
    if codes.dtype != dtype or codes.flags.writeable or not codes.flags.c_contiguous or type(codes) is not np.ndarray:
        codes = np.array(codes, dtype=dtype, order="C")
        codes.flags.writeable = False
    return codes
