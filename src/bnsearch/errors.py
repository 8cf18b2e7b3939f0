"""The errors a user can meet, and the checks that raise them at the edge."""

from __future__ import annotations

from numbers import Integral, Real

LARGEST = 10**15


class BnsearchError(Exception):
    """Base of every error that bnsearch raises on purpose; its text is one clear line."""


class InputError(BnsearchError, ValueError):
    """Something handed in is wrong; the text says what, where and what to do."""


def require(
    name: str,
    value: float,
    *,
    above: float | None = None,
    at_least: float | None = None,
    below: float | None = None,
    at_most: float | None = None,
    whole: bool = False,
    any_size: bool = False,
) -> None:
    """
    Refuse a parameter outside its legal range, naming the parameter, the range and the value.

    A whole number of more than 10^15 is a slip of the finger, and would overflow somewhere, unless it is `any_size`.
    """
    if isinstance(value, bool) or not isinstance(value, Integral if whole else Real):
        raise InputError(f"{name} must be a {'whole ' if whole else ''}number, not {value!r}")
    legal = []
    if above is not None:
        legal.append((value > above, f"above {above}"))
    if at_least is not None:
        legal.append((value >= at_least, f"at least {at_least}"))
    if below is not None:
        legal.append((value < below, f"below {below}"))
    if at_most is not None:
        legal.append((value <= at_most, f"at most {at_most}"))
    if whole and at_most is None and not any_size and value > LARGEST:
        legal.append((False, f"at most {LARGEST}"))
    if not all(holds for holds, _ in legal):
        raise InputError(f"{name} must be {' and '.join(text for _, text in legal)}, not {value!r}")
