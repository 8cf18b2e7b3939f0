"""The networks whose score is close to the optimum."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from bnsearch.graphs.dag import DAG
from bnsearch.graphs.pdag import PDAG


@dataclass(frozen=True, eq=False)
class NearOptimal:
    """
    The networks whose score is within a Bayes factor of the optimum.

    Attributes
    ----------
    factor : float
        The Bayes factor: the score of each network is at most its logarithm below that of the best network.
    count : int
        Number of networks.
    is_complete : bool
        False if the time did not suffice for counting all networks.
    networks : tuple of DAG
        The networks, best first; if there are more than the limit, only some of them.
    scores : array of float
        Scores of these networks.

    References
    ----------
    Liao, Sharma, Cussens & van Beek (2019), Finding all Bayesian network structures within a factor of optimal.

    Examples
    --------
    >>> import bnsearch
    >>> data = bnsearch.load_network("asia").sample(200, 1)
    >>> near = bnsearch.learn(data, seconds=10, seed=1, within=2).near_optimal
    >>> near.count, len(near.classes)
    (160, 8)
    """

    factor: float
    count: int
    is_complete: bool
    networks: tuple[DAG, ...]
    scores: NDArray[np.float64]

    @cached_property
    def classes(self) -> tuple[PDAG, ...]:
        """The equivalence classes of the listed networks, best first."""
        from bnsearch.graphs import cpdag

        return tuple({cpdag(dag): None for dag in self.networks})

    def __repr__(self) -> str:
        count = f"{'' if self.is_complete else 'at least '}{self.count:,} networks"
        return f"NearOptimal({count} within a factor of {self.factor:g})"
