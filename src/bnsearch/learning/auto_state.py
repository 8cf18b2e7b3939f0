"""The state of the default method in a checkpoint: the selected candidate table and the schedule of selections."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from bnsearch.checkpoints.container import Part
from bnsearch.checkpoints.enumerations import EnumerationEncoder, decode_enumeration
from bnsearch.checkpoints.selections import decode_selection, encode_selection
from bnsearch.selection.enumeration import EnumerationState
from bnsearch.selection.walk_state import WalkState, take_state

if TYPE_CHECKING:
    from bnsearch.checkpoints.checkpoint import Checkpoint
    from bnsearch.learning.auto import _DataSearch
    from bnsearch.selection.report import Selection

SCHEDULE, ENUMERATION = "schedule of selections", "enumeration"  # the names of the parts


def keep_selections(search: _DataSearch, checkpoint: Checkpoint) -> Selection | None:
    """Add the selections to a checkpoint, and return the last one of an earlier run; None if there is none."""
    part, enumeration, found = checkpoint.take(SCHEDULE), checkpoint.take(ENUMERATION), None
    if part is not None:
        with checkpoint.damage_reported():
            saved = None if enumeration is None else decode_enumeration(enumeration)
            found = restore_selections(search, part, saved)
    checkpoint.provide(SCHEDULE, partial(describe_selections, search))
    checkpoint.provide(ENUMERATION, partial(describe_enumeration, search, EnumerationEncoder()))
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


def describe_enumeration(search: _DataSearch, encoder: EnumerationEncoder) -> Part | None:
    """Return the state of the enumeration, from any thread; None before it begins."""
    walk = search.state.walk
    return None if walk is None else encoder.encode(take_state(walk))


def restore_selections(search: _DataSearch, part: Part, saved: WalkState | None) -> Selection:
    """
    Continue the schedule of selections, and return the last selection.

    saved : state of the enumeration. If it is None, because it was too large to be written so far, the enumeration of
        the next size begins again with the smaller sizes, so that its expected time is longer
    """
    facts, found = part.facts, decode_selection(search.problem.names, part)
    search.has_all_subsets, search.is_finished = bool(facts["has all subsets"]), bool(facts["is finished"])
    search.bound_seconds = float(facts["bound seconds"])
    search.selecting = found.seconds
    search.next_seconds = float(facts["next seconds"])
    if saved is not None and saved.complete >= found.exhaustive:
        search.state = EnumerationState(table=found.table, is_cut=found.is_cut, saved=saved)
    else:
        search.next_seconds += found.seconds
        search.state = EnumerationState(table=found.table, is_cut=found.is_cut, earlier=found.exhaustive)
    return found
