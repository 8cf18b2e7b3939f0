"""`bnsearch scores`, and the docstrings it reads."""

from __future__ import annotations

import json

from bnsearch.cli.docstrings import Description, describe
from bnsearch.scores import SCORES


def test_json_describes_every_score(run):
    """One object, a key for each score; defaults and equivalence are those of the classes."""
    outcome = run("scores", "--json")
    assert (outcome.code, outcome.err) == (0, "")
    listed = json.loads(outcome.out)["scores"]
    assert list(listed) == list(SCORES)
    for name, entry in listed.items():
        assert entry["equivalent"] == SCORES[name].equivalent
        assert entry["formula"]
        assert all(parameter["meaning"] for parameter in entry["parameters"].values())
    assert listed["bic"]["aliases"] == ["mdl"]
    assert listed["bic"]["reference"].startswith("Schwarz (1978)")
    assert {key: value["default"] for key, value in listed["bdeu"]["parameters"].items()} == {
        "ess": SCORES["bdeu"]().ess,
        "prior": SCORES["bdeu"]().prior,
    }


def test_list_for_people(run):
    """People read names, equivalence, parameters and papers on stderr; stdout stays empty."""
    outcome = run("scores")
    assert (outcome.code, outcome.out) == (0, "")
    assert "\nbic (also mdl), score-equivalent\n    Log-likelihood minus" in outcome.err
    assert "\nk2, not score-equivalent\n" in outcome.err
    assert "\n    ess = 1.0: The equivalent sample size" in outcome.err
    assert "Cooper & Herskovits (1992)" in outcome.err


def test_describe_takes_a_docstring_apart():
    """The first paragraph, each parameter with its continuation, the references; all on one line."""
    text = """
        Do this
        and that.

        More is said here.

        Parameters
        ----------
        width : int, default 3
            How wide,
            or how narrow.
        depth
            How deep.

        References
        ----------
        Somebody (1999).
        Something.
        """
    assert describe(type("Method", (), {"__doc__": text})) == Description(
        "Do this and that.",
        {"width": "How wide, or how narrow.", "depth": "How deep."},
        "Somebody (1999). Something.",
    )


def test_describe_a_single_line():
    """A docstring of one line has neither parameters nor references; no docstring has nothing."""

    class Short:
        """Only this."""

    assert describe(Short) == Description("Only this.", {}, "")
    assert describe(type("Silent", (), {})) == Description("", {}, "")
