"""How time is shared out between kinds of turns, worked by hand."""

from __future__ import annotations

from math import inf

import pytest

from bnsearch.ondemand.turns import FADING, Kind, Turn, height_of, share_out


@pytest.mark.parametrize(
    ("turn", "left"), [(Turn(steps=100), 0.75), (Turn(seconds=2.0), 0.5), (Turn(steps=50, seconds=2.0), 0.5)], ids=str
)
def test_what_is_left_of_a_turn(turn, left):
    """After 25 steps and one second: 1 - 25 / 100, 1 - 1 / 2, and the smaller of 1 - 25 / 50 and 1 - 1 / 2."""
    assert turn.left(25, 1.0) == left


def test_what_a_kind_gains_in_a_second():
    """Nothing is known before the first turn; earlier turns count for less than the last."""
    kind = Kind(0.1)
    assert kind.rate == inf
    kind.note(8.0, 2.0)
    assert kind.rate == 4.0
    assert kind.owed == -2.0
    kind.note(0.0, 1.0)
    assert kind.rate == pytest.approx(8.0 * FADING / (2.0 * FADING + 1.0))


def noted(floor: float, gain: float) -> Kind:
    """Return a kind that has gained something in one second, and is owed nothing."""
    kind = Kind(floor)
    kind.note(gain, 1.0)
    kind.owed = 0.0
    return kind


def test_heights():
    """The rate as a share of the best one, a floor if that is higher; a kind without turns has its floor."""
    best, half, poor, untried = noted(0.1, 10.0), noted(0.1, 5.0), noted(0.2, 0.0), Kind(0.3)
    kinds = [best, half, poor, untried]
    assert [height_of(kind, kinds) for kind in kinds] == [1.0, 0.5, 0.2, 0.3]


def test_equal_shares_where_nothing_is_gained():
    """Before the first turns, and where no kind gains, all are owed the same."""
    for kinds in ([Kind(0.1), Kind(0.5)], [noted(0.1, 0.0), noted(0.5, 0.0)]):
        share_out(kinds, 3.0)
        assert [kind.owed for kind in kinds] == [1.5, 1.5]


def test_shares_as_rates():
    """Rates of 9 and 3: three quarters and one quarter of 8 s, on top of what was owed before."""
    kinds = [noted(0.1, 9.0), noted(0.1, 3.0)]
    kinds[1].owed = 1.0
    share_out(kinds, 8.0)
    assert [kind.owed for kind in kinds] == pytest.approx([6.0, 3.0])
