"""Every method ends at its deadline and after a signal, and returns a network."""

from __future__ import annotations

import signal
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, ClassVar

import pytest

from bnsearch.budgets.events import Observer
from bnsearch.knowledge import Knowledge
from bnsearch.learning import auto
from bnsearch.learning.learn import learn
from bnsearch.learning.methods import METHODS
from bnsearch.networks import load_network, random_network
from bnsearch.runs.problem import Problem
from bnsearch.runs.result import Result
from bnsearch.runs.run import Run
from bnsearch.runs.stop import Iterations
from bnsearch.scores import Scorer, make_score
from knowledge_cases import breaches

every_method = pytest.mark.parametrize("method", list(METHODS))
over_tables = pytest.mark.parametrize("method", [name for name, kind in METHODS.items() if kind.needs != "data"])
with_knowledge = pytest.mark.parametrize(
    "known", [None, Knowledge(required=[("xray", "smoke")], max_parents=2)], ids=["free", "known"]
)
ASIA = load_network("asia").sample(150, seed=5)
SCORER = Scorer(ASIA, make_score("bic"))
MORE = 100  # readings of the clock after time is up: a few for each variable or piece of work under way
POPULATION = 10**12


class Clock:
    """
    A clock that stands still until `jump`, and raises an error if it is read too often afterwards.

    Parameters
    ----------
    readings : number of readings after which the clock jumps at every reading; a single jump while the clock of the run
        is paused, because kernels are loaded, would take no time of the run
    """

    def __init__(self, readings: int | None = None) -> None:
        self.now, self.left, self.after = 0.0, readings, 0

    def __call__(self) -> float:
        """Return the time."""
        if self.left is not None:
            self.left -= 1
            self.now += 3600.0 * (self.left <= 0)
        self.after += self.now > 0
        assert self.after < MORE, "the clock is read too often after the deadline"
        return self.now

    def jump(self) -> None:
        """Move the clock one hour ahead."""
        self.now = 3600.0


def when_searching(action: Callable[[], None]) -> Observer:
    """Return an observer that acts on every event of the search."""
    return lambda event: action() if event.progress is not None else None


def when_selecting(action: Callable[[], None]) -> Observer:
    """Return an observer that acts on every event of candidate selection."""
    return lambda event: action() if event.progress is None else None


def learn_until_jump(method: str, known: Knowledge | None, when: Callable[[Callable[[], None]], Observer]) -> Result:
    """Return the result of a run whose deadline passes at an event that `when` selects."""
    clock = Clock()
    return learn(
        ASIA,
        method=method,
        knowledge=known,
        seconds=3600,
        seed=3,
        threads=1,
        clock=clock,
        observers=[when(clock.jump)],
    )


@with_knowledge
@every_method
def test_it_ends_when_time_is_up_at_the_first_network(method: str, known: Knowledge | None) -> None:
    """The deadline passes when the first network is found."""
    result = learn_until_jump(method, known, when_searching)
    assert result.stop == "seconds"
    assert breaches(known or Knowledge(), result.dag) == []
    assert result.seconds == 3600


@with_knowledge
@over_tables
def test_it_ends_when_time_is_up_during_selection(method: str, known: Knowledge | None) -> None:
    """The result is a network of the sets scored so far, and is not called optimal."""
    result = learn_until_jump(method, known, when_selecting)
    assert (result.stop, result.optimal) == ("seconds", False)
    assert breaches(known or Knowledge(), result.dag) == []
    assert result.score == pytest.approx(SCORER.network(result.dag), rel=1e-9)


@pytest.mark.parametrize("threads", [1, 2])
@every_method
def test_it_ends_when_time_is_up_at_any_reading(method: str, threads: int) -> None:
    """The deadline passes at the n-th reading of the clock; methods with a proof or an end may have ended before."""
    for readings in (2, 3, 5, 9, 30, 200):
        clock = Clock(readings)
        result = learn(ASIA, method=method, seconds=3600, seed=3, threads=threads, clock=clock)
        assert result.stop == ("seconds" if clock.after and not result.optimal else "complete")
        assert result.score == pytest.approx(SCORER.network(result.dag), rel=1e-9)


def sending(times: int, number: signal.Signals = signal.SIGINT) -> Callable[[], None]:
    """Return a function that sends signals to this process at its first call."""
    left = [times]

    def send() -> None:
        while left[0]:
            left[0] -= 1
            signal.raise_signal(number)

    return send


def handlers() -> list[object]:
    """Return the handlers of both signals."""
    return [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]


DEFAULT_HANDLERS = [signal.default_int_handler, signal.SIG_DFL]


@every_method
def test_ctrl_c_at_the_first_network(method: str) -> None:
    """The best network so far is returned, and the handlers are restored."""
    result = learn(ASIA, method=method, seconds=3600, seed=3, threads=1, observers=[when_searching(sending(1))])
    assert result.stop == "interrupted"
    assert result.dag.names == ASIA.names
    assert handlers() == DEFAULT_HANDLERS


@with_knowledge
@over_tables
def test_ctrl_c_during_selection(method: str, known: Knowledge | None) -> None:
    """The result is a network of the sets scored so far, and is not called optimal."""
    observers = [when_selecting(sending(1))]
    result = learn(ASIA, method=method, knowledge=known, seconds=3600, seed=3, threads=1, observers=observers)
    assert result.stop == "interrupted"
    assert not result.optimal
    assert breaches(known or Knowledge(), result.dag) == []


@every_method
def test_ctrl_c_twice(method: str) -> None:
    """A second Ctrl-C raises KeyboardInterrupt."""
    with pytest.raises(KeyboardInterrupt):
        learn(ASIA, method=method, seconds=3600, seed=3, threads=1, observers=[when_searching(sending(2))])
    assert handlers() == DEFAULT_HANDLERS


@with_knowledge
@over_tables
def test_ctrl_c_twice_during_selection(method: str, known: Knowledge | None) -> None:
    """A second Ctrl-C raises KeyboardInterrupt during candidate selection as well."""
    observers = [when_selecting(sending(2))]
    with pytest.raises(KeyboardInterrupt):
        learn(ASIA, method=method, knowledge=known, seconds=3600, seed=3, threads=1, observers=observers)
    assert handlers() == DEFAULT_HANDLERS


@pytest.mark.parametrize("watch", [when_searching, when_selecting])
@pytest.mark.parametrize("method", ["auto", "minobs"])
def test_sigterm_keeps_the_best_network(method: str, watch: Callable[[Callable[[], None]], Observer]) -> None:
    """SIGTERM stops `learn` as Ctrl-C does, and the result says so; the handlers are restored."""
    observers = [watch(sending(1, signal.SIGTERM))]
    result = learn(ASIA, method=method, seconds=3600, seed=3, threads=1, observers=observers)
    assert result.stop == "terminated"
    assert result.score == pytest.approx(SCORER.network(result.dag), rel=1e-9)
    assert handlers() == DEFAULT_HANDLERS


def test_handlers_of_the_application_stay() -> None:
    """`learn` does not replace handlers that the application has installed."""
    received: list[int] = []
    during: list[object] = []

    def own(number: int, frame: object) -> None:
        received.append(number)

    def look() -> None:
        during.extend(handlers())
        signal.raise_signal(signal.SIGTERM)

    before = signal.signal(signal.SIGTERM, own)
    try:
        learn(ASIA, method="hillclimb", seconds=3600, stop=Iterations(1), threads=1, observers=[when_searching(look)])
        assert signal.getsignal(signal.SIGTERM) is own
    finally:
        signal.signal(signal.SIGTERM, before)
    assert signal.SIGTERM in received
    assert during[1] is own
    assert during[0] is not signal.default_int_handler


def test_no_handler_is_installed_in_another_thread() -> None:
    """Python can handle signals in the main thread only: elsewhere `learn` changes no handler."""
    during: list[object] = []
    options: dict[str, Any] = {"method": "hillclimb", "seconds": 3600, "stop": Iterations(1), "threads": 1}
    options["observers"] = [when_searching(lambda: during.extend(handlers()))]
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(learn, ASIA, **options).result().stop in ("iterations", "complete")
    assert during[:2] == DEFAULT_HANDLERS


@dataclass(frozen=True, kw_only=True)
class Idle:
    """A method that finds nothing."""

    name: ClassVar[str] = "idle"

    def search(self, problem: Problem, run: Run) -> None:
        """Do nothing."""


def test_ctrl_c_at_the_end() -> None:
    """A signal after the search, while the network of the required edges is offered, does not prevent the result."""
    known = Knowledge(required=[("xray", "smoke")])
    result = learn(ASIA, method=Idle(), knowledge=known, observers=[when_searching(sending(1))])
    assert (result.stop, result.dag.edges) == ("interrupted", [("xray", "smoke")])
    with pytest.raises(KeyboardInterrupt):
        learn(ASIA, method=Idle(), observers=[when_searching(sending(2))])


@pytest.mark.parametrize("method", ["minobs", "miiga", "cga", "dga", "bncpso"])
def test_a_population_of_any_size_ends_when_time_is_up(method: str) -> None:
    """A population of 10^12 members is made in batches, and the clock is read before each batch."""
    clock = Clock()
    result = learn(
        ASIA,
        method=method,
        parameters={"population": POPULATION},
        seconds=3600,
        seed=3,
        threads=1,
        clock=clock,
        observers=[when_searching(clock.jump)],
    )
    assert result.stop == "seconds"
    assert result.score == pytest.approx(SCORER.network(result.dag), rel=1e-9)


@pytest.mark.parametrize("parameter", ["crossovers", "mutations"])
def test_a_generation_of_any_size_ends_when_time_is_up(parameter: str) -> None:
    """The offspring of MINOBS are made in batches: the deadline passes at the first of 10^12."""
    clock = Clock(readings=60)
    parameters = {"population": 2, "survivors": 1, parameter: POPULATION}
    result = learn(ASIA, method="minobs", parameters=parameters, seconds=3600, seed=3, threads=1, clock=clock)
    assert result.stop == "seconds"


def test_islands_of_any_number_end_when_time_is_up() -> None:
    """RINOBS reads the clock before each new island: the deadline passes after a few of 10^12."""
    clock = Clock(readings=100)
    parameters = {"orderings": 1, "islands": POPULATION}
    result = learn(ASIA, method="rinobs", parameters=parameters, seconds=3600, seed=3, threads=1, clock=clock)
    assert result.stop == "seconds"


def test_a_signal_while_kernels_are_loaded(monkeypatch):
    """No further kernels are loaded after a signal, which may take seconds, and the first network is returned."""
    loaded = []

    def load_first() -> None:
        loaded.append("bound")
        signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(auto, "load_bound_kernels", load_first)
    monkeypatch.setattr(auto, "load_selection_kernels", lambda *_: loaded.append("selection"))
    monkeypatch.setattr(auto, "load_kernels", lambda *_, **__: loaded.append("method"))
    data = random_network(30, 2.0, 3, 1).sample(100, seed=1)
    result = learn(data, seconds=3600, seed=0, threads=1)
    assert loaded == ["bound"]
    assert result.stop == "interrupted"
    assert result.score == pytest.approx(Scorer(data, make_score("bic")).network(result.dag))
