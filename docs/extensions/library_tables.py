"""
Tables of the documentation that come from the library: its methods, their parameters, and its scores.

    ```{method-table}
    ```
    ```{method-parameters} minobs
    ```
    ```{score-table}
    ```
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from bnsearch.cli.docstrings import describe, describe_parameters
from bnsearch.learning.methods import METHODS
from bnsearch.runs.method import get_declaration
from bnsearch.scores import SCORES


class MarkdownTable(SphinxDirective):
    """A directive that is replaced by a table in Markdown."""

    def run(self) -> list[nodes.Node]:
        """Return the nodes of the table."""
        self.env.note_reread()  # the next build makes the table again, since the library may have changed
        parent = nodes.container(classes=["from-library"])
        self.state.nested_parse(StringList(self.make_table().splitlines()), self.content_offset, parent)
        return parent.children

    def make_table(self) -> str:
        """Return the table."""
        raise NotImplementedError


class MethodTable(MarkdownTable):
    """The methods of the library with what their classes declare."""

    def make_table(self) -> str:
        """Return the table, with links to the reference."""
        rows = ((name, METHODS[name], get_declaration(METHODS[name])) for name in METHODS.built_in)
        return render_table(
            ("method", "search space", "needs", "paper", "use it"),
            ((link_class(name, kind), d.space, str(d.needs), d.paper, d.purpose) for name, kind, d in rows),
        )


class MethodParameters(MarkdownTable):
    """The parameters of one method with their defaults."""

    required_arguments = 1

    def make_table(self) -> str:
        """Return the table."""
        parameters = describe_parameters(METHODS[self.arguments[0]])
        return render_table(
            ("parameter", "default", "meaning"),
            ((f"`{name}`", f"`{about['default']}`", about["meaning"]) for name, about in parameters.items()),
        )


class ScoreTable(MarkdownTable):
    """The scores of the library."""

    def make_table(self) -> str:
        """Return the table."""
        rows = []
        for name in SCORES.built_in:
            kind = SCORES[name]
            parameters = ", ".join(
                f"`{field}={about['default']}`" for field, about in describe_parameters(kind).items()
            )
            rows.append((f"`{name}`", describe(kind).summary, "yes" if kind.equivalent else "no", parameters))
        return render_table(("score", "formula", "score-equivalent", "parameters"), rows)


def link_class(name: str, kind: type) -> str:
    """Return a link from the name of a method to its class in the reference."""
    return f"{{py:class}}`{name} <bnsearch.{kind.__name__}>`"


def render_table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table in Markdown."""
    lines = (header, ["---"] * len(header), *rows)
    return "".join("| " + " | ".join(re.sub(r"(?<!\\)\|", r"\\|", cell) for cell in line) + " |\n" for line in lines)


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the directives."""
    app.add_directive("method-table", MethodTable)
    app.add_directive("method-parameters", MethodParameters)
    app.add_directive("score-table", ScoreTable)
    return {"parallel_read_safe": True}
