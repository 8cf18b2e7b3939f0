"""The state of an island model in a checkpoint: networks, families met, generators and schedule."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bnsearch.checkpoints.container import Part
from bnsearch.checkpoints.values import decode_parents, encode_number, encode_parents
from bnsearch.parent_sets.rows import Families, join_families

if TYPE_CHECKING:
    from bnsearch.checkpoints.checkpoint import Checkpoint
    from bnsearch.ondemand.chain import OnDemandChain
    from bnsearch.ondemand.island import Island
    from bnsearch.ondemand.island_model import IslandModel
    from bnsearch.ondemand.schedule import Activity

ISLANDS = "islands"  # the name of the part
ACTIVITIES = "ordering_search", "dag_search", "on_demand_search", "table_search", "regrowth"


class ChainState(NamedTuple):
    """
    The state of a chain that a checkpoint keeps.

    Attributes
    ----------
    order, parents, scores : the best network: ordering, parents and local score of each variable
    families : the stored families
    random : state of the chain's generator
    """

    order: NDArray[np.int32]
    parents: Sequence[Sequence[int]]
    scores: NDArray[np.float64]
    families: Families
    random: int


def copy_chain_state(chain: OnDemandChain) -> ChainState | None:
    """Return a copy of the state between two kernel calls, from any thread; None before the first network."""
    from bnsearch.ondemand.kernels_state import RANDOM

    with chain.lock:
        if not math.isfinite(chain.best):
            return None
        random = int(chain.arrays[-1][RANDOM][0])
        return ChainState(chain.best_order(), chain.best_parents(), chain.best_scores(), chain.families(), random)


def restore_chain(chain: OnDemandChain, saved: ChainState, *, with_generator: bool) -> None:
    """Continue a chain from a saved state; two chains with the same generator would make the same search."""
    from bnsearch.ondemand.kernels_state import RANDOM

    chain.reset_best()
    chain.store_families(saved.families)
    chain.move_to_network(saved.order, saved.parents, saved.scores)
    if with_generator:
        chain.arrays[-1][RANDOM][0] = saved.random


def keep_islands(model: IslandModel, checkpoint: Checkpoint) -> bool:
    """Add the islands to a checkpoint; return True if they continue from the saved state of an earlier run."""
    return checkpoint.connect(ISLANDS, partial(restore_islands, model), partial(encode_islands, model))


def encode_islands(model: IslandModel) -> Part | None:
    """Return the state of an island model, from any thread; None if no island has a network."""
    islands, chains = [], []
    for island in model.islands:
        chain, progress = copy_chain_state(island.chain), island.describe_progress()
        if chain is not None:
            islands.append({**progress, "recorded": encode_number(progress["recorded"]), "random": chain.random})
            chains.append(chain)
    if not chains:
        return None
    families = join_families([chain.families for chain in chains])
    arrays: dict[str, Any] = {f"family {name}": array for name, array in families._asdict().items()}
    arrays["families"] = np.array([len(chain.families.child) for chain in chains])
    arrays["orders"] = np.array([chain.order for chain in chains])
    arrays["scores"] = np.array([chain.scores for chain in chains])
    arrays |= encode_parents([own for chain in chains for own in chain.parents])
    schedule, table = model.schedule, model.table
    facts = {
        "islands": islands,
        "rounds": model.n_rounds,
        "best seen": encode_number(model.best_seen),
        "improved": model.improved,
        "climb seconds": model.climb_seconds,
        "climbs over classes": model.class_climb is not None,
        "round length": schedule.round_length,
        "activities": {name: _describe_activity(getattr(schedule, name)) for name in ACTIVITIES},
        "table": table.describe_pace(),
    }
    return Part(facts, arrays)


def restore_islands(model: IslandModel, saved: Part) -> None:
    """
    Continue an island model from a saved state, also with another number of islands.

    If there are fewer islands than saved ones, they begin at the best networks and get the families of all. If there
    are more, several begin at the same network.
    """
    facts, islands = saved.facts, model.islands
    saved_chains = list(zip(_list_chains(saved, model.problem.size), facts["islands"], strict=True))
    if len(islands) < len(saved_chains):
        saved_chains.sort(key=lambda own: -math.fsum(own[0].scores))
    chains = [chain for chain, _ in saved_chains]
    for i, island in enumerate(islands):
        chain, progress = saved_chains[i % len(chains)]
        restore_chain(island.chain, chain, with_generator=i < len(chains))
        island.restore_progress(progress, with_generator=i < len(chains))
        for other in chains[i + len(islands) :: len(islands)]:
            island.chain.store_families(other.families)
    model.n_rounds, model.best_seen = int(facts["rounds"]), float(facts["best seen"])
    model.improved, model.climb_seconds = float(facts["improved"]), float(facts["climb seconds"])
    model.schedule.round_length = float(facts["round length"])
    for name in ACTIVITIES:
        for key, value in facts["activities"][name].items():
            setattr(getattr(model.schedule, name), key, float(value))
    model.table.restore_pace(facts["table"])
    _start_climbs(islands, chains)
    if facts["climbs over classes"]:
        model.start_class_climb()


def _describe_activity(activity: Activity) -> dict[str, float]:
    """Return the numbers of an activity; an infinite gain, of an island that could not restart, counts as none."""
    return {name: value if math.isfinite(value) else 0.0 for name, value in asdict(activity).items()}


def _list_chains(saved: Part, n: int) -> list[ChainState]:
    """Return the saved states of the chains."""
    arrays = saved.arrays
    families = Families(*(arrays[f"family {name}"] for name in Families._fields))
    parents = decode_parents(arrays)
    first = families.first
    chains = []
    for i, (begin, end) in enumerate(pairwise([0, *np.cumsum(arrays["families"]).tolist()])):
        child, scores, sizes = (array[begin:end] for array in families[:3])
        own = Families(child, scores, sizes, families.members[first[begin] : first[end]])  # type: ignore[arg-type]
        random = int(saved.facts["islands"][i]["random"])
        network = arrays["orders"][i], parents[i * n : (i + 1) * n], arrays["scores"][i]
        chains.append(ChainState(*network, own, random))
    return chains


def _start_climbs(islands: list[Island], chains: list[ChainState]) -> None:
    """Continue the first climb over DAGs at the network of the first island, if it had not ended."""
    first = islands[0]
    if first.dag_search is not None and not first.n_climbs:
        first.dag_search.start(chains[0].parents)
