"""Results of searches."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from html import escape
from typing import TYPE_CHECKING, Any

from bnsearch.errors import InputError
from bnsearch.graphs.dag import DAG
from bnsearch.parent_sets.scope import ALL_NETWORKS, Scope
from bnsearch.runs.near_optimal import NearOptimal
from bnsearch.runs.quality import describe_quality, relative_score
from bnsearch.runs.settings import Settings
from bnsearch.runs.stop import relative_gap
from bnsearch.runs.summary import summarise
from bnsearch.runs.trace import Climbs, Trace

if TYPE_CHECKING:
    import networkx

    from bnsearch.data.discretize import Discretize
    from bnsearch.graphs.pdag import PDAG
    from bnsearch.knowledge import Knowledge
    from bnsearch.networks.network import BayesianNetwork
    from bnsearch.runs.explanation import EdgeExplanation
    from bnsearch.scores.score import Score


@dataclass(frozen=True, eq=False, kw_only=True)
class Result:
    """
    The best network of a search, and a report on the search.

    Attributes
    ----------
    dag : DAG
        Structure of the network.
    score : float
        Score of the network.
    bound : float or None
        Upper bound on the scores of all networks in `scope`; None if no bound is known.
    scope : Scope
        The networks that `bound` and `gap` cover: all networks, those over a given candidate table, or those over the
        parent sets that the search kept. It also names the restrictions: background knowledge, a limit on parents.
    optimal : bool
        Whether the score is proven to be the highest, and `scope` contains all networks that the problem allows.
    stop : str
        Why the search ended: "seconds", "iterations", "evaluations", "target", "no improvement", "converged",
        "interrupted" (Ctrl-C), "terminated" (SIGTERM), "memory" if exact search needs too much memory, "workers" if
        the workers were lost, or "complete" if the method came to its end or the score reached the bound.
    trace : Trace
        All improvements of the score, with their times.
    iterations, evaluations, seconds
        Work of the search, and its time. An evaluation is one request for a local score; with a candidate table,
        it is a unit of work.
    computed : int
        Number of values that were not found in a cache: local scores, or values of sets, which are two for each local
        score.
    families : int or None
        Number of distinct families whose local score was requested; None if the method did not count them.
    method, parameters
        Name and parameters of the method.
    seed : int
        Seed of the random numbers; the same seed and number of iterations give the same result.
    notes : tuple of str
        Decisions of the method and warnings, for the user.
    climbs : Climbs
        Scores and steps of all climbs of OBS and INOBS. The end of the run may have interrupted the last ones.
    empty_score : float or None
        Score of the network without edges; None if the method did not compute it.
    evidence : callable or None
        Function that returns the certificate of the bound; use the property `certificate` instead.
    near_optimal : NearOptimal or None
        The networks within a Bayes factor of the optimum; None if `within` was not given or the time did not suffice.
    settings : Settings or None
        Score, budget and input of the run; None if they are not known.
    knowledge : Knowledge or None
        Background knowledge of the run.

    Examples
    --------
    >>> import bnsearch
    >>> data = bnsearch.load_network("asia").sample(200, 1)
    >>> result = bnsearch.learn(data, seconds=10, seed=1)
    >>> result.optimal, result.stop
    (True, 'complete')
    >>> network = result.network(data)
    >>> len(network.tables)
    8
    """

    dag: DAG
    score: float
    bound: float | None
    optimal: bool
    stop: str
    trace: Trace = field(repr=False)
    iterations: int
    evaluations: int
    computed: int
    seconds: float
    method: str
    parameters: dict[str, Any]
    seed: int
    notes: tuple[str, ...] = ()
    scope: Scope = ALL_NETWORKS
    climbs: Climbs = field(default_factory=Climbs, repr=False)
    empty_score: float | None = None
    families: int | None = None
    near_optimal: NearOptimal | None = field(default=None, repr=False)
    evidence: Callable[[], Any] | None = field(default=None, repr=False)
    settings: Settings | None = field(default=None, repr=False)
    knowledge: Knowledge | None = field(default=None, repr=False)

    @property
    def relative_score(self) -> float | None:
        """Gain over the network without edges, relative to that network's score (RC of Perez & Maua 2016)."""
        return None if self.empty_score is None else float(relative_score(self.score, self.empty_score))

    @property
    def gap(self) -> float | None:
        """Difference between bound and score, relative to the bound: 0 at the bound, and None without a bound."""
        return 0.0 if self.optimal else relative_gap(self.score, self.bound)

    @property
    def quality(self) -> str:
        """The optimality or the gap, and the networks to which it refers, in words; empty without a bound."""
        return describe_quality(self.gap, self.optimal, self.scope)

    @cached_property
    def certificate(self) -> Any:
        """
        The certificate of the upper bound (`bnsearch.exact.Certificate`), made on first use; None if there is none.

        Only results of `auto` and `exact` have one. It contains the candidate table that it refers to. If dynamic
        programming or the order graph has solved a part of the problem, branch and cut proves that part again, in a
        form that can be checked. If that takes more than five minutes, a `BnsearchError` is raised. It is several times
        as fast with the package highspy (the extra `exact`).
        """
        return None if self.evidence is None else self.evidence()

    @cached_property
    def cpdag(self) -> PDAG:
        """The equivalence class of the network; `mpdag` has the directions that follow from the knowledge as well."""
        from bnsearch.graphs import cpdag

        return cpdag(self.dag)

    @cached_property
    def mpdag(self) -> PDAG:
        """The networks of the class that the knowledge allows: an edge that has both directions there is undirected."""
        from bnsearch.knowledge.orientation import orient_class

        return orient_class(self.dag, None if self.knowledge is None else self.knowledge.constraints(self.dag.names))

    def network(self, data: Any, *, smoothing: float = 0.0, ess: float = 0.0) -> BayesianNetwork:
        """
        Return the network with probability tables estimated by `bnsearch.networks.fit`.

        The data can have any form that `bnsearch.learn` accepts; variables are matched by name.
        """
        from bnsearch.data.conversion import as_dataset
        from bnsearch.networks.network import fit

        return fit(self.dag, as_dataset(data), smoothing=smoothing, ess=ess)

    def explain(
        self,
        edge: tuple[str, str],
        data: Any,
        *,
        score: str | Score | Callable[..., float] | None = None,
        discretize: Discretize | None = None,
    ) -> EdgeExplanation:
        """
        Explain an edge: return how much lower the score is without it, and the roles of all parents of the child.

        Parameters
        ----------
        edge : tuple of str
            Names of parent and child.
        data, discretize
            The data of the search and their discretization, as in `bnsearch.learn`.
        score : str, Score or callable, optional
            The score of the search, as in `bnsearch.learn`. It is needed only if it is a Python function, or if the
            search had a candidate table and no score.

        Returns
        -------
        EdgeExplanation
            The decrease of the score, whether the equivalence class or the knowledge determines the direction of the
            edge, and the roles of the parents; `print` shows them.

        Raises
        ------
        InputError
            If the network has no such edge, if the data and the score are not those of the search, or if the score is
            not known.

        Examples
        --------
        >>> import bnsearch
        >>> data = bnsearch.load_network("asia").sample(500, 1)
        >>> result = bnsearch.learn(data, seconds=10, seed=1)
        >>> explanation = result.explain(result.dag.edges[0], data)
        >>> explanation.loss > 0
        True
        """
        from bnsearch.data.conversion import as_dataset
        from bnsearch.runs.explanation import choose_score, explain_edge

        chosen = choose_score(score, self.settings)
        return explain_edge(self.dag, edge, as_dataset(data, discretize), chosen, self.score, self.mpdag)

    def _graph(self, data: Any) -> DAG | BayesianNetwork:
        return self.dag if data is None else self.network(data)

    def to_networkx(self) -> networkx.DiGraph:
        """Return the structure as a networkx DiGraph over the names."""
        return self.dag.to_networkx()

    def to_pgmpy(self, data: Any = None) -> Any:
        """Return the structure as pgmpy's DAG; with data, a DiscreteBayesianNetwork with tables."""
        return self._graph(data).to_pgmpy()

    def to_pyagrum(self, data: Any = None) -> Any:
        """Return the structure as pyAgrum's DAG (variable i is node i); with data, a BayesNet with tables."""
        return self._graph(data).to_pyagrum()

    def write(self, path: str | os.PathLike[str], data: Any = None) -> None:
        """
        Write the network in the format of the file extension.

        Without data, the file has the structure alone: .json, .csv (adjacency matrix), .dot or .svg. With data, .bif,
        .net and .json files have the probability tables as well. Each extension may be followed by .gz.
        """
        from bnsearch.networks.files import needs_tables, write_network, write_structure

        if data is not None:
            write_network(self.network(data), path)
        elif needs_tables(path):
            raise InputError(
                f"{os.fspath(path)}: this format holds probability tables: pass the data, as in write(path, data)"
            )
        else:
            write_structure(self.dag, path)

    def report(
        self,
        path: str | os.PathLike[str],
        data: Any = None,
        *,
        score: str | Score | Callable[..., float] | None = None,
        title: str | None = None,
        command: str | None = None,
    ) -> None:
        """
        Write a report, one HTML file that opens in a browser without network access.

        The page shows the graph, and the score, the bound and the budget of the run. With data, it also has the
        probability tables, distributions given evidence, and the loss of score without each edge.

        Parameters
        ----------
        path : str or path
            An .html file.
        data : Dataset, DataFrame, Table, array of int, str or path, optional
            The data of the run, in any form that `bnsearch.learn` accepts.
        score : str, Score or callable, optional
            The score of the search, as in `explain`.
        title : str, optional
            Title of the page.
        command : str, optional
            The command that repeats the run; by default, the page shows a call of `bnsearch.learn`.
        """
        from bnsearch.reports.report import write_result_report
        from bnsearch.runs.explanation import find_score

        chosen = find_score(score, self.settings)
        write_result_report(self, path, data, score=chosen, title=title, command=command)

    def plot(self, ax: Any = None) -> Any:
        """Draw the graph on matplotlib axes, or on new ones, and return them."""
        return self.dag.plot(ax)

    def plot_trace(self, ax: Any = None) -> Any:
        """Draw the score over time on matplotlib axes, or on new ones, and return them."""
        from bnsearch.drawing.plotting import plot_trace

        return plot_trace(self.trace, ax)

    def __repr__(self) -> str:
        return f"Result({summarise(self)})"

    def _repr_html_(self) -> str:
        drawing = self.dag._repr_svg_() or ""
        return f'<div>{escape(summarise(self))}</div><div style="overflow:auto">{drawing}</div>'
