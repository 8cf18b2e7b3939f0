"""`bnsearch guide`: the page names everything that exists, and nothing else."""

from __future__ import annotations

import inspect
import re

import typer

from bnsearch.cli import failures
from bnsearch.cli.guide import CHOICES, EXIT_STATUSES, WIDTH, list_commands, write_guide
from bnsearch.cli.json_fields import FIELDS
from bnsearch.cli.main import COMMANDS, app, main
from bnsearch.learning.methods import METHODS
from bnsearch.scores.named import SCORES

PARSER = typer.main.get_command(app)
PAGE = "\n".join(write_guide(list_commands(PARSER)))


def get_section(page: str, title: str) -> str:
    """Return the section of a page whose title begins with a text."""
    return next(part for part in page.split("\n\n") if part.startswith(title))


def list_terms(section: str) -> list[str]:
    """Return the first words of the rows of a section."""
    return re.findall(r"^  (\S+)", section, re.MULTILINE)


def test_the_page_is_complete(run):
    """All commands, methods, scores and exit statuses are listed, in their order."""
    outcome = run("guide")
    assert (outcome.code, outcome.err) == (0, "")
    page = outcome.out
    assert max(map(len, page.splitlines())) <= WIDTH
    assert list_terms(get_section(page, "Commands")) == list(COMMANDS)
    assert list_terms(get_section(page, "Methods")) == list(METHODS)
    assert list_terms(get_section(page, "Scores")) == list(SCORES)
    assert [int(term) for term in list_terms(get_section(page, "Exit"))] == sorted(EXIT_STATUSES)
    assert list_terms(get_section(page, "The output")) == list(FIELDS)


def test_exit_statuses_are_those_of_the_commands():
    """Every status of failures.py is described."""
    statuses = {failures.BUG, failures.BROKEN_PIPE, failures.BAD_INPUT, failures.INTERRUPTED, failures.TERMINATED}
    assert set(EXIT_STATUSES) == {0, *statuses}


def test_commands_with_json_have_fields():
    """A command has an entry in the list of fields if and only if it has the option --json."""
    with_json = {name for name, command in COMMANDS.items() if "as_json" in inspect.signature(command).parameters}
    assert with_json == set(FIELDS)


def test_examples_name_commands_and_options_that_exist():
    """The arguments of each example are parsed without running the command."""
    examples = re.findall(r"^  bnsearch (.+?)(?:  |$)", get_section(PAGE, "A first run"), re.MULTILINE)
    assert len(examples) == 5
    for example in examples:
        name, *arguments = example.split()
        context = PARSER.commands[name].make_context(name, arguments)
        assert context.params


def test_advice_names_methods_that_exist():
    """Methods that the advice names can be used; options too."""
    words = {word for _, text in CHOICES for word in re.findall(r"[a-z0-9]+", text)}
    assert {"auto", "exact", "ges", "hillclimb", "tabu"} <= words & set(METHODS)
    options = {option for _, text in CHOICES for option in re.findall(r"--[a-z-]+", text)}
    known = {option for name in COMMANDS for option in list_options(name)}
    assert options <= known


def list_options(name: str) -> list[str]:
    """Return the options of a command."""
    return [option for parameter in PARSER.commands[name].params for option in parameter.opts]


def test_log_option():
    """The commands that the section about the log names are those with the option."""
    named = re.findall(r"\((.*)\)", get_section(PAGE, "Log:"))[0].split(", ")
    assert named == [name for name in COMMANDS if "--log-json" in list_options(name)]


def test_main_is_unchanged_by_arguments(capsys):
    """The page needs no arguments and refuses them."""
    assert main(["guide", "more"]) == 2
    assert capsys.readouterr().err.startswith("bnsearch: error: ")
