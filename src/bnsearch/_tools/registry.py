"""Classes by name: those of the library, and those that other packages add by entry points."""

from __future__ import annotations

import dataclasses
import difflib
import logging
from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar

from bnsearch.errors import InputError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

T = TypeVar("T")


class Registry(Mapping[str, type[T]]):
    """
    Classes by name, each imported when it is first used.

    Parameters
    ----------
    what : noun for the classes in error messages, such as "score"
    built_in : the classes of the library by name, each as "module:class"
    group : group of the entry points with which other packages add classes
    aliases : further names
    adapt : function that returns the class for an object loaded from an entry point, given its name and the object. It
        raises an InputError if the object is unsuitable

    Notes
    -----
    A class of the library takes precedence over an entry point with the same name.
    """

    def __init__(
        self,
        what: str,
        built_in: Mapping[str, str],
        *,
        group: str,
        adapt: Callable[[str, Any], type[T]],
        aliases: Mapping[str, str] | None = None,
    ) -> None:
        self.what, self.built_in, self.group, self.aliases = what, built_in, group, aliases or {}
        self._adapt = adapt

    def __iter__(self) -> Iterator[str]:
        yield from self.built_in
        yield from sorted(self._find_entry_points())

    def __len__(self) -> int:
        return len(self.built_in) + len(self._find_entry_points())

    def __contains__(self, name: object) -> bool:
        return name in self.built_in or name in self._find_entry_points()

    def __getitem__(self, name: str) -> type[T]:
        if name in self.built_in:
            module, _, attribute = self.built_in[name].partition(":")
            kind: type[T] = getattr(import_module(module), attribute)
            return kind
        return self._load(self._find_entry_points()[name])

    def make(self, name: str, parameters: Mapping[str, Any]) -> T:
        """Return an instance of the class with a name or an alias, in upper or lower case, with some parameters."""
        key = self.aliases.get(name.lower(), name.lower())
        if key not in self:
            raise InputError(
                f"there is no {self.what} {name!r}{suggest(key, [*self, *self.aliases])}: choose from {', '.join(self)}"
            )
        return make(self.what, key, self[key], parameters)

    def _find_entry_points(self) -> dict[str, EntryPoint]:
        from importlib.metadata import entry_points

        found: dict[str, EntryPoint] = {}
        for point in entry_points(group=self.group):
            name = point.name.lower()
            if name in self.built_in or name in self.aliases or name in found:
                logger = logging.getLogger("bnsearch")
                logger.warning("the %s %r of %s is ignored: the name is taken", self.what, name, describe_origin(point))
            else:
                found[name] = point
        return found

    def _load(self, point: EntryPoint) -> type[T]:
        try:
            return self._adapt(point.name.lower(), point.load())
        except Exception as error:
            raise InputError(
                f"the {self.what} {point.name!r} of {describe_origin(point)} cannot be used "
                f"({type(error).__name__}: {error}): update or uninstall this package"
            ) from error


def describe_origin(point: EntryPoint) -> str:
    """Return the package of an entry point in words."""
    return f"the package {point.dist.name} ({point.value})" if point.dist else point.value


def make(what: str, name: str, kind: type[T], parameters: Mapping[str, Any]) -> T:
    """
    Return an instance of a class; an unknown parameter raises an InputError.

    Parameters
    ----------
    what : noun for the class in error messages, such as "score"
    name : name of the class
    kind : class, whose parameters are its fields if it is a dataclass
    parameters : values of its parameters
    """
    known = list(parameters_of(kind))
    for given in parameters:
        if given not in known:
            takes = f"takes {', '.join(known)}" if known else "takes no parameters"
            raise InputError(f"the {name} {what} has no parameter {given!r}{suggest(given, known)}: it {takes}")
    for needed, default in parameters_of(kind).items():
        if default is dataclasses.MISSING and needed not in parameters:
            raise InputError(f"the {name} {what} needs a value of its parameter {needed!r}")
    return kind(**parameters)


def parameters_of(kind: type) -> dict[str, Any]:
    """
    Return the parameters of a class with their defaults: the fields of a dataclass, otherwise none.

    The default of a field that must be given is `dataclasses.MISSING`.
    """
    if not dataclasses.is_dataclass(kind):
        return {}
    fields = (field for field in dataclasses.fields(kind) if field.init)
    return {f.name: f.default if f.default_factory is dataclasses.MISSING else f.default_factory() for f in fields}


def require_choice(name: str, value: object, known: Iterable[str]) -> None:
    """Raise an error that names the parameter, its legal values and its value, if the value is not legal."""
    words = list(known)
    if value not in words:
        raise InputError(f"{name} must be one of {', '.join(words)}, not {value!r}{suggest(str(value), words)}")


def suggest(name: str, known: list[str]) -> str:
    """Return a hint such as "(did you mean 'bic'?)", or an empty string if no known name is similar."""
    near = difflib.get_close_matches(name, known, n=1)
    return f" (did you mean {near[0]!r}?)" if near else ""
