"""The examples of README.md and of the pages of the documentation run."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tools"))
from doc_examples import Block, list_pages, read_blocks, run_page  # noqa: E402 (a tool, not a package)

LANGUAGES = {"", "python", "sh", "toml", "json", "text", "layers"}  # of blocks without braces, which are directives
PAGES = [page for page in list_pages() if any(block.is_run for block in read_blocks(page))]
TESTED_ELSEWHERE = {ROOT / "docs" / "notebooks", ROOT}  # the build executes notebooks; the README has its own test
NEEDS = {"sklearn.md": "sklearn"}


def name_of(page: Path) -> str:
    """Return the path of a page in the repository."""
    return str(page.relative_to(ROOT))


@pytest.mark.parametrize("page", [page for page in PAGES if page.parent not in TESTED_ELSEWHERE], ids=name_of)
def test_examples_run(page, tmp_path, monkeypatch):
    """All examples of a page run one after the other in an empty folder, here with short time budgets."""
    pytest.importorskip(NEEDS.get(page.name, "bnsearch"))
    monkeypatch.chdir(tmp_path)
    assert run_page(page) > 0


def test_the_readme_learns_and_writes(tmp_path, monkeypatch, capsys):
    """The README's examples print a result of 34 variables, and write the network and the report."""
    import bnsearch

    monkeypatch.chdir(tmp_path)
    run_page(ROOT / "README.md")
    assert "Result(34 variables" in capsys.readouterr().out
    assert len(bnsearch.read_network(tmp_path / "learned.bif").names) == 34
    assert {path.name for path in tmp_path.iterdir()} >= {"asia.csv", "asia.html", "report.html"}


def test_most_pages_have_examples():
    """Each page of a task has an example that is run, except those that need a cluster or a long time."""
    tasks = {page.name for page in (ROOT / "docs" / "tasks").glob("*.md")}
    assert tasks - {page.name for page in PAGES} == {"clusters.md"}
    assert len([page for page in PAGES if page.parent.name == "notebooks"]) >= 4


@pytest.mark.parametrize("page", list_pages(), ids=name_of)
def test_every_block_is_run_or_says_why_not(page):
    """A block has a known language; commands and programs are in blocks that are run, or that say why they are not."""
    for block in read_blocks(page):
        place = f"{name_of(page)}:{block.line}"
        assert block.language in LANGUAGES or block.language.startswith("{"), place
        if block.language in {"", "text"}:
            assert not block.code.startswith(("bnsearch ", "import ", "from ", "pip ")), place


def test_pages_have_no_block_that_is_overlooked():
    """Each line that begins a fence on a page begins a block that is found."""
    for page in list_pages():
        lines = page.read_text(encoding="utf-8").splitlines()
        fences = [line for line in lines if line.startswith("```")]
        assert len(fences) == 2 * len(list(read_blocks(page))), name_of(page)


def test_blocks_are_found(tmp_path):
    """Languages, comments and line numbers are read; only code without a comment is run."""
    page = tmp_path / "page.md"
    first, second = "```python\nx = 1\n```\n", "<!-- not run: slow -->\n```sh\nsleep 1\n```\n"
    page.write_text(f"a\n\n{first}\n{second}\n```{{code-cell}} py\ny\n```\n")
    found = list(read_blocks(page))
    assert found == [
        Block("python", "x = 1\n", 4, None, None),
        Block("sh", "sleep 1\n", 9, "not run", "slow"),
        Block("{code-cell}", "y\n", 13, None, None),
    ]
    assert [block.is_run for block in found] == [True, False, True]


def test_an_example_that_fails_is_noticed(tmp_path, monkeypatch):
    """An exception, a command that fails, and another program are errors; the number of seconds is reduced."""
    monkeypatch.chdir(tmp_path)
    page = tmp_path / "page.md"
    page.write_text("```python\nassert bool(dict(seconds=60)['seconds'] == 1)\n```\n")
    assert run_page(page) == 1
    page.write_text("```python\n1 / 0\n```\n")
    with pytest.raises(ZeroDivisionError):
        run_page(page)
    page.write_text("```sh\nbnsearch score no_such_table.csv asia\n```\n")
    with pytest.raises(ValueError, match=r"exit status 2: .*no_such_table"):
        run_page(page)
    page.write_text("```sh\nrm -r x\n```\n")
    with pytest.raises(ValueError, match="no call of bnsearch"):
        run_page(page)


def test_files_of_examples_are_written(tmp_path, monkeypatch):
    """A block with the comment `file` is written, and a command can read it."""
    monkeypatch.chdir(tmp_path)
    table, command = "x,y\n0,1\n1,0\n", "bnsearch learn a.csv -q\n"
    (tmp_path / "page.md").write_text(f"<!-- file: a.csv -->\n```text\n{table}```\n\n```sh\n{command}```\n")
    assert run_page(tmp_path / "page.md") == 1
    assert (tmp_path / "a.csv").read_text() == table
