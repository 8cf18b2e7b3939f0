"""Reader of NET texts; `hugin` describes the language."""

from __future__ import annotations

import re

import numpy as np

from bnsearch._tools.wording import shown
from bnsearch.networks.formats.builder import NetworkBuilder, parse_numbers
from bnsearch.networks.formats.lexer import QUOTED, Token, TokenStream, group_words, token_pattern, unquote
from bnsearch.networks.formats.source import Source
from bnsearch.networks.network import BayesianNetwork

#: Attribute for the name of a variable if it is not an identifier.
NAME_ATTRIBUTE = "bnsearch_name"
_COMMENT = r"%[^\n]*+"
_PATTERN = token_pattern("{}()=;|", _COMMENT, run=r'[^{}()=;|"%]++')
_LABEL = re.compile(rf'{_COMMENT}|{QUOTED}|[^\s"%]++')


class HuginReader:
    """Reader of a NET text, with one method for each kind of element."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.tokens = TokenStream(source, _PATTERN)
        self.builder = NetworkBuilder(source)
        self.names: dict[str, str] = {}  # name of each node by its identifier
        self.classes = 0  # number of open classes

    def read(self) -> BayesianNetwork:
        """Return the network; nodes are read before potentials because elements may come in any order."""
        potentials = []
        while (token := self.tokens.take()).kind != "end":
            words = token.text.split() if token.kind == "run" else []
            if words == ["potential"]:
                potentials.append((self.tokens.position, token.start))
                self.tokens.skip_past("}", "a potential")
            else:
                self._read_element(token, words)
        if self.classes:
            raise self.tokens.unexpected(token, "a class", "'}'")
        for position, start in potentials:
            self.tokens.position = position
            self._read_potential(start)
        return self.builder.build()

    def _read_element(self, token: Token, words: list[str]) -> None:
        """Read any element except a potential."""
        if words == ["net"]:
            self.tokens.expect("{", "the net's attributes")
            while self._read_attribute("the net's attributes"):
                self.tokens.skip_past(";", "the net's attributes")
        elif words[:1] == ["class"]:
            self.tokens.expect("{", "a class")
            self.classes += 1
        elif words[:1] == ["node"] or words[:2] == ["discrete", "node"]:
            self._read_node(token, words[1 + words.index("node") :])
        elif token.kind == "}" and self.classes:
            self.classes -= 1
        elif self.classes and self.tokens.next.kind == "=":
            self.tokens.skip_past(";", "a class")
        elif words[:1] and words[0] in {"continuous", "decision", "utility", "function", "instance"}:
            raise self.source.error(f"{shown(words[0])}: only discrete chance nodes are supported", token.start)
        else:
            raise self.tokens.unexpected(token, "the file", "net, node or potential")

    def _read_attribute(self, place: str) -> str | None:
        """Return NAME of `NAME =`, or None at the closing brace of the element."""
        token = self.tokens.take()
        if token.kind == "}":
            return None
        if token.kind != "run":
            raise self.tokens.unexpected(token, place, "an attribute or '}'")
        self.tokens.expect("=", place)
        return token.text.strip()

    def _read_node(self, token: Token, words: list[str]) -> None:
        """Read `{ states = (...); }`; other attributes are ignored."""
        if self.tokens.next.kind == "quoted":
            words.append(self.tokens.take().text)
        if len(words) != 1 or words[0] in self.names:
            raise self.source.error("a node must have one name that is not used before", token.start)
        self.tokens.expect("{", "a node")
        name, states = words[0], None
        while attribute := self._read_attribute(f"node {shown(words[0])}"):
            if attribute == "states" and states is None:
                states = self._read_states()
            elif attribute == NAME_ATTRIBUTE:
                name = self.tokens.expect("quoted", "a node's name").text
            self.tokens.skip_past(";", f"node {shown(words[0])}")
        self.names[words[0]] = name
        self.builder.add_variable(name, states or [], token.start)

    def _read_states(self) -> list[str]:
        """Return the labels of `( labels )`; marks in an unquoted label such as [0;1[ are part of it."""
        opening = self.tokens.expect("(", "a list of states")
        while (token := self.tokens.take()).kind != ")":
            if token.kind in {"(", "end"}:
                raise self.tokens.unexpected(token, "a list of states", "')'")
        found = _LABEL.findall(self.source.text, opening.start + 1, token.start)
        labels = (word if word[0] == '"' else word.strip(",") for word in found if word[0] != "%")
        return [unquote(label) if label[0] == '"' else label for label in labels if label]

    def _read_potential(self, start: int) -> None:
        """Read `( X | A B ) { data = (...); }`."""
        heads, parents = map(self._find_names, self.tokens.take_family("a potential"))
        if len(heads) != 1:
            raise self.source.error("a potential must be '( X | parents )' with one variable X", start)
        child, _, n_rows = self.builder.start_family(heads[0], parents, start)
        self._read_data(child, n_rows, start)

    def _find_names(self, tokens: list[Token]) -> list[str]:
        """Return the names of the variables with the given identifiers."""
        words = (word for group in group_words(tokens) for word in group)
        return [self.names.get(word, word) for word in words]

    def _read_data(self, child: int, n_rows: int, start: int) -> None:
        """Read `{ data = (...); }` and pass the table to the builder."""
        place = f"the potential of {shown(self.builder.names[child])}"
        width = len(self.builder.states[child])
        numbers: list[float] = []
        starts: list[int] = []
        self.tokens.expect("{", place)
        while attribute := self._read_attribute(place):
            if attribute == "data":
                self._read_numbers(numbers, starts, place)
            else:
                self.tokens.skip_past(";", place)
        if len(numbers) != n_rows * width:
            raise self.source.error(f"{place} has {len(numbers)} numbers; it must have {n_rows * width}", start)
        self.builder.end_family(child, np.array(numbers).reshape(n_rows, width), starts[::width])

    def _read_numbers(self, numbers: list[float], starts: list[int], place: str) -> None:
        """Read `(...);` and append the numbers and their positions to the lists."""
        depth = 0
        while (token := self.tokens.take()).kind != ";":
            if token.kind == "run":
                found = parse_numbers(self.source, token.text, token.start)
                numbers += found
                starts += [token.start] * len(found)
            elif token.kind in {"(", ")"}:
                depth += 1 if token.kind == "(" else -1
            else:
                raise self.tokens.unexpected(token, place, "a number")
            if depth < 0:
                raise self.source.error(f"{place}: unmatched closing parenthesis", token.start)
        if depth:
            raise self.source.error(f"{place}: missing closing parenthesis", token.start)
