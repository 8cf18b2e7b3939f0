"""A small table, and the outcome of a run with one worker."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from worker_cases import learn_steps, make_table, outcome_of


@pytest.fixture(scope="session")
def table():
    """Return a small table."""
    return make_table(10)


@pytest.fixture(scope="session")
def expected(table):
    """Return the outcome with one thread as the only worker."""
    with ThreadPoolExecutor(1) as executor:
        return outcome_of(learn_steps(table, executor))
