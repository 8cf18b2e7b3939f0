"""
Keep the values of experiments in the repository, and write the pages that show them.

    python tools/kept_results.py keep FOLDER docs/papers NAME "MACHINE"   # values of an experiment's folder
    python tools/kept_results.py write                                    # all pages

`docs/papers` has the experiments of papers, `docs/results` our own. Each has the values in `data/NAME.json` and the
page `NAME.md`, which follows from the values alone. Other pages have tables of all experiments of a folder, between two
marks: verdicts on claims, and leads. `tests/test_kept_results.py` checks that all pages are current.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from bnsearch import __version__
from bnsearch._tools.files import atomic_write
from bnsearch.experiments.claims import check_claims
from bnsearch.experiments.folder import ExperimentFolder
from bnsearch.experiments.measures import MEASURES, Measure
from bnsearch.experiments.report.analysis import describe_measure
from bnsearch.experiments.report.blocks import Block, Details, Heading, Items, Paragraph, Table
from bnsearch.experiments.report.markdown import escape, render_markdown
from bnsearch.experiments.report.overview import (
    describe_claims,
    describe_failures,
    make_dataset_table,
    make_method_table,
)
from bnsearch.experiments.values import Finding, Findings, Grid

ROOT = Path(__file__).parents[1]
FOLDERS = ("docs/papers", "docs/results")
PAGES = ("docs/papers/README.md", "docs/results/README.md", "docs/benchmarks.md")  # pages with tables of experiments
MARKED = re.compile(r"(<!-- (\w+) of (\S+), written by tools/kept_results.py -->\n).*?(<!-- end -->)", re.DOTALL)
LABELS = ("dataset", "sample", "method", "score", "budget", "seed", "error")
UNKNOWN = "0+unknown"  # version of sources that are not installed
DIGITS = 10  # significant digits of kept values


class KeptFindings(Findings):
    """
    The kept values of an experiment.

    Parameters
    ----------
    kept : content of a file in `data`
    """

    def __init__(self, kept: dict[str, Any]) -> None:
        self.index, self.unused = kept["index"], 0
        self.cells, self.records, self._values = [], {}, {}
        width = len(LABELS)
        for number, row in enumerate(kept["rows"]):
            key = str(number)
            labels = dict(zip(LABELS, row[:width], strict=True))
            error = labels.pop("error")
            self.cells.append(labels | {"key": key})
            facts = {"size": kept["sizes"].get(labels["dataset"], {})} if error is None else {"error": error}
            self.records[key] = facts | {"version": kept["version"]}
            for name, value in zip(kept["measures"], row[width:], strict=True):
                if value is not None:
                    self._values[key, name] = float(value)

    def make_grid(self, measure: Measure, score: str, budget: str) -> Grid:
        """Return the values of a measure; data sets and methods without any value are left out."""
        values: dict[tuple[str, str], list[Finding]] = {}
        for cell in self.cells:
            value = self._values.get((cell["key"], measure.name))
            if (cell["score"], cell["budget"]) == (score, budget) and value is not None:
                finding = Finding(cell["sample"], cell["seed"], value, cell["key"])
                values.setdefault((cell["dataset"], cell["method"]), []).append(finding)
        datasets = tuple(d for d in self.datasets if any(d == dataset for dataset, _ in values))
        methods = tuple(m for m in self.methods if any(m == method for _, method in values))
        return Grid(measure, datasets, methods, values, self.index["tie"])


def keep(folder: Path, machine: str) -> dict[str, Any]:
    """Return the values of all cells of an experiment that its report and its claims need."""
    findings = Findings(ExperimentFolder(folder))
    index = findings.index
    names = list(dict.fromkeys([*index["measures"], *(claim["measure"] for claim in index["claims"])]))
    versions = {r["version"] for r in findings.records.values() if "version" in r} - {UNKNOWN}
    rows, sizes = [], {}
    for cell in findings.cells:
        record = findings.records.get(cell["key"])
        if record is None:
            continue
        sizes.setdefault(cell["dataset"], record.get("size", {}))
        values = [MEASURES[n].compute(record, findings.get_best(cell)) if "result" in record else None for n in names]
        rows.append([*(cell[label] for label in LABELS[:-1]), record.get("error"), *map(_shorten, values)])
    return {
        "machine": machine,
        "version": ", ".join(sorted(versions)) or __version__,
        "total": len(findings.cells),
        "index": {key: value for key, value in index.items() if key != "cells"},
        "measures": names,
        "sizes": sizes,
        "rows": rows,
    }


def _shorten(value: float | None) -> float | str | None:
    """Return a value with a limited number of digits; infinity is a text, which JSON does not have."""
    if value is None:
        return None
    return float(f"{value:.{DIGITS}g}") if math.isfinite(value) else "inf"


def render_kept(kept: dict[str, Any]) -> str:
    """Return the page of an experiment."""
    findings = KeptFindings(kept)
    blocks: list[Block] = [Heading(findings.index["title"], 1)]
    blocks += [Paragraph(text) for text in findings.index["description"].split("\n\n") if text.strip()]
    blocks += [Heading("What was run"), Items(describe_runs(kept, findings))]
    table = make_dataset_table(findings)
    if len(table.rows) <= 40:
        blocks.append(table)
    blocks += [make_method_table(findings), *describe_claims(findings)]
    for score, budget in findings.settings:
        blocks.append(Heading(f"{score}, {budget}"))
        for measure in findings.measures:
            blocks += describe_measure(findings, measure, score, budget)
    blocks += [_without_links(block) for block in describe_failures(findings)]
    return render_markdown([block for block in blocks if not isinstance(block, Details)]) + f"\n{mark_values(kept)}\n"


def _without_links(block: Block) -> Block:
    """Return a block whose entries do not link to result files, which are not kept."""
    if not isinstance(block, Table):
        return block
    return replace(block, rows=[[getattr(entry, "text", entry) for entry in row] for row in block.rows])


def mark_values(kept: dict[str, Any]) -> str:
    """Return a comment with a digest of the values, by which a page is recognised as that of other values."""
    return f"<!-- values: {hashlib.sha256(json.dumps(kept, sort_keys=True).encode()).hexdigest()[:16]} -->"


def describe_runs(kept: dict[str, Any], findings: KeptFindings) -> list[str]:
    """Return how many cells were run, and where."""
    done, failed = len(kept["rows"]), len(findings.failures)
    finished = (
        f"All {done:,} cells were run" if done == kept["total"] else f"{done:,} of {kept['total']:,} cells were run"
    )
    return [
        f"{finished}{f', {failed:,} of them failed' if failed else ''}, on {kept['machine']}.",
        f"Version of bnsearch: {kept['version']}. The plan has the same name as this page.",
        "The best value of each row is in bold; = marks ties. Means are over samples and seeds, followed by the "
        "standard deviation of all runs.",
    ]


def list_kept(folder: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield name and content of each kept experiment of a folder."""
    for path in sorted((folder / "data").glob("*.json")):
        yield path.stem, json.loads(path.read_text(encoding="utf-8"))


def render_verdicts(folder: Path, prefix: str) -> str:
    """Return the table of all verdicts of a folder; links begin with a prefix."""
    lines = [
        "| experiment | claim | comparison | measure, score, budget | verdict | test |",
        "|---|---|---|---|---|---|",
    ]
    for name, kept in list_kept(folder):
        title = escape(kept["index"]["title"])
        for v in check_claims(KeptFindings(kept)):
            parts = [v.claim, f"{v.better} against {v.than}", f"{v.measure}, {v.score}, {v.budget}"]
            words = [*map(escape, parts), f"**{v.word}**", escape(v.reason)]
            lines.append(f"| [{title}]({prefix}{name}.md) | {' | '.join(words)} |")
    return "\n".join(lines)


def render_leads(folder: Path, prefix: str) -> str:
    """Return a table with the leads of the first method of each experiment that has the measure `lead`."""
    lines = [
        "| experiment | score, budget | data sets | ahead | tied | behind | lowest lead | highest lead |",
        "|---|---|--:|--:|--:|--:|---|---|",
    ]
    for name, kept in list_kept(folder):
        if "lead" in kept["measures"]:
            findings, title = KeptFindings(kept), escape(kept["index"]["title"])
            for score, budget in findings.settings:
                words = [f"{score}, {budget}", *summarise_leads(findings.make_grid(MEASURES["lead"], score, budget))]
                lines.append(f"| [{title}]({prefix}{name}.md) | {' | '.join(map(escape, words))} |")
    return "\n".join(lines)


def summarise_leads(grid: Grid) -> list[str]:
    """Return the numbers of data sets, and of those with a lead, a tie and a loss of the first method; its extremes."""
    first, tie = grid.methods[0], 100 * grid.tolerance
    means = {dataset: grid.mean(dataset, first) for dataset in grid.datasets if grid.get(dataset, first)}
    leads = {dataset: 0.0 if abs(lead) <= tie else lead for dataset, lead in means.items()}
    ahead, behind = (sum(sign * lead > 0 for lead in leads.values()) for sign in (1, -1))
    numbers = [len(leads), ahead, len(leads) - ahead - behind, behind]
    extremes = [choose(leads, key=leads.__getitem__) for choose in (min, max)]
    texts = [f"{leads[dataset]:+.3f} % ({dataset})" if leads[dataset] else "0" for dataset in extremes]
    return [*map(str, numbers), *texts]


def replace_tables(text: str, page: Path, root: Path) -> str:
    """Return a page with current tables between its marks."""
    renderers = {"verdicts": render_verdicts, "leads": render_leads}

    def replace_table(found: re.Match[str]) -> str:
        begin, kind, name, end = found.groups()
        prefix = "" if root / name == page.parent else f"{name.removeprefix('docs/')}/"
        return f"{begin}\n{renderers[kind](root / name, prefix)}\n\n{end}"

    return MARKED.sub(replace_table, text)


def make_pages(root: Path = ROOT) -> dict[Path, str]:
    """Return the content of all pages by path."""
    pages = {}
    for folder in (root / name for name in FOLDERS):
        for name, kept in list_kept(folder):
            pages[folder / f"{name}.md"] = render_kept(kept)
    for page in (root / name for name in PAGES):
        pages[page] = replace_tables(page.read_text(encoding="utf-8"), page, root)
    return pages


def write_rows(kept: dict[str, Any], path: Path) -> None:
    """Write kept values, one line for each cell."""
    head = json.dumps({key: value for key, value in kept.items() if key != "rows"}, indent=1)
    rows = ",\n".join(json.dumps(row) for row in kept["rows"])
    with atomic_write(path) as to:
        to.write_text(f'{head[:-2]},\n "rows": [\n{rows}\n]}}\n', encoding="utf-8")


def main() -> None:
    """Keep values, or write all pages."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    keeping = commands.add_parser("keep")
    keeping.add_argument("folder", type=Path)
    keeping.add_argument("to", type=Path)
    keeping.add_argument("name")
    keeping.add_argument("machine")
    commands.add_parser("write")
    given = parser.parse_args()
    if given.command == "keep":
        path = given.to / "data" / f"{given.name}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        write_rows(keep(given.folder, given.machine), path)
        return
    for path, text in make_pages().items():
        with atomic_write(path) as to:
            to.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
