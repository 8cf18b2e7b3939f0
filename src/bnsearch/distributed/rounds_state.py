"""The rounds of islands on workers as a part of a checkpoint."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bnsearch.checkpoints.container import Part
from bnsearch.distributed.networks import ScoredNetwork

if TYPE_CHECKING:
    from bnsearch.checkpoints.checkpoint import Checkpoint
    from bnsearch.distributed.island_rounds import IslandRounds

ROUNDS = "rounds on workers"  # the name of the part


@dataclass(frozen=True, eq=False)
class RoundsState:
    """
    What islands on workers continue with after a round.

    Attributes
    ----------
    networks : the networks of the islands; none before the first round
    length : under a budget of iterations, steps of an island in the next round; 0 before the first round
    n_rounds, n_tasks : number of rounds that have ended, and of tasks that were submitted
    """

    networks: tuple[ScoredNetwork, ...] = ()
    length: float = 0.0
    n_rounds: int = 0
    n_tasks: int = 0


def keep_rounds(rounds: IslandRounds, checkpoint: Checkpoint) -> None:
    """Add the rounds to a checkpoint, and continue with those of an earlier run if there are any."""
    part = checkpoint.take(ROUNDS)
    if part is not None:
        with checkpoint.damage_reported():
            rounds.state = decode_rounds(part)
    # Small: the counters of the run must not be ahead of the rounds, so both are written together.
    checkpoint.provide(ROUNDS, lambda: encode_rounds(rounds.state), is_small=True)


def encode_rounds(state: RoundsState) -> Part | None:
    """Return the state of rounds as a part, from any thread; None before the first round."""
    networks = state.networks
    if not networks:
        return None
    facts = {"length": state.length, "rounds": state.n_rounds, "tasks": state.n_tasks}
    arrays = {
        "sizes": np.stack([network.sizes for network in networks]),
        "members": np.concatenate([network.members for network in networks]),
        "scores": np.stack([network.scores for network in networks]),
    }
    return Part(facts, arrays)


def decode_rounds(part: Part) -> RoundsState:
    """Return the state of rounds."""
    facts, sizes = part.facts, part.arrays["sizes"]
    members = np.split(part.arrays["members"], np.cumsum(sizes.sum(axis=1))[:-1])
    networks = zip(sizes, members, part.arrays["scores"], strict=True)
    found = tuple(ScoredNetwork(*network) for network in networks)
    return RoundsState(found, float(facts["length"]), int(facts["rounds"]), int(facts["tasks"]))
