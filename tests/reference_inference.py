"""Inference by definition: the joint distribution of all variables as one array, and sums over it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from bnsearch.graphs import DAG
from bnsearch.networks import BayesianNetwork


@dataclass(frozen=True)
class Recipe:
    """
    A recipe for a random network, so that a failing example prints as one short line.

    Parameters
    ----------
    arities : number of states of each variable
    density : probability of an edge
    zeros : probability that a cell is zero; each row keeps one state
    seed : seed of structure and tables
    """

    arities: tuple[int, ...]
    density: float
    zeros: float
    seed: int

    def make_network(self) -> BayesianNetwork:
        """Return the network."""
        rng = np.random.default_rng(self.seed)
        n = len(self.arities)
        place = rng.permutation(n)
        parents = [[p for p in range(n) if place[p] < place[x] and rng.random() < self.density] for x in range(n)]
        tables = []
        for x in range(n):
            shape = (*(self.arities[p] for p in parents[x]), self.arities[x])
            table = rng.random(shape) * (rng.random(shape) >= self.zeros)
            table[..., rng.integers(self.arities[x])] += 0.01
            tables.append(table / table.sum(axis=-1, keepdims=True))
        names = [f"v{x}" for x in range(n)]
        return BayesianNetwork(DAG(names, parents), [[f"s{i}" for i in range(r)] for r in self.arities], tables)


def recipes(max_variables: int = 6) -> st.SearchStrategy[Recipe]:
    """Return a strategy for recipes of small networks, also with single states and with impossible states."""
    return st.builds(
        Recipe,
        st.lists(st.integers(1, 3), min_size=1, max_size=max_variables).map(tuple),
        st.sampled_from([0.0, 0.3, 0.6, 1.0]),
        st.sampled_from([0.0, 0.0, 0.4]),
        st.integers(0, 10_000),
    )


def joint_of_all(network: BayesianNetwork) -> NDArray[np.float64]:
    """Return the joint distribution of all variables, cell by cell."""
    joint = np.ones(network.arities)
    for cell in np.ndindex(joint.shape):
        for x, parents in enumerate(network.dag.parents):
            joint[cell] *= network.tables[x][(*(cell[p] for p in parents), cell[x])]
    return joint


def joint_given(
    network: BayesianNetwork, targets: list[int], evidence: dict[int, int]
) -> tuple[NDArray[np.float64], float]:
    """Return the joint distribution of targets and the states of the evidence, not normalised, and its sum."""
    joint = joint_of_all(network)
    found = np.zeros([network.arities[x] for x in targets])
    for cell in np.ndindex(joint.shape):
        if all(cell[x] == state for x, state in evidence.items()):
            found[tuple(cell[x] for x in targets)] += joint[cell]
    return found, float(found.sum())


@dataclass(frozen=True)
class Case:
    """A network with targets and evidence, by index."""

    recipe: Recipe
    targets: list[int]
    evidence: dict[int, int]

    @property
    def named_evidence(self) -> dict[str, str]:
        """The evidence by name and label."""
        return {f"v{x}": f"s{state}" for x, state in self.evidence.items()}

    @property
    def named_targets(self) -> list[str]:
        """The names of the targets."""
        return [f"v{x}" for x in self.targets]


@st.composite
def cases(draw: st.DrawFn, max_variables: int = 6) -> Case:
    """Draw a network, the role of each variable, and the states of the evidence; there is at least one target."""
    recipe = draw(recipes(max_variables))
    n = len(recipe.arities)
    roles = draw(st.lists(st.sampled_from(["target", "evidence", "hidden"]), min_size=n, max_size=n))
    targets = draw(st.permutations([x for x in range(n) if roles[x] == "target"] or [0]))
    evidence = {
        x: draw(st.integers(0, recipe.arities[x] - 1)) for x in range(n) if roles[x] == "evidence" and x not in targets
    }
    return Case(recipe, list(targets), evidence)
