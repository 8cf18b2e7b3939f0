"""
Run bnsearch as a module of Benchpress.

Snakemake runs this file with a global object `snakemake`: input and output files, and the values of the config file as
texts (`wildcards`). The text None stands for null. Snakemake puts lines before this file, so it cannot have imports
from `__future__`.
"""

import json
import time
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from bnsearch import Dataset, Knowledge, learn, make_score

CONSTRAINTS = Path("resources") / "constraints"  # folder of the files that edgeConstraints names
KNOWN_CONSTRAINTS = {
    "forbidden_edges", "required_edges", "tiers", "tier_settings", "forbidden_groups", "required_groups",
}  # fmt: skip


def read_table(path: str) -> Dataset:
    """Return the table of a file of categorical data: names, numbers of states, then codes from 0."""
    lines = Path(path).read_text(encoding="utf-8").splitlines()
    names = [name.strip().strip('"') for name in lines[0].split(",")]
    try:
        rows = np.array([[int(float(value)) for value in line.split(",")] for line in lines[1:] if line.strip()])
        return Dataset.from_codes(rows[1:], arities=rows[0], names=names)
    except ValueError as error:
        raise SystemExit(
            f"bnsearch: {path} is not categorical data ({error}): the second row must have the numbers of states, and "
            "the other rows codes from 0"
        ) from None


def read_constraints(path: Path, names: Iterable[str]) -> Knowledge:
    """Return the background knowledge of a file of edge constraints; other variables are ignored, as in Benchpress."""
    content, known = json.loads(path.read_text(encoding="utf-8")), set(names)
    unknown = set(content) - KNOWN_CONSTRAINTS
    if unknown:
        raise SystemExit(f"bnsearch: {path} has unknown keys: {', '.join(sorted(unknown))}")

    def list_edges(kind: str) -> Iterator[tuple[str, str]]:
        pairs = [tuple(edge) for edge in content.get(f"{kind}_edges", ())]
        pairs += [(a, b) for g in content.get(f"{kind}_groups", ()) for a in g["cause"] for b in g["effect"]]
        yield from ((a, b) for a, b in dict.fromkeys(pairs) if {a, b} <= known)

    tiers = [[name for name in tier if name in known] for tier in content.get("tiers", ())]
    settings = content.get("tier_settings", {})
    inside = settings.get("forbid_within_tiers", settings.get("forbidden_within_tiers", False))
    return Knowledge(
        required=tuple(list_edges("required")),
        forbidden=tuple(list_edges("forbidden")),
        tiers=tuple(tuple(tier) for tier in tiers if tier),
        within_tiers=not inside,
        across_tiers=not settings.get("can_only_cause_next_tier", False),
    )


def read_settings(wildcards: Mapping[str, str], names: Iterable[str]) -> dict[str, Any]:
    """Return the arguments of `learn`; a timeout of Benchpress limits the seconds."""
    given = {key: None if value in ("None", "null", "") else value for key, value in dict(wildcards).items()}
    limits = [float(value) for key in ("seconds", "timeout") if (value := given.get(key)) is not None]
    ess = given.get("ess")
    score = given.get("score") or "bic"
    parents, constraints = given.get("max_parents"), given.get("edgeConstraints")
    return {
        "method": given.get("method") or "auto",
        "score": make_score(score) if ess is None else make_score(score, ess=float(ess)),
        "seconds": min(limits) if limits else None,
        "seed": int(given.get("seed") or given.get("replicate") or 1),
        "max_parents": None if parents is None else int(parents),
        "threads": int(given.get("threads") or 1),
        "knowledge": None if constraints is None else read_constraints(CONSTRAINTS / constraints, names),
    }


def run(snakemake: Any) -> None:
    """Learn a network from the input, and write the output: adjacency matrix, seconds, number of tests."""
    data = read_table(snakemake.input["data"])
    began = time.perf_counter()
    result = learn(data, **read_settings(snakemake.wildcards, data.names))
    seconds = time.perf_counter() - began
    rows = [",".join(map(str, row)) for row in result.dag.adjacency.astype(int).tolist()]
    Path(snakemake.output["adjmat"]).write_text("\n".join([",".join(data.names), *rows]) + "\n", encoding="utf-8")
    Path(snakemake.output["time"]).write_text(f"{seconds}\n", encoding="utf-8")
    Path(snakemake.output["ntests"]).write_text("None\n", encoding="utf-8")  # bnsearch makes no independence tests


if "snakemake" in globals():
    run(globals()["snakemake"])
