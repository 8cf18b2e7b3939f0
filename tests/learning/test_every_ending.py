"""Every method ends: when its time is up, and on Ctrl-C, with a network in hand."""

from __future__ import annotations

import signal
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import pytest

from bnsearch.knowledge import Knowledge
from bnsearch.learning.built_in import TABLE_METHODS
from bnsearch.learning.learn import learn
from bnsearch.learning.methods import methods
from bnsearch.networks import load_network
from bnsearch.runs.problem import Problem
from bnsearch.runs.run import Run
from bnsearch.scores import Scorer, make_score
from knowledge_cases import breaches

every_method = pytest.mark.parametrize("method", list(methods()))
over_tables = pytest.mark.parametrize("method", TABLE_METHODS)
with_knowledge = pytest.mark.parametrize(
    "known", [None, Knowledge(required=[("xray", "smoke")], max_parents=2)], ids=["free", "known"]
)
ASIA = load_network("asia").sample(150, seed=5)
SCORER = Scorer(ASIA, make_score("bic"))
MORE = 100  # readings of the clock after time is up: a few for each variable or piece of work under way
POPULATION = 10**12


class Clock:
    """
    A clock that stands still until `jump`, and fails when it is read too often after that.

    Parameters
    ----------
    readings : after as many, it jumps by itself, and again at every further one: a single jump while the clock of the
        run is at rest, because kernels are loaded, would be no time of the run
    """

    def __init__(self, readings: int | None = None) -> None:
        self.now, self.left, self.after = 0.0, readings, 0

    def __call__(self) -> float:
        """Return the time."""
        if self.left is not None:
            self.left -= 1
            self.now += 3600.0 * (self.left <= 0)
        self.after += self.now > 0
        assert self.after < MORE, "the clock is read on and on after time is up"
        return self.now

    def jump(self, *_: object) -> None:
        """Go an hour ahead."""
        self.now = 3600.0


@with_knowledge
@every_method
def test_it_ends_when_time_is_up_at_the_first_network(method: str, known: Knowledge | None) -> None:
    """The first network that is found is the last moment of an hour."""
    clock = Clock()
    result = learn(
        ASIA, method=method, knowledge=known, seconds=3600, seed=3, threads=1, clock=clock, observers=[clock.jump]
    )
    assert result.stop == "seconds"
    assert breaches(known or Knowledge(), result.dag) == []
    assert result.seconds == 3600


@with_knowledge
@over_tables
def test_it_ends_when_time_is_up_during_scoring(method: str, known: Knowledge | None) -> None:
    """A network of what was scored so far, not called optimal."""
    clock = Clock()
    result = learn(
        ASIA, method=method, knowledge=known, seconds=3600, seed=3, threads=1, clock=clock, progress=clock.jump
    )
    assert (result.stop, result.optimal) == ("seconds", False)
    assert breaches(known or Knowledge(), result.dag) == []
    assert result.score == pytest.approx(SCORER.network(result.dag), rel=1e-9)


@pytest.mark.parametrize("threads", [1, 2])
@every_method
def test_it_ends_when_time_is_up_at_any_reading(method: str, threads: int) -> None:
    """Also before anything is found; who has a proof by then, or nothing left to do, has ended already."""
    for readings in (2, 3, 5, 9, 30, 200):
        clock = Clock(readings)
        result = learn(ASIA, method=method, seconds=3600, seed=3, threads=threads, clock=clock)
        assert result.stop == ("seconds" if clock.after and not result.optimal else "complete")
        assert result.score == pytest.approx(SCORER.network(result.dag), rel=1e-9)


def interrupting(times: int) -> Callable[..., None]:
    """Return a function that presses Ctrl-C at its first call."""
    left = [times]

    def press(*_: object) -> None:
        while left[0]:
            left[0] -= 1
            signal.raise_signal(signal.SIGINT)

    return press


@every_method
def test_ctrl_c_at_the_first_network(method: str) -> None:
    """The best so far is returned, and the usual handler is back."""
    result = learn(ASIA, method=method, seconds=3600, seed=3, threads=1, observers=[interrupting(1)])
    assert result.stop == "interrupted"
    assert result.dag.names == ASIA.names
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@with_knowledge
@over_tables
def test_ctrl_c_during_scoring(method: str, known: Knowledge | None) -> None:
    """A network of what was scored so far, not called optimal."""
    press = interrupting(1)
    result = learn(ASIA, method=method, knowledge=known, seconds=3600, seed=3, threads=1, progress=press)
    assert result.stop == "interrupted"
    assert not result.optimal
    assert breaches(known or Knowledge(), result.dag) == []


@every_method
def test_ctrl_c_twice(method: str) -> None:
    """The second one is for the program."""
    with pytest.raises(KeyboardInterrupt):
        learn(ASIA, method=method, seconds=3600, seed=3, threads=1, observers=[interrupting(2)])
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@with_knowledge
@over_tables
def test_ctrl_c_twice_during_scoring(method: str, known: Knowledge | None) -> None:
    """Also then."""
    with pytest.raises(KeyboardInterrupt):
        learn(ASIA, method=method, knowledge=known, seconds=3600, seed=3, threads=1, progress=interrupting(2))
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@dataclass(frozen=True, kw_only=True)
class Idle:
    """A method that finds nothing."""

    name: ClassVar[str] = "idle"

    def search(self, problem: Problem, run: Run) -> None:
        """Do nothing."""


def test_ctrl_c_at_the_end() -> None:
    """When the search is over and the network of required edges is all there is, it is returned still."""
    known = Knowledge(required=[("xray", "smoke")])
    result = learn(ASIA, method=Idle(), knowledge=known, observers=[interrupting(1)])
    assert (result.stop, result.dag.edges) == ("interrupted", [("xray", "smoke")])
    with pytest.raises(KeyboardInterrupt):
        learn(ASIA, method=Idle(), observers=[interrupting(2)])


@pytest.mark.parametrize("method", ["minobs", "miiga", "cga", "dga", "bncpso"])
def test_a_population_of_any_size_ends_when_time_is_up(method: str) -> None:
    """A first population of 10^12 members is made in batches, with a look at the clock before each of them."""
    clock = Clock()
    result = learn(
        ASIA,
        method=method,
        parameters={"population": POPULATION},
        seconds=3600,
        seed=3,
        threads=1,
        clock=clock,
        observers=[clock.jump],
    )
    assert result.stop == "seconds"
    assert result.score == pytest.approx(SCORER.network(result.dag), rel=1e-9)


@pytest.mark.parametrize("parameter", ["crossovers", "mutations"])
def test_a_generation_of_any_size_ends_when_time_is_up(parameter: str) -> None:
    """The offspring of MINOBS are made in batches, too: time is up at the first of 10^12."""
    clock = Clock(readings=60)
    parameters = {"population": 2, "survivors": 1, parameter: POPULATION}
    result = learn(ASIA, method="minobs", parameters=parameters, seconds=3600, seed=3, threads=1, clock=clock)
    assert result.stop == "seconds"


def test_islands_of_any_number_end_when_time_is_up() -> None:
    """RINOBS looks at the clock before each new island: time is up after a few of 10^12."""
    clock = Clock(readings=100)
    parameters = {"orderings": 1, "islands": POPULATION}
    result = learn(ASIA, method="rinobs", parameters=parameters, seconds=3600, seed=3, threads=1, clock=clock)
    assert result.stop == "seconds"
