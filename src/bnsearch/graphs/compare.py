"""Distances and measures of agreement between a learned graph and the true one."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass

from bnsearch.graphs.completion import cpdag
from bnsearch.graphs.dag import DAG
from bnsearch.graphs.inputs import require_same_variables
from bnsearch.graphs.patterns import Edge, skeleton_of
from bnsearch.graphs.pdag import PDAG
from bnsearch.graphs.structures import HasStructure, get_dag


@dataclass(frozen=True)
class StructuralHamming:
    """
    The single-edge changes between two DAGs, each counted once.

    Attributes
    ----------
    added : edges of the learned graph between variables that the true one does not join
    deleted : edges of the true graph between variables that the learned one does not join
    reversed : edges of both in opposite directions
    """

    added: int
    deleted: int
    reversed: int

    @property
    def total(self) -> int:
        """The structural Hamming distance."""
        return self.added + self.deleted + self.reversed


@dataclass(frozen=True)
class Agreement:
    """
    The numbers of true, learned and shared elements of two collections, and the ratios made from them.

    A ratio with the denominator 0 is 1 if both collections are empty, and 0 otherwise.
    """

    true: int
    learned: int
    shared: int

    @classmethod
    def of(cls, true: Set[object], learned: Set[object]) -> Agreement:
        """Count two sets and their intersection."""
        return cls(len(true), len(learned), len(true & learned))

    @property
    def precision(self) -> float:
        """The share of the learned elements that are true."""
        return self._ratio(self.shared, self.learned)

    @property
    def recall(self) -> float:
        """The share of the true elements that are learned."""
        return self._ratio(self.shared, self.true)

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall."""
        return self._ratio(2 * self.shared, self.true + self.learned)

    def _ratio(self, part: int, whole: int) -> float:
        if whole == 0:
            return 1.0 if self.true == self.learned else 0.0
        return part / whole


@dataclass(frozen=True)
class Comparison:
    """
    The result of `compare`.

    Attributes
    ----------
    hamming : the structural Hamming distance between the DAGs, by kind of change
    shd_cpdag : the structural Hamming distance between their equivalence classes
    skeleton : agreement on which variables are adjacent
    edges : agreement on the directed edges of the DAGs
    v_structures : agreement on the v-structures
    """

    hamming: StructuralHamming
    shd_cpdag: int
    skeleton: Agreement
    edges: Agreement
    v_structures: Agreement

    @property
    def shd(self) -> int:
        """The structural Hamming distance between the DAGs."""
        return self.hamming.total

    @property
    def coverage(self) -> float:
        """
        One minus the structural Hamming distance divided by the number of true edges; it can be negative.

        This is the measure of Fig. 8 of Dai et al. (2020). Their text calls it the ratio of true arcs learnt, which is
        the recall of `edges`. But the figure has negative values, and a recall has none: K2 on alarm has a distance of
        60.7 with 46 edges, 1 - 60.7 / 46 = -0.32. Without true edges it is 1 or 0, as for an `Agreement`.
        """
        if not self.edges.true:
            return float(self.shd == 0)
        return 1 - self.shd / self.edges.true

    def as_dict(self) -> dict[str, int | float]:
        """Return every number under one flat name, such as `shd` or `skeleton_f1`."""
        numbers: dict[str, int | float] = {
            "shd": self.shd,
            "added": self.hamming.added,
            "deleted": self.hamming.deleted,
            "reversed": self.hamming.reversed,
            "shd_cpdag": self.shd_cpdag,
            "coverage": self.coverage,
        }
        for kind in ("skeleton", "edges", "v_structures"):
            agreement: Agreement = getattr(self, kind)
            numbers[f"{kind}_true"] = agreement.true
            numbers[f"{kind}_learned"] = agreement.learned
            numbers[f"{kind}_shared"] = agreement.shared
            numbers[f"{kind}_precision"] = agreement.precision
            numbers[f"{kind}_recall"] = agreement.recall
            numbers[f"{kind}_f1"] = agreement.f1
        return numbers


def compare(true: DAG | HasStructure, learned: DAG | HasStructure) -> Comparison:
    """
    Compare a learned structure with the true one; their variables are matched by name.

    Parameters
    ----------
    true, learned : DAG, BayesianNetwork or Result
        The two structures. A network and a result stand for their DAGs.

    Returns
    -------
    Comparison
        Structural Hamming distances, and the agreement of skeletons, directed edges and v-structures.

    Raises
    ------
    InputError
        If the variables differ, or an argument has no structure.

    Examples
    --------
    >>> import bnsearch
    >>> asia = bnsearch.load_network("asia")
    >>> found = bnsearch.compare(asia, bnsearch.DAG.empty(asia.names))
    >>> found.shd, found.skeleton.recall
    (8, 0.0)
    """
    true, learned = get_dag(true), get_dag(learned)
    return Comparison(
        hamming=shd(true, learned),
        shd_cpdag=shd_cpdag(cpdag(true), cpdag(learned)),
        skeleton=Agreement.of(true.skeleton, learned.skeleton),
        edges=Agreement.of(set(true.edges), set(learned.edges)),
        v_structures=Agreement.of(true.v_structures, learned.v_structures),
    )


def shd(true: DAG, learned: DAG) -> StructuralHamming:
    """
    Count the edges to add, delete and reverse between two DAGs over the same variables.

    Parameters
    ----------
    true, learned : DAG
        The two structures.

    Returns
    -------
    StructuralHamming
        The numbers of edges; `total` is their sum.

    Raises
    ------
    InputError
        If the variables differ.

    References
    ----------
    Dai et al., in the experiments with their genetic algorithm MIIGA: averaged over runs it is their measure AHD.

    Examples
    --------
    >>> import bnsearch
    >>> true = bnsearch.DAG.from_edges("abc", [("a", "b")])
    >>> learned = bnsearch.DAG.from_edges("abc", [("b", "a"), ("b", "c")])
    >>> bnsearch.shd(true, learned)
    StructuralHamming(added=1, deleted=0, reversed=1)
    """
    require_same_variables(true.names, learned.names)
    added = len(learned.skeleton - true.skeleton)
    deleted = len(true.skeleton - learned.skeleton)
    differing = _differing_pairs(set(true.edges), set(learned.edges))
    return StructuralHamming(added, deleted, differing - added - deleted)


def shd_cpdag(true: PDAG, learned: PDAG) -> int:
    """
    Count the pairs of variables that two PDAGs over the same variables join differently.

    A pair counts one if it is joined in one graph only, directed in one graph only, or directed in opposite ways.

    Parameters
    ----------
    true, learned : PDAG
        The two graphs.

    Returns
    -------
    int
        The number of pairs.

    Raises
    ------
    InputError
        If the variables differ.

    References
    ----------
    Tsamardinos, Brown & Aliferis (2006), "The max-min hill-climbing Bayesian network structure learning
    algorithm", Machine Learning 65.

    Examples
    --------
    >>> import bnsearch
    >>> true = bnsearch.DAG.from_edges("abc", [("a", "b")])
    >>> learned = bnsearch.DAG.from_edges("abc", [("b", "a"), ("b", "c")])
    >>> bnsearch.shd_cpdag(bnsearch.cpdag(true), bnsearch.cpdag(learned))
    1
    """
    require_same_variables(true.names, learned.names)
    return _differing_pairs(_arcs(true), _arcs(learned))


def _arcs(pdag: PDAG) -> set[Edge]:
    lines = pdag.undirected_edges
    return {*pdag.directed_edges, *lines, *((b, a) for a, b in lines)}


def _differing_pairs(first: Set[Edge], second: Set[Edge]) -> int:
    """Count the pairs of variables between which two sets of arcs differ."""
    return len(skeleton_of(first ^ second))


def list_differences(true: DAG, learned: DAG) -> dict[str, list[Edge]]:
    """
    Return the edges of the structural Hamming distance, as pairs of names: added, deleted and reversed ones.

    A reversed edge has the direction of the learned graph.
    """
    require_same_variables(true.names, learned.names)
    old, new = set(true.edges), set(learned.edges)
    turned = {(child, parent) for parent, child in old}
    return {
        "added": [edge for edge in learned.edges if edge not in old | turned],
        "deleted": [edge for edge in true.edges if edge not in new and edge[::-1] not in new],
        "reversed": [edge for edge in learned.edges if edge in turned],
    }
