"""Memory limits: amounts, units, and illegal values."""

from __future__ import annotations

import pytest

from bnsearch._tools.memory import MAX_DEFAULT, MIN_MEMORY, default_memory, format_memory, parse_memory
from bnsearch.errors import InputError
from bnsearch.learning.learn import learn
from bnsearch.networks import load_network
from bnsearch.runs.run import Run

ASIA = load_network("asia").sample(100, seed=5)


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ("2GB", 2 * 10**9),
        ("512MiB", 512 * 2**20),
        ("512 mib", 512 * 2**20),
        ("1.5G", 1_500_000_000),
        ("0.1TB", 10**11),
        ("100000KB", 10**8),
        ("1Ti", 2**40),
        ("100000000", 10**8),
        (10**8, 10**8),
        (1e8, 10**8),
        (64 << 20, 64 << 20),
    ],
)
def test_amounts(asked, expected):
    """Bytes as a number, or text with a decimal or a binary unit, in any case."""
    assert parse_memory(asked) == expected
    assert isinstance(parse_memory(asked), int)


@pytest.mark.parametrize("asked", ["", "much", "GB", "2 giga", "2XB", "1e9", "-2GB", "2,5GB", True, [1]], ids=repr)
def test_what_is_no_amount(asked):
    """Refused, with an example of what is one."""
    with pytest.raises(InputError, match="memory must be a number of bytes or text such as '2GB', not "):
        parse_memory(asked)


@pytest.mark.parametrize("asked", [0, -5, 10**6, "1MB", "60MiB", float("nan"), float("inf"), -(10**12)], ids=repr)
def test_too_little_or_too_much(asked):
    """Below 64 MB, or nothing that a machine has: refused."""
    with pytest.raises(InputError, match="memory must be at least 64MB"):
        parse_memory(asked)


def test_the_default():
    """A share of the machine's memory, within limits."""
    assert MIN_MEMORY <= default_memory() <= MAX_DEFAULT
    assert parse_memory(None) == default_memory() == Run().budget.memory


def test_learning_with_little_memory():
    """64 MB are enough, less are refused; the optimum proven is the same as with the default."""
    with pytest.raises(InputError, match="memory must be at least 64MB, such as '2GB', not '63MB'"):
        learn(ASIA, memory="63MB", seed=1)
    little = learn(ASIA, memory="64MB", seconds=None, seed=1)
    assert little.optimal
    assert little.score == pytest.approx(learn(ASIA, seconds=None, seed=1).score, rel=1e-12)


@pytest.mark.parametrize(
    ("size", "text"),
    [(0, "0 bytes"), (999, "999 bytes"), (1500, "1.5 kB"), (64 * 10**6, "64 MB"), (10**17, "100 PB")],
)
def test_sizes_have_a_unit(size, text):
    """A size has three digits and a decimal unit; a size that no machine has is not spelled out."""
    assert format_memory(size) == text
    assert format_memory(2**200) == "more than 1000 PB"
