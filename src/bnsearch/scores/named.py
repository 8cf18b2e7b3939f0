"""Scores by name."""

from __future__ import annotations

from typing import Any

from bnsearch._tools.built_in import BUILT_IN_SCORES
from bnsearch._tools.registry import Registry
from bnsearch.errors import InputError
from bnsearch.scores.local import LocalScore, make_local_score_class
from bnsearch.scores.score import Score


def _adapt(name: str, loaded: Any) -> type[Score]:
    """Return the class of a score from another package; a function becomes the class of a score."""
    if not isinstance(loaded, type):
        return make_local_score_class(name, loaded)
    if not issubclass(loaded, LocalScore) and callable(getattr(loaded, "local", None)):
        loaded = type(loaded.__name__, (loaded, LocalScore), {"name": name, "__doc__": loaded.__doc__})
    if getattr(loaded, "name", None) != name:
        raise InputError(f"the attribute `name` of the class must be {name!r}, not {getattr(loaded, 'name', None)!r}")
    if not all(callable(getattr(loaded, part, None)) for part in ("joint", "parents")):
        raise InputError("a score needs the methods `joint` and `parents`, or the method `local`")
    kind: type[Score] = loaded
    return kind


SCORES: Registry[Score] = Registry(
    "score",
    BUILT_IN_SCORES,
    group="bnsearch.scores",
    adapt=_adapt,
    aliases={"mdl": "bic", "ll": "loglik"},
)


def make_score(name: str, /, **parameters: Any) -> Score:
    """
    Return a score by name.

    Parameters
    ----------
    name : str
        Name of the score, in upper or lower case; `SCORES` lists them.
    **parameters
        Parameters of the score.

    Returns
    -------
    Score
        The score.

    Raises
    ------
    InputError
        If the name or a parameter is unknown, or a value is invalid.

    Examples
    --------
    >>> import bnsearch
    >>> bnsearch.make_score("bdeu", ess=10)
    BDeu(ess=10, prior=False)
    """
    return SCORES.make(name, parameters)
