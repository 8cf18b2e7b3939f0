"""`bnsearch methods`: list of the search methods."""

from __future__ import annotations

import dataclasses
from typing import Any

from bnsearch.cli.console import indent_paragraph, print_json, show
from bnsearch.cli.docstrings import describe
from bnsearch.cli.options import Json


def methods(as_json: Json = False) -> None:
    """
    List the search methods.

    The list shows a summary, the parameters with their defaults (for --set), and the reference of each method.
    """
    from bnsearch.learning.methods import methods as all_methods

    entries = {name: _entry(kind) for name, kind in all_methods().items()}
    if as_json:
        print_json(entries)
        return
    for name, entry in entries.items():
        lines = [entry["summary"]]
        lines += [f"{field} = {about['default']}: {about['meaning']}" for field, about in entry["parameters"].items()]
        lines += [entry["reference"]] if entry["reference"] else []
        show(name, *(indent_paragraph(line) for line in lines))


def _entry(kind: type) -> dict[str, Any]:
    words = describe(kind)
    return {
        "summary": words.summary,
        "parameters": {
            field.name: {"default": field.default, "meaning": words.parameters.get(field.name, "")}
            for field in dataclasses.fields(kind)
        },
        "reference": words.references or None,
    }
