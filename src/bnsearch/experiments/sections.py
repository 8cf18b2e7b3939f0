"""Tables of a plan, read key by key; all errors are collected."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from bnsearch._tools.registry import suggest
from bnsearch._tools.wording import shown
from bnsearch.errors import InputError

T = TypeVar("T")


class PlanError(InputError):
    """
    An invalid plan.

    Parameters
    ----------
    name : name of the plan's file
    errors : all errors of the plan, one line each
    """

    def __init__(self, name: str, errors: Sequence[str]) -> None:
        self.name, self.errors = name, tuple(errors)
        super().__init__(name, errors)

    def __str__(self) -> str:
        number = len(self.errors)
        return f"{self.name} has {number} error{'' if number == 1 else 's'}: {'; '.join(self.errors)}"


class Section:
    """
    A table of a plan.

    Parameters
    ----------
    content : the table
    where : name of the table in error messages; empty for the whole plan
    errors : list that receives the errors
    """

    def __init__(self, content: Mapping[str, Any], where: str, errors: list[str]) -> None:
        self.content, self.where, self.errors = content, where, errors
        self._known: list[str] = []

    def __contains__(self, key: str) -> bool:
        return key in self.content

    def complain(self, text: str) -> None:
        """Add an error."""
        self.errors.append(f"{self.where}: {text}" if self.where else text)

    def attempt(self, make: Callable[[], T]) -> T | None:
        """Return the value of a function; an InputError becomes an error of the plan, and the value is None."""
        try:
            return make()
        except InputError as error:
            self.complain(str(error))
            return None

    def take(self, key: str) -> Any:
        """Return the value of a key, which is then known; None if it is missing."""
        self._known.append(key)
        return self.content.get(key)

    def take_text(self, key: str, default: str = "") -> str:
        """Return a text that is not empty, or the default."""
        value = self.take(key)
        if value is None:
            return default
        if not isinstance(value, str) or not value.strip():
            self.complain(f"{key} must be a text, not {value!r}")
            return default
        return value

    def take_flag(self, key: str, default: bool) -> bool:
        """Return true or false, or the default."""
        value = self.take(key)
        if value is None:
            return default
        if not isinstance(value, bool):
            self.complain(f"{key} must be true or false, not {value!r}")
            return default
        return value

    def take_whole(self, key: str, default: int | None = None, *, at_least: int = 0) -> int | None:
        """Return a whole number, or the default."""
        value = self.take(key)
        if value is None:
            return default
        if isinstance(value, bool) or not isinstance(value, int) or value < at_least:
            self.complain(f"{key} must be a whole number of at least {at_least}, not {value!r}")
            return default
        return value

    def take_number(
        self, key: str, default: float | None = None, *, above: float = 0, below: float | None = None
    ) -> float | None:
        """Return a number, or the default."""
        value = self.take(key)
        if value is None:
            return default
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if not is_number or not above < value < (float("inf") if below is None else below):
            limit = "" if below is None else f" and below {below:g}"
            self.complain(f"{key} must be a number above {above:g}{limit}, not {value!r}")
            return default
        return float(value)

    def take_wholes(self, key: str, default: Sequence[int], *, at_least: int = 0) -> tuple[int, ...]:
        """Return whole numbers: a list, one number, or {first = 1, count = 30}."""
        value = self.take(key)
        if value is None:
            return tuple(default)
        if isinstance(value, Mapping):
            return self._count_up(key, value)
        listed = value if isinstance(value, list) else [value]
        wrong = [v for v in listed if isinstance(v, bool) or not isinstance(v, int) or v < at_least]
        if wrong:
            self.complain(f"{key} must be whole numbers of at least {at_least}, not {wrong[0]!r}")
            return tuple(default)
        if not listed:
            self.complain(f"{key} is empty: list at least one number, or remove it")
            return tuple(default)
        self.refuse_repetition(key, listed)
        return tuple(listed)

    def _count_up(self, key: str, value: Mapping[str, Any]) -> tuple[int, ...]:
        """Return the numbers of {first = 1, count = 30}."""
        counts = Section(value, f"{self.where}, {key}" if self.where else key, self.errors)
        first, count = counts.take_whole("first", 1), counts.take_whole("count", None, at_least=1)
        if count is None and "count" not in counts:
            counts.complain("count is missing: how many numbers?")
        counts.finish()
        return tuple(range(first or 0, (first or 0) + (count or 1)))

    def take_list(self, key: str) -> tuple[str, ...]:
        """Return a list of texts, which may occur several times; an empty tuple if it is missing or has an error."""
        value = self.take(key)
        if not isinstance(value, list) or not value or not all(isinstance(v, str) for v in value):
            self.complain(f"{key} must be a list of texts, not {value!r}")
            return ()
        return tuple(value)

    def take_texts(self, key: str) -> tuple[str, ...]:
        """Return one text or a list of texts; an empty tuple if the key is missing."""
        value = self.take(key)
        if value is None:
            return ()
        listed = value if isinstance(value, list) else [value]
        wrong = [v for v in listed if not isinstance(v, str) or not v.strip()]
        if wrong:
            self.complain(f"{key} must be a text or a list of texts, not {wrong[0]!r}")
            return ()
        if not listed:
            self.complain(f"{key} is empty: list at least one text, or remove it")
        self.refuse_repetition(key, listed)
        return tuple(listed)

    def take_choice(self, key: str, choices: Sequence[str], default: str) -> str:
        """Return one of several words, or the default."""
        value = self.take_text(key, default)
        if value not in choices:
            self.complain(f"{key} must be one of {', '.join(choices)}, not {value!r}{suggest(value, list(choices))}")
            return default
        return value

    def take_table(self, key: str) -> dict[str, Any] | None:
        """Return a table; None if the key is missing."""
        value = self.take(key)
        if value is None:
            return None
        if not isinstance(value, dict):
            self.complain(f"{key} must be a table, such as {{ name = value }}, not {value!r}")
            return None
        return value

    def take_entries(self, key: str, short: str = "") -> list[Section]:
        """
        Return the tables of a list, each as a section.

        short : key of a value that is given without a table, such as "name" for `methods = ["ges"]`
        """
        value = self.take(key)
        if value is None:
            return []
        if not isinstance(value, list) or not value:
            what = "is empty" if value == [] else f"must be a list of tables, not {shown(repr(value))}"
            self.complain(f"{key} {what}: write one table [[{key}]] for each entry")
            return []
        found = []
        for number, entry in enumerate(value, start=1):
            where = f"entry {number} of {key}"
            if isinstance(entry, dict):
                found.append(Section(entry, where, self.errors))
            elif short and isinstance(entry, str):
                found.append(Section({short: entry}, where, self.errors))
            else:
                self.complain(f"{where} must be a table{' or a name' if short else ''}, not {entry!r}")
        return found

    def refuse_repetition(self, key: str, values: Sequence[Any]) -> None:
        """Add an error if a value occurs twice."""
        repeated = [value for place, value in enumerate(values) if value in values[:place]]
        if repeated:
            self.complain(f"{key} lists {repeated[0]!r} twice: remove one of them")

    def finish(self) -> None:
        """Add an error for each key that is not known."""
        for key in self.content:
            if key not in self._known:
                hint = suggest(key, self._known)
                self.complain(f"there is no key {shown(key)}{hint}; the keys are {', '.join(sorted(self._known))}")
