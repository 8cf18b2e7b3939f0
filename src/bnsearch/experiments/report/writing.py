"""`write_report`: the report of an experiment's folder."""

from __future__ import annotations

import os
from pathlib import Path

from bnsearch._tools.files import atomic_write
from bnsearch.experiments.folder import ExperimentFolder
from bnsearch.experiments.report.analysis import describe_measure
from bnsearch.experiments.report.anytime import describe_anytime
from bnsearch.experiments.report.blocks import Block, Heading
from bnsearch.experiments.report.html import render_html
from bnsearch.experiments.report.markdown import render_markdown
from bnsearch.experiments.report.overview import (
    describe_claims,
    describe_failures,
    describe_files,
    describe_overview,
)
from bnsearch.experiments.values import Findings

HTML, MARKDOWN = "report.html", "report.md"


def write_report(folder: str | os.PathLike[str]) -> list[Path]:
    """
    Write the report of an experiment as an HTML page and as Markdown.

    Parameters
    ----------
    folder : str or path
        Folder of the experiment. Cells without a result file are left out.

    Returns
    -------
    list of Path
        The files `report.html` and `report.md` in this folder.

    Raises
    ------
    InputError
        If the folder has no experiment.
    """
    home = Path(folder)
    findings = Findings(ExperimentFolder(home))
    blocks = make_report(findings)
    texts = {HTML: render_html(blocks, findings.index["title"]), MARKDOWN: render_markdown(blocks)}
    for name, text in texts.items():
        with atomic_write(home / name) as to:
            to.write_text(text, encoding="utf-8")
    return [home / name for name in texts]


def make_report(findings: Findings) -> list[Block]:
    """Return the parts of a report."""
    blocks = [*describe_overview(findings), *describe_claims(findings)]
    for score, budget in findings.settings:
        measured = [describe_measure(findings, measure, score, budget) for measure in findings.measures]
        curves = describe_anytime(findings, score, budget)
        blocks.append(Heading(f"{score}, {budget}"))
        blocks += [block for part in measured for block in part]
        blocks += [Heading("Anytime curves", 3), *curves] if curves else []
    return [*blocks, *describe_failures(findings), *describe_files(findings)]
