"""The selections of a run with islands: the last one, and the time for the next."""

from __future__ import annotations

from bnsearch.selection.enumeration import EnumerationState
from bnsearch.selection.report import Selection


class SelectionSchedule:
    """
    The selections so far, as a checkpoint saves them.

    Attributes
    ----------
    state : the enumeration of parent sets
    last_selection : the last selection; None before the first one
    has_all_subsets : True if the last selection has counted all subsets
    next_seconds : expected time for completing one more size; 0 until it is known
    is_finished : True if sets of one more size cannot be enumerated
    selecting : time of all selections
    searching_since : elapsed time when the first climb of the islands had ended; None before, and without a time budget
    """

    def __init__(self) -> None:
        self.state = EnumerationState()
        self.last_selection: Selection | None = None
        self.has_all_subsets = False
        self.next_seconds = 0.0
        self.is_finished = False
        self.selecting = 0.0
        self.searching_since: float | None = None
