"""`bnsearch scores`: list of the scores."""

from __future__ import annotations

from typing import Any

from bnsearch.cli.console import indent_paragraph, print_json, show
from bnsearch.cli.docstrings import describe, describe_parameters
from bnsearch.cli.options import Json
from bnsearch.errors import InputError


def scores(as_json: Json = False) -> None:
    """
    List the scores.

    The list shows the formula, the parameters with their defaults, and the reference of each score. All are
    log-scores: higher is better. A score-equivalent score has the same value for all networks of a Markov
    equivalence class. Scores of other installed packages are included.
    """
    from bnsearch.scores.named import SCORES

    entries = {name: _entry(name) for name in SCORES}
    if as_json:
        print_json({"scores": entries})
        return
    for name, entry in entries.items():
        _show(name, entry)


def _entry(name: str) -> dict[str, Any]:
    from bnsearch.scores.named import SCORES

    aliases = [alias for alias, of in SCORES.aliases.items() if of == name]
    try:
        kind = SCORES[name]
    except InputError as error:  # a package with a score that cannot be used must not hide the others
        return {"aliases": [], "formula": str(error), "equivalent": False, "parameters": {}, "reference": None}
    words = describe(kind)
    return {
        "aliases": aliases,
        "formula": words.summary,
        "equivalent": kind.equivalent,
        "parameters": describe_parameters(kind),
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
