"""The HTML file of a report: self-contained, and safe for any names."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from importlib.resources import files

import pytest
from hypothesis import given
from hypothesis import strategies as st
from page_reader import HOSTILE_NAMES, PageReader, make_hostile_network, make_large_network

from bnsearch.reports.page import SCRIPTS, embed_json, render_page
from bnsearch.reports.report import write_report

# lone surrogates, too, but no pairs of them, which JSON cannot distinguish from one character
TEXTS = st.text(st.characters(codec=None), max_size=30).filter(lambda text: json.loads(json.dumps(text)) == text)
VALUES = st.recursive(TEXTS | st.integers() | st.none(), lambda inner: st.lists(inner) | st.dictionaries(TEXTS, inner))


def hash_of(text):
    """Return the hash of a text in a content security policy."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


@given(VALUES)
def test_json_in_a_page(value):
    """Any value is restored exactly, and its text has no character that HTML could interpret."""
    text = embed_json(value)
    assert json.loads(text) == value
    assert text.isascii()
    assert not set(text) & set("<>&\u2028\u2029")


@given(st.lists(st.text(max_size=20) | st.sampled_from(HOSTILE_NAMES), max_size=5))
def test_names_change_nothing_but_the_contents(names):
    """The elements of the page are the same for any names, and the contents are restored."""
    page = PageReader(render_page({"names": names}))
    assert page.tags == PageReader(render_page({})).tags
    assert page.contents == {"names": names}


def test_only_the_script_and_the_style_of_the_page_are_permitted():
    """The policy has the hashes of the script and the style, and permits nothing else, no network access either."""
    page = PageReader(render_page({}))
    (style,) = page.styles
    assert page.policy == f"default-src 'none'; script-src {hash_of(page.scripts[1])}; style-src {hash_of(style)}"
    assert not [name for _, attributes in page.tags for name in attributes if name.startswith("on") or name == "style"]


def test_nothing_is_loaded():
    """The only address in the page is the name of the SVG namespace."""
    page = render_page({})
    assert set(re.findall(r"https?://[^\"' ]+", page)) == {"http://www.w3.org/2000/svg"}
    assert not re.search(r"\b(src|@import|url\()", page.partition("<style>")[2].partition("</style>")[0])


def test_scripts_never_interpret_texts_as_markup():
    """No part of the script uses a function that parses HTML or runs text as code."""
    for name in SCRIPTS:
        text = files("bnsearch.reports").joinpath("assets", name).read_text(encoding="utf-8")
        assert not re.search(
            r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser|\beval\b|Function\(", text
        )


def test_all_parts_of_the_script_are_used():
    """The page has all script files of the folder."""
    folder = files("bnsearch.reports").joinpath("assets")
    assert {file.name for file in folder.iterdir()} == {*SCRIPTS, "page.html", "page.css"}


def test_hostile_names_in_a_report(tmp_path):
    """A network whose names and states are markup, control characters or names of JavaScript objects."""
    path = tmp_path / "hostile.html"
    write_report(make_hostile_network(), path, title=HOSTILE_NAMES[0])
    page = PageReader(path.read_text(encoding="utf-8"))
    assert page.tags == PageReader(render_page({})).tags
    assert [variable["name"] for variable in page.contents["variables"]] == list(HOSTILE_NAMES)
    assert page.contents["variables"][0]["states"] == list(HOSTILE_NAMES[:2])
    assert page.contents["title"] == HOSTILE_NAMES[0]


@pytest.mark.parametrize("states", [2, 5])
def test_size_of_a_large_page(tmp_path, states):
    """The page of 1,000 variables has less than 10 MB, with tables of any size."""
    write_report(make_large_network(1000, states), tmp_path / "large.html")
    assert (tmp_path / "large.html").stat().st_size < 10_000_000
