"""Answers of queries: distributions with labels."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bnsearch._tools.wording import listed, shown
from bnsearch.errors import InputError

if TYPE_CHECKING:
    import polars as pl

MAX_SHOWN = 6  # number of cells that the text of a distribution shows
MAX_LINES = 40  # number of variables that the text of marginals shows


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Distribution:
    """
    The joint distribution of one or several variables given evidence.

    Parameters
    ----------
    names : tuple of str
        The variables.
    states : tuple of tuple of str
        Labels of the states of each variable.
    probabilities : array of float
        Float64 with one axis for each variable, in the order of `names`.
    errors : array of float, optional
        Standard error of each probability, if they were estimated by sampling; None if they are exact.
    evidence : dict
        The observed states by name.
    log_evidence : float
        Natural logarithm of the probability of the evidence; an estimate, if `errors` is given.
    notes : tuple of str
        Decisions that the user should know of, such as the use of sampling.

    Examples
    --------
    >>> import bnsearch
    >>> network = bnsearch.load_network("asia")
    >>> lung = network.query("lung", {"smoke": "yes"})
    >>> lung
    P(lung | smoke=yes): yes 0.1, no 0.9
    >>> round(lung["yes"], 6)
    0.1
    >>> lung.to_polars().columns
    ['lung', 'probability']
    """

    names: tuple[str, ...]
    states: tuple[tuple[str, ...], ...]
    probabilities: NDArray[np.float64]
    errors: NDArray[np.float64] | None = None
    evidence: Mapping[str, str] = field(default_factory=dict)
    log_evidence: float = 0.0
    notes: tuple[str, ...] = ()

    def __getitem__(self, labels: str | tuple[str, ...]) -> float:
        """Return the probability of a state, or of one state for each variable."""
        wanted = labels if isinstance(labels, tuple) else (labels,)
        if len(wanted) != len(self.names):
            raise InputError(f"this is a distribution of {listed(self.names)}: give one state for each of them")
        for name, states, label in zip(self.names, self.states, wanted, strict=True):
            if str(label) not in states:
                raise InputError(
                    f"the variable {shown(name)} has no state {shown(str(label))}; its states are {listed(states)}"
                )
        cell = tuple(states.index(str(label)) for states, label in zip(self.states, wanted, strict=True))
        return float(self.probabilities[cell])

    def to_polars(self) -> pl.DataFrame:
        """
        Return a polars DataFrame with one row for each joint state.

        It has one Enum column for each variable, a column "probability", and after sampling a column "error".
        """
        errors = {} if self.errors is None else {"error": self.errors}
        return label_cells(self.names, self.states, {"probability": self.probabilities, **errors})

    def __repr__(self) -> str:
        given = ", ".join(f"{name}={state}" for name, state in self.evidence.items())
        title = f"P({', '.join(self.names)}{' | ' if given else ''}{given})"
        cells = []
        for cell in list(np.ndindex(self.probabilities.shape))[:MAX_SHOWN]:
            label = ",".join(states[i] for states, i in zip(self.states, cell, strict=True))
            error = "" if self.errors is None else f" ± {self.errors[cell]:.2g}"
            cells.append(f"{label} {self.probabilities[cell]:.6g}{error}")
        more = ["..."] if self.probabilities.size > MAX_SHOWN else []
        return f"{title}: {', '.join(cells + more)}"


class Marginals(Mapping[str, Distribution]):
    """
    The distribution of each of several variables given the same evidence, by name.

    Attributes
    ----------
    evidence : dict
        The observed states by name.
    log_evidence : float
        Natural logarithm of the probability of the evidence.
    notes : tuple of str
        Decisions that the user should know of.

    Examples
    --------
    >>> import bnsearch
    >>> marginals = bnsearch.load_network("asia").marginals({"smoke": "yes"})
    >>> len(marginals), marginals["bronc"]
    (7, P(bronc | smoke=yes): yes 0.6, no 0.4)
    >>> marginals.to_polars().columns
    ['variable', 'state', 'probability']
    """

    def __init__(
        self,
        distributions: Sequence[Distribution],
        evidence: Mapping[str, str],
        log_evidence: float,
        notes: tuple[str, ...] = (),
    ) -> None:
        self._distributions = {distribution.names[0]: distribution for distribution in distributions}
        self.evidence, self.log_evidence, self.notes = dict(evidence), log_evidence, notes

    def __getitem__(self, name: str) -> Distribution:
        if name not in self._distributions:
            hint = "it is evidence" if name in self.evidence else f"they include {listed(self._distributions)}"
            raise InputError(f"there is no marginal distribution of {shown(str(name))}: {hint}")
        return self._distributions[name]

    def __contains__(self, name: object) -> bool:
        return name in self._distributions

    def get(self, name: str, default: Any = None) -> Any:
        """Return the distribution of a variable, or the default if there is none."""
        return self._distributions.get(name, default)

    def __iter__(self) -> Iterator[str]:
        return iter(self._distributions)

    def __len__(self) -> int:
        return len(self._distributions)

    def __repr__(self) -> str:
        given = ", ".join(f"{name}={state}" for name, state in self.evidence.items())
        return f"Marginals({len(self)} variables{' given ' if given else ''}{given})"

    def __str__(self) -> str:
        """Return the distributions, one on each line, of at most MAX_LINES variables."""
        lines = [str(distribution) for distribution in list(self._distributions.values())[:MAX_LINES]]
        more = [f"... {len(self) - MAX_LINES:,} more variables"] if len(self) > MAX_LINES else []
        return "\n".join([*lines, *more])

    def to_polars(self) -> pl.DataFrame:
        """Return a polars DataFrame with the columns variable, state, probability, and after sampling error."""
        import polars as pl

        found = list(self._distributions.values())
        frame = pl.DataFrame(
            {
                "variable": [d.names[0] for d in found for _ in d.states[0]],
                "state": [state for d in found for state in d.states[0]],
                "probability": [p for d in found for p in d.probabilities.tolist()],
            },
            schema={"variable": pl.String, "state": pl.String, "probability": pl.Float64},
        )
        errors = [error for d in found if d.errors is not None for error in d.errors.tolist()]
        return frame.with_columns(pl.Series("error", errors)) if errors else frame


@dataclass(frozen=True, kw_only=True)
class MostProbable:
    """
    The most probable states of variables given evidence.

    Parameters
    ----------
    states : dict
        The states by name.
    evidence : dict
        The observed states by name.
    log_probability : float
        Natural logarithm of the probability of these states given the evidence.
    log_evidence : float
        Natural logarithm of the probability of the evidence.

    Examples
    --------
    >>> import bnsearch
    >>> found = bnsearch.load_network("asia").most_probable({"xray": "yes"}, targets=["lung", "tub"])
    >>> found.states, round(found.probability, 3)
    ({'lung': 'yes', 'tub': 'no'}, 0.484)
    """

    states: dict[str, str]
    evidence: dict[str, str]
    log_probability: float
    log_evidence: float

    @property
    def probability(self) -> float:
        """Probability of these states given the evidence."""
        return float(np.exp(self.log_probability))


def label_cells(
    names: Sequence[str], states: Sequence[Sequence[str]], columns: Mapping[str, NDArray[np.float64]]
) -> pl.DataFrame:
    """
    Return a polars DataFrame with one row for each cell of arrays over variables.

    It has one Enum column for each variable. An array whose name is that of a variable gets an underscore.
    """
    import polars as pl

    shape = tuple(len(labels) for labels in states)
    frame = {}
    for axis, (name, labels) in enumerate(zip(names, states, strict=True)):
        codes = np.indices(shape, sparse=True)[axis]
        frame[name] = pl.Series(labels, dtype=pl.Enum(labels)).gather(np.broadcast_to(codes, shape).ravel())
    for name, values in columns.items():
        free = name
        while free in frame:
            free += "_"
        frame[free] = pl.Series(values.ravel())
    return pl.DataFrame(frame)
