"""Workers and the problem that they work on."""

from __future__ import annotations

from dataclasses import dataclass

from bnsearch.data import Dataset
from bnsearch.distributed.parcels import Parcel, ParcelFolder
from bnsearch.distributed.task_queue import TaskQueue
from bnsearch.knowledge.knowledge import Knowledge
from bnsearch.scores.score import Score

Parts = tuple[Dataset, Score, Knowledge | None]  # the content of a parcel with a problem


@dataclass(frozen=True)
class Pool:
    """
    Workers and the problem that they work on.

    Attributes
    ----------
    queue : tasks on the workers
    folder : folder of the values that travel to the workers
    problem : parcel with the data, the score and the knowledge
    """

    queue: TaskQueue
    folder: ParcelFolder
    problem: Parcel
