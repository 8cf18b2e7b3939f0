"""Errors raised on invalid input, and checks of parameters."""

from __future__ import annotations

from numbers import Integral, Real

MAX_WHOLE_NUMBER = 10**15  # larger whole numbers are probably typing errors, and would overflow in kernels


class BnsearchError(Exception):
    """
    Base class of all errors that bnsearch raises deliberately; the message is one line.

    Examples
    --------
    >>> import bnsearch
    >>> issubclass(bnsearch.InputError, bnsearch.BnsearchError)
    True
    """


class InputError(BnsearchError, ValueError):
    """
    Invalid input; the message says what is wrong, where, and what to do.

    Examples
    --------
    >>> import bnsearch
    >>> try:
    ...     bnsearch.make_score("bci")
    ... except bnsearch.InputError as error:
    ...     print(error)
    there is no score 'bci' (did you mean 'bic'?): choose from loglik, aic, bic, bdeu, k2, fnml, qnml
    """


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
    Raise an error that names the parameter, its legal range and its value, if the value is outside of the range.

    Whole numbers above 10^15 are refused as well, unless `any_size` is given.
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
    if whole and at_most is None and not any_size and value > MAX_WHOLE_NUMBER:
        legal.append((False, f"at most {MAX_WHOLE_NUMBER}"))
    if not all(holds for holds, _ in legal):
        raise InputError(f"{name} must be {' and '.join(text for _, text in legal)}, not {value!r}")
