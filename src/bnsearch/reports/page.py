"""The HTML file of a report: the template with the style sheet, the script and the contents."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Mapping
from importlib.resources import files
from typing import Any

#: The parts of the script, in the order in which the page has them.
SCRIPTS = (
    "elements.js",
    "model.js",
    "inference.js",
    "layering.js",
    "viewport.js",
    "graph.js",
    "bars.js",
    "variable_panel.js",
    "edge_panel.js",
    "curve.js",
    "run_panel.js",
    "search.js",
    "main.js",
)


def render_page(contents: Mapping[str, Any]) -> str:
    """
    Return the page of a report.

    All names and numbers are in one block of JSON. The script shows them as text, never as markup. The content security
    policy permits this script and this style sheet only, so the page cannot load or run anything else.
    """
    style = _read_asset("page.css")
    script = _join_scripts()
    parts = {
        "policy": f"default-src 'none'; script-src {_compute_hash(script)}; style-src {_compute_hash(style)}",
        "style": style,
        "contents": embed_json(contents),
        "script": script,
    }
    # one pass: a name in the contents may look like a marker
    return re.sub(r"@(policy|style|contents|script)@", lambda found: parts[found[1]], _read_asset("page.html"))


def embed_json(value: Any) -> str:
    r"""
    Return a value as JSON that can stand inside a script element.

    All characters with a meaning in HTML, and all that are not ASCII, are written as \uXXXX.
    """
    text = json.dumps(value, ensure_ascii=True, allow_nan=False, separators=(",", ":"), default=str)
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def _join_scripts() -> str:
    parts = "\n".join(_read_asset(name) for name in SCRIPTS)
    return f'(() => {{\n"use strict";\n{parts}\n}})();\n'


def _read_asset(name: str) -> str:
    return files("bnsearch.reports").joinpath("assets", name).read_text(encoding="utf-8")


def _compute_hash(text: str) -> str:
    """Return the hash of an element's text as a content security policy states it."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
