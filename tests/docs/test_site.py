"""The documentation site is built without warnings, and covers what it should."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import bnsearch

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> Path:
    """Return the folder of the site, built as by `make docs`: warnings are errors, and notebooks are executed."""
    pytest.importorskip("furo")
    pytest.importorskip("myst_parser")
    folder = tmp_path_factory.mktemp("site")
    options = ["--nitpicky", "--fail-on-warning", "--keep-going", "--quiet", "--builder", "html"]
    environment = {**os.environ, "PYTHONPATH": str(Path(bnsearch.__file__).parents[1])}
    command = [sys.executable, "-m", "sphinx", *options, str(DOCS), str(folder)]
    done = subprocess.run(command, env=environment, text=True, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    return folder


def test_every_page_is_built(site):
    """Each Markdown file is a page of the site."""
    pages = {str(path.relative_to(DOCS).with_suffix(".html")) for path in DOCS.rglob("*.md")}
    assert pages <= {str(path.relative_to(site)) for path in site.rglob("*.html")}


def test_the_reference_has_all_public_names(site):
    """Each public name, and the estimators, have an entry in the reference."""
    text = "".join(path.read_text(encoding="utf-8") for path in (site / "reference").glob("*.html"))
    names = {*bnsearch.__all__, "StructureLearner", "NetworkClassifier"} - {"__version__"}
    assert {name for name in names if f'id="bnsearch.{name}"' not in text} == set()
    assert "bnsearch.__version__" in text


def test_all_methods_and_commands_are_described(site):
    """Each method has a section with its code or a row in a table; each command has its help."""
    import typer

    from bnsearch.cli.main import app
    from bnsearch.learning.methods import METHODS

    table = (site / "methods" / "index.html").read_text(encoding="utf-8")
    pages = "".join(path.read_text(encoding="utf-8") for path in (DOCS / "methods").glob("*.md"))
    for name in METHODS.built_in:
        assert f'title="bnsearch.{METHODS[name].__name__}"' in table
        assert name == "auto" or f"{{method-parameters}} {name}\n" in pages
    help_texts = (site / "command_line.html").read_text(encoding="utf-8")
    commands = {command.name for command in typer.main.get_command(app).commands.values()}
    assert set(re.findall(r'id="bnsearch-(\w+)"', help_texts)) == commands


def test_notebooks_have_output(site):
    """Each notebook shows what its cells print or return, and a drawing."""
    for name in ("first_network", "knowledge_and_proofs", "inference"):
        page = (site / "notebooks" / f"{name}.html").read_text(encoding="utf-8")
        assert "cell-output" in page
        assert "<svg" in page


@pytest.mark.parametrize("path", [ROOT / "README.md", ROOT / "CONTRIBUTING.md"], ids=lambda path: path.name)
def test_links_to_files_exist(path):
    """Links of the files outside the site lead to files of the repository."""
    links = re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", path.read_text(encoding="utf-8"))
    assert [link for link in links if not (path.parent / link).exists()] == []


def test_the_citation_has_the_version():
    """CITATION.cff and the page about citing have the version of the package."""
    version = re.search(r'^version = "(.+)"$', (ROOT / "pyproject.toml").read_text(encoding="utf-8"), re.MULTILINE)[1]
    assert f"\nversion: {version}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"version = {{{version}}}" in (DOCS / "cite.md").read_text(encoding="utf-8")
