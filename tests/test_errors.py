"""The check of parameters."""

from __future__ import annotations

from fractions import Fraction
from math import inf, nan

import numpy as np
import pytest

from bnsearch.errors import BnsearchError, InputError, require


@pytest.mark.parametrize(
    ("value", "limits"),
    [
        (0.5, {"above": 0, "at_most": 1}),
        (1, {"above": 0, "at_most": 1}),
        (1, {"at_least": 1, "below": 2}),
        (np.float32(0.5), {"above": 0}),
        (np.int64(3), {"at_least": 3, "whole": True}),
        (Fraction(1, 3), {"below": 1}),
        (-inf, {}),
        (10**15, {"whole": True}),
        (10**30, {"whole": True, "any_size": True}),
        (1 << 62, {"at_most": 1 << 62, "whole": True}),
        (1e30, {"at_least": 0}),
    ],
)
def test_legal_values_pass(value, limits):
    """Values inside the range, its closed ends included, of any kind of number."""
    require("x", value, **limits)


@pytest.mark.parametrize(
    ("value", "limits", "text"),
    [
        (0, {"above": 0, "at_most": 1}, "x must be above 0 and at most 1, not 0"),
        (1.5, {"above": 0, "at_most": 1}, "x must be above 0 and at most 1, not 1.5"),
        (2, {"at_least": 1, "below": 2}, "x must be at least 1 and below 2, not 2"),
        (inf, {"below": inf}, "x must be below inf, not inf"),
        (nan, {"at_least": 0}, "x must be at least 0, not nan"),
        (nan, {"at_most": 0}, "x must be at most 0, not nan"),
        (True, {"at_least": 0, "whole": True}, "x must be a whole number, not True"),
        ("3", {"at_least": 0}, "x must be a number, not '3'"),
        (None, {"at_least": 0}, "x must be a number, not None"),
        (1j, {"at_least": 0}, "x must be a number, not 1j"),
        (2.0, {"at_least": 0, "whole": True}, "x must be a whole number, not 2.0"),
        ("2", {"at_least": 0, "whole": True}, "x must be a whole number, not '2'"),
        (10**16, {"at_least": 0, "whole": True}, f"x must be at least 0 and at most {10**15}, not {10**16}"),
    ],
)
def test_illegal_values_are_named(value, limits, text):
    """The text names the parameter, its legal range and the value, in one line."""
    with pytest.raises(InputError) as caught:
        require("x", value, **limits)
    assert str(caught.value) == text


def test_kinds_of_errors():
    """An input error is a value error, and one of ours."""
    assert issubclass(InputError, ValueError)
    assert issubclass(InputError, BnsearchError)
