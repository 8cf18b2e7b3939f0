"""The state of the search for an upper bound in a checkpoint: clusters, local cuts, multipliers and the bound."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bnsearch.checkpoints.container import Part
from bnsearch.checkpoints.run_state import refuse_certificate
from bnsearch.exact.cluster_bound import ClusterBound, check_clusters
from bnsearch.exact.cuts import Cut
from bnsearch.exact.saved_bound import SavedBound
from bnsearch.parent_sets.scope import decode_scope, encode_scope

if TYPE_CHECKING:
    from bnsearch.checkpoints.checkpoint import Checkpoint
    from bnsearch.checkpoints.values import Arrays
    from bnsearch.learning.bounding import BoundSearch

BOUND = "upper bound"  # the name of the part
CUTS, LOCAL = "cut", "local cut"  # beginnings of the names of arrays


def connect_bound(search: BoundSearch, checkpoint: Checkpoint) -> None:
    """Add the upper bound to a checkpoint, and continue from that of an earlier run if there is one."""
    checkpoint.connect(BOUND, partial(restore_bound, search), partial(encode_bound, search))


def encode_bound(search: BoundSearch) -> Part | None:
    """Return the bound, its inequalities and the cuts of branch and cut, from any thread; None before the first."""
    state = search.state
    if state is None:
        return None
    found = state.inequalities
    arrays = {name: np.array(getattr(found, name)) for name in ("clusters", "orders", "multipliers")}
    arrays["local multipliers"] = np.array(found.local_multipliers)
    arrays |= encode_cuts(LOCAL, found.local_cuts) | encode_cuts(CUTS, state.cuts)
    facts = {
        "value": state.value,
        **encode_scope(state.scope),
        "value of the dual ascent": found.value,
        "seconds": search.spent,
    }
    return Part(facts, arrays)


def restore_bound(search: BoundSearch, part: Part) -> None:
    """Continue with the saved inequalities and multipliers, whose bound over any table is valid."""
    facts, arrays = part.facts, part.arrays
    clusters, orders, multipliers = (arrays[name] for name in ("clusters", "orders", "multipliers"))
    check_clusters(search.problem.size, clusters, orders, multipliers)
    local, value = tuple(decode_cuts(LOCAL, arrays)), float(facts["value of the dual ascent"])
    found = ClusterBound(clusters, orders, multipliers, value, local, arrays["local multipliers"])
    state = SavedBound(float(facts["value"]), decode_scope(facts), found, decode_cuts(CUTS, arrays))
    search.continue_from(state, float(facts["seconds"]), refuse_certificate)


def encode_cuts(name: str, cuts: Sequence[Cut]) -> Arrays:
    """Return cuts as flat arrays, whose names begin with `name`."""
    none: list[NDArray[Any]] = [np.empty(0)]
    return {
        f"{name} sizes": np.array([len(cut.members) for cut in cuts], dtype=np.int64),
        f"{name} members": np.concatenate([*none, *(cut.members for cut in cuts)]).astype(np.int64),
        f"{name} orders": np.array([cut.order for cut in cuts], dtype=np.int64),
        f"{name} weights": np.concatenate([*none, *(cut.weights.reshape(-1) for cut in cuts)]),
        f"{name} limits": np.array([cut.limit for cut in cuts], dtype=np.float64),
    }


def decode_cuts(name: str, arrays: Mapping[str, NDArray[Any]]) -> list[Cut]:
    """Return the cuts of flat arrays."""
    sizes, members, orders, weights, limits = (
        arrays[f"{name} {kind}"] for kind in ("sizes", "members", "orders", "weights", "limits")
    )
    lengths = np.where(orders > 0, 0, sizes << sizes)
    bounds = pairwise([0, *np.cumsum(sizes).tolist()]), pairwise([0, *np.cumsum(lengths).tolist()])
    cuts = []
    for order, limit, own, coefficients in zip(orders.tolist(), limits.tolist(), *bounds, strict=True):
        c = own[1] - own[0]
        shape = (0, 0) if order else (c, 1 << c)
        cuts.append(Cut(members[slice(*own)], order, weights[slice(*coefficients)].reshape(shape), limit))
    return cuts
