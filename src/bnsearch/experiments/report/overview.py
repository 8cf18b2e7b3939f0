"""The parts of a report that do not depend on a measure: what was run, claims, failures, result files."""

from __future__ import annotations

from typing import Any

from bnsearch.experiments.claims import check_claims
from bnsearch.experiments.folder import PLAN, RESULTS
from bnsearch.experiments.report.blocks import Block, Details, Entry, Heading, Items, Paragraph, Table
from bnsearch.experiments.values import Findings

MAX_DATA_SETS = 40  # longer tables of data sets are hidden until the reader opens them
MAX_SEEDS = 8  # more seeds are shown as a range


def describe_overview(findings: Findings) -> list[Block]:
    """Return the title and what was run on what."""
    index = findings.index
    blocks: list[Block] = [Heading(index["title"], 1)]
    blocks += [Paragraph(text) for text in index["description"].split("\n\n") if text.strip()]
    table = make_dataset_table(findings)
    hidden = len(table.rows) > MAX_DATA_SETS
    return [
        *blocks,
        Heading("What was run"),
        Items(_describe_counts(findings)),
        Details(f"{len(table.rows)} data sets", [table]) if hidden else table,
        make_method_table(findings),
    ]


def _describe_counts(findings: Findings) -> list[str]:
    """Return the numbers of cells, the scores, budgets and seeds, in sentences."""
    cells, failed = findings.cells, len(findings.failures)
    scores, budgets, seeds = (sorted({c[key] for c in cells}) for key in ("score", "budget", "seed"))
    samples = sorted({cell["sample"] for cell in cells if cell["sample"] is not None})
    versions = sorted({record.get("version", "") for record in findings.records.values()} - {""})
    finished = f"{len(cells) - findings.missing:,} of {len(cells):,} cells are finished, {failed:,} of them failed."
    lines = [
        finished if findings.missing or failed else f"All {len(cells):,} cells are finished.",
        f"Scores: {', '.join(scores)}. Budgets: {', '.join(budgets)}. Seeds: {_shorten(seeds)}."
        + (f" Samples: {_shorten(samples)}." if samples else ""),
        f"Each cell has {index_threads(findings)}. The plan is {PLAN}; result files are in the folder {RESULTS}.",
        f"Version of bnsearch: {', '.join(versions)}."
        + (" The results come from several versions and may not be comparable." if len(versions) > 1 else ""),
        "The best value of each row is in bold; = marks ties. Means are over samples and seeds, followed by the "
        "standard deviation of all runs. The tooltip of a value has its result files; its link leads to their list.",
    ]
    if findings.unused:
        lines.append(f"{findings.unused:,} result files of cells that are not in this plan are not used.")
    return lines


def index_threads(findings: Findings) -> str:
    """Return the number of threads of a cell in words."""
    threads = findings.index["threads"]
    return "one thread" if threads == 1 else f"{threads} threads"


def _shorten(numbers: list[int]) -> str:
    """Return numbers as a list, or as a range if there are many."""
    if len(numbers) > MAX_SEEDS and numbers == list(range(numbers[0], numbers[-1] + 1)):
        return f"{numbers[0]} to {numbers[-1]}"
    return ", ".join(map(str, numbers))


def make_dataset_table(findings: Findings) -> Table:
    """Return the sizes of the data sets; columns without any value are left out."""
    sizes: dict[str, dict[str, Any]] = {}
    samples: dict[str, set[Any]] = {}
    for cell in findings.cells:
        samples.setdefault(cell["dataset"], set()).add(cell["sample"])
        record = findings.records.get(cell["key"], {})
        if "size" in record:
            sizes.setdefault(cell["dataset"], record["size"])
    columns = {
        "variables": "variables",
        "rows": "rows",
        "sets": "candidate parent sets",
        "true_edges": "edges of the true network",
        "held_out_rows": "held-out rows",
    }
    used = [key for key in columns if any(size.get(key) is not None for size in sizes.values())]
    rows = []
    for dataset in findings.datasets:
        values = [sizes.get(dataset, {}).get(key) for key in used]
        rows.append([dataset, *("" if v is None else f"{v:,}" for v in values), str(len(samples[dataset]))])
    return Table(["data set", *(columns[key] for key in used), "samples"], rows)


def make_method_table(findings: Findings) -> Table:
    """Return the methods with their parameters."""
    rows = []
    for method in findings.index["methods"]:
        parts = [f"{name} = {value}" for name, value in method["parameters"].items()]
        if method["selection"] is not None:
            parts.append(f"selection {method['selection']['name']} {method['selection']['parameters']}")
        if method["max_parents"] is not None:
            parts.append(f"at most {method['max_parents']} parents")
        rows.append([method["label"], method["name"], ", ".join(parts) or "defaults"])
    return Table(["method", "name in bnsearch", "parameters"], rows, is_numeric=False)


def describe_claims(findings: Findings) -> list[Block]:
    """Return the verdicts on the claims of the plan; nothing without claims."""
    verdicts = check_claims(findings)
    if not verdicts:
        return []
    rows: list[list[Entry | str]] = [
        [
            verdict.claim,
            f"{verdict.better} against {verdict.than}",
            f"{verdict.measure}, {verdict.score}, {verdict.budget}",
            Entry(verdict.word, is_best=True),
            verdict.reason,
        ]
        for verdict in verdicts
    ]
    note = (
        "A claim is reproduced if Wilcoxon's signed-rank test over data sets is significant in its favour (0.05, "
        "corrected by Holm over all comparisons of this table). It is not testable if the corrected p-value cannot be "
        "that small, because too few data sets have no tie."
    )
    headings = ["claim", "comparison", "measure", "verdict", "test"]
    return [Heading("Claims"), Paragraph(note), Table(headings, rows, is_numeric=False)]


def describe_failures(findings: Findings) -> list[Block]:
    """Return the failed cells with their errors; nothing if there are none."""
    rows: list[list[Entry | str]] = [
        [f"{cell['method']} on {cell['dataset']}, {cell['score']}, {cell['budget']}, seed {cell['seed']}",
         Entry(error, target=f"{RESULTS}/{cell['key']}.json")]
        for cell, error in findings.failures
    ]  # fmt: skip
    return [Heading("Failed cells"), Table(["cell", "error"], rows, is_numeric=False)] if rows else []


def name_group(cell: dict[str, Any], findings: Findings) -> str:
    """Return the name of the row with the result files of a cell's group."""
    setting = findings.settings.index((cell["score"], cell["budget"]))
    return f"f{setting}-{findings.datasets.index(cell['dataset'])}-{findings.methods.index(cell['method'])}"


def describe_files(findings: Findings) -> list[Block]:
    """Return the list of result files: one row for each data set and method under a score and budget."""
    rows: list[list[Entry | str]] = []
    anchors, named = [], set()
    for cell in findings.cells:
        if cell["key"] not in findings.records:
            continue
        sample = "" if cell["sample"] is None else str(cell["sample"])
        name = f"{cell['key']}.json"
        rows.append(
            [cell["dataset"], cell["method"], cell["score"], cell["budget"], sample, str(cell["seed"]),
             Entry(name, target=f"{RESULTS}/{name}")]
        )  # fmt: skip
        group = name_group(cell, findings)
        anchors.append("" if group in named else group)
        named.add(group)
    headings = ["data set", "method", "score", "budget", "sample", "seed", "result file"]
    return [Heading("Result files"), Table(headings, rows, anchors, is_numeric=False)]
