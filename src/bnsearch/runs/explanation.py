"""Why a network has an edge: the loss of score without it, and the roles of all parents of the child."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bnsearch._tools.wording import listed, shown
from bnsearch.errors import InputError
from bnsearch.graphs.completion import compelled_parents
from bnsearch.graphs.inputs import indexed_pairs

if TYPE_CHECKING:
    from bnsearch.data import Dataset
    from bnsearch.graphs.dag import DAG
    from bnsearch.graphs.pdag import PDAG
    from bnsearch.runs.settings import Settings
    from bnsearch.scores.score import Score


@dataclass(frozen=True, kw_only=True)
class ParentRole:
    """
    The contribution of one parent to the local score of a child.

    Parameters
    ----------
    name : str
        The parent.
    loss : float
        Decrease of the local score if only this parent is removed.
    gain_alone : float
        Increase of the local score if this parent is added to the empty parent set.
    is_only : bool
        Whether the child has no other parent.
    """

    name: str
    loss: float
    gain_alone: float
    is_only: bool

    @property
    def role(self) -> str:
        """
        The role in words.

        "only parent"; "stronger together" if the parent contributes more beside the other parents than alone; "partly
        redundant" if it contributes less; "not supported" if the score does not decrease without it.
        """
        if self.loss <= 0:
            return "not supported"
        if self.is_only:
            return "only parent"
        return "stronger together" if self.loss > self.gain_alone else "partly redundant"


@dataclass(frozen=True, kw_only=True)
class EdgeExplanation:
    """
    Why a network has an edge.

    Parameters
    ----------
    parent, child : str
        The edge.
    score : str
        Name of the score.
    loss : float
        Decrease of the score of the network if this edge is removed. For BDeu, it is the logarithm of a Bayes factor;
        for BIC, an approximation of it.
    compelled : bool
        Whether all networks of the Markov equivalence class that the knowledge allows have this direction. Otherwise,
        the data cannot decide between this edge and its reversal.
    by_knowledge : bool
        Whether the direction is compelled only because of the background knowledge.
    parents : tuple of ParentRole
        The roles of all parents of the child, the largest loss first.
    """

    parent: str
    child: str
    score: str
    loss: float
    compelled: bool
    by_knowledge: bool = False
    parents: tuple[ParentRole, ...]

    def __str__(self) -> str:
        by_knowledge = " by the knowledge" if self.by_knowledge else ""
        direction = f"the direction is compelled{by_knowledge}" if self.compelled else "the direction can be reversed"
        lines = [f"{self.parent} -> {self.child}: without it {self.score} decreases by {self.loss:.3f}; {direction}"]
        lines += [
            f"  {p.name}: {p.role}, loss {p.loss:.3f}, gain as the only parent {p.gain_alone:.3f}" for p in self.parents
        ]
        return "\n".join(lines)


def find_score(given: str | Score | Callable[..., float] | None, settings: Settings | None) -> Score | None:
    """Return a given score, or that of the settings of a run; None if neither is known."""
    from bnsearch.scores.local import as_score
    from bnsearch.scores.named import make_score

    if given is not None:
        return make_score(given) if isinstance(given, str) else as_score(given)
    return None if settings is None else settings.make_score()


def choose_score(given: str | Score | Callable[..., float] | None, settings: Settings | None) -> Score:
    """Return a given score, or that of the settings of a run; an InputError is raised if neither is known."""
    score = find_score(given, settings)
    if score is None:
        raise InputError("the result does not know the score of the search: pass it, such as score='bic'")
    return score


def explain_edge(
    dag: DAG, edge: tuple[str, str], data: Dataset, score: Score, expected: float, mpdag: PDAG
) -> EdgeExplanation:
    """
    Return the explanation of an edge of a network.

    Parameters
    ----------
    dag : the network
    edge : names of parent and child
    data : table, whose columns are matched to the variables by name
    score : score of the search
    expected : score of the network; an InputError is raised if the data and the score give another one
    mpdag : the class of the network under the knowledge, in which edges that can be reversed are undirected
    """
    from bnsearch.scores.edge_losses import compute_edge_losses, make_network_scorer

    ((parent, child),) = indexed_pairs(dag.names, [edge])
    family = dag.parents[child]
    if parent not in family:
        names = [dag.names[p] for p in family]
        parents = f"its parents are {listed(names)}" if names else "it has no parents"
        raise InputError(f"the network has no edge from {shown(edge[0])} to {shown(edge[1])}: {parents}")
    scorer = make_network_scorer(dag, data, score, expected)
    losses = compute_edge_losses(scorer, dag.parents, [(p, child) for p in family])
    empty, *single = scorer.families([child] * (len(family) + 1), [(), *((p,) for p in family)]).tolist()
    roles = [
        ParentRole(name=dag.names[p], loss=loss, gain_alone=alone - empty, is_only=len(family) == 1)
        for p, loss, alone in zip(family, losses, single, strict=True)
    ]
    return EdgeExplanation(
        parent=edge[0],
        child=edge[1],
        score=score.name,
        loss=roles[family.index(parent)].loss,
        compelled=not mpdag.arcs[child, parent],
        by_knowledge=not mpdag.arcs[child, parent] and parent not in compelled_parents(dag)[child],
        parents=tuple(sorted(roles, key=lambda role: -role.loss)),
    )
