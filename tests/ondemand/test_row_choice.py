"""The choice of narrow extension rows by the gains of searches."""

from __future__ import annotations

from scripted_islands import ScriptedChain

from bnsearch.ondemand.row_choice import RowChoice


def choose(choice: RowChoice, chain: ScriptedChain, gain: float, seconds: float = 2.0) -> int:
    """Return the smallest size of a narrow row in a search with some gain."""
    chain.calls.clear()
    choice.start_search(-100.0, 10.0)
    choice.end_search(-100.0 + gain, 10.0 + seconds)
    ((name, size),) = chain.calls
    assert name == "narrow rows"
    return size


def test_both_kinds_are_tried_and_the_better_one_is_used():
    """Rates of 5 and 3 per second: the first again, until its rate falls below 3; then the second."""
    chain = ScriptedChain()
    choice = RowChoice([chain])
    choice.is_active = True
    gains = [10.0, 6.0, 8.0, 5.0, 7.0, 4.0, 0.0]
    assert [choose(choice, chain, gain) for gain in gains] == [1, 2, 1, 1, 2, 2, 1]
    assert choose(choice, chain, 9.0, seconds=4.0) == 2  # a rate of 2 is left, and 0 of the first kind
    assert choose(choice, chain, 0.0) == 2


def test_equal_rates_favour_fuller_rows():
    """Without gains, rows of one parent are full."""
    chain = ScriptedChain()
    choice = RowChoice([chain])
    choice.is_active = True
    assert [choose(choice, chain, 0.0) for _ in range(4)] == [1, 2, 2, 2]


def test_a_search_without_time_is_not_recorded():
    """Its rate is not known, so its kind of rows is tried again."""
    chain = ScriptedChain()
    choice = RowChoice([chain])
    choice.is_active = True
    assert [choose(choice, chain, 0.0, seconds=0.0), choose(choice, chain, 1.0)] == [1, 1]


def test_no_choice_before_it_is_active_and_after_full_rows():
    """The rows of all chains stay as they are, except for the change to full rows."""
    chains = [ScriptedChain(), ScriptedChain()]
    choice = RowChoice(chains)
    choice.start_search(-9.0, 1.0)
    choice.end_search(-8.0, 2.0)
    assert [chain.calls for chain in chains] == [[], []]
    choice.is_active = True
    choice.use_full_rows()
    choice.start_search(-9.0, 3.0)
    assert [chain.calls for chain in chains] == [[("narrow rows", 0)]] * 2
