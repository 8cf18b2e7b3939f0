"""The state of the default method in a checkpoint: the selected candidate table and the schedule of selections."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from bnsearch.checkpoints.container import Part
from bnsearch.checkpoints.selections import decode_selection, encode_selection
from bnsearch.selection.enumeration import EnumerationState

if TYPE_CHECKING:
    from bnsearch.checkpoints.checkpoint import Checkpoint
    from bnsearch.learning.auto import _DataSearch
    from bnsearch.selection.report import Selection

SCHEDULE = "schedule of selections"  # the name of the part


def keep_selections(search: _DataSearch, checkpoint: Checkpoint) -> Selection | None:
    """Add the selections to a checkpoint, and return the last one of an earlier run; None if there is none."""
    part, found = checkpoint.take(SCHEDULE), None
    if part is not None:
        with checkpoint.damage_reported():
            found = restore_selections(search, part)
    checkpoint.provide(SCHEDULE, partial(describe_selections, search))
    return found


def describe_selections(search: _DataSearch) -> Part | None:
    """Return the last selection and the schedule of selections, from any thread; None before the first selection."""
    if search.last_selection is None:
        return None
    selection = encode_selection(search.last_selection)
    bounding = getattr(search, "bounding", None)  # None before the islands begin
    facts = {
        **selection.facts,
        "has all subsets": search.has_all_subsets,
        "next seconds": search.next_seconds,
        "is finished": search.is_finished,
        "bound seconds": search.bound_seconds if bounding is None else bounding.spent,
    }
    return Part(facts, selection.arrays)


def restore_selections(search: _DataSearch, part: Part) -> Selection:
    """
    Continue the schedule of selections, and return the last selection.

    The enumeration of the next size begins again with the smaller sizes, so that its expected time is longer.
    """
    facts, found = part.facts, decode_selection(search.problem.names, part)
    search.has_all_subsets, search.is_finished = bool(facts["has all subsets"]), bool(facts["is finished"])
    search.bound_seconds = float(facts["bound seconds"])
    search.selecting = found.seconds
    search.next_seconds = float(facts["next seconds"]) + found.seconds
    search.state = EnumerationState(table=found.table, is_cut=found.is_cut, earlier=found.exhaustive)
    return found
