"""Sources of a plan, read from its tables."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path

from bnsearch.errors import InputError
from bnsearch.experiments.sections import Section
from bnsearch.experiments.sources import (
    FileSource,
    NetworkSource,
    RandomSource,
    ScoreFileSource,
    Source,
    digest_graph,
)
from bnsearch.networks.random_network import EDGES

KINDS = {
    "file": "a table, or a list or pattern such as data/*.csv",
    "network": "a network by name or file, of which rows are drawn",
    "random": "a random network",
    "score_file": "a file of local scores",
}
STATES = ("declared", "observed")


def read_sources(entries: Sequence[Section], folder: Path) -> tuple[Source, ...]:
    """Return the sources of all entries; paths are relative to the folder of the plan."""
    found: list[Source] = []
    for entry in entries:
        kinds = [kind for kind in KINDS if kind in entry]
        if len(kinds) != 1:
            said = f"has {' and '.join(kinds)}" if kinds else f"has none of {', '.join(KINDS)}"
            entry.complain(f"a source {said}: give exactly one of them")
            continue
        read = {"file": read_files, "network": read_networks, "random": read_random, "score_file": read_score_files}
        sources = read[kinds[0]](entry, folder)
        entry.finish()
        _check_labels(entry, sources, found)
        found += sources
    return tuple(found)


def _check_labels(entry: Section, sources: Sequence[Source], earlier: Sequence[Source]) -> None:
    """Add an error if an entry has the label of an earlier data set, or two data sets with the same label."""
    taken = {source.dataset for source in earlier}
    places = set()
    for source in sources:
        place = source.dataset, source.sample
        if source.dataset in taken or place in places:
            entry.complain(f"the label {source.dataset!r} is used twice: give each data set its own label")
            return
        places.add(place)


def read_files(entry: Section, folder: Path) -> list[Source]:
    """Return the tables of an entry, one for each file."""
    paths = find_files(entry, "file", folder)
    label, truth = entry.take_text("label"), _take_truth(entry, folder)
    header, discretize = entry.take_flag("header", True), entry.take_text("discretize") or None
    tests = find_files(entry, "test", folder)
    held_out = entry.take_number("held_out", None, above=0, below=1)
    if (label or tests or truth) and len(paths) > 1:
        entry.complain("label, truth and test belong to one file: write a table [[sources]] for each file")
    if tests and (held_out or discretize):
        entry.complain("test does not go with held_out or discretize: choose one of them")
    test = tests[0] if tests else None
    sources = [FileSource(label or get_stem(path), path, header, discretize, truth, test, held_out) for path in paths]
    return [source for source in sources if _can_load(entry, source)]


def read_score_files(entry: Section, folder: Path) -> list[Source]:
    """Return the score files of an entry."""
    paths = find_files(entry, "score_file", folder)
    label, truth = entry.take_text("label"), _take_truth(entry, folder)
    if (label or truth) and len(paths) > 1:
        entry.complain("label and truth belong to one file: write a table [[sources]] for each file")
    sources = [ScoreFileSource(label or get_stem(path), path, truth) for path in paths]
    return [source for source in sources if _can_load(entry, source)]


def _can_load(entry: Section, source: Source) -> bool:
    """Return True if the files of a source can be read; otherwise add an error."""
    return entry.attempt(lambda: source.load(1)) is not None


def read_networks(entry: Section, folder: Path) -> list[Source]:
    """Return the samples of the networks of an entry."""
    names = [resolve_network(name, folder, entry) for name in entry.take_texts("network")]
    label, copies = entry.take_text("label"), _take_tiling(entry)
    rows, seeds = _take_sample(entry)
    held_out, observed = entry.take_whole("held_out", 0), entry.take_choice("states", STATES, STATES[0]) == STATES[1]
    if label and len(names) > 1:
        entry.complain("label belongs to one network: write a table [[sources]] for each network")
    found: list[Source] = []
    for name in names:
        if name is None or entry.attempt(lambda name=name: digest_graph(name)) is None:  # type: ignore[misc]
            continue
        base = label or get_stem(name) + (f"x{copies[0]}" if copies else "")
        trial = NetworkSource(base, name, 1, 0, tile=copies)
        if entry.attempt(trial.make_network) is None:
            continue
        for n_rows, seed in product(rows, seeds):
            dataset = base if label and len(rows) == 1 else f"{base}/{n_rows}"
            found.append(
                replace(
                    trial, dataset=dataset, rows=n_rows, sample=seed, held_out=held_out or 0, observed_states=observed
                )
            )
    return found


def read_random(entry: Section, folder: Path) -> list[Source]:
    """Return the samples of the random networks of an entry."""
    pattern = Section(entry.take_table("random") or {}, f"{entry.where}, random", entry.errors)
    n, p = pattern.take_whole("variables", None, at_least=2), pattern.take_number("parents", None)
    m, edges = pattern.take_whole("states", None, at_least=2), pattern.take_choice("edges", EDGES, EDGES[0])
    limit = pattern.take_whole("max_parents", None, at_least=1)
    pattern.finish()
    missing = [key for key in ("variables", "parents", "states") if key not in pattern]
    if missing:
        pattern.complain(
            f"{' and '.join(missing)} must be given: random = {{ variables = 50, parents = 2, states = 3 }}"
        )
    network_seeds = entry.take_wholes("network_seeds", (1,))
    rows, seeds = _take_sample(entry)
    held_out, observed = entry.take_whole("held_out", 0), entry.take_choice("states", STATES, STATES[0]) == STATES[1]
    label = entry.take_text("label")
    if n is None or p is None or m is None:
        return []
    first = RandomSource("", n, p, m, edges, limit, network_seeds[0], 1, 0)
    if entry.attempt(first.make_network) is None:
        return []
    base = label or f"net({n},{p:g},{m})"
    return [
        replace(
            first,
            dataset=f"{base}#{number}" + (f"/{n_rows}" if len(rows) > 1 else ""),
            network_seed=number,
            rows=n_rows,
            sample=seed,
            held_out=held_out or 0,
            observed_states=observed,
        )
        for n_rows, number, seed in product(rows, network_seeds, seeds)
    ]


def _take_sample(entry: Section) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the numbers of rows and the seeds of the samples."""
    rows = entry.take_wholes("rows", (), at_least=1)
    if not rows and "rows" not in entry:
        entry.complain("rows is missing: how many rows are drawn?")
    return rows, entry.take_wholes("sample_seeds", (1,))


def _take_tiling(entry: Section) -> tuple[int, int, int] | None:
    """Return the copies, the links between copies and the seed of a network of joined copies."""
    table = entry.take_table("tile")
    if table is None:
        return None
    tiling = Section(table, f"{entry.where}, tile", entry.errors)
    copies, links = tiling.take_whole("copies", None, at_least=1), tiling.take_whole("links", 0)
    seed = tiling.take_whole("seed", 1)
    if copies is None and "copies" not in tiling:
        tiling.complain("copies is missing: how many copies of the network are joined?")
    tiling.finish()
    return copies or 1, links or 0, seed or 0


def _take_truth(entry: Section, folder: Path) -> str | None:
    """Return the name or the path of the true network."""
    text = entry.take_text("truth")
    name = resolve_network(text, folder, entry) if text else None
    return name if name is not None and entry.attempt(lambda: digest_graph(name)) is not None else None


def find_files(entry: Section, key: str, folder: Path) -> list[str]:
    """Return the files of a key: paths, or patterns with an asterisk."""
    found = []
    for text in entry.take_texts(key):
        path = entry.attempt(lambda text=text: resolve_path(text, folder))  # type: ignore[misc]
        if path is None:
            continue
        matches = expand_pattern(path) if "*" in path else [path]
        if not matches:
            entry.complain(f"no file matches {text}")
        for match in matches:
            if Path(match).is_file():
                found.append(match)
            else:
                entry.complain(f"the file {text} does not exist: paths are relative to the folder of the plan")
    return found


def expand_pattern(path: str) -> list[str]:
    """Return the files that match a path with asterisks, in the order of their names."""
    parts = Path(path).parts
    fixed = next(place for place, part in enumerate(parts) if "*" in part)
    found = Path(*parts[:fixed]).glob(str(Path(*parts[fixed:])))
    return sorted(str(match) for match in found if match.is_file())


def resolve_path(text: str, folder: Path) -> str:
    """Return a path with the values of environment variables, relative to the folder of the plan."""
    path = os.path.expandvars(text)
    if "$" in path:
        raise InputError(f"{text} has an environment variable that is not set")
    return str(folder / Path(path).expanduser())


def resolve_network(text: str, folder: Path, entry: Section) -> str | None:
    """Return the name of a network as it is, and the path of a file relative to the folder of the plan."""
    has_path = Path(text).suffix or len(Path(text).parts) > 1 or "$" in text
    return entry.attempt(lambda: resolve_path(text, folder)) if has_path else text


def get_stem(path: str) -> str:
    """Return the name of a file without its folder, without .gz and without its extension."""
    name = Path(path).name.removesuffix(".gz")
    return Path(name).stem if Path(name).suffix else name
