"""Coding of data frames of all libraries that narwhals supports, without importing these libraries."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bnsearch.data.coding import (
    Column,
    check_names,
    code_booleans,
    code_declared,
    code_floats,
    code_integers,
    code_text,
    index_first_labels,
    missing_value_error,
)
from bnsearch.data.discretize import Cuts, Cutter, Discretize, cut_column, make_cutter
from bnsearch.errors import InputError

if TYPE_CHECKING:
    import polars as pl
    from narwhals.dtypes import DType
    from narwhals.series import Series
    from narwhals.stable.v2.typing import IntoDataFrame

    from bnsearch.data.new_rows import NewRows


def code_frame(
    frame: IntoDataFrame, cutter: Cutter | None = None, new_rows: NewRows | None = None
) -> tuple[list[str], list[Column]]:
    """
    Return the names and the coded columns of a data frame, divided into intervals by the cutter.

    `new_rows` selects columns and permits missing values.
    """
    columns = _get_columns(frame)
    if new_rows is not None:
        chosen = {name: new_rows.choose_rows(name, _find_missing(series)) for name, series in columns.items()}
        columns = {name: columns[name][rows.tolist()] for name, rows in chosen.items() if rows is not None}
    if cutter is not None:
        cutter.check_columns(list(columns))
    return list(columns), [_code_series(name, series, cutter) for name, series in columns.items()]


def code_polars_frame(names: Sequence[str], frame: pl.DataFrame, cutter: Cutter | None) -> list[Column]:
    """
    Return the coded columns of a polars DataFrame; their names are `names`, those of the frame do not matter.

    The result is that of `code_frame`. Calls of polars for single columns take most of the time if there are many
    columns, so declared levels and text are converted for all columns together.
    """
    import narwhals.stable.v2 as nw
    import polars as pl

    frame.columns = [str(i) for i in range(frame.width)]  # polars treats some names, such as "^a$", as patterns
    declared = {series.name: series for series in frame.select(pl.selectors.enum().to_physical())}
    is_text = {name: kind == pl.String for name, kind in frame.schema.items()}
    missing = dict(zip(frame.columns, frame.null_count().row(0), strict=True))
    text = frame.select(name for name in frame.columns if is_text[name] and not missing[name])
    first_labels = dict(zip(text.columns, index_first_labels(text), strict=True))
    columns = []
    for name, series in zip(names, frame, strict=True):
        if series.name in declared and not missing[series.name]:
            levels = series.dtype.categories.to_list()  # type: ignore[attr-defined]  # of an Enum
            columns.append(code_declared(name, declared.pop(series.name).to_numpy(), levels))
        elif series.name in first_labels:
            columns.append(code_text(name, series, first_labels.pop(series.name)))
        else:
            columns.append(_code_series(name, nw.from_native(series, series_only=True).alias("values"), cutter))
    return columns


def check_size(rows: int, columns: int) -> None:
    """Raise an InputError if a table is empty."""
    if not rows or not columns:
        raise InputError(f"the table is empty: {rows} rows, {columns} columns")


def find_cut_points(frame: IntoDataFrame, discretize: Discretize | None) -> dict[str, Cuts]:
    """
    Return the cut points of the columns of a data frame, by name, without columns that are not divided.

    The result can be passed as `discretize` for another data frame, which is then divided at the same points.
    """
    cutter = make_cutter(discretize)
    if cutter is None:
        return {}
    columns = _get_columns(frame)
    cutter.check_columns(list(columns))
    found = {
        name: cutter.find_cuts(name, _get_numbers(_require_complete(name, series))) for name, series in columns.items()
    }
    return {name: cuts for name, cuts in found.items() if cuts is not None}


def _get_columns(frame: IntoDataFrame) -> dict[str, Series[Any]]:
    """Return the columns of a data frame by name."""
    import narwhals.stable.v2 as nw
    from narwhals.exceptions import NarwhalsError

    try:
        wrapped = nw.from_native(frame, eager_only=True)
    except (TypeError, NarwhalsError) as error:
        reason = " ".join(str(error).split())
        raise InputError(
            f"cannot read a table from {type(frame).__name__} ({reason}): pass a pandas or polars DataFrame "
            "or an Arrow Table without repeated names, or an array of codes to Dataset.from_codes"
        ) from None
    check_size(len(wrapped), len(wrapped.columns))
    names = [str(name) for name in wrapped.columns]
    check_names(names)
    # polars treats some names, such as "^a$", as patterns
    return {name: series.alias("values") for name, series in zip(names, wrapped.iter_columns(), strict=True)}


def _find_missing(series: Series[Any]) -> NDArray[Any]:
    """Return bool[rows], the missing values of a column; NaN is one."""
    missing = series.is_null() | series.is_nan() if series.dtype.is_float() else series.is_null()
    return missing.fill_null(True).to_numpy().astype(bool)


def _require_complete(name: str, series: Series[Any]) -> Series[Any]:
    """Return the column; a missing value raises an InputError."""
    if series.null_count():
        raise missing_value_error(name, int(series.is_null().to_numpy().argmax()), "null")
    return series


def _get_numbers(series: Series[Any]) -> NDArray[Any] | None:
    """Return the numbers of a column of integers or floats, otherwise None."""
    return series.to_numpy() if series.dtype.is_float() or _is_integer(series.dtype) else None


def _is_integer(dtype: DType) -> bool:
    """Return True if the type is an integer type that NumPy supports."""
    import narwhals.stable.v2 as nw

    return dtype.is_integer() and dtype not in {nw.Int128, nw.UInt128}


def _code_series(name: str, series: Series[Any], cutter: Cutter | None) -> Column:
    import narwhals.stable.v2 as nw

    dtype = _require_complete(name, series).dtype
    cut = None if cutter is None else cut_column(name, _get_numbers(series), cutter)
    if cut is not None:
        return cut
    if isinstance(dtype, nw.Categorical | nw.Enum):
        return _code_categorical(name, series)
    if dtype == nw.String:
        return _code_text_series(name, _to_polars(series))
    if dtype.is_float():
        return code_floats(name, series.to_numpy())
    if _is_integer(dtype):
        return code_integers(name, series.to_numpy())
    if dtype in {nw.Boolean, nw.Object, nw.Unknown}:
        return _code_array(name, series.to_numpy())
    raise _unsupported_type_error(name, str(dtype))


def _code_text_series(name: str, series: pl.Series) -> Column:
    """Return the coded column of text without missing values."""
    return code_text(name, series, *index_first_labels(series.to_frame()))


def _code_categorical(name: str, series: Series[Any]) -> Column:
    """
    Return the coded column of a categorical column, with its declared levels.

    A pandas Categorical, a polars Enum and an Arrow dictionary declare levels and their order. A polars
    Categorical does not declare levels and is coded as text.
    """
    import narwhals.stable.v2 as nw

    native = series.to_native()
    if series.implementation.is_pyarrow():
        array = native.unify_dictionaries().combine_chunks()
        return code_declared(name, array.indices.to_numpy(), array.dictionary.to_pylist())
    if series.implementation.is_polars() and isinstance(series.dtype, nw.Enum):
        return code_declared(name, native.to_physical().to_numpy(), native.dtype.categories.to_list())
    if series.implementation.is_pandas_like() and hasattr(native.dtype, "categories"):
        return code_declared(name, native.cat.codes.to_numpy(), native.dtype.categories.tolist())
    return _code_text_series(name, _to_polars(series.cast(nw.String)))


def _code_array(name: str, values: NDArray[Any]) -> Column:
    """Return the coded column of an array of booleans, integers, or Python objects of one type."""
    import polars as pl

    kinds = {type(value) for value in values} if values.dtype == object else {values.dtype.type}
    if all(issubclass(kind, bool | np.bool_) for kind in kinds):
        return code_booleans(name, values)
    if all(issubclass(kind, int | np.integer) and kind is not bool for kind in kinds):
        try:
            return code_integers(name, values if values.dtype != object else values.astype(np.int64))
        except OverflowError:
            raise InputError(f"column {name!r} has integers beyond 64 bits: convert them to text") from None
    if all(issubclass(kind, str) for kind in kinds):
        return _code_text_series(name, pl.Series(values.tolist(), dtype=pl.String))
    raise _unsupported_type_error(name, " and ".join(sorted(kind.__name__ for kind in kinds)))


def _to_polars(series: Series[Any]) -> pl.Series:
    import polars as pl

    try:
        return series.to_polars()
    except ImportError:  # pandas converts text with pyarrow, which may not be installed
        return pl.Series(series.to_list(), dtype=pl.String)


def _unsupported_type_error(name: str, kind: str) -> InputError:
    return InputError(
        f"column {name!r} has values of type {kind}: convert them to text, integers, booleans or categories"
    )
