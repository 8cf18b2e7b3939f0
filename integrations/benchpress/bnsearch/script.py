"""
Run bnsearch as a module of Benchpress.

Snakemake runs this file with a global object `snakemake`: input and output files, and the values of the config file as
texts (`wildcards`). The text None stands for null. Snakemake puts lines before this file, so it cannot have imports
from `__future__`.
"""

import time
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from bnsearch import BnsearchError, Dataset, Knowledge, learn, make_score

CONSTRAINTS = Path("resources") / "constraints"  # folder of the files that edgeConstraints names


def read_constraints(path: Path, names: Iterable[str]) -> Knowledge:
    """Return the background knowledge of a file; as in Benchpress, variables that the data do not have are ignored."""
    given, known = Knowledge.read(path), set(names)
    tiers = [tuple(name for name in tier if name in known) for tier in given.tiers]
    return replace(
        given,
        required=tuple(edge for edge in given.required if known.issuperset(edge)),
        forbidden=tuple(edge for edge in given.forbidden if known.issuperset(edge)),
        tiers=tuple(filter(None, tiers)),
        roots=tuple(name for name in given.roots if name in known),
        leaves=tuple(name for name in given.leaves if name in known),
    )


def read_settings(wildcards: Mapping[str, str], names: Iterable[str]) -> dict[str, Any]:
    """Return the arguments of `learn`; a timeout of Benchpress limits the seconds."""
    given = {key: None if value in ("None", "null", "") else value for key, value in dict(wildcards).items()}
    limits = [float(value) for key in ("seconds", "timeout") if (value := given.get(key)) is not None]
    score, ess = given.get("score") or "bic", given.get("ess")
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
    data = Dataset.read(snakemake.input["data"], arities_row=True)
    began = time.perf_counter()
    result = learn(data, **read_settings(snakemake.wildcards, data.names))
    seconds = time.perf_counter() - began
    rows = [",".join(map(str, row)) for row in result.dag.adjacency.astype(int).tolist()]
    Path(snakemake.output["adjmat"]).write_text("\n".join([",".join(data.names), *rows]) + "\n", encoding="utf-8")
    Path(snakemake.output["time"]).write_text(f"{seconds}\n", encoding="utf-8")
    Path(snakemake.output["ntests"]).write_text("None\n", encoding="utf-8")  # independence tests are not counted


if "snakemake" in globals():
    try:
        run(globals()["snakemake"])
    except BnsearchError as error:
        raise SystemExit(f"bnsearch: {error}") from None
