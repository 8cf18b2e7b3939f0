"""`bnsearch methods`: list of the search methods."""

from __future__ import annotations

from typing import Any

from bnsearch.cli.console import indent_paragraph, print_json, show
from bnsearch.cli.docstrings import describe, describe_parameters
from bnsearch.cli.options import Json
from bnsearch.errors import InputError


def methods(as_json: Json = False) -> None:
    """
    List the search methods.

    The list shows the search space, the input, a summary, the parameters with their defaults (for --set), and the
    reference of each method. Methods of other installed packages are included.
    """
    from bnsearch.learning.methods import METHODS

    entries = {name: _entry(name) for name in METHODS}
    if as_json:
        print_json({"methods": entries})
        return
    for name, entry in entries.items():
        lines = [entry["summary"]]
        lines += [f"{field} = {about['default']}: {about['meaning']}" for field, about in entry["parameters"].items()]
        lines += [entry["reference"]] if entry["reference"] else []
        title = [name, entry["space"], f"needs {entry['needs']}" if entry["needs"] else ""]
        show("; ".join(part for part in title if part), *(indent_paragraph(line) for line in lines))


def _entry(name: str) -> dict[str, Any]:
    from bnsearch.learning.methods import METHODS
    from bnsearch.runs.method import get_declaration

    try:
        kind = METHODS[name]
    except InputError as error:  # a package with a method that cannot be used must not hide the others
        return {"summary": str(error), "space": "", "needs": "", "paper": "", "parameters": {}, "reference": None}
    words, declared = describe(kind), get_declaration(kind)
    return {
        "summary": words.summary,
        "space": declared.space,
        "needs": str(declared.needs),
        "paper": declared.paper,
        "parameters": describe_parameters(kind),
        "reference": words.references or None,
    }
