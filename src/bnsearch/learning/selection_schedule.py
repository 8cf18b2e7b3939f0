"""The selections of a run with islands: the last one, and when the next one begins."""

from __future__ import annotations

from collections.abc import Callable

from bnsearch.runs.run import Run
from bnsearch.selection.enumeration import FIRST_SIZE, EnumerationState
from bnsearch.selection.report import Selection

MIN_ELAPSED, MIN_ELAPSED_SHARE = 1.0, 0.1  # first enumeration: after these seconds, or this share of the budget if less
MAX_ENUMERATION = 0.5  # maximum share of the remaining time for the enumeration of one more size
MAX_RATIO = 1.5  # maximum time of the first enumeration, as a multiple of the time that the islands have searched
MIN_SEARCHING = 4.0  # the time of all earlier enumerations, times this number, is subtracted from that of later ones
MIN_GROWTH = 0.1  # lower bound on `growth`: if a child depends on the parity of its parents, small sizes add no sets
STALE_SHARE = 0.25  # after this share of the elapsed time without improvement, a part of a size is enumerated
STALE_FACTOR = 2.0  # time for that enumeration as a multiple of the time without improvement


class SelectionSchedule:
    """
    The selections so far, and the time for the next one. A checkpoint saves all attributes down to `selection_seconds`.

    Attributes
    ----------
    state : the enumeration of parent sets
    last_selection : the last selection; None before the first one
    has_all_subsets : True if the last selection has scored all subsets
    next_seconds : expected time for completing one more size; 0 until it is known
    is_finished : True if sets of one more size cannot be enumerated
    selection_seconds : time of all selections
    enumerated_depth : number of parents up to which the table has all useful sets
    searching_since : elapsed time when the islands began to search; 0 in a resumed run
    stale_since : elapsed time at the end of the last selection, or when the islands began
    is_partial : False once a selected table is complete
    open_seconds : time of attempts to complete the next size, which were given up
    growth : share by which the last complete size has enlarged the table, between MIN_GROWTH and 1: a size that adds
        few sets is usually followed by one that adds fewer
    """

    def __init__(self) -> None:
        self.state = EnumerationState()
        self.last_selection: Selection | None = None
        self.has_all_subsets = False
        self.next_seconds = 0.0
        self.is_finished = False
        self.selection_seconds = 0.0
        self.enumerated_depth = 0
        self.searching_since = 0.0
        self.stale_since = 0.0
        self.is_partial = True
        self.growth = 1.0
        self.open_seconds = 0.0
        self._n_sets = 0  # number of sets when the last size was complete

    def record_size(self, depth: int, n_sets: int) -> None:
        """
        Record a table; if a further size is complete, compute the growth of the table by that size.

        depth : number of parents up to which the table has all useful sets
        n_sets : number of its sets
        """
        if depth > self.enumerated_depth:
            if self._n_sets > 0:
                self.growth = min(1.0, max(MIN_GROWTH, n_sets / self._n_sets - 1.0))
            self.enumerated_depth, self._n_sets = depth, n_sets
            self.open_seconds = 0.0

    def plan_enumeration(self, run: Run, share_covered: Callable[[int], float]) -> tuple[float, bool]:
        """
        Return the time that an enumeration of parent sets may take now, and whether it must complete a size.

        The next size is enumerated as a whole if its expected time is below a limit, the smaller of two numbers: a
        share of the remaining time, and MAX_RATIO times the time that the islands have searched minus MIN_SEARCHING
        times the total time of all earlier enumerations. The time of attempts at the next size counts only once there,
        because it continues them. The limit is lower if many variables have more parents in the best network than the
        next size, because their sets would not be enumerated, and if the last size has added few sets. The time for
        making a table, which was measured after the last enumeration, is subtracted from it. If the next size takes
        longer, a part of it is enumerated when the network has not improved for a while.

        share_covered : function that returns the share of the variables with at most some parents in the best network
        """
        if not (self.is_partial and run.going()) or self.is_finished:
            return 0.0, True
        if run.seconds < min(MIN_ELAPSED, MIN_ELAPSED_SHARE * (run.seconds + run.seconds_left)):
            return 0.0, True
        covered = share_covered(max(FIRST_SIZE - 1, self.enumerated_depth + 1))
        max_seconds = covered * MAX_ENUMERATION * run.seconds_left
        spent = MIN_SEARCHING * (self.selection_seconds - self.open_seconds) + self.open_seconds
        max_seconds = min(max_seconds, MAX_RATIO * covered * (run.seconds - self.searching_since) - spent)
        max_seconds *= self.growth
        max_seconds -= self.state.assembly_seconds  # the table is made after that, and does not stop at a deadline
        if self.next_seconds <= max_seconds:
            return max_seconds, True
        stale = run.seconds - max(run.progress.improved, self.stale_since)
        if stale > STALE_SHARE * run.seconds:
            return max(0.0, min(covered * STALE_FACTOR * stale, max_seconds)), False
        return 0.0, True
