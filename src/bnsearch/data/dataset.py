"""The table that all methods learn from: discrete data, coded as small integers."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bnsearch.data.checks import check_code_ranges, check_states, freeze_codes
from bnsearch.data.coding import Column, choose_code_type, recode_column
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
    codes : array of int
        Codes of each variable, integers of shape (n_variables, n_rows). They are stored read-only and C-contiguous,
        as uint8 if every arity is at most 256, otherwise as uint16. An array of this kind is not copied.
    names : sequence of str
        Names of the variables, all different.
    states : sequence of sequence of str
        Labels of the codes 0, 1, ... of each variable, including states that do not occur.

    Attributes
    ----------
    arities : int64[n_variables]
        Number of states of each variable.

    Examples
    --------
    >>> import bnsearch
    >>> data = bnsearch.Dataset.from_codes([[0, 1], [1, 0], [1, 1]], names=["a", "b"])
    >>> data
    Dataset(2 variables, 3 rows, 2 states each)
    >>> data.states
    (('0', '1'), ('0', '1'))
    """

    codes: NDArray[np.uint8] | NDArray[np.uint16]
    arities: NDArray[np.int64]
    names: tuple[str, ...]
    states: tuple[tuple[str, ...], ...]

    def __init__(self, codes: NDArray[Any], names: Sequence[str], states: Sequence[Sequence[str]]) -> None:
        object.__setattr__(self, "names", tuple(names))
        object.__setattr__(self, "states", tuple(tuple(s) for s in states))
        object.__setattr__(self, "arities", np.array([len(s) for s in self.states], dtype=np.int64))
        check_states(self.names, self.states)
        check_code_ranges(codes, self.names, self.arities)
        object.__setattr__(self, "codes", freeze_codes(codes, choose_code_type(int(self.arities.max()))))
        self.arities.flags.writeable = False

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
        path : str or path
            File whose name ends with .csv, .dat or .parquet, optionally followed by .gz.
        header : bool, default True
            Whether the first row of a text file contains the names; otherwise the columns are named "0", "1", ...
        arities_row : bool, optional
            Whether the next row of a text file contains the arities, followed by rows of codes 0 .. arity - 1, as in
            Benchpress. None means True for .dat files. For CSV files, None detects such a row: there are two or more
            columns, ten or more rows follow, all values are whole numbers from 0, and in every column the number is
            larger than all that follow. With `discretize`, None means False.
        discretize : str or mapping, optional
            Rule for columns of numbers, as in `from_frame`.

        Returns
        -------
        Dataset
            The table.

        Raises
        ------
        InputError
            If the file cannot be read, a value is missing, or a column is continuous and not discretised.

        Notes
        -----
        The fields of a .dat file are separated by blanks. In text files, a column in which all values are numbers is a
        column of numbers: equal numbers are one state, and states are in numeric order. The values of other columns are
        text ("TRUE" stays "TRUE"), in alphabetical order. A field that is empty or NA, N/A, NaN, nan, null, NULL or ?
        is a missing value and raises an InputError. In CSV files, such a field in quotes is a state ("NA"), unless it
        is empty. None is a common state and is not a missing value. Columns of Parquet files are coded by their type,
        as in `from_frame`. Error messages count data rows from 1.

        Examples
        --------
        >>> import bnsearch
        >>> bnsearch.load_network("asia").sample(1000, 1).write("asia.csv")
        >>> bnsearch.Dataset.read("asia.csv")
        Dataset(8 variables, 1,000 rows, 2 states each)
        """
        from bnsearch.data.discretize import make_cutter
        from bnsearch.data.reading import read_table

        cutter = make_cutter(discretize)
        return cls.from_columns(*read_table(path, header=header, arities_row=arities_row, cutter=cutter))

    @classmethod
    def from_frame(cls, frame: IntoDataFrame, *, discretize: Discretize | None = None) -> Dataset:
        """
        Return the Dataset of a pandas or polars DataFrame or an Arrow Table.

        Parameters
        ----------
        frame : DataFrame or Table
            The states of a pandas Categorical, a polars Enum and an Arrow dictionary are the declared levels, in their
            order, including levels that do not occur. In all other columns the states are the distinct values: integers
            and whole-valued floats in numeric order, booleans as "False" and "True", text in alphabetical order.
        discretize : str or mapping, optional
            Rule that divides columns of numbers into intervals. "quantile:5" and "uniform:5" apply to continuous
            columns and to whole numbers with more than 20 distinct values. {"age": (18, 65)} gives the cut points of
            the named columns. Other columns are not changed. See `bnsearch.data.discretize`.

        Returns
        -------
        Dataset
            The table.

        Raises
        ------
        InputError
            If a value is missing, a column is continuous and not discretised, or a type is not supported.

        Examples
        --------
        >>> import polars as pl
        >>> from bnsearch import Dataset
        >>> frame = pl.DataFrame({"age": [12, 30, 70], "ill": ["no", "no", "yes"]})
        >>> Dataset.from_frame(frame, discretize={"age": (18, 65)}).states
        (('<=18', '18..65', '>65'), ('no', 'yes'))
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
        array : array of int or bool
            Codes from 0, rows x variables.
        arities : sequence of int, optional
            Number of states of each variable; by default the number of `states`, or the largest code + 1.
        names : sequence of str, optional
            Names of the variables; by default "0", "1", ...
        states : sequence of sequence of str, optional
            Labels of the codes; by default "0", "1", ...

        Returns
        -------
        Dataset
            The table.

        Raises
        ------
        InputError
            If a code is negative, too large or masked, or the lengths differ.

        Examples
        --------
        >>> from bnsearch import Dataset
        >>> Dataset.from_codes([[0, 1], [1, 2]], names=["a", "b"])
        Dataset(2 variables, 2 rows, 2 to 3 states each)
        """
        from bnsearch.data.arrays import check_codes, check_mask, label_codes

        codes = check_codes(array)
        names = [str(i) for i in range(len(codes))] if names is None else [str(name) for name in names]
        check_mask(array, names)
        return cls(codes, names, label_codes(codes, names, arities, states))

    @classmethod
    def from_columns(cls, names: Sequence[str], columns: list[Column]) -> Dataset:
        """Return the Dataset of coded columns of equal length; the list is emptied, so that memory is freed early."""
        states = [column.states for column in columns]
        codes = np.empty((len(columns), len(columns[0].codes)), dtype=choose_code_type(max(map(len, states))))
        for row in codes[::-1]:
            row[:] = columns.pop().codes
        codes.flags.writeable = False
        return cls(codes, names, states)

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
