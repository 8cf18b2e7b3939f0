"""`bnsearch compare`: differences between a learned structure and the true one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from bnsearch.cli.completion import complete_network
from bnsearch.cli.console import note, print_json, show, table
from bnsearch.cli.options import Json

if TYPE_CHECKING:
    from bnsearch.graphs.compare import Comparison


MAX_SHOWN_EDGES = 40


def compare(
    true: Annotated[
        str, typer.Argument(metavar="TRUE", help="The true network: a file or a name.", autocompletion=complete_network)
    ],
    learned: Annotated[
        str,
        typer.Argument(
            metavar="LEARNED", help="The learned one, over the same names.", autocompletion=complete_network
        ),
    ],
    as_json: Json = False,
) -> None:
    """
    Compare a learned structure with the true one.

    SHD is the structural Hamming distance: the number of edges that are added, deleted or reversed in LEARNED; they are
    listed. The SHD of the CPDAGs ignores differences between Markov equivalent networks, which data cannot distinguish.
    Two learned networks can be compared, too: TRUE is then the one to compare with.

    Examples
    --------
    bnsearch compare asia learned.bif
    bnsearch compare true.csv learned.json --json
    """
    from bnsearch.cli.graphs import load_dag
    from bnsearch.graphs.compare import compare as compare_graphs
    from bnsearch.graphs.compare import list_differences

    dags = load_dag(true), load_dag(learned)
    comparison, differences = compare_graphs(*dags), list_differences(*dags)
    if as_json:
        edges = {f"{kind}_edges": [list(edge) for edge in found] for kind, found in differences.items()}
        print_json({**comparison.as_dict(), **edges})
    else:
        _show(comparison)
        _show_edges(differences)


def _show(comparison: Comparison) -> None:
    hamming = comparison.hamming
    agreements = table("", "true", "learned", "shared", "precision", "recall", "F1")
    for kind, found in (
        ("skeleton", comparison.skeleton),
        ("directed edges", comparison.edges),
        ("v-structures", comparison.v_structures),
    ):
        counts = (found.true, found.learned, found.shared)
        ratios = (found.precision, found.recall, found.f1)
        agreements.add_row(kind, *map(str, counts), *(f"{ratio:.3f}" for ratio in ratios))
    show(
        f"SHD of the DAGs    {comparison.shd} ({hamming.added} added, {hamming.deleted} deleted, "
        f"{hamming.reversed} reversed)",
        f"SHD of the CPDAGs  {comparison.shd_cpdag}",
        agreements,
    )


def _show_edges(differences: Mapping[str, Sequence[tuple[str, str]]]) -> None:
    """Print the edges that differ, one on each line."""
    edges = [(kind, *edge) for kind, found in differences.items() for edge in found]
    for kind, parent, child in edges[:MAX_SHOWN_EDGES]:
        note(f"{kind:8}  {parent} -> {child}")
    if len(edges) > MAX_SHOWN_EDGES:
        note(f"{MAX_SHOWN_EDGES} of {len(edges):,} edges that differ are shown: --json has all of them")
