"""A package from outside, built as a wheel and installed by pip, whose method and scores are used by name."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import pytest

import bnsearch
from bnsearch.errors import InputError
from bnsearch.learning.learn import learn
from bnsearch.learning.methods import METHODS, make_method
from bnsearch.learning.search import search
from bnsearch.networks import load_network
from bnsearch.runs.problem import Problem
from bnsearch.scores import SCORES, make_score

ASIA = load_network("asia").sample(200, seed=3)

MODULE = '''
"""A method and two scores."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from bnsearch import DAG


@dataclass(frozen=True, kw_only=True)
class Chain:
    """
    Each variable has the one before it as its parent.

    Parameters
    ----------
    skip : number of variables at the beginning that have no parents
    """

    name: ClassVar[str] = "chain"
    space: ClassVar[str] = "chains"
    needs: ClassVar[str] = "data or candidate table"
    ends_by_itself: ClassVar[bool] = True

    skip: int = 1

    def search(self, problem, run):
        """Offer the chain."""
        dag = DAG(problem.names, [[v - 1] if v >= self.skip else [] for v in range(problem.size)])
        run.offer(problem.scorer.network(dag), lambda: dag)


def frugal(child, parents, counts):
    """Fit, and a penalty for each parent."""
    cells = counts.reshape(-1, counts.shape[-1]) + 0.5
    return float(np.sum(counts.reshape(cells.shape) * np.log(cells / cells.sum(1, keepdims=True)))) - 5 * len(parents)


@dataclass(frozen=True)
class Stingy:
    """
    A penalty for each parent.

    Parameters
    ----------
    price : penalty
    """

    name: ClassVar[str] = "stingy"
    price: float = 1.0

    def local(self, child, parents):
        """Return the local score."""
        return -self.price * len(parents)
'''
FILES = {
    "outside.py": MODULE,
    "outside-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: outside\nVersion: 1.0\n",
    "outside-1.0.dist-info/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    "outside-1.0.dist-info/entry_points.txt": (
        "[bnsearch.methods]\nchain = outside:Chain\nges = outside:Chain\nabsent = outside:Absent\n"
        "[bnsearch.scores]\nfrugal = outside:frugal\nstingy = outside:Stingy\n"
    ),
    "outside-1.0.dist-info/RECORD": "",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """Return the folder into which pip has installed the package."""
    wheel = tmp_path_factory.mktemp("wheels") / "outside-1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for name, text in FILES.items():
            archive.writestr(name, text)
    target = tmp_path_factory.mktemp("installed")
    options = ["--quiet", "--no-deps", "--no-index", "--disable-pip-version-check", "--target", str(target)]
    subprocess.run([sys.executable, "-m", "pip", "install", *options, str(wheel)], check=True)
    return target


@pytest.fixture
def installed(folder, monkeypatch) -> None:
    """Make the package importable."""
    monkeypatch.syspath_prepend(str(folder))


def test_by_name_in_learn(installed):
    """The method and the scores are found by name, and their parameters are checked."""
    result = learn(ASIA, method="chain", parameters={"skip": 2}, score="bdeu")
    assert (result.method, result.parameters, len(result.dag.edges)) == ("chain", {"skip": 2}, 6)
    assert result.stop == "complete"
    assert learn(ASIA, method="chain", score="frugal").score > learn(ASIA, method="chain", score="k2").score
    best = learn(ASIA, score=make_score("stingy", price=2.0), seconds=10)
    assert (best.optimal, best.score, best.dag.edges) == (True, 0.0, [])
    with pytest.raises(InputError, match="the chain method has no parameter 'skips'"):
        make_method("chain", skips=1)
    with pytest.raises(InputError, match="the stingy score has no parameter 'prize'"):
        make_score("stingy", prize=1)


def test_listed_once(installed):
    """The names follow those of the library; the library's own `ges` is not replaced."""
    assert list(METHODS) == [*METHODS.built_in, "absent", "chain"]
    assert list(SCORES) == [*SCORES.built_in, "frugal", "stingy"]
    assert METHODS["ges"].__module__.startswith("bnsearch.")


def test_a_method_that_cannot_be_loaded(installed):
    """The error names the package."""
    with pytest.raises(InputError, match=r"the method 'absent' of the package outside .* cannot be used"):
        learn(ASIA, method="absent")


PROGRAM = """
import json, sys
from bnsearch.cli.main import main
for arguments in json.loads(sys.argv[1]):
    assert main(arguments) == 0
    print("end of output")
"""


def test_on_the_command_line(folder, tmp_path):
    """The commands find the method and the score by name, and list them; one process runs all of them."""
    ASIA.write(tmp_path / "asia.csv")
    commands = [
        "learn asia.csv --method chain --set skip=3 --score frugal --json -o net.bif",
        "score asia.csv net.bif --score frugal --json",
        "parents asia.csv -o sets.jkl --score stingy --json",
        "methods --json",
        "scores --json",
    ]
    program = [sys.executable, "-c", PROGRAM, json.dumps([command.split() for command in commands])]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(Path(bnsearch.__file__).parents[1]), str(folder)])}
    done = subprocess.run(program, env=environment, cwd=tmp_path, text=True, capture_output=True, check=True)
    facts, scored, selected, methods, scores = map(json.loads, done.stdout.split("end of output\n")[:-1])
    assert (facts["method"], facts["parameters"], len(facts["edges"])) == ("chain", {"skip": 3}, 5)
    assert scored["scores"] == {"frugal": pytest.approx(facts["score"], rel=1e-12)}
    assert (selected["sets"], selected["stop"]) == (8, "complete")
    assert methods["methods"]["chain"]["space"] == "chains"
    assert methods["methods"]["chain"]["parameters"]["skip"] == {
        "default": 1,
        "meaning": "number of variables at the beginning that have no parents",
    }
    assert "cannot be used" in methods["methods"]["absent"]["summary"]
    assert scores["scores"]["frugal"]["formula"] == "Fit, and a penalty for each parent."


@dataclass(frozen=True)
class Nameless:
    """A method without a name."""

    def search(self, problem, run):
        """Do nothing."""


class Silent:
    """A method without `search`."""

    name: ClassVar[str] = "silent"
    search: ClassVar[str] = "no function"


class Hasty:
    """A method whose search takes no run."""

    name: ClassVar[str] = "hasty"

    def search(self, problem):
        """Do nothing."""


class Greedy:
    """A method that needs something unknown."""

    name: ClassVar[str] = "greedy"
    needs: ClassVar[str] = "time"

    def search(self, problem, run):
        """Do nothing."""


@pytest.mark.parametrize(
    ("method", "message"),
    [
        (Nameless(), "the method Nameless has no name: add the attribute name"),
        (Silent(), r"the method Silent has no method search\(problem, run\)"),
        (Hasty(), r"Hasty\.search must take a problem and a run, not \(self, problem\)"),
        (Greedy(), "`needs` of Greedy must be one of 'data', 'candidate table', .* not 'time'"),
    ],
)
def test_foreign_methods_are_checked_before_the_run(method, message):
    """No run ends with an error that could have been known before."""
    with pytest.raises(InputError, match=message):
        learn(ASIA, method=method)
    with pytest.raises(InputError, match=message):
        search(Problem(data=ASIA, score=make_score("bic")), method)


def test_a_method_needs_no_parameters():
    """A class that is no dataclass is a method without parameters."""

    class Empty:
        name = "empty"

        def search(self, problem, run):
            run.offer(problem.base_score, lambda: problem.base)

    result = learn(ASIA, method=Empty(), seconds=5)
    assert (result.method, result.parameters, result.dag.edges) == ("empty", {}, [])
