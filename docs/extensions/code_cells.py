"""
Notebooks in Markdown: the cells of a page are executed when the page is read, and followed by their output.

    ```{code-cell} ipython3
    1 + 1
    ```

The cells of a page share their variables. A cell shows what it prints, and the value of its last expression: as HTML or
SVG if the value can be shown like that, and as text otherwise. A cell that fails is an error of the build. The files
are notebooks in the MyST format, which Jupyter opens with jupytext.
"""

from __future__ import annotations

import ast
import contextlib
import io
import os
import tempfile
import traceback
from typing import Any

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective


class CodeCell(SphinxDirective):
    """A directive that shows code and its output."""

    has_content = True
    required_arguments = 0
    optional_arguments = 1
    final_argument_whitespace = True
    option_spec = {"tags": directives.unchanged}  # noqa: RUF012 (docutils expects a class attribute)

    def run(self) -> list[nodes.Node]:
        """Execute the cell, and return its code and its output."""
        self.env.note_reread()  # the next build executes the cell again, since the library may have changed
        code = "\n".join(self.content)
        variables = self.env.temp_data.setdefault("code_cells", {"__name__": "__main__"})
        try:
            printed, value = execute_cell(code, variables)
        except Exception:
            raise self.error(f"this cell fails:\n{code}\n{traceback.format_exc()}") from None
        shown = [nodes.literal_block(code, code, language="python", classes=["cell-input"])]
        if printed:
            shown.append(nodes.literal_block(printed, printed, language="text", classes=["cell-output"]))
        if value is not None:
            shown.append(make_output(value))
        return [nodes.container("", *shown, classes=["cell"])]


def execute_cell(code: str, variables: dict[str, Any]) -> tuple[str, Any]:
    """Return what the code of a cell prints, and the value of its last expression; None if it has none."""
    statements = ast.parse(code)
    last = statements.body.pop() if statements.body and isinstance(statements.body[-1], ast.Expr) else None
    value = None
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        exec(compile(statements, "<cell>", "exec"), variables)
        if last is not None:
            value = eval(compile(ast.Expression(last.value), "<cell>", "eval"), variables)
    return printed.getvalue(), value


def make_output(value: Any) -> nodes.Node:
    """Return a value as HTML, SVG or text."""
    for kind in ("_repr_html_", "_repr_svg_"):
        render = getattr(value, kind, None)
        if render is not None and (text := render()) is not None:
            return nodes.raw(text, f'<div class="cell-value">{text}</div>', format="html")
    return nodes.literal_block(repr(value), repr(value), language="text", classes=["cell-output"])


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the directive; tables of polars have fixed limits."""
    os.environ.setdefault("POLARS_FMT_MAX_COLS", "12")
    app.add_directive("code-cell", CodeCell)
    return {"parallel_read_safe": True}
