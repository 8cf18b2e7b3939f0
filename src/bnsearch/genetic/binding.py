"""The binding parameter of MIIGA: how it moves, and what that does to a graph."""

from __future__ import annotations

import numpy as np

from bnsearch.genetic.graphs import Graphs, Orders, Reals, precedes
from bnsearch.genetic.space import Space
from bnsearch.scores.score import tie_margin


def bound(alpha: Reals, penalties: Reals, best: float, step: float) -> Reals:
    """
    Return binding parameters a step lower for individuals simpler than the best, a step higher for others (Eq. 16).

    penalties : of the individuals; best : that of the best individual; where the two are equal alpha stays
    """
    same = np.abs(penalties - best) <= tie_margin(best)
    return np.clip(alpha + np.where(same, 0.0, step * np.sign(penalties - best)), 0.0, 1.0)


def renovated(
    orders: Orders, graphs: Graphs, before: Graphs, after: Graphs, information: Reals, space: Space
) -> Graphs:
    """
    Return the graphs with the edges between pairs that become related, and without those that no longer are.

    before, after : the related pairs, [graph, variable, variable]
    space : where there is no room for all new parents the strongest are added
    """
    kept = graphs & ~(before & ~after)
    new = after & ~before & precedes(orders)
    return space.legal(kept | new, np.where(kept, np.inf, information))
