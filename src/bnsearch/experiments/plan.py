"""Plans: what an experiment runs on what, and what it reports."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from bnsearch.checkpoints.identity import describe_value
from bnsearch.experiments.sources import Source
from bnsearch.learning.methods import make_method
from bnsearch.runs.method import Method, get_parameters
from bnsearch.runs.stop import Evaluations, Iterations, Stop
from bnsearch.scores.named import make_score
from bnsearch.scores.score import Score
from bnsearch.selection.builder import Builder
from bnsearch.selection.named import make_selection


@dataclass(frozen=True)
class Entry:
    """
    A named object of a plan with its parameters.

    Attributes
    ----------
    label : its name in the report
    name : name of the method, score or selection
    parameters : parameters as JSON text, so that entries can be compared and hashed
    """

    label: str
    name: str
    parameters: str = "{}"

    @classmethod
    def of(cls, label: str, name: str, parameters: Mapping[str, Any]) -> Entry:
        """Return an entry with parameters; the text "none" is None, which TOML does not have."""
        values = {key: None if value == "none" else value for key, value in parameters.items()}
        return cls(label, name, json.dumps(values, sort_keys=True))

    @property
    def settings(self) -> dict[str, Any]:
        """The parameters by name."""
        settings: dict[str, Any] = json.loads(self.parameters)
        return settings

    def make_score(self) -> Score:
        """Return the score of this name."""
        return make_score(self.name, **self.settings)

    def make_selection(self) -> Builder:
        """Return the selection of this name."""
        return make_selection(self.name, **self.settings)


@dataclass(frozen=True)
class MethodEntry(Entry):
    """
    A method of a plan.

    Attributes
    ----------
    selection : how the candidate table is selected, before the clock starts; None leaves this to `learn`
    max_parents : maximum number of parents; None for no limit
    seeds : seeds of this method instead of those of the plan; None for those of the plan
    """

    selection: Entry | None = None
    max_parents: int | None = None
    seeds: tuple[int, ...] | None = None

    def make_method(self) -> Method:
        """Return the method."""
        return make_method(self.name, **self.settings)

    @property
    def parameters_shown(self) -> dict[str, Any]:
        """The parameters that a report shows."""
        return self.settings

    def identify(self) -> dict[str, Any]:
        """Return the name and all parameters as JSON values."""
        return {"method": self.name, "parameters": describe_value(get_parameters(self.make_method()))}


@dataclass(frozen=True)
class Budget:
    """The limits of a run; without any, a run lasts to the end of its method or until it converges."""

    seconds: float | None = None
    iterations: int | None = None
    evaluations: int | None = None

    @property
    def label(self) -> str:
        """The limits in words."""
        parts = [
            "" if self.seconds is None else f"{self.seconds:g} s",
            "" if self.iterations is None else f"{self.iterations:,} iteration{'s' * (self.iterations != 1)}",
            "" if self.evaluations is None else f"{self.evaluations:,} evaluation{'s' * (self.evaluations != 1)}",
        ]
        return " or ".join(part for part in parts if part) or "unlimited"

    @property
    def is_unlimited(self) -> bool:
        """Whether no limit is given."""
        return self.seconds is None and not self.make_rules()

    def make_rules(self) -> list[Stop]:
        """Return the stopping rules, except for the time."""
        rules: list[Stop] = [] if self.iterations is None else [Iterations(self.iterations)]
        return rules + ([] if self.evaluations is None else [Evaluations(self.evaluations)])


@dataclass(frozen=True)
class Claim:
    """
    A statement that the report checks: one method is better than others in a measure.

    Attributes
    ----------
    text : the statement
    better, than : labels of the methods
    measure : name of the measure
    budget : label of the budget; None means each of them
    """

    text: str
    better: str
    than: tuple[str, ...]
    measure: str = "score"
    budget: str | None = None


@dataclass(frozen=True)
class Published:
    """A published value, which tables show beside ours."""

    dataset: str
    method: str
    measure: str
    value: float


@dataclass(frozen=True)
class Plan:
    """
    A plan of an experiment; `read_plan` reads it from a file.

    Attributes
    ----------
    title, description : texts of the report
    sources, methods, scores, budgets, seeds : what is run; a cell is one combination
    measures : names of the measures of the report
    threads : number of threads of a cell
    memory : memory limit of a cell, such as "2GB"; None for the default
    target : relative distance to the best score below which a run has reached its target
    tie : relative difference up to which values are tied
    claims, published : statements to check, and published values
    text : content of the file
    """

    title: str
    sources: tuple[Source, ...]
    methods: tuple[MethodEntry, ...]
    scores: tuple[Entry, ...]
    budgets: tuple[Budget, ...]
    seeds: tuple[int, ...] = (1,)
    measures: tuple[str, ...] = ("score",)
    description: str = ""
    threads: int = 1
    memory: str | None = None
    target: float = 1e-4
    tie: float = 1e-9
    claims: tuple[Claim, ...] = ()
    published: tuple[Published, ...] = ()
    text: str = field(default="", repr=False)
