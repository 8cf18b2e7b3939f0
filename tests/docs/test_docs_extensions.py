"""The extensions of the documentation: cells of notebooks, tables and help texts that come from the library."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

pytest.importorskip("sphinx")
sys.path.insert(0, str(Path(__file__).parents[2] / "docs" / "extensions"))
from code_cells import execute_cell, make_output
from command_help import make_context
from library_tables import link_class, render_table


def test_cells_share_variables_and_return_the_last_expression():
    """A cell prints, and has the value of its last expression; one that ends with a statement has none."""
    variables: dict[str, object] = {}
    assert execute_cell("x = 2\nprint(x)", variables) == ("2\n", None)
    assert execute_cell("print('a')\nx + 1", variables) == ("a\n", 3)
    assert execute_cell("", variables) == ("", None)


def test_a_cell_runs_in_an_empty_folder():
    """Files that a cell writes are not left in the folder of the documentation."""
    before = Path.cwd()
    _, found = execute_cell("open('x.txt', 'w').close()\nimport os\nos.listdir()", {})
    assert found == ["x.txt"]
    assert Path.cwd() == before
    assert not Path("x.txt").exists()


def test_errors_of_cells_are_raised():
    """A cell that fails raises its exception, which the directive turns into an error of the build."""
    with pytest.raises(ZeroDivisionError):
        execute_cell("1 / 0", {})


def test_values_are_shown_as_html_svg_or_text():
    """HTML comes before SVG, SVG before text; an object that declines to be drawn is shown as text."""

    class Drawn:
        def __init__(self, html=None, svg=None):
            self._repr_html_, self._repr_svg_ = (lambda: html), (lambda: svg)

    assert make_output(Drawn("<b>1</b>", "<svg/>")).astext() == '<div class="cell-value"><b>1</b></div>'
    assert "<svg/>" in make_output(Drawn(None, "<svg/>")).astext()
    assert "Drawn object" in make_output(Drawn()).astext()
    assert make_output([1, 2]).astext() == "[1, 2]"


def test_tables():
    """A bar in a cell is escaped, so that the cell stays one cell."""
    assert render_table(("a", "b"), [("1", "x | y")]) == "| a | b |\n| --- | --- |\n| 1 | x \\| y |\n"


def test_links_lead_to_classes():
    """The name of a method links to its class."""
    from bnsearch import MINOBS

    assert link_class("minobs", MINOBS) == "{py:class}`minobs <bnsearch.MINOBS>`"


def test_help_has_a_fixed_width():
    """The help of a command does not depend on the terminal; no line is longer than the width."""
    import typer

    from bnsearch.cli.main import app

    program = typer.main.get_command(app)
    context = make_context(program, "bnsearch", None)
    text = program.get_command(context, "score").get_help(
        make_context(program.get_command(context, "score"), "score", context)
    )
    assert text.startswith("Usage: bnsearch score")
    assert max(map(len, text.splitlines())) <= 96
