"""Files of knowledge: the format of Benchpress, and invalid files."""

import json

import pytest

from bnsearch import InputError, Knowledge


def read(tmp_path, document):
    """Return the knowledge of a document, read from a file."""
    path = tmp_path / "known.json"
    path.write_text(document if isinstance(document, str) else json.dumps(document))
    return Knowledge.read(path)


def test_every_key(tmp_path):
    """Edges, groups, tiers with settings, sources and the keys of bnsearch are read."""
    known = read(
        tmp_path,
        {
            "required_edges": [["a", "b"]],
            "forbidden_edges": None,
            "allowed_edges": [["a", "c"]],
            "required_groups": [{"cause": ["a", "b"], "effect": ["b", "c"]}],
            "forbidden_groups": [{"cause": ["d"], "effect": ["a"]}],
            "tiers": [["a"], ["b", "c"]],
            "tier_settings": {"forbid_within_tiers": True, "can_only_cause_next_tier": True},
            "source_nodes": ["a"],
            "leaves": ["c"],
            "max_parents": {"b": 2},
            "context_all": [],
        },
    )
    assert known == Knowledge(
        required=[("a", "b"), ("a", "b"), ("a", "c"), ("b", "c")],
        forbidden=[("d", "a")],
        allowed=[("a", "c")],
        tiers=[["a"], ["b", "c"]],
        within_tiers=False,
        across_tiers=False,
        roots=["a"],
        leaves=["c"],
        max_parents={"b": 2},
    )


@pytest.mark.parametrize(
    "known",
    [
        Knowledge(),
        Knowledge(allowed=[]),
        Knowledge(required=[("a", "b")], tiers=[["a"], ["b"]], within_tiers=False, max_parents=3),
        Knowledge(forbidden=[("a", "é")], roots=["a"], leaves=["é"], max_parents={"a": 0}),
    ],
    ids=["nothing", "no edges", "required", "forbidden"],
)
def test_written_knowledge_is_read_back(tmp_path, known):
    """Written knowledge is restored."""
    known.write(tmp_path / "known.json")
    assert Knowledge.read(tmp_path / "known.json") == known


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ("{", "is not JSON"),
        ([], "a JSON object"),
        ({"requird_edges": [["a", "b"]]}, "did you mean 'required_edges'"),
        ({"context_all": ["a"]}, "unknown key 'context_all'"),
        ({"requird_edges": []}, "did you mean 'required_edges'"),
        ({"forbiden_edges": None}, "did you mean 'forbidden_edges'"),
        ({"tier_settings": {"forbid_within_tier": True}}, "did you mean 'forbid_within_tiers'"),
        ({"tier_settings": {"forbid_within_tiers": "yes"}}, "must be true or false"),
        ({"tier_settings": ["forbid_within_tiers"]}, "tier_settings must be an object with forbid_within_tiers"),
        ({"required_groups": [["a", "b"]]}, '"cause" and "effect"'),
        ({"required_edges": [["a", "b", "c"]]}, "pair"),
        ({"required_edges": 5}, "required_edges must be a list, not 5"),
        ({"forbidden_edges": {"a": "b"}}, "forbidden_edges must be a list"),
        ({"forbidden_groups": True}, "forbidden_groups must be a list, not True"),
        ({"required_groups": [{"cause": "smoke", "effect": ["cough"]}]}, "lists of names"),
    ],
)
def test_what_is_wrong_with_a_file_is_said(tmp_path, document, message):
    """Every error is one line that names the file and the reason."""
    with pytest.raises(InputError, match=message) as caught:
        read(tmp_path, document)
    assert "known.json" in str(caught.value)


def test_a_file_that_is_not_there(tmp_path):
    """A missing file raises an error."""
    with pytest.raises(InputError, match="does not exist"):
        Knowledge.read(tmp_path / "none.json")
