"""Compilation of missing kernels in processes before a run."""

from __future__ import annotations

import math

import pytest

import bnsearch
from bnsearch.dags.best_forest import find_best_forest
from bnsearch.learning import compilation, first_network
from bnsearch.learning.compilation import GROUPS, choose_groups, compile_missing
from bnsearch.learning.first_network import compile_and_find_network
from bnsearch.learning.methods import METHODS
from bnsearch.learning.warm_up import tiny_table
from bnsearch.runs.problem import Problem
from bnsearch.runs.run import Run
from bnsearch.runs.stop import Iterations, Seconds

ASIA = bnsearch.load_network("asia").sample(1000, 1)
PROBLEM = Problem(data=ASIA, score=bnsearch.BIC())
WORKER = """
import sys
from pathlib import Path
sys.stdin.readline()
for line in sys.stdin:
    if line.strip() == "broken":
        sys.exit(1)
    Path({folder!r}, line.strip() + "-1-sets-" + "0" * 24 + ".compiled").touch()
    print("kernel", flush=True)
    print("kernel", flush=True)
    print("done", flush=True)
"""


FOREST = find_best_forest(ASIA, bnsearch.BIC(), lambda: False)[0]
TABU = bnsearch.learn(ASIA, method="tabu", seconds=None, stop=Iterations(20), seed=1).score


@pytest.fixture
def cache(monkeypatch, tmp_path):
    """Use workers that compile nothing, two cores, and a folder for the cache; return the folder."""
    monkeypatch.setattr(compilation, "PROGRAM", WORKER.replace("{folder!r}", repr(str(tmp_path))))
    monkeypatch.setattr(compilation, "thread_count", lambda threads: 2)
    monkeypatch.setattr("bnsearch.kernels.cache.describe_cache", lambda: (tmp_path, "0" * 64))
    return tmp_path


def compile_groups(*groups):
    """Compile groups; return the finished ones and the reported numbers of kernels."""
    finished, numbers = [], []
    compile_missing(PROBLEM, groups, numbers.append, finished.append)
    return sorted(finished), numbers


def test_each_group_is_compiled_once(cache):
    """Three groups of two kernels in two processes; afterwards they are marked, and nothing is left to compile."""
    finished, numbers = compile_groups("a", "b", "c")
    assert finished == ["a", "b", "c"]
    assert numbers == sorted(numbers)
    assert numbers[-1] <= 6
    assert len(list(cache.glob("*.compiled"))) == 3
    assert compile_groups("a", "b", "c") == ([], [])
    assert compile_groups("a", "d", "e")[0] == ["d", "e"]


def test_a_failed_worker_is_no_error(cache):
    """The group of a worker that ends early is not marked; it is compiled when its kernels are used."""
    finished, _ = compile_groups("broken", "b", "c")
    assert finished == ["b", "c"]
    assert len(list(cache.glob("*.compiled"))) == 2


def test_one_group_is_compiled_in_this_process(cache):
    """A process of its own would not save time. Nothing is compiled without groups."""
    assert compile_groups("a") == ([], [])
    assert compile_groups() == ([], [])


def test_workers_end_with_an_interrupt(cache, monkeypatch):
    """Ctrl-C while kernels are compiled ends the processes."""
    started = []
    popen = compilation.subprocess.Popen

    def start(*arguments, **options):
        started.append(popen(*arguments, **options))
        return started[-1]

    def interrupt(number):
        raise KeyboardInterrupt

    monkeypatch.setattr(compilation.subprocess, "Popen", start)
    with pytest.raises(KeyboardInterrupt):
        compile_missing(PROBLEM, ["a", "b"], interrupt, lambda group: None)
    assert len(started) == 2
    assert all(worker.returncode is not None for worker in started)


def choose(problem, rule):
    """Return the groups that the default method chooses."""
    return choose_groups(bnsearch.AutoSearch(), problem, Run(rule))


def test_the_default_method_compiles_what_it_needs():
    """With few variables, all subsets are certain to be counted; without a time budget, any method may be chosen."""
    assert set(choose(PROBLEM, Seconds(10.0))) == {"subsets", "scorer", "dynamic"}
    assert set(choose(PROBLEM, Iterations(10))) == set(GROUPS)
    assert set(choose(PROBLEM, Seconds(0.001))) == set(GROUPS)
    wide = Problem(data=bnsearch.load_network("greenhouse").sample(10, 1), score=bnsearch.BIC())
    assert set(choose(wide, Seconds(10.0))) == set(GROUPS) - {"subsets", "dynamic"}
    assert choose(Problem(table=tiny_table()), Seconds(10.0)) == ()
    assert choose_groups(METHODS["ginobs"](), PROBLEM, Run()) == METHODS["ginobs"].kernel_groups


def test_groups_of_methods_exist():
    """Methods name groups that exist."""
    named = [getattr(METHODS[name], "kernel_groups", ()) for name in METHODS]
    assert any(named)
    assert {group for groups in named for group in groups} <= set(GROUPS)


@pytest.mark.parametrize("group", GROUPS)
def test_groups_can_be_compiled(group):
    """Every group runs on a tiny problem."""
    GROUPS[group](compilation.make_tiny_problem(1, bnsearch.BIC()))


@pytest.mark.parametrize(("compiled", "best"), [(["chain"], FOREST), (["chain", "climb"], TABU)])
def test_a_first_network_is_found_meanwhile(monkeypatch, compiled, best):
    """
    Under a time budget, the best forest is found without kernels, and a better network by tabu search.

    The score is reported. Under a budget of iterations there is no first network.
    """
    events = []

    def compile_all(problem, groups, report, on_group):
        report(1)
        for group in compiled:
            on_group(group)
        while rule.seconds < math.inf and (events[-1].progress is None or events[-1].progress.score < best - 1e-6):
            report(2)

    monkeypatch.setattr(first_network, "list_missing", lambda problem, groups: [*groups])
    monkeypatch.setattr(first_network, "compile_missing", compile_all)
    rule = Seconds(60.0)
    found = compile_and_find_network(PROBLEM, bnsearch.AutoSearch(), Run(rule, seed=1, observers=[events.append]))
    assert found is not None
    score, dag = found
    assert bnsearch.Scorer(ASIA, bnsearch.BIC()).network(dag) == pytest.approx(score)
    assert score == pytest.approx(best)
    assert {event.task for event in events} == {"compiling kernels"}
    rule = Seconds(math.inf)
    assert (
        compile_and_find_network(PROBLEM, bnsearch.AutoSearch(), Run(Iterations(5), observers=[events.append])) is None
    )


def test_the_first_search_respects_the_memory(monkeypatch):
    """Eight variables take 64 * 64 bytes, more than a quarter of 16,000: there is no first search."""

    def compile_all(problem, groups, report, on_group):
        report(1)
        on_group("climb")

    monkeypatch.setattr(first_network, "list_missing", lambda problem, groups: [*groups])
    monkeypatch.setattr(first_network, "compile_missing", compile_all)
    run = Run(Seconds(60.0), memory=16_000)
    assert compile_and_find_network(PROBLEM, bnsearch.AutoSearch(), run) is None
