"""Bayesian networks: a DAG, the states of its variables, and a table for each family."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bnsearch.errors import InputError
from bnsearch.graphs.dag import DAG
from bnsearch.networks.queries import Queries

if TYPE_CHECKING:
    import networkx

    from bnsearch.data import Dataset


def count_free_parameters(dag: DAG, arities: Sequence[int]) -> int:
    """Return the number of free parameters, the sum of (r - 1) * q over the families."""
    configurations = (prod(arities[p] for p in parents) for parents in dag.parents)
    return sum((r - 1) * q for r, q in zip(arities, configurations, strict=True))


@dataclass(frozen=True, eq=False, repr=False)
class BayesianNetwork(Queries):
    """
    A directed acyclic graph with conditional probability tables.

    Parameters
    ----------
    dag : DAG
        Structure.
    states : sequence of sequence of str
        Labels of the states of each variable.
    tables : sequence of array of float
        Float64[r_p1, ..., r_pk, r_x] for each variable x, the probability of each state of x given each
        configuration of its parents, in ascending order of the parents; each row sums to one.

    Notes
    -----
    Tables are copied and made read-only. The sum of a row may differ from one by up to 0.01, because files contain
    rounded numbers. Rows are stored as given, and `probabilities` normalises them.

    Examples
    --------
    >>> import bnsearch
    >>> network = bnsearch.load_network("asia")
    >>> network.names[:3], network.states[0]
    (('asia', 'tub', 'smoke'), ('yes', 'no'))
    >>> network.sample(5, 1)
    Dataset(8 variables, 5 rows, 2 states each)
    """

    dag: DAG
    states: tuple[tuple[str, ...], ...]
    tables: tuple[NDArray[np.float64], ...]

    def __init__(self, dag: DAG, states: Sequence[Sequence[str]], tables: Sequence[NDArray[np.float64]]) -> None:
        object.__setattr__(self, "dag", dag)
        object.__setattr__(self, "states", tuple(tuple(s) for s in states))
        frozen = [np.array(table, dtype=np.float64, order="C") for table in tables]
        for table in frozen:
            table.flags.writeable = False
        object.__setattr__(self, "tables", tuple(frozen))
        self._check()

    def _check(self) -> None:
        if not len(self.names) == len(self.states) == len(self.tables):
            raise InputError(
                f"{len(self.names)} variables need as many lists of states and tables, "
                f"not {len(self.states)} and {len(self.tables)}"
            )
        for i, (name, states, table) in enumerate(zip(self.names, self.states, self.tables, strict=True)):
            if not states:
                raise InputError(f"variable {name!r} has no states")
            if len(set(states)) != len(states):
                raise InputError(f"variable {name!r} has two states with the same label")
            shape = (*(len(self.states[p]) for p in self.dag.parents[i]), len(states))
            if table.shape != shape:
                raise InputError(f"the table of {name!r} has shape {table.shape}; its family needs {shape}")
            if not np.all(np.isfinite(table)) or np.any(table < 0):
                raise InputError(f"the table of {name!r} contains a number that is not a probability")
            if np.any(np.abs(table.sum(axis=-1) - 1) > 0.01):
                raise InputError(f"the table of {name!r} has a row that does not sum to one")

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the variables."""
        return self.dag.names

    @property
    def arities(self) -> NDArray[np.int64]:
        """The number of states of each variable."""
        return np.array([len(s) for s in self.states], dtype=np.int64)

    @property
    def parameters(self) -> int:
        """The number of free parameters, the sum of (r - 1) * q over the families."""
        return count_free_parameters(self.dag, self.arities.tolist())

    def __repr__(self) -> str:
        return (
            f"BayesianNetwork({len(self.names)} variables, {sum(map(len, self.dag.parents))} edges, "
            f"{self.parameters} parameters)"
        )

    def __reduce__(self) -> tuple[type[BayesianNetwork], tuple[Any, ...]]:
        return BayesianNetwork, (self.dag, self.states, self.tables)  # pickled arrays are writeable when loaded

    def probabilities(self, variable: int) -> NDArray[np.float64]:
        """Return the table of a variable, given by index, with normalised rows."""
        table = self.tables[variable]
        return np.asarray(table / table.sum(axis=-1, keepdims=True))

    def equals(self, other: BayesianNetwork, tolerance: float = 0.0) -> bool:
        """Return True if names, parents and states are equal and probabilities differ by at most `tolerance`."""
        return (
            self.dag == other.dag
            and self.states == other.states
            and all(
                bool(np.all(np.abs(mine - theirs) <= tolerance))
                for mine, theirs in zip(self.tables, other.tables, strict=True)
            )
        )

    def reordered(self, names: Sequence[str]) -> BayesianNetwork:
        """Return the same network with its variables in the given order."""
        dag = self.dag.reordered(names)
        index = {name: i for i, name in enumerate(self.names)}
        old = [index[name] for name in names]
        tables = []
        for variable, parents in zip(old, dag.parents, strict=True):
            axes = [self.dag.parents[variable].index(old[parent]) for parent in parents]
            tables.append(self.tables[variable].transpose([*axes, len(axes)]))
        return BayesianNetwork(dag, [self.states[variable] for variable in old], tables)

    @classmethod
    def fit(cls, dag: DAG, data: Dataset, *, smoothing: float = 0.0, ess: float = 0.0) -> BayesianNetwork:
        """Return the network of a DAG with tables estimated from data; see `bnsearch.networks.fitting.fit_tables`."""
        from bnsearch.networks.fitting import fit_tables

        return BayesianNetwork(dag, *fit_tables(dag, data, smoothing, ess))

    def intervene(self, do: Mapping[str, object]) -> BayesianNetwork:
        """
        Return the network in which variables are set to a state, whatever their parents are.

        Parameters
        ----------
        do : mapping
            State of each variable that is set, by name.

        Returns
        -------
        BayesianNetwork
            The network without the edges into these variables. If its edges are causal, its queries say what happens if
            the variables are set.

        Examples
        --------
        >>> import bnsearch
        >>> asia = bnsearch.load_network("asia")
        >>> asia.intervene({"bronc": "yes"}).query("smoke")
        P(smoke): yes 0.5, no 0.5
        >>> asia.query("smoke", {"bronc": "yes"})
        P(smoke | bronc=yes): yes 0.666667, no 0.333333
        """
        from bnsearch.networks.inference.interventions import set_variables

        dag, tables = set_variables(self, do)
        return BayesianNetwork(dag, self.states, tables)

    def simulate(
        self, rows: int, seed: int | np.random.Generator, *, do: Mapping[str, object] | None = None
    ) -> Dataset:
        """
        Draw rows from the network in which variables are set to a state; see `intervene`.

        Parameters
        ----------
        rows : int
            Number of rows.
        seed : int or Generator
            Whole number or generator. With the same seed, variables that `do` does not affect have the same values.
        do : mapping, optional
            State of each variable that is set, by name; by default none, as in `sample`.

        Returns
        -------
        Dataset
            The rows.

        Examples
        --------
        >>> import bnsearch
        >>> rows = bnsearch.load_network("asia").simulate(1000, 1, do={"smoke": "no"})
        >>> set(rows.to_polars()["smoke"])
        {'no'}
        """
        return (self.intervene(do) if do else self).sample(rows, seed)

    def sample(self, rows: int, seed: int | np.random.Generator) -> Dataset:
        """Draw rows from the network; see `bnsearch.networks.sampling.sample`."""
        from bnsearch.networks.sampling import sample

        return sample(self, rows, seed)

    def log_likelihood(self, data: Dataset) -> float:
        """Return the natural logarithm of the probability of a table; see `bnsearch.networks.likelihood`."""
        from bnsearch.networks.likelihood import log_likelihood

        return log_likelihood(self, data)

    def to_networkx(self) -> networkx.DiGraph:
        """Return the structure as a DiGraph of networkx; the nodes are the names."""
        return self.dag.to_networkx()

    def to_pgmpy(self) -> Any:
        """Return the network as a DiscreteBayesianNetwork of pgmpy."""
        from bnsearch.networks.exports import to_pgmpy

        return to_pgmpy(self)

    def to_pyagrum(self) -> Any:
        """Return the network as a BayesNet of pyAgrum."""
        from bnsearch.networks.exports import to_pyagrum

        return to_pyagrum(self)

    def plot(self, ax: Any = None) -> Any:
        """Draw the structure on matplotlib axes and return the axes; None creates new axes."""
        return self.dag.plot(ax)

    def _repr_svg_(self) -> str | None:
        return self.dag._repr_svg_()


def fit(dag: DAG, data: Dataset, *, smoothing: float = 0.0, ess: float = 0.0) -> BayesianNetwork:
    """
    Return the network of a DAG with tables estimated from data; see `bnsearch.networks.fitting.fit_tables`.

    Parameters
    ----------
    dag : DAG
        The structure.
    data : Dataset
        The table; its variables are matched by name.
    smoothing : float, default 0.0
        Number added to each count.
    ess : float, default 0.0
        Equivalent sample size, which is spread evenly over the cells of each table.

    Returns
    -------
    BayesianNetwork
        The network with its probability tables.

    Raises
    ------
    InputError
        If the variables differ, or a number is negative.

    Examples
    --------
    >>> import bnsearch
    >>> asia = bnsearch.load_network("asia")
    >>> network = bnsearch.fit(asia.dag, asia.sample(1000, 1), ess=1)
    >>> network.tables[0].shape
    (2,)
    """
    return BayesianNetwork.fit(dag, data, smoothing=smoothing, ess=ess)
