"""Read the plan of an experiment from a TOML file, and report all errors of the file together."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bnsearch._tools.files import read_bytes
from bnsearch._tools.memory import parse_memory
from bnsearch._tools.registry import suggest
from bnsearch.experiments.measures import MEASURES, WITH_HELD_OUT, WITH_TRUTH
from bnsearch.experiments.plan import Budget, Claim, Entry, MethodEntry, Plan, Published
from bnsearch.experiments.programs import ProgramEntry, check_words
from bnsearch.experiments.sections import PlanError, Section
from bnsearch.experiments.source_reader import read_sources
from bnsearch.experiments.sources import Source, forget_files, name_pattern
from bnsearch.runs.method import Needs, get_declaration

MAX_PLAN_BYTES = 2**20


def read_plan(path: str | os.PathLike[str], *, small: bool = False) -> Plan:
    """
    Read a plan from a TOML file.

    Parameters
    ----------
    path : str or path
        The file. Paths in it are relative to its folder.
    small : bool, default False
        Whether to read the small version of the plan: the keys of its table `small` replace those of the plan.

    Returns
    -------
    Plan
        The plan.

    Raises
    ------
    PlanError
        If the plan is not valid; the exception lists all errors of the plan.
    """
    file = Path(path)
    try:
        text = read_bytes(file, limit=MAX_PLAN_BYTES).decode()
        content = tomllib.loads(text)
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise PlanError(str(path), [f"it is not a TOML file: {error}"]) from None
    forget_files()
    errors: list[str] = []
    replaced = content.pop("small", {})
    if not isinstance(replaced, dict):
        errors.append("small must be a table with keys of a plan")
    elif small:
        content |= replaced
    plan = _read(Section(content, "", errors), file, text, small=small)
    if errors:
        raise PlanError(str(path), errors)
    return plan


def _read(top: Section, file: Path, text: str, *, small: bool) -> Plan:
    """Return the plan that the top-level TOML table describes; it is incomplete if there are errors."""
    title, description = top.take_text("title", file.stem), top.take_text("description")
    for key, what in (("sources", "what to learn from"), ("methods", "how to search"), ("budgets", "when to stop")):
        if key not in top:
            top.complain(f"{key} is missing: a plan says {what}")
    sources = read_sources(top.take_entries("sources"), file.parent)
    methods = tuple(filter(None, (_read_method(e, file.parent) for e in top.take_entries("methods", "name"))))
    scores = _read_scores(top, sources)
    budgets = tuple(filter(None, map(_read_budget, top.take_entries("budgets"))))
    seeds, measures = top.take_wholes("seeds", (1,)), _read_measures(top, sources)
    threads, target = top.take_whole("threads", 1, at_least=1), top.take_number("target", 1e-4, above=0, below=1)
    tie, memory = top.take_number("tie", 1e-9, above=0, below=1), top.take_text("memory") or None
    if memory is not None:
        top.attempt(lambda: parse_memory(memory))
    labels = [method.label for method in methods]
    for key, names in (("methods", labels), ("scores", [s.label for s in scores])):
        _refuse_equal_labels(top, key, names)
    top.refuse_repetition("budgets", [budget.label for budget in budgets])
    claims = tuple(_read_claim(entry, labels, budgets) for entry in top.take_entries("claims"))
    published = _read_all_published(top, labels, sources, small=small)
    top.finish()
    _check_support(top, methods, sources)
    return Plan(
        title, sources, methods, scores, budgets, seeds, measures, description, threads or 1, memory, target or 0.0,
        tie or 0.0, claims, tuple(published), text,
    )  # fmt: skip


def _refuse_equal_labels(top: Section, key: str, labels: Sequence[str]) -> None:
    repeated = sorted({label for label in labels if labels.count(label) > 1})
    if repeated:
        top.complain(f"{key} has two entries with the label {repeated[0]!r}: give one of them another label")


def _read_method(entry: Section, folder: Path) -> MethodEntry | None:
    """Return the method of an entry, of the library or an external program; None if it has an error."""
    if "program" in entry:
        return _read_program(entry, folder)
    name, label = entry.take_text("name"), entry.take_text("label")
    parameters, selection = entry.take_table("parameters") or {}, _read_selection(entry)
    max_parents, seeds = entry.take_whole("max_parents", None, at_least=1), entry.take_wholes("seeds", ())
    entry.finish()
    if not name:
        entry.complain("name is missing: which method?")
        return None
    found = MethodEntry(label or name, name.lower(), Entry.of("", "", parameters).parameters, selection, max_parents,
                        seeds or None)  # fmt: skip
    return None if _attempt(entry, found.make_method) is None else found


def _read_program(entry: Section, folder: Path) -> ProgramEntry | None:
    """Return a method that runs an external program; None if it has an error."""
    words, label = entry.take_list("program"), entry.take_text("label")
    limit, seeds = entry.take_number("limit"), entry.take_wholes("seeds", ())
    entry.finish()
    if not label:
        entry.complain("label is missing: what is the name of the program?")
    if not words or not label or entry.attempt(lambda: check_words(words)) is None:
        return None
    return ProgramEntry(label, "program", seeds=seeds or None, words=words, folder=str(folder.resolve()), limit=limit)


def _read_selection(entry: Section) -> Entry | None:
    """Return how the candidate table of a method is selected; None if the entry does not say it or has an error."""
    value = entry.take("selection")
    if value is None:
        return None
    table: dict[str, Any] = {"name": value} if isinstance(value, str) else value
    if not isinstance(table, dict) or not isinstance(table.get("name"), str):
        entry.complain(f"selection must be a name or a table with a name, not {value!r}")
        return None
    found = Entry.of(table["name"], table["name"], {key: table[key] for key in table if key != "name"})
    return None if _attempt(entry, found.make_selection) is None else found


def _attempt(entry: Section, make: Any) -> Any:
    """Return the value of a function; None, and an error of the plan, if a parameter has an invalid value or type."""
    try:
        return entry.attempt(make)
    except (TypeError, ValueError, AttributeError) as error:
        entry.complain(f"a parameter has an invalid value: {error}")
        return None


def _read_scores(top: Section, sources: Sequence[Source]) -> tuple[Entry, ...]:
    """Return the scores of the plan; BIC if it has none."""
    found = []
    for entry in top.take_entries("scores", "name"):
        name, label = entry.take_text("name"), entry.take_text("label")
        parameters = entry.take_table("parameters") or {}
        entry.finish()
        if not name:
            entry.complain("name is missing: which score?")
            continue
        words = ", ".join(f"{key}={value}" for key, value in parameters.items())
        score = Entry.of(label or f"{name}({words})" * bool(words) or name, name.lower(), parameters)
        if _attempt(entry, score.make_score) is not None:
            found.append(score)
    if found and sources and not any(source.has_data for source in sources):
        top.complain("all sources are score files, which have their own scores: remove scores")
    return tuple(found) or (Entry("bic", "bic"),)


def _read_budget(entry: Section) -> Budget | None:
    """Return a budget; None if it has an error."""
    seconds = entry.take_number("seconds")
    iterations = entry.take_whole("iterations", None, at_least=1)
    evaluations = entry.take_whole("evaluations", None, at_least=1)
    unlimited = entry.take_flag("unlimited", False)
    entry.finish()
    budget = Budget(seconds, iterations, evaluations)
    has_limit = budget != Budget()
    if has_limit == unlimited:
        entry.complain("give seconds, iterations or evaluations, or unlimited = true for the method's own end")
        return None
    return budget


def _read_measures(top: Section, sources: Sequence[Source]) -> tuple[str, ...]:
    """Return the names of the measures."""
    names = top.take_texts("measures") or ("score",)
    for name in names:
        if name not in MEASURES:
            hint = suggest(name, list(MEASURES))
            top.complain(f"there is no measure {name!r}{hint}: choose from {', '.join(MEASURES)}")
        if sources and name in WITH_TRUTH and not any(source.has_truth for source in sources):
            top.complain(f"the measure {name} needs the true network, but no source has one: add truth to a source")
        if sources and name in WITH_HELD_OUT and not any(source.has_held_out for source in sources):
            top.complain(f"the measure {name} needs held-out rows, but no source has any: add held_out to a source")
    return names


def _read_claim(entry: Section, labels: Sequence[str], budgets: Sequence[Budget]) -> Claim:
    """Return a claim."""
    text, better, than = entry.take_text("text"), entry.take_text("better"), entry.take_texts("than")
    measure = entry.take_choice("measure", list(MEASURES), "score")
    places = {"first": budgets[0].label, "last": budgets[-1].label} if budgets else {}
    known = [*places, *(b.label for b in budgets)]
    budget = entry.take_choice("budget", known, "") if "budget" in entry else None
    entry.finish()
    for key in ("text", "better", "than"):
        if key not in entry:
            entry.complain(f"{key} is missing: a claim has a text and says which method is better than which")
    for label in filter(None, (better, *than)):
        if label not in labels:
            entry.complain(f"no method has the label {label!r}{suggest(label, list(labels))}")
    return Claim(text, better, than, measure, None if budget is None else places.get(budget, budget))


def _read_all_published(
    top: Section, labels: Sequence[str], sources: Sequence[Source], *, small: bool
) -> list[Published]:
    """Return all published values; in the small version of a plan, only those of its own data sets."""
    entries, names = top.take_entries("published"), [source.dataset for source in sources]
    datasets = sorted({*names, *map(name_pattern, names)})
    if small:
        entries = [entry for entry in entries if entry.content.get("dataset") in datasets]
    return [value for entry in entries for value in _read_published(entry, labels, datasets)]


def _read_published(entry: Section, labels: Sequence[str], datasets: list[str]) -> list[Published]:
    """Return the published values of a data set, or of all random networks of a pattern."""
    dataset, values = entry.take_text("dataset"), entry.take_table("values") or {}
    measure = entry.take_choice("measure", list(MEASURES), "score")
    entry.finish()
    if dataset not in datasets:
        entry.complain(f"no data set has the label {dataset!r}{suggest(dataset, datasets)}")
    if not values:
        entry.complain('values is missing: give a number for each method, such as values = { "ges" = -5000 }')
    found = []
    for method, value in values.items():
        if method not in labels:
            entry.complain(f"no method has the label {method!r}{suggest(method, list(labels))}")
        elif isinstance(value, bool) or not isinstance(value, int | float):
            entry.complain(f"the value of {method} must be a number, not {value!r}")
        else:
            found.append(Published(dataset, method, measure, float(value)))
    return found


def _check_support(top: Section, methods: Sequence[MethodEntry], sources: Sequence[Source]) -> None:
    """Add an error if a method cannot use a source."""
    tables = [source for source in sources if not source.has_data]
    for method in methods:
        is_program = isinstance(method, ProgramEntry)
        needs = Needs.DATA if is_program else get_declaration(type(method.make_method())).needs
        if tables and needs == Needs.DATA:
            top.complain(
                f"the method {method.label} needs data, but {tables[0].dataset} is a score file: use two plans"
            )
        if method.selection is not None and needs == Needs.DATA:
            top.complain(f"the method {method.label} does not search over a candidate table: remove selection")
        if tables and (method.selection is not None or method.max_parents is not None):
            top.complain(
                f"the method {method.label} has selection or max_parents, which do not apply to the score file "
                f"{tables[0].dataset}: use two plans"
            )
