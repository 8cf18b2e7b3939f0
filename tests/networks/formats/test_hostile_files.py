"""Damaged files: reading returns a network or raises an InputError."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnsearch.errors import InputError
from bnsearch.networks.formats import adjacency, bif, hugin, json_format
from bnsearch.networks.formats.source import Source
from format_samples import BIF, HUGIN, JSON, LAWN
from strategies import examples

Parse = Callable[[Source], object]
CASES: list[tuple[Parse, str]] = [
    (bif.parse, BIF),
    (bif.parse, bif.render(LAWN)),
    (hugin.parse, HUGIN),
    (hugin.parse, hugin.render(LAWN)),
    (json_format.parse, JSON),
    (json_format.parse, json_format.render_structure(LAWN.dag)),
    (adjacency.parse_structure, adjacency.render_structure(LAWN.dag)),
]
PIECES = st.one_of(
    st.characters(exclude_categories=["Cs"]),
    st.sampled_from(['"', "{", "}", "(", ")", "[", "]", ";", ",", "|", "=", "\\", "/*", "*/", "//", "%", "\n"]),
    st.sampled_from(["1e999", "-1", "nan", "1000000000", "9" * 30, "null", "[]", "{}", "table", "default", "states"]),
)


def survives(parse: Parse, text: str) -> bool:
    """Return True if a text can be read; otherwise check that the error is one line that names the file."""
    try:
        parse(Source("damaged", text))
    except InputError as error:
        message = str(error)
        assert message.startswith("damaged")
        assert "\n" not in message
        assert len(message) < 500
        return False
    return True


@pytest.mark.parametrize(("parse", "text"), CASES)
def test_samples_survive(parse: Parse, text: str) -> None:
    """The undamaged files can be read."""
    assert survives(parse, text)


@pytest.mark.parametrize(("parse", "text"), CASES)
def test_truncation_everywhere(parse: Parse, text: str) -> None:
    """A file truncated before its last bracket or digit raises an error."""
    for end in range(len(text.rstrip())):
        assert not survives(parse, text[:end])


@examples(300)
@given(st.sampled_from(CASES), st.data())
def test_random_damage(case: tuple[Parse, str], data: st.DataObject) -> None:
    """Characters replaced, inserted and deleted, up to five times: a network or an InputError."""
    parse, text = case
    for _ in range(data.draw(st.integers(1, 5))):
        start = data.draw(st.integers(0, len(text)))
        stop = min(start + data.draw(st.integers(0, 3)), len(text))
        text = text[:start] + data.draw(st.one_of(st.just(""), PIECES)) + text[stop:]
    survives(parse, text)


@given(st.sampled_from(CASES), st.data())
def test_moved_pieces(case: tuple[Parse, str], data: st.DataObject) -> None:
    """A stretch of the file copied elsewhere: repeated blocks, nested blocks, foreign rows."""
    parse, text = case
    start = data.draw(st.integers(0, len(text)))
    stop = data.draw(st.integers(start, len(text)))
    place = data.draw(st.integers(0, len(text)))
    survives(parse, text[:place] + text[start:stop] + text[place:])


@given(st.sampled_from([parse for parse, _ in CASES]), st.text())
def test_random_text(parse: Parse, text: str) -> None:
    """A text that is not a network raises an error."""
    assert not survives(parse, text)
