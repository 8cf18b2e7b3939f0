"""Reader of BIF texts; `bif` describes the format."""

from __future__ import annotations

import numpy as np

from bnsearch._tools.wording import listed, shown
from bnsearch.networks.formats.builder import NetworkBuilder, parse_numbers
from bnsearch.networks.formats.lexer import (
    Token,
    TokenStream,
    group_words,
    split_first_word,
    split_names,
    token_pattern,
)
from bnsearch.networks.formats.source import Source
from bnsearch.networks.network import BayesianNetwork

MARKS = "{}()[];|"
_PATTERN = token_pattern(MARKS, comment=r"//[^\n]*+|/\*[\s\S]*?\*/", run=r'(?:[^{}()\[\];|"/]++|/(?![/*]))++')
#: Cells that the `default` rows of one file may fill; without a limit, a small file could request any amount of memory.
_MAX_DEFAULT_CELLS = 10_000_000


class BifReader:
    """Reader of a BIF text, with one method for each kind of block."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.tokens = TokenStream(source, _PATTERN)
        self.builder = NetworkBuilder(source)
        self.defaults_left = _MAX_DEFAULT_CELLS

    def read(self) -> BayesianNetwork:
        """Return the network; variables are read before tables because blocks may come in any order."""
        tables = []
        while (token := self.tokens.take()).kind != "end":
            keyword, rest = split_first_word(token)
            if keyword == "network":
                self._read_network()
            elif keyword == "variable":
                self._read_variable(rest)
            elif token.kind == "run" and token.text.strip() == "probability":
                tables.append((self.tokens.position, token.start))
                self.tokens.skip_past("}", "a probability block")
            else:
                raise self.tokens.unexpected(token, "the file", "network, variable or probability")
        for position, start in tables:
            self.tokens.position = position
            self._read_probability(start)
        return self.builder.build()

    def _read_network(self) -> None:
        """Skip the name and the properties of the network."""
        self.tokens.skip_past("{", "the network's name")
        while (token := self.tokens.take()).kind != "}":
            self.skip_property(token, "the network block", "a property or '}'")

    def skip_property(self, token: Token, place: str, wanted: str) -> None:
        """Skip a property; raise an InputError if the token does not start one."""
        if split_first_word(token)[0] != "property":
            raise self.tokens.unexpected(token, place, wanted)
        self.tokens.skip_past(";", "a property")

    def _read_variable(self, rest: Token) -> None:
        """Read `NAME { type discrete [ n ] { states }; }`."""
        groups = group_words([rest, *self.tokens.take_until("{", "a variable's name")])
        if len(groups) != 1:
            raise self.source.error("a variable block must begin with 'variable NAME {'", rest.start)
        name, states = " ".join(groups[0]), None
        while (token := self.tokens.take()).kind != "}":
            if states is None and split_first_word(token)[0] == "type":
                states = self._read_states(token)
            else:
                self.skip_property(token, f"variable {shown(name)}", "one type, a property or '}'")
        if states is None:
            raise self.source.error(f"variable {shown(name)} has no type", rest.start)
        self.builder.add_variable(name, states, rest.start)

    def _read_states(self, token: Token) -> list[str]:
        """Read `type discrete [ n ] { states };`, whose first token is `token`."""
        if token.text.split() != ["type", "discrete"]:
            raise self.tokens.unexpected(token, "a variable block", "'type discrete'")
        self.tokens.expect("[", "a type")
        count = self.tokens.expect("run", "a type")
        self.tokens.expect("]", "a type")
        self.tokens.expect("{", "a type")
        found = group_words(self.tokens.take_until("}", "a list of states"))
        if self.tokens.next.kind == ";":
            self.tokens.take()
        states = split_names(found, count.text.strip())
        if states is None:
            raise self.source.error(
                f"{len(found)} states ({listed([' '.join(words) for words in found])})"
                f", but the declared number is {shown(count.text.strip())}",
                count.start,
            )
        return states

    def _read_probability(self, start: int) -> None:
        """Read `( X | A, B ) { rows }`."""
        before, after = self.tokens.take_family("a probability block")
        # A blank is part of a name only if such a variable exists; otherwise it separates two names.
        family: list[str] = []
        for words in group_words(before) + group_words(after):
            joined = " ".join(words)
            family += [joined] if joined in self.builder.index else words
        if not family:
            raise self.source.error("a probability block has no variable", start)
        self.tokens.expect("{", "a probability block")
        _Table(self, family, start).read()


class _Table:
    """Reader of the body of a probability block."""

    def __init__(self, reader: BifReader, family: list[str], start: int) -> None:
        self.reader, self.builder = reader, reader.builder
        self.tokens, self.source = reader.tokens, reader.source
        self.name, self.start = shown(family[0]), start
        self.child, self.parents, self.n_rows = self.builder.start_family(family[0], family[1:], start)
        self.width = len(self.builder.states[self.child])
        self.rows: dict[int, list[float]] = {}
        self.starts: dict[int, int] = {}
        self.default: list[float] | None = None
        self.default_start = start

    def read(self) -> None:
        """Read the rows up to the closing brace and pass the table to the builder."""
        while (token := self.tokens.take()).kind != "}":
            if token.kind == "(":
                self._read_row(token.start)
                continue
            keyword, rest = split_first_word(token)
            if keyword == "table":
                self._read_table(self._read_numbers(rest), token.start)
            elif keyword == "default":
                self.default = self._check_width(self._read_numbers(rest), token.start)
                self.default_start = token.start
            elif token.kind != ";":
                self.reader.skip_property(token, f"the table of {self.name}", "a row, a property or '}'")
        self._finish_table()

    def _read_numbers(self, rest: Token | None = None) -> list[float]:
        """Return the numbers up to a semicolon, or up to the next row if it is missing."""
        numbers = parse_numbers(self.source, rest.text, rest.start) if rest else []
        while (token := self.tokens.next).kind == "run":
            self.tokens.take()
            numbers += parse_numbers(self.source, token.text, token.start)
        if token.kind == ";":
            self.tokens.take()
        elif token.kind not in {"(", "}"}:
            raise self.tokens.unexpected(token, f"the table of {self.name}", "a number or ';'")
        return numbers

    def _read_row(self, start: int) -> None:
        """Read `a, b) numbers;`."""
        found = group_words(self.tokens.take_until(")", "a row's states"))
        labels = split_names(found, str(len(self.parents)))
        if labels is None:
            raise self.source.error(
                f"a row of {self.name} has {len(found)} states for {len(self.parents)} parents", start
            )
        number = 0  # mixed-radix number of the row; the last parent varies fastest
        for label, parent in zip(labels, self.parents, strict=True):
            codes = self.builder.codes[parent]
            if label not in codes:
                name = shown(self.builder.names[parent])
                raise self.source.error(f"{shown(label)} is not a state of {name}, a parent of {self.name}", start)
            number = number * len(codes) + codes[label]
        if number in self.rows:
            raise self.source.error(f"the table of {self.name} contains this row twice", start)
        self.rows[number] = self._check_width(self._read_numbers(), start)
        self.starts[number] = start

    def _check_width(self, numbers: list[float], start: int) -> list[float]:
        """Return the numbers; raise an InputError unless there is one for each state."""
        if len(numbers) != self.width:
            raise self.source.error(f"{len(numbers)} probabilities for the {self.width} states of {self.name}", start)
        return numbers

    def _read_table(self, numbers: list[float], start: int) -> None:
        """Store a whole table given as one list; the variable varies slowest, the last parent fastest."""
        if self.rows or len(numbers) != self.n_rows * self.width:
            raise self.source.error(
                f"the table of {self.name} has {len(numbers)} numbers;"
                f" it must have {self.n_rows * self.width} and no other rows",
                start,
            )
        self.rows = dict(enumerate(np.array(numbers).reshape(self.width, -1).T.tolist()))
        self.starts = dict.fromkeys(self.rows, start)

    def _finish_table(self) -> None:
        """Sort the rows, use the default for missing ones, and pass them to the builder."""
        missing = self.n_rows - len(self.rows)
        if missing and self.default is None:
            raise self.source.error(f"{self.name} has {len(self.rows)} of its {self.n_rows} rows", self.start)
        self.reader.defaults_left -= missing * self.width
        if self.reader.defaults_left < 0:
            raise self.source.error(
                f"the default row of {self.name} would fill {missing} rows, which is too many: list the rows",
                self.start,
            )
        rows = np.empty((self.n_rows, self.width))
        starts = np.full(self.n_rows, self.default_start)
        if self.default is not None:
            rows[:] = self.default
        if self.rows:
            rows[list(self.rows)] = list(self.rows.values())
            starts[list(self.rows)] = list(self.starts.values())
        self.builder.end_family(self.child, rows, starts)
