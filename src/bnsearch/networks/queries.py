"""The questions that a Bayesian network answers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import polars as pl

    from bnsearch.networks.inference.distributions import Distribution, Marginals, MostProbable
    from bnsearch.networks.network import BayesianNetwork


class Queries:
    """
    The questions that a network answers; base class of `BayesianNetwork`.

    Evidence is a mapping from names of variables to labels of states. Inference is exact if its tables fit into memory.
    """

    @property
    def _network(self) -> BayesianNetwork:
        return cast("BayesianNetwork", self)

    def query(
        self,
        targets: str | Iterable[str],
        evidence: Mapping[str, object] | None = None,
        *,
        method: str = "auto",
        samples: int = 100_000,
        seed: int = 0,
        memory: int | float | str | None = None,
    ) -> Distribution:
        """
        Return the joint distribution of variables given evidence.

        Parameters
        ----------
        targets : str or iterable of str
            Names of the variables.
        evidence : mapping, optional
            Observed states by name; by default none.
        method : str, default "auto"
            "exact" for variable elimination, "sampling" for likelihood weighting, or "auto" for sampling only if
            variable elimination needs more than `memory`. A note of the result then says so.
        samples : int, default 100,000
            Number of samples.
        seed : int, default 0
            Seed of the samples.
        memory : int or str, optional
            Limit of the memory of tables, such as "2GB"; by default a quarter of the machine, at most 4 GiB.

        Returns
        -------
        Distribution
            The probability of each joint state. After sampling, it has standard errors.

        Raises
        ------
        InputError
            If a variable or a state is unknown, or the evidence has probability zero.

        Examples
        --------
        >>> import bnsearch
        >>> network = bnsearch.load_network("asia")
        >>> network.query("lung", {"smoke": "yes"})
        P(lung | smoke=yes): yes 0.1, no 0.9
        >>> network.query(["lung", "tub"], {"either": "yes"}).probabilities.shape
        (2, 2)
        """
        from bnsearch.networks.inference.query import QuerySettings, compute_query

        settings = QuerySettings(method=method, samples=samples, seed=seed, memory=memory)
        return compute_query(self._network, targets, evidence, settings)

    def marginals(
        self,
        evidence: Mapping[str, object] | None = None,
        targets: str | Iterable[str] | None = None,
        *,
        method: str = "auto",
        samples: int = 100_000,
        seed: int = 0,
        memory: int | float | str | None = None,
    ) -> Marginals:
        """
        Return the distribution of each of several variables given evidence.

        All of them together take about three times as long as one.

        Parameters
        ----------
        evidence : mapping, optional
            Observed states by name; by default none.
        targets : str or iterable of str, optional
            Names of the variables; by default all that are not observed.
        method, samples, seed, memory
            As in `query`.

        Returns
        -------
        Marginals
            The distribution of each variable by name.

        Examples
        --------
        >>> import bnsearch
        >>> marginals = bnsearch.load_network("asia").marginals({"smoke": "yes"})
        >>> marginals["lung"]
        P(lung | smoke=yes): yes 0.1, no 0.9
        """
        from bnsearch.networks.inference.query import QuerySettings, compute_marginals

        settings = QuerySettings(method=method, samples=samples, seed=seed, memory=memory)
        return compute_marginals(self._network, evidence, targets, settings)

    def most_probable(
        self,
        evidence: Mapping[str, object] | None = None,
        targets: str | Iterable[str] | None = None,
        *,
        memory: int | float | str | None = None,
    ) -> MostProbable:
        """
        Return the states of variables that are most probable together, given evidence.

        These need not be the most probable states of the single variables.

        Parameters
        ----------
        evidence : mapping, optional
            Observed states by name; by default none.
        targets : str or iterable of str, optional
            Names of the variables. By default all that are not observed (the most probable explanation, MPE). Other
            variables are summed out (maximum a posteriori, MAP), which can need larger tables.
        memory : int or str, optional
            Limit of the memory of tables, such as "2GB"; by default a quarter of the machine, at most 4 GiB.

        Returns
        -------
        MostProbable
            The states and their probability.

        Examples
        --------
        >>> import bnsearch
        >>> found = bnsearch.load_network("asia").most_probable({"dysp": "yes"}, targets=["lung", "bronc"])
        >>> found.states
        {'lung': 'no', 'bronc': 'yes'}
        """
        from bnsearch.networks.inference.maximisation import find_most_probable

        return find_most_probable(self._network, evidence, targets, memory)

    def predict_proba(self, data: Any, target: str, *, memory: int | float | str | None = None) -> NDArray[np.float64]:
        """
        Return the distribution of a variable given the other columns of each row of a table.

        Parameters
        ----------
        data : Dataset, DataFrame, Table, array of int, str or path
            A table in any form that `bnsearch.learn` accepts. Variables without a column are not observed in any row,
            and missing values are not observed in theirs. The column of the target and columns that are not in the
            network are ignored. Numbers are divided into intervals if these are the states of the network.
        target : str
            Name of the variable.
        memory : int or str, optional
            Limit of the memory of tables, as in `query`.

        Returns
        -------
        array of float
            Float64[rows, states], in the order of the states of the network.

        Raises
        ------
        InputError
            If a column has a state that the network does not have, or a row has probability zero.

        Examples
        --------
        >>> import bnsearch
        >>> network = bnsearch.load_network("asia")
        >>> network.predict_proba(network.sample(3, 1), "bronc").shape
        (3, 2)
        """
        from bnsearch.networks.inference.prediction import predict_probabilities

        return predict_probabilities(self._network, data, target, memory)

    def predict(self, data: Any, target: str, *, memory: int | float | str | None = None) -> NDArray[np.str_]:
        """
        Return the most probable state of a variable given the other columns of each row of a table.

        Parameters
        ----------
        data, target, memory
            As in `predict_proba`.

        Returns
        -------
        array of str
            The label of the state for each row.

        Examples
        --------
        >>> import bnsearch
        >>> network = bnsearch.load_network("asia")
        >>> network.predict(network.sample(3, 1), "either").tolist()
        ['no', 'no', 'no']
        """
        best = self.predict_proba(data, target, memory=memory).argmax(axis=1)
        labels: NDArray[np.str_] = np.array(self._network.states[self._network.names.index(target)])
        return np.asarray(labels[best])

    def probability_table(self, variable: str) -> pl.DataFrame:
        """
        Return the conditional probability table of a variable as a polars DataFrame.

        Parameters
        ----------
        variable : str
            Name of the variable.

        Returns
        -------
        polars.DataFrame
            One row for each joint state of the family: a column for each parent, one for the variable, and the column
            "probability". `to_pandas()` converts it.

        Examples
        --------
        >>> import bnsearch
        >>> table = bnsearch.load_network("asia").probability_table("lung")
        >>> table.rows()
        [('yes', 'yes', 0.1), ('yes', 'no', 0.9), ('no', 'yes', 0.01), ('no', 'no', 0.99)]
        """
        from bnsearch.graphs.separation import find_indices
        from bnsearch.networks.inference.distributions import label_cells

        network = self._network
        (x,) = find_indices(network.names, [variable], "variable")
        family = (*network.dag.parents[x], x)
        names, states = [network.names[v] for v in family], [network.states[v] for v in family]
        return label_cells(names, states, {"probability": network.probabilities(x)})
