"""The parent sets that the upper bound of a run covers, besides the selected ones."""

from __future__ import annotations

import numpy as np

from bnsearch.graphs.dag import DAG
from bnsearch.ondemand.island_model import IslandModel
from bnsearch.ondemand.shared_table import build_table
from bnsearch.parent_sets.rows import Families
from bnsearch.parent_sets.table import ParentSets
from bnsearch.runs.problem import Problem

UPDATE_SECONDS = 5e-5  # expected duration of a first update of the table, for each variable


def make_core(model: IslandModel, problem: Problem, incumbent: DAG) -> ParentSets:
    """Return the table of the sets that the islands have met, and of those of the incumbent."""
    chains = [island.chain for island in model.islands]
    return build_table(chains, problem, extensions=[list_families(problem, incumbent)])


def add_network(table: ParentSets, problem: Problem, network: DAG) -> ParentSets:
    """Return a table with the parent sets of a network added."""
    return ParentSets.from_families(table.names, [table.families, list_families(problem, network)])


def list_families(problem: Problem, network: DAG) -> Families:
    """Return the families of a network with their scores."""
    parents = network.parents
    children = np.arange(len(parents), dtype=np.int32)
    scores = problem.scorer.families(children.tolist(), parents)
    sizes = np.array([len(own) for own in parents])
    return Families(children, scores, sizes, np.array([u for own in parents for u in own], dtype=np.int32))
