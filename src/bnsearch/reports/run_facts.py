"""The section of a report about the run: result, budget, anytime curve, and how to repeat it."""

from __future__ import annotations

import math
import platform
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bnsearch.runs.result import Result

MAX_POINTS = 500  # points of the anytime curve
PACKAGES = "numpy", "scipy", "numba", "polars"


def describe_run(result: Result, command: str | None) -> dict[str, Any]:
    """
    Return the facts of a run as JSON values.

    command : the command line that made the result; None shows the equivalent call in Python instead
    """
    settings = result.settings
    return {
        "score": result.score,
        "bound": result.bound,
        "gap": result.gap,
        "optimal": result.optimal,
        "scope": str(result.scope),
        "quality": result.quality or None,
        "empty_score": result.empty_score,
        "method": result.method,
        "parameters": {name: _describe_value(value) for name, value in result.parameters.items()},
        "seed": result.seed,
        "stop": result.stop,
        "seconds": result.seconds,
        "iterations": result.iterations,
        "evaluations": result.evaluations,
        "budget": None if settings is None else _describe_budget(result),
        "near_optimal": None if result.near_optimal is None else repr(result.near_optimal),
        "notes": list(result.notes),
        "curve": list_curve_points(result),
        "command": command or make_call(result),
    }


def describe_versions() -> dict[str, str]:
    """Return the versions of bnsearch, of Python and of the packages on which results depend."""
    from bnsearch import __version__

    found = {"bnsearch": __version__, "Python": platform.python_version()}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found | {"platform": platform.platform()}


def list_curve_points(result: Result) -> list[list[float]]:
    """Return pairs of seconds and score; of a long trace, the first and the last improvement and others in between."""
    points = [[round(p.seconds, 4), p.score] for p in result.trace if math.isfinite(p.score)]
    if len(points) <= MAX_POINTS:
        return points
    step = (len(points) - 1) / (MAX_POINTS - 1)
    return [points[round(i * step)] for i in range(MAX_POINTS)]


def make_call(result: Result) -> str | None:
    """Return the call in Python that repeats a run; None if its settings are not known."""
    settings = result.settings
    if settings is None:
        return None
    parameters = {name: value for name, value in result.parameters.items() if value is not None}
    method = f"bnsearch.make_method({', '.join([repr(result.method), *_list_arguments(parameters)])})"
    arguments = [f"method={method}" if parameters else f"method={result.method!r}"]
    if settings.has_table:
        return f"bnsearch.search(problem, {', '.join([*arguments, f'seed={result.seed}'])})  # stop: {settings.rule}"
    score = [repr(settings.score), *_list_arguments(settings.score_parameters)]
    arguments.append(f"score=bnsearch.make_score({', '.join(score)})")
    arguments += [f"seconds={settings.seconds!r}", f"seed={result.seed}", f"threads={settings.threads}"]
    arguments += ["knowledge=knowledge"] * settings.has_knowledge + ["start=start"] * settings.has_start
    return f"bnsearch.learn(data, {', '.join(arguments)})"


def _list_arguments(parameters: dict[str, Any]) -> list[str]:
    return [f"{name}={value!r}" for name, value in parameters.items()]


def _describe_budget(result: Result) -> dict[str, Any]:
    """Return the budget of a run in words."""
    settings = result.settings
    assert settings is not None
    return {
        "time budget": "no limit" if settings.seconds is None else f"{settings.seconds:g} s",
        "threads": settings.threads,
        "memory": f"{settings.memory / 2**20:,.0f} MiB",
        "further stopping rule": settings.rule,
        "rows": settings.rows,
        "score function": _describe_score(settings.score, settings.score_parameters),
        "background knowledge": "given" if settings.has_knowledge else "none",
        "initial network": "given" if settings.has_start else "none",
    }


def _describe_score(name: str | None, parameters: dict[str, Any]) -> str | None:
    given = ", ".join(_list_arguments(parameters))
    return f"{name} ({given})" if given else name


def _describe_value(value: Any) -> str | float | bool | None:
    is_plain = value is None or isinstance(value, str | bool | int)
    return value if is_plain or (isinstance(value, float) and math.isfinite(value)) else str(value)
