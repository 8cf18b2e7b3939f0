"""Dataset: codes, arities, names, states, and its methods."""

from __future__ import annotations

import pickle
import subprocess
import sys

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnsearch.data import Dataset
from bnsearch.errors import InputError


@pytest.fixture
def weather() -> Dataset:
    """Return three rows of two variables; 'snow' and 'west' never occur."""
    return Dataset.from_codes(
        [[0, 2], [1, 0], [1, 2]],
        names=["sky", "wind"],
        states=[["rain", "sun", "snow"], ["east", "west", "calm"]],
    )


def test_dataset_keeps_codes_by_variable(weather: Dataset) -> None:
    """Rows x variables in, variables x rows inside: contiguous uint8, with arities from the states."""
    assert weather.codes.tolist() == [[0, 1, 1], [2, 0, 2]]
    assert weather.codes.dtype == np.uint8
    assert weather.codes.flags.c_contiguous
    assert weather.arities.tolist() == [3, 3]
    assert weather.arities.dtype == np.int64
    assert weather.names == ("sky", "wind")
    assert weather.states == (("rain", "sun", "snow"), ("east", "west", "calm"))
    assert (weather.n_variables, weather.n_rows) == (2, 3)
    assert repr(weather) == "Dataset(2 variables, 3 rows, 3 states each)"


def test_dataset_cannot_be_changed(weather: Dataset) -> None:
    """Arrays are read-only, attributes are fixed, and a caller's array is neither frozen nor shared."""
    with pytest.raises(ValueError, match="read-only"):
        weather.codes[0, 0] = 1
    with pytest.raises(ValueError, match="read-only"):
        weather.arities[0] = 1
    with pytest.raises(AttributeError):
        weather.names = ("a", "b")  # type: ignore[misc]
    mine = np.zeros((1, 2), dtype=np.uint8)
    data = Dataset(mine, ["a"], [["x"]])
    mine[0, 0] = 7
    assert data.codes.tolist() == [[0, 0]]


def test_pickling_keeps_a_dataset_closed(weather: Dataset) -> None:
    """A pickled Dataset is restored with equal, read-only arrays."""
    copy = pickle.loads(pickle.dumps(weather))
    assert np.array_equal(copy.codes, weather.codes)
    assert (copy.names, copy.states) == (weather.names, weather.states)
    assert not copy.codes.flags.writeable
    assert not copy.arities.flags.writeable


def test_read_only_codes_are_not_copied() -> None:
    """A read-only array of the right type and layout is not copied."""
    codes = np.zeros((1, 2), dtype=np.uint8)
    codes.flags.writeable = False
    assert Dataset(codes, ["a"], [["x"]]).codes is codes


@pytest.mark.parametrize(("arity", "dtype"), [(1, np.uint8), (256, np.uint8), (257, np.uint16), (65_535, np.uint16)])
def test_code_width_follows_the_largest_arity(arity: int, dtype: type) -> None:
    """Codes 0..255 fit a byte: arity 256 is the last that does."""
    data = Dataset.from_codes([[0, 0], [0, arity - 1]])
    assert data.codes.dtype == dtype
    assert data.arities.tolist() == [1, arity]
    assert data.codes[1].tolist() == [0, arity - 1]


def test_from_codes_defaults() -> None:
    """By default names and labels are numbers and arities are the largest code + 1; booleans are codes."""
    data = Dataset.from_codes(np.array([[True, False], [False, False]]))
    assert data.names == ("0", "1")
    assert data.states == (("0", "1"), ("0",))
    assert Dataset.from_codes([[1]], arities=[4]).states == (("0", "1", "2", "3"),)


@pytest.mark.parametrize(
    ("array", "options", "message"),
    [
        ([1, 2], {}, r"two dimensions, rows x variables, not shape \(2,\)"),
        ([[1], [1, 2]], {}, "different lengths"),
        ([[]], {}, "empty: 1 rows, 0 columns"),
        (np.zeros((0, 2), dtype=int), {}, "empty: 0 rows, 2 columns"),
        ([[1.0]], {}, "codes must be integers, not float64"),
        ([["a"]], {}, "codes must be integers"),
        ([[0, 0], [0, -1]], {}, "column '1', row 2: code -1 is outside 0..0"),
        ([[-3]], {}, "column '0', row 1: code -3"),
        ([[0], [3]], {"arities": [3]}, r"column '0', row 2: code 3 is outside 0\.\.2"),
        ([[0], [2]], {"states": [["x", "y"]]}, r"row 2: code 2 is outside 0\.\.1"),
        ([[0]], {"arities": [0]}, "arity 0; it must be a whole number from 1 to 65,535"),
        ([[0]], {"arities": [-1]}, "arity -1"),
        ([[0]], {"arities": [65_536]}, "arity 65536; it must be a whole number from 1 to 65,535"),
        ([[2**40]], {}, "column '0' has arity 1099511627777"),
        ([[2**64 - 1]], {}, "column '0' has arity 18446744073709551616"),
        ([[0]], {"arities": [1, 1]}, "1 columns of codes but 2 arities"),
        ([[0]], {"arities": [1.5]}, "arity 1.5"),
        ([[0]], {"names": ["a", "b"]}, "1 columns of codes but 2 names"),
        ([[0]], {"states": []}, "1 columns of codes but 0 lists of states"),
        ([[0]], {"arities": [3], "states": [["x"]]}, "arity 3 but 1 states"),
        ([[0, 0]], {"names": ["a", "a"]}, "two columns are named 'a'"),
        ([[0, 0]], {"names": ["a", ""]}, "column 2 has no name"),
        ([[0]], {"states": [["x", "y", "x"]]}, "two states labelled 'x'"),
    ],
)
def test_from_codes_refuses(array: object, options: dict[str, object], message: str) -> None:
    """Each invalid array raises an error of one line that names the column and, if there is one, the row."""
    with pytest.raises(InputError, match=message) as caught:
        Dataset.from_codes(array, **options)  # type: ignore[arg-type]
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("codes", "names", "states", "message"),
    [
        ([], [], [], "the table has no columns"),
        ([[0]], ["a"], [], "1 names but 0 lists of states"),
        ([[0]], ["a"], [[]], "column 'a' has 0 states; it must have 1 to 65,535"),
        ([[0.0]], ["a"], [["x"]], "codes must be integers, not float64"),
        ([[0], [0]], ["a"], [["x"]], r"codes have shape \(2, 1\); for 1 variables it must be \(1, rows\)"),
        ([0], ["a"], [["x"]], r"codes have shape \(1,\)"),
        (np.empty((1, 0), dtype=int), ["a"], [["x"]], "the table has no rows"),
    ],
)
def test_the_constructor_refuses(codes: object, names: list[str], states: list[list[str]], message: str) -> None:
    """Codes by variable are checked as rows are, with an error of one line."""
    with pytest.raises(InputError, match=message):
        Dataset(np.array(codes), names, states)


def test_select(weather: Dataset) -> None:
    """The selected variables have the given order and their states; unknown, repeated or no names raise an error."""
    swapped = weather.select(["wind", "sky"])
    assert swapped.names == ("wind", "sky")
    assert swapped.codes.tolist() == [[2, 0, 2], [0, 1, 1]]
    assert swapped.states == weather.states[::-1]
    for names, message in ((["rain"], "no column 'rain'"), (["sky", "sky"], "'sky'"), ([], "no columns")):
        with pytest.raises(InputError, match=message):
            weather.select(names)


def test_with_states_recodes(weather: Dataset) -> None:
    """Labels are coded by the declared states (sun, fog, rain); snow does not occur and may be omitted."""
    data = weather.with_states({"sky": ["sun", "fog", "rain"]})
    assert data.codes.tolist() == [[2, 0, 0], [2, 0, 2]]
    assert data.states == (("sun", "fog", "rain"), ("east", "west", "calm"))
    assert weather.codes[0].tolist() == [0, 1, 1]


def test_with_states_refuses(weather: Dataset) -> None:
    """An undeclared label raises an error with its column and row, and so do unknown columns and too many states."""
    with pytest.raises(InputError, match=r"column 'wind', row 2: 'east' is not one of .* 'west', 'calm'"):
        weather.with_states({"wind": ["west", "calm"]})
    with pytest.raises(InputError, match="no column 'rain'"):
        weather.with_states({"rain": ["a"]})
    with pytest.raises(InputError, match="column 'sky' has 70,000 or more distinct values"):
        weather.with_states({"sky": [str(i) for i in range(70_000)]})
    with pytest.raises(InputError, match="two states labelled 'calm'"):
        weather.with_states({"wind": ["calm", "east", "calm"]})


@given(st.data())
def test_with_states_is_undone_by_the_old_states(data: st.DataObject) -> None:
    """Shuffled and additional states keep the label of each row; the old states restore the old codes."""
    labels = data.draw(st.lists(st.text(max_size=3), min_size=1, max_size=6, unique=True))
    codes = data.draw(st.lists(st.integers(0, len(labels) - 1), min_size=1, max_size=20))
    wider = data.draw(st.permutations([*labels, "another label"]))
    old = Dataset.from_codes([[c] for c in codes], names=["v"], states=[labels])
    new = old.with_states({"v": wider})
    assert [wider[c] for c in new.codes[0]] == [labels[c] for c in codes]
    back = new.with_states({"v": labels})
    assert back.states == old.states
    assert np.array_equal(back.codes, old.codes)


def test_to_polars_keeps_declared_states(weather: Dataset) -> None:
    """Columns are Enums of all states, in their order."""
    frame = weather.to_polars()
    assert frame.schema["sky"] == pl.Enum(["rain", "sun", "snow"])
    assert frame.rows() == [("rain", "calm"), ("sun", "east"), ("sun", "calm")]


def test_import_is_light() -> None:
    """Importing the Dataset imports no polars, narwhals, pandas, pyarrow or numba."""
    code = (
        "import sys; from bnsearch.data import Dataset; "
        "print(sorted({'polars', 'narwhals', 'pandas', 'pyarrow', 'numba'} & set(sys.modules)))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


def test_masked_values_are_missing_values():
    """A masked array is read only if no value is masked; otherwise the error names the first masked value."""
    codes = np.ma.masked_array([[0, 1], [1, 0], [1, 1]], mask=[[0, 0], [0, 1], [1, 0]])
    with pytest.raises(InputError, match=r"column '0', row 3: missing value \(masked\)"):
        Dataset.from_codes(codes)
    with pytest.raises(InputError, match=r"column 'b', row 2: missing value \(masked\)"):
        Dataset.from_codes(codes[:2], names=["a", "b"])
    with pytest.raises(InputError, match=r"column 'a', row 3: missing value \(masked\)"):
        Dataset(codes.T, ["a", "b"], [("x", "y"), ("x", "y")])
    whole = Dataset.from_codes(np.ma.masked_array([[0, 1], [1, 0]], mask=False))
    assert type(whole.codes) is np.ndarray
    assert whole.codes.tolist() == [[0, 1], [1, 0]]
