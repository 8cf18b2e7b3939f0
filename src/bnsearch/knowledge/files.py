"""
Files of background knowledge: JSON in the format of the edge constraints of Benchpress.

::

    {"required_edges": [["smoke", "cough"]], "forbidden_edges": [["cough", "age"]],
     "tiers": [["age", "smoke"], ["cough"]],
     "tier_settings": {"forbid_within_tiers": false, "can_only_cause_next_tier": false},
     "required_groups": [{"cause": ["age"], "effect": ["smoke", "cough"]}], "forbidden_groups": [],
     "source_nodes": ["age"]}

Every one of these keys may be absent or null. A group represents all edges from its causes to its effects. The keys
`allowed_edges`, `leaves` and `max_parents` (a number, or an object with numbers by name) are extensions of bnsearch. An
unknown key raises an error, so that no constraint is ignored.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bnsearch._tools.files import atomic_write, read_bytes
from bnsearch._tools.registry import suggest
from bnsearch.errors import InputError

if TYPE_CHECKING:
    from bnsearch.knowledge.knowledge import Edge, Knowledge

KEYS = (
    "required_edges",
    "forbidden_edges",
    "allowed_edges",
    "required_groups",
    "forbidden_groups",
    "tiers",
    "tier_settings",
    "source_nodes",
    "leaves",
    "max_parents",
)
UNSUPPORTED = ("context_all",)  # keys of Benchpress that may be present if they are empty
WITHIN_KEY, NEXT_KEY = "forbid_within_tiers", "can_only_cause_next_tier"


def read_knowledge(path: str | os.PathLike[str], make: type[Knowledge]) -> Knowledge:
    """Read a file of background knowledge; `make` is the class `Knowledge`, which imports this module."""
    try:
        document = json.loads(read_bytes(path))
    except (ValueError, RecursionError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"{path} is not JSON: {error}") from None
    try:
        return parse_knowledge(document, make)
    except InputError as error:
        raise InputError(f"{path}: {error}") from None


def parse_knowledge(document: Any, make: type[Knowledge]) -> Knowledge:
    """Return the knowledge that a JSON object describes."""
    if not isinstance(document, Mapping):
        raise InputError("knowledge must be a JSON object with keys such as required_edges, forbidden_edges, tiers")
    stated = {key: value for key, value in document.items() if value not in (None, [], {})}
    for key in document:
        if key not in KEYS and (key in stated or key not in UNSUPPORTED):
            raise InputError(f"unknown key {key!r}{suggest(key, list(KEYS))}: the keys are {', '.join(KEYS)}")
    settings = _parse_settings(stated.get("tier_settings", {}))
    return make(
        required=(*_parse_list(stated, "required_edges"), *_parse_groups(stated, "required_groups")),
        forbidden=(*_parse_list(stated, "forbidden_edges"), *_parse_groups(stated, "forbidden_groups")),
        allowed=document.get("allowed_edges"),
        tiers=stated.get("tiers", ()),
        within_tiers=not settings.get(WITHIN_KEY, False),
        across_tiers=not settings.get(NEXT_KEY, False),
        roots=stated.get("source_nodes", ()),
        leaves=stated.get("leaves", ()),
        max_parents=stated.get("max_parents"),
    )


def write_knowledge(knowledge: Knowledge, path: str | os.PathLike[str]) -> None:
    """Write a file of background knowledge; keys with default values are omitted."""
    document: dict[str, Any] = {
        "required_edges": knowledge.required,
        "forbidden_edges": knowledge.forbidden,
        "tiers": knowledge.tiers,
        "tier_settings": {WITHIN_KEY: not knowledge.within_tiers, NEXT_KEY: not knowledge.across_tiers},
        "source_nodes": knowledge.roots,
        "leaves": knowledge.leaves,
    }
    document = {key: value for key, value in document.items() if value}
    if knowledge.allowed is not None:
        document["allowed_edges"] = knowledge.allowed
    if knowledge.max_parents is not None:
        most = knowledge.max_parents
        document["max_parents"] = dict(most) if isinstance(most, Mapping) else most
    with atomic_write(path) as temporary:
        Path(temporary).write_text(json.dumps(document, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def _parse_settings(settings: Any) -> Mapping[str, bool]:
    if not isinstance(settings, Mapping):
        raise InputError(f"tier_settings must be an object with {WITHIN_KEY} and {NEXT_KEY}")
    for key, value in settings.items():
        if key not in (WITHIN_KEY, NEXT_KEY):
            raise InputError(
                f"unknown key {key!r} in tier_settings{suggest(key, [WITHIN_KEY, NEXT_KEY])}: "
                f"the keys are {WITHIN_KEY} and {NEXT_KEY}"
            )
        if not isinstance(value, bool):
            raise InputError(f"{key} must be true or false, not {value!r}")
    return settings


def _parse_list(stated: Mapping[str, Any], key: str) -> list[Any]:
    value = stated.get(key, [])
    if not isinstance(value, list):
        raise InputError(f"{key} must be a list, not {value!r}")
    return value


def _parse_groups(stated: Mapping[str, Any], key: str) -> list[Edge]:
    """Return the edges of groups of causes and effects, without edges from a variable to itself."""
    edges: list[Edge] = []
    for group in _parse_list(stated, key):
        sides = group.values() if isinstance(group, Mapping) and set(group) == {"cause", "effect"} else [None]
        if not all(isinstance(side, list) for side in sides):
            raise InputError(f'each item of {key} must be an object with "cause" and "effect", lists of names')
        edges += [(cause, effect) for cause in group["cause"] for effect in group["effect"] if cause != effect]
    return edges
