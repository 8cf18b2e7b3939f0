"""Candidate selections as parts of a checkpoint."""

from __future__ import annotations

from collections.abc import Sequence

from bnsearch.checkpoints.container import Part
from bnsearch.checkpoints.values import decode_table, encode_number, encode_table
from bnsearch.selection.report import Selection


def encode_selection(selection: Selection) -> Part:
    """Return a selection as a part; its table is written once."""
    facts = {
        "exhaustive": selection.depth,
        "stop": selection.stop,
        "complete": selection.complete,
        "is_cut": selection.is_cut,
        "seconds": selection.seconds,
        "seconds_for_next": encode_number(selection.seconds_for_next),
        "notes": list(selection.notes),
    }
    arrays = {**encode_table(selection.table), "scored_of": selection.scored_of, "seconds_of": selection.seconds_of}
    return Part(facts, arrays)


def decode_selection(names: Sequence[str], part: Part) -> Selection:
    """Return a selection of the variables `names`."""
    facts, arrays = part.facts, part.arrays
    return Selection(
        decode_table(names, arrays),
        arrays["scored_of"],
        arrays["seconds_of"],
        int(facts["exhaustive"]),
        str(facts["stop"]),
        complete=bool(facts["complete"]),
        is_cut=bool(facts["is_cut"]),
        seconds=float(facts["seconds"]),
        seconds_for_next=float(facts["seconds_for_next"]),
        notes=tuple(map(str, facts["notes"])),
    )
