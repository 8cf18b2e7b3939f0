"""Networks and structures as JSON."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given

from bnsearch.errors import InputError
from bnsearch.graphs.dag import DAG
from bnsearch.networks.formats import json_format
from bnsearch.networks.formats.source import Source
from bnsearch.networks.network import BayesianNetwork
from format_samples import JSON, LAWN, assert_same, dags, networks


def parse(text: str) -> BayesianNetwork | DAG:
    return json_format.parse(Source("lawn.json", text))


def error(text: str) -> str:
    with pytest.raises(InputError) as caught:
        parse(text)
    return str(caught.value)


def document(*variables: Any, **changes: Any) -> str:
    """Return a file of these variables with a changed head."""
    return json.dumps({"format": "bnsearch-network", "version": 1, "variables": variables} | changes)


def coin(**changes: Any) -> dict[str, Any]:
    """Return the entry of a fair coin, changed."""
    return {"name": "coin", "states": ["h", "t"], "parents": [], "table": [[0.5, 0.5]]} | changes


def test_sample_reads() -> None:
    """The embedded sample; the order of the parents is the file's own."""
    assert_same(parse(JSON), LAWN)


def test_text_of_a_network() -> None:
    """The writer writes one variable per line."""
    lines = json_format.render(LAWN).splitlines()
    assert lines[0] == '{"format": "bnsearch-network", "version": 1, "variables": ['
    assert lines[1] == '  {"name": "rain", "parents": [], "states": ["yes", "no"], "table": [[0.2, 0.8]]},'
    assert len(lines) == 5


@given(networks())
def test_round_trip(network: BayesianNetwork) -> None:
    """Any names, states and probabilities are restored exactly."""
    text = json_format.render(network)
    assert_same(parse(text), network)


@given(dags())
def test_structure_round_trip(dag: DAG) -> None:
    """Any structure is restored."""
    assert parse(json_format.render_structure(dag)) == dag


def test_tables_decide() -> None:
    """A file without tables is a structure; one table makes it a network."""
    entry = {"name": "table", "states": ["table"], "parents": []}
    assert parse(document(entry, table=[[1.0]])) == DAG.empty(["table"])
    assert 'must have a "table" of 1 rows' in error(document(entry, coin()))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "line 1: not JSON"),
        ('{"format":\n', "line 2: not JSON"),
        ("[" * 100_000, "too deep"),
        ("1" * 5_000, "a number is too long"),
        ("[]", '"format" must be'),
        (document(coin(), format="other"), '"format" must be'),
        (document(coin(), version=2), "newer"),
        (document(), "at least one variable"),
        (document(1), 'variable 1 must have a "name"'),
        (document(coin(), coin(name=None)), 'variable 2 must have a "name"'),
        (document(coin(name="\ud800")), 'variable 1 must have a "name"'),
        (document(coin(), coin()), "the same name"),
        (document(coin(states="ht")), 'must have "states", a list of strings'),
        (document(coin(states=[])), "'coin' has no states"),
        (document(coin(states=["h", 1])), 'must have "states", a list of strings'),
        (document(coin(parents=["x"])), "no variable is named 'x'"),
        (document(coin(parents=["coin"])), "its own parent"),
        (document(coin(table=[[0.5, 0.5], [0.5, 0.5]])), "1 rows of 2 numbers"),
        (document(coin(table=[[0.5]])), "1 rows of 2 numbers"),
        (document(coin(table=[[True, False]])), "1 rows of 2 numbers"),
        (document(coin(table=[[10**400, 0]])), "1 rows of 2 numbers"),
        (document(coin(table=[[float("nan"), 0.5]])), "not a distribution"),
        (document(coin(table=[[0.5, 0.4]])), "not a distribution"),
        (document(coin(name="a", parents=["b"]), coin(name="b", parents=["a"])), "2 rows of 2 numbers"),
    ],
)
def test_errors_say_what(text: str, words: str) -> None:
    """Every error names the file and the reason, in one line."""
    message = error(text)
    assert message.startswith("lawn.json")
    assert words in message
    assert "\n" not in message


def test_structure_errors() -> None:
    """A cycle and an unknown parent raise an error also without tables."""
    a, b = {"name": "a", "parents": ["b"]}, {"name": "b", "parents": ["a"]}
    with pytest.raises(InputError, match=r"^lawn\.json: .*cycle"):
        parse(document(a, b))
    with pytest.raises(InputError, match=r"^lawn\.json: .*unknown variable 'b'"):
        parse(document(a))
