"""Classes by name: lazy imports, aliases, entry points, and errors."""

from __future__ import annotations

import importlib.metadata
import logging
from dataclasses import MISSING, dataclass, field
from importlib.metadata import EntryPoint

import pytest

from bnsearch._tools.registry import Registry, make, parameters_of
from bnsearch.errors import InputError


@dataclass(frozen=True)
class Circle:
    """A shape with a parameter."""

    radius: float = 1.0


@dataclass(frozen=True)
class Label:
    """A shape with a parameter that must be given, and a list."""

    text: str
    lines: list[str] = field(default_factory=list)


class Dot:
    """A shape without parameters."""


HERE = __name__


def adapt(name: str, loaded: object) -> type:
    """Return a class, and refuse other objects."""
    if not isinstance(loaded, type):
        raise InputError(f"{name} is not a class")
    return loaded


@pytest.fixture
def shapes(monkeypatch) -> Registry:
    """Return a registry with one class of its own and three entry points."""
    points = [
        EntryPoint("Dot", f"{HERE}:Dot", "shapes"),
        EntryPoint("circle", f"{HERE}:Dot", "shapes"),
        EntryPoint("broken", "no_such_module:Dot", "shapes"),
        EntryPoint("text", f"{HERE}:HERE", "shapes"),
    ]
    monkeypatch.setattr(importlib.metadata, "entry_points", lambda group: [p for p in points if p.group == group])
    return Registry("shape", {"circle": f"{HERE}:Circle"}, group="shapes", adapt=adapt, aliases={"disc": "circle"})


def test_names(shapes):
    """The library's names come first, each name occurs once, and case does not matter in entry points."""
    assert list(shapes) == ["circle", "broken", "dot", "text"]
    assert len(shapes) == 4
    assert "dot" in shapes
    assert "square" not in shapes


def test_classes(shapes):
    """The library's class takes precedence over an entry point with its name."""
    assert shapes["circle"] is Circle
    assert shapes["dot"] is Dot
    with pytest.raises(KeyError):
        _ = shapes["square"]


def test_a_name_that_is_taken_is_logged(shapes, caplog):
    """The entry point that is ignored is named in the log."""
    with caplog.at_level(logging.WARNING, "bnsearch"):
        list(shapes)
    assert "the shape 'circle' of " in caplog.text


def test_instances(shapes):
    """Names and aliases in any case, with the parameters of the class."""
    assert shapes.make("DISC", {"radius": 2.0}) == Circle(2.0)
    assert isinstance(shapes.make("dot", {}), Dot)
    assert parameters_of(Circle) == {"radius": 1.0}
    assert parameters_of(Dot) == {}
    assert parameters_of(Label) == {"text": MISSING, "lines": []}
    assert make("shape", "label", Label, {"text": "a"}) == Label("a")
    with pytest.raises(InputError, match="the label shape needs a value of its parameter 'text'"):
        make("shape", "label", Label, {})


@pytest.mark.parametrize(
    ("name", "parameters", "message"),
    [
        (
            "circel",
            {},
            r"there is no shape 'circel' \(did you mean 'circle'\?\): choose from circle, broken, dot, text",
        ),
        ("circle", {"radios": 1}, r"the circle shape has no parameter 'radios' \(did you mean 'radius'\?\): it takes"),
        ("dot", {"radius": 1}, "the dot shape has no parameter 'radius': it takes no parameters"),
        ("broken", {}, r"the shape 'broken' of no_such_module:Dot cannot be used \(ModuleNotFoundError"),
        ("text", {}, r"the shape 'text' of .* cannot be used \(InputError: text is not a class\): update or uninstall"),
    ],
)
def test_errors(shapes, name, parameters, message):
    """The error says what is wrong and what to do."""
    with pytest.raises(InputError, match=message):
        shapes.make(name, parameters)
