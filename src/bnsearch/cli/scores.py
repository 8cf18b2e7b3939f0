"""`bnsearch scores`: list of the scores."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

from bnsearch.cli.console import indent_paragraph, print_json, show
from bnsearch.cli.docstrings import describe
from bnsearch.cli.options import Json

if TYPE_CHECKING:
    from bnsearch.scores.named import ScoreClass


def scores(as_json: Json = False) -> None:
    """
    List the scores.

    The list shows the formula, the parameters with their defaults, and the reference of each score. All are
    log-scores: higher is better. A score-equivalent score has the same value for all networks of a Markov
    equivalence class.
    """
    from bnsearch.scores.named import ALIASES, SCORES

    aliases = {name: [alias for alias, of in ALIASES.items() if of == name] for name in SCORES}
    entries = {name: _entry(kind, aliases[name]) for name, kind in SCORES.items()}
    if as_json:
        print_json(entries)
        return
    for name, entry in entries.items():
        _show(name, entry)


def _entry(kind: ScoreClass, aliases: list[str]) -> dict[str, Any]:
    words = describe(kind)
    return {
        "aliases": aliases,
        "formula": words.summary,
        "equivalent": kind.equivalent,
        "parameters": {
            field.name: {"default": field.default, "meaning": words.parameters.get(field.name, "")}
            for field in dataclasses.fields(kind)
        },
        "reference": words.references or None,
    }


def _show(name: str, entry: dict[str, Any]) -> None:
    also = f" (also {', '.join(entry['aliases'])})" if entry["aliases"] else ""
    lines = [entry["formula"]]
    lines += [
        f"{parameter} = {about['default']}: {about['meaning']}" for parameter, about in entry["parameters"].items()
    ]
    lines += [entry["reference"]] if entry["reference"] else []
    equivalent = "score-equivalent" if entry["equivalent"] else "not score-equivalent"
    show(f"{name}{also}, {equivalent}", *(indent_paragraph(line) for line in lines))
