"""The state of the default method in a checkpoint: the selected candidate table and the schedule of selections."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from bnsearch.checkpoints.container import Part
from bnsearch.checkpoints.enumerations import EnumerationEncoder, decode_enumeration
from bnsearch.checkpoints.selections import decode_selection, encode_selection
from bnsearch.selection.enumeration import EnumerationState
from bnsearch.selection.walk_state import WalkState, take_state

if TYPE_CHECKING:
    from bnsearch.checkpoints.checkpoint import Checkpoint
    from bnsearch.learning.selection_schedule import SelectionSchedule
    from bnsearch.selection.report import Selection

SCHEDULE, ENUMERATION = "schedule of selections", "enumeration"  # the names of the parts


def connect_selections(schedule: SelectionSchedule, checkpoint: Checkpoint, names: Sequence[str]) -> Selection | None:
    """
    Restore the selections of an earlier run, and save those of this run in the checkpoint from now on.

    The result is the last selection of the earlier run; None if there is none.
    """
    part, enumeration, found = checkpoint.take(SCHEDULE), checkpoint.take(ENUMERATION), None
    if part is not None:
        with checkpoint.damage_reported():
            saved = None if enumeration is None else decode_enumeration(enumeration)
            found = restore_selections(schedule, part, names, saved)
    checkpoint.provide(SCHEDULE, partial(encode_selections, schedule))
    checkpoint.provide(ENUMERATION, partial(encode_enumeration, schedule, EnumerationEncoder()))
    return found


def encode_selections(schedule: SelectionSchedule) -> Part | None:
    """Return the last selection and the schedule of selections, from any thread; None before the first selection."""
    if schedule.last_selection is None:
        return None
    selection = encode_selection(schedule.last_selection)
    facts = {
        **selection.facts,
        "has all subsets": schedule.has_all_subsets,
        "next seconds": schedule.next_seconds,
        "is finished": schedule.is_finished,
    }
    return Part(facts, selection.arrays)


def encode_enumeration(schedule: SelectionSchedule, encoder: EnumerationEncoder) -> Part | None:
    """Return the state of the enumeration, from any thread; None before it begins."""
    walk = schedule.state.walk
    return None if walk is None else encoder.encode(take_state(walk))


def restore_selections(
    schedule: SelectionSchedule, part: Part, names: Sequence[str], saved: WalkState | None
) -> Selection:
    """
    Continue the schedule of selections, and return the last selection.

    saved : state of the enumeration. None means that it was too large to be written. The enumeration then starts again
        with the smallest size, so its expected time is longer
    """
    facts, found = part.facts, decode_selection(names, part)
    schedule.has_all_subsets, schedule.is_finished = bool(facts["has all subsets"]), bool(facts["is finished"])
    schedule.selection_seconds = found.seconds
    schedule.next_seconds = float(facts["next seconds"])
    if saved is not None and saved.depth >= found.depth:
        schedule.state = EnumerationState(table=found.table, is_cut=found.is_cut, saved=saved)
    else:
        schedule.next_seconds += found.seconds
        schedule.state = EnumerationState(table=found.table, is_cut=found.is_cut, earlier_depth=found.depth)
    return found
