"""
The help of every command of the command line, one section for each.

    ```{command-help}
    ```
"""

from __future__ import annotations

import click
import typer
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from bnsearch.cli.main import app as command_line

WIDTH = 96


class CommandHelp(SphinxDirective):
    """A directive that is replaced by the help texts of the commands."""

    def run(self) -> list[nodes.Node]:
        """Return the help of the program, then one section for each command."""
        self.env.note_reread()  # the next build makes the texts again, since the commands may have changed
        program = typer.main.get_command(command_line)
        context = make_context(program, "bnsearch", None)
        sections: list[nodes.Node] = [nodes.literal_block("", program.get_help(context), language="text")]
        for name in program.list_commands(context):
            command = program.get_command(context, name)
            title = f"bnsearch {name}"
            section = nodes.section(ids=[nodes.make_id(title)], names=[title])
            section += nodes.title(title, title)
            text = command.get_help(make_context(command, name, context))
            section += nodes.literal_block(text, text, language="text")
            self.state.document.note_implicit_target(section, section)
            sections.append(section)
        return sections


def make_context(command: click.Command, name: str, parent: click.Context | None) -> click.Context:
    """Return a context in which the help of a command has a fixed width."""
    return click.Context(
        command,
        info_name=name,
        parent=parent,
        terminal_width=WIDTH,
        max_content_width=WIDTH,
        help_option_names=["-h", "--help"],
    )


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the directive."""
    app.add_directive("command-help", CommandHelp)
    return {"parallel_read_safe": True}
