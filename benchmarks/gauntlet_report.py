"""Regret of `learn`, computed from the records of the gauntlet, as text and as Markdown."""

from __future__ import annotations

import statistics
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from gauntlet_runs import OWN, PATIENCE, Cell, Record, Results
from gauntlet_tables import TABLES

TIE = 1e-9  # relative difference of scores up to which they count as equal

Values = dict[str, dict[int, float]]  # scores by method and seed


@dataclass(frozen=True)
class Regret:
    """
    The regret of `learn` on one table, for one score and budget.

    Attributes
    ----------
    learned : mean score of `learn`
    best, method : highest mean score of another program, and its name
    regret : best score of all others minus that of `learn` for the same seed, averaged over the seeds
    """

    table: str
    variables: int
    rows: int
    learned: float
    best: float
    method: str
    regret: float

    @property
    def percent(self) -> float:
        """The regret in percent of the score."""
        return 100.0 * self.regret / abs(self.learned)

    @property
    def per_row(self) -> float:
        """The regret in nats for each row."""
        return self.regret / self.rows

    @property
    def outcome(self) -> str:
        """The outcome for `learn`: "ahead", "tie" or "behind"."""
        if abs(self.regret) <= TIE * abs(self.learned):
            return "tie"
        return "behind" if self.regret > 0 else "ahead"


def find_regrets(records: Iterable[tuple[Cell, Record]], score: str, budget: float) -> list[Regret]:
    """Return the regret of each table that has a result of `learn` and of another program."""
    values: dict[str, Values] = defaultdict(lambda: defaultdict(dict))
    sizes: dict[str, tuple[int, int]] = {}
    for cell, record in records:
        if cell.score != score or "value" not in record:
            continue
        in_time = record["seconds"] <= PATIENCE * budget if cell.is_peer else cell.budget == budget
        if in_time:
            values[cell.table][cell.method][cell.seed] = record["value"]
            sizes[cell.table] = record["variables"], record["rows"]
    tables = [table for table in TABLES if "auto" in values[table] and len(values[table]) > 1]
    return [compute_regret(table, values[table], *sizes[table]) for table in tables]


def compute_regret(table: str, values: Values, variables: int, rows: int) -> Regret:
    """Return the regret of one table; results of peers, which have seed zero, count for every seed."""
    learned = values["auto"]
    others = {method: by_seed for method, by_seed in values.items() if method != "auto"}
    regrets = []
    for seed, own in learned.items():
        rivals = [by_seed[s] for by_seed in others.values() for s in (seed, 0) if s in by_seed]
        if rivals:
            regrets.append(max(rivals) - own)
    means = {method: statistics.fmean(by_seed.values()) for method, by_seed in others.items()}
    best = max(means, key=lambda method: means[method])
    regret = statistics.fmean(regrets) if regrets else means[best] - statistics.fmean(learned.values())
    return Regret(table, variables, rows, statistics.fmean(learned.values()), means[best], best, regret)


def summarise(regrets: Sequence[Regret]) -> str:
    """Return the worst regret and the numbers of tables ahead, tied and behind."""
    counts = {outcome: sum(r.outcome == outcome for r in regrets) for outcome in ("ahead", "tie", "behind")}
    worst = max(regrets, key=lambda r: r.percent)
    most = max(regrets, key=lambda r: r.per_row)
    number = f"{len(regrets)} table{'' if len(regrets) == 1 else 's'}"
    return (
        f"{number}: learn is strictly ahead on {counts['ahead']}, tied on {counts['tie']}, behind on "
        f"{counts['behind']}; worst regret {worst.percent:.4f} % ({worst.table}), {most.per_row:.5f} nats per row "
        f"({most.table})"
    )


def group_regrets(results: Results, threads: int) -> dict[tuple[str, float], list[Regret]]:
    """
    Return the regrets by score and budget, for one number of threads.

    Budgets at which no other method of this library was measured belong to `--anytime`, `--longer` or `--punctual`.
    """
    records = [(cell, record) for cell, record in results if cell.threads == threads]
    keys = sorted({(cell.score, cell.budget) for cell, _ in records if not cell.is_peer and cell.method != "auto"})
    groups = {key: find_regrets(records, *key) for key in keys}
    return {key: regrets for key, regrets in groups.items() if regrets}


def print_regrets(results: Results, threads: int) -> None:
    """Print a table for each score and budget, and its summary."""
    for (score, budget), regrets in group_regrets(results, threads).items():
        print(f"\n{score}, {budget:g} s")
        print(f"  {'table':22} {'learn':>16} {'best other':>16}  {'method':13} {'regret %':>10} {'nats/row':>10}")
        for r in regrets:
            print(
                f"  {r.table:22} {r.learned:16.3f} {r.best:16.3f}  {r.method:13} {r.percent:10.5f} {r.per_row:10.6f}"
                f"  {r.outcome}"
            )
        print(f"  {summarise(regrets)}")
    for cell, record in results:
        if cell.threads == threads and is_late(cell, record):
            print(f"late: {cell.method} on {describe_late(cell, record)}")


def render_markdown(results: Results, threads: int) -> str:
    """Return the report: a description of the runs, then a table for each score and budget."""
    lines = ["# Gauntlet: `learn` against every other program", "", *describe_runs(results, threads), ""]
    groups = group_regrets(results, threads)
    lines += ["| score | budget | summary |", "|---|---|---|"]
    lines += [f"| {score} | {budget:g} s | {summarise(regrets)} |" for (score, budget), regrets in groups.items()]
    for (score, budget), regrets in groups.items():
        lines += ["", f"## {score}, {budget:g} s", ""]
        lines += ["| table | variables | rows | learn | best other | method | regret % | nats per row | learn is |"]
        lines += ["|---|--:|--:|--:|--:|---|--:|--:|---|"]
        lines += [
            f"| {r.table} | {r.variables:,} | {r.rows:,} | {r.learned:,.3f} | {r.best:,.3f} | {r.method} "
            f"| {r.percent:.5f} | {r.per_row:.6f} | {r.outcome} |"
            for r in regrets
        ]
    return "\n".join([*lines, ""])


def is_late(cell: Cell, record: Record) -> bool:
    """Return True if a run of this library ended well after its budget."""
    return not cell.is_peer and "value" in record and record["seconds"] > 1.05 * cell.budget + 0.2


def describe_late(cell: Cell, record: Record) -> str:
    """Return the table, score, seed and seconds of a late run."""
    return f"{cell.table} ({cell.score}, seed {cell.seed}): {record['seconds']:.2f} s of {cell.budget:g} s"


def describe_runs(results: Results, threads: int) -> list[str]:
    """Return a description of the runs, without the machine."""
    records = [(cell, record) for cell, record in results if cell.threads == threads]
    measured = {cell.method for cell, record in records if "value" in record}
    own = [method for method in OWN if method in measured and method != "auto"]
    versions = sorted({record["version"] for _, record in records if "version" in record})
    peers = sorted(measured - set(OWN))
    commits = sorted({record["commit"] for cell, record in records if cell.method == "auto" and "commit" in record})
    lines = [
        "Written by `benchmarks/gauntlet.py --report`. Regret is the best score of all other programs minus that of",
        "`learn` for the same seed, averaged over the seeds. It is negative where `learn` is ahead. The column",
        "`best other` has the highest mean score of one program. One scorer of this library scores all networks.",
        f"A peer runs once to its own end and counts at a budget if it ends within {PATIENCE:g} times that budget.",
        "BDeu has ess 10; the peers maximise it with the ess that their packages fix.",
        "",
        f"- threads: {threads}",
        f"- methods of this library: {', '.join(own) or 'none'}",
        f"- peers: {', '.join(peers) or 'none'} ({', '.join(versions) or 'no package'})",
        f"- commits of `learn`: {', '.join(commits)}",
    ]
    failed: dict[str, list[str]] = defaultdict(list)
    for cell, record in records:
        if "error" in record:
            failed[cell.method].append(f"{cell.table} ({cell.score})")
    late = [(cell, record) for cell, record in records if is_late(cell, record)]
    lines += [f"- late, but counted: {cell.method} on {describe_late(cell, record)}" for cell, record in late]
    lines += [f"- no result of {method}: {', '.join(sorted(set(cells)))}" for method, cells in sorted(failed.items())]
    return lines
