"""Scores by name."""

from __future__ import annotations

import dataclasses
import difflib

from bnsearch.errors import InputError
from bnsearch.scores.aic import AIC
from bnsearch.scores.bdeu import BDeu
from bnsearch.scores.bic import BIC
from bnsearch.scores.fnml import FNML
from bnsearch.scores.k2 import K2
from bnsearch.scores.loglik import LogLikelihood
from bnsearch.scores.qnml import QNML
from bnsearch.scores.score import Score

ScoreClass = type[LogLikelihood] | type[AIC] | type[BIC] | type[BDeu] | type[K2] | type[FNML] | type[QNML]

SCORES: dict[str, ScoreClass] = {kind.name: kind for kind in (LogLikelihood, AIC, BIC, BDeu, K2, FNML, QNML)}
ALIASES = {"mdl": "bic", "ll": "loglik"}


def make_score(name: str, **parameters: float | bool) -> Score:
    """Make a score from its name and parameters: make_score("bdeu", ess=10)."""
    key = ALIASES.get(name.lower(), name.lower())
    if key not in SCORES:
        near = difflib.get_close_matches(key, [*SCORES, *ALIASES], n=1)
        hint = f" (did you mean {near[0]!r}?)" if near else ""
        raise InputError(f"there is no score {name!r}{hint}: choose from {', '.join(SCORES)}")
    kind = SCORES[key]
    known = [field.name for field in dataclasses.fields(kind)]
    for given in parameters:
        if given not in known:
            takes = f"takes {', '.join(known)}" if known else "takes no parameters"
            raise InputError(f"the {key} score has no parameter {given!r}: it {takes}")
    return kind(**parameters)  # type: ignore[arg-type]
