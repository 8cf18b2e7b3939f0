"""The schedule of the islands: it divides the time of each round among their activities."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf

from bnsearch.runs.run import Run

ROUND = 0.2  # length of a round as a share of the elapsed time, because results change more and more slowly
MIN_ROUND_SECONDS = 0.01  # lower bound on the length of a round
FIRST_STEPS = 4  # under a budget of iterations: steps of a chain per variable in the first round
STEP_GROWTH = 1.3  # under a budget of iterations: length of a round divided by the length of the previous one
ON_DEMAND_SHARE = 0.6  # share of the ordering search for families on demand; the rest searches the candidate table
MIN_RATE_ORDERINGS = 0.33  # lower bound on the rate of the ordering search, as a share of the best rate
MIN_RATE_DAGS = 0.1  # the same for the DAG search after the first climb: its gains are rare
MIN_RATE_REGROWTH = 0.01  # the same for the regrowth of parents, which gains on some tables only
STALLED_RATE_REGROWTH = 0.1  # the same before its first turn, and when the search has stalled and others gain little
MIN_RATE_CLIMBING = 0.1  # the same for the ordering search during the first climb, whose gains are higher
MIN_DAG_SHARE = 0.08  # shortest useful DAG search as a share of the elapsed time
FIRST_DAG_SHARE = 0.15  # the first DAG search waits for no credit if it takes at most this share of the remaining time
MAX_SHARE = 0.4  # an activity runs only if its shortest useful turn takes at most this share of the remaining time
STALLED_GAIN = 1e-4  # a search has stalled if it gains less, relative to the score, in a part of the elapsed time
STALLED_SHARE = 0.25  # this part
DECAY = 0.3  # factor by which gain and seconds of all earlier turns are multiplied at each turn


@dataclass(frozen=True)
class SearchBudget:
    """The budget of one search: a number of steps, a number of seconds, or both."""

    max_steps: float = inf
    max_seconds: float = inf

    def remaining_share(self, steps: int, seconds: float) -> float:
        """Return the share of the budget that remains after some steps and seconds."""
        return 1.0 - max(steps / self.max_steps, seconds / self.max_seconds)


@dataclass
class Activity:
    """
    An activity of the islands, with its recent gain and its time credit.

    Attributes
    ----------
    min_relative_rate : lower bound on the activity's rate, as a share of the best rate of all activities
    idle_rate : its share of the time, relative to the others, if no activity gains
    gain, seconds : score gained and seconds spent, both summed over all runs with weights that decay
    credit : seconds that were assigned to the activity and are not used yet
    min_seconds : shortest run that is useful
    """

    min_relative_rate: float
    idle_rate: float = 1.0
    gain: float = 0.0
    seconds: float = 0.0
    credit: float = 0.0
    min_seconds: float = 0.0

    @property
    def rate(self) -> float:
        """Recent gain per second; infinity before the first run."""
        return self.gain / self.seconds if self.seconds > 0.0 else inf

    def record(self, gain: float, seconds: float) -> None:
        """Record the gain and the duration of a turn; take the duration from the credit."""
        self.gain = DECAY * self.gain + gain
        self.seconds = DECAY * self.seconds + seconds
        self.credit -= seconds


def relative_rate(activity: Activity, activities: Sequence[Activity]) -> float:
    """
    Return an activity's rate as a share of the best rate; its idle rate if all have run and none gains.

    The result is at least the activity's lower bound, and equal to it before the activity's first turn.
    """
    if activity.rate == inf:
        return activity.min_relative_rate
    best = max(each.rate for each in activities if each.rate < inf)
    return max(activity.min_relative_rate, activity.rate / best) if best > 0.0 else activity.idle_rate


def assign_time(activities: Sequence[Activity], seconds: float) -> None:
    """Divide some seconds among the credits of activities, in proportion to their relative rates."""
    rates = [relative_rate(activity, activities) for activity in activities]
    for activity, rate in zip(activities, rates, strict=True):
        activity.credit += rate / sum(rates) * seconds


def has_stalled(run: Run) -> bool:
    """Return True if the score has hardly improved in the last part of the elapsed time."""
    score = run.progress.score
    return score - run.trace.score_at((1.0 - STALLED_SHARE) * run.seconds) <= STALLED_GAIN * abs(score)


class Schedule:
    """
    Divides the time, or the steps, of each round among the activities of the islands.

    Each round adds time to the credit of an activity. The activity runs once its credit exceeds its shortest useful
    run. Under a budget of iterations there are no credits: each activity runs in each round, for a number of steps
    that does not depend on the clock.

    Parameters
    ----------
    run : the run, for its clock and its budget
    n_islands, n_variables : numbers of islands and of variables
    on_demand_only : True if the islands only search with families on demand

    Attributes
    ----------
    timed : True if the budget is one of time
    round_length : length of the current round, in seconds or in steps of one chain
    ordering_search, dag_search, regrowth : the activities that a round is divided among
    on_demand_search, table_search : the activities that the ordering search is divided among, in fixed shares
    """

    def __init__(self, run: Run, n_islands: int, n_variables: int, *, on_demand_only: bool) -> None:
        self._run, self._n_islands, self._on_demand_only = run, n_islands, on_demand_only
        self.timed = run.is_timed
        self.round_length = float(FIRST_STEPS * n_variables)
        self.ordering_search, self.dag_search = Activity(MIN_RATE_ORDERINGS), Activity(MIN_RATE_DAGS)
        self.on_demand_search, self.table_search = Activity(MIN_RATE_ORDERINGS), Activity(MIN_RATE_ORDERINGS)
        self.regrowth = Activity(MIN_RATE_REGROWTH, idle_rate=STALLED_RATE_REGROWTH)

    def start_round(self, *, is_climbing: bool, is_warming_up: bool = False) -> None:
        """
        Set the length of a timed round, and divide it among the activities.

        is_climbing : True if the first climb is still running. As long as its rate is high, other searches from its
            network gain little, so the lower bound on their rate is small.
        is_warming_up : True if only the ordering search takes part
        """
        if self.timed:
            self.ordering_search.min_relative_rate = MIN_RATE_CLIMBING if is_climbing else MIN_RATE_ORDERINGS
            run = self._run
            is_tried = self.regrowth.rate == inf or has_stalled(run)
            self.regrowth.min_relative_rate = STALLED_RATE_REGROWTH if is_tried else MIN_RATE_REGROWTH
            self.round_length = max(MIN_ROUND_SECONDS, min(ROUND * run.seconds, run.seconds_left))
            activities = [self.ordering_search]
            if not (self._on_demand_only or is_warming_up):
                activities += [self.dag_search] if is_climbing else [self.dag_search, self.regrowth]
                if not is_climbing and self.dag_search.rate == inf:
                    self._credit_first_dag_search()
            assign_time(activities, self.round_length)

    def _credit_first_dag_search(self) -> None:
        """Credit the DAG search with the time of its first turn, unless this is a large share of the remaining time."""
        seconds = self.dag_search.min_seconds
        if seconds <= FIRST_DAG_SHARE * self._run.seconds_left:
            self.dag_search.credit += seconds

    def end_round(self) -> None:
        """Make the next round longer if rounds are counted in steps."""
        if not self.timed:
            self.round_length *= STEP_GROWTH

    def set_climb_seconds(self, seconds: float) -> None:
        """Set the minimum length of a DAG search: one climb, or MIN_DAG_SHARE of the elapsed time if that is longer."""
        self.dag_search.min_seconds = max(MIN_DAG_SHARE * self._run.seconds, seconds)

    def divide_ordering_search(self, budget: SearchBudget) -> None:
        """Divide the time of an ordering search between families on demand and the candidate table."""
        if self.timed:
            self.on_demand_search.credit += ON_DEMAND_SHARE * budget.max_seconds
            self.table_search.credit += (1.0 - ON_DEMAND_SHARE) * budget.max_seconds

    def is_due(self, activity: Activity) -> bool:
        """Return True if an activity can run now: its credit suffices, and a useful turn fits into the time."""
        if not self.timed:
            return True
        fits = activity.min_seconds <= MAX_SHARE * self._run.seconds_left
        return fits and activity.credit > activity.min_seconds

    def budget_of(self, activity: Activity, budget: SearchBudget) -> SearchBudget:
        """Return an activity's credit as a budget; `budget` itself if rounds are counted in steps."""
        return SearchBudget(max_seconds=min(activity.credit, self._run.seconds_left)) if self.timed else budget

    def step_budget(self) -> SearchBudget:
        """Return the number of steps of one search by one island in this round, as a budget; 0 under a time budget."""
        if self.timed:
            return SearchBudget(max_steps=0)
        searches = (1 if self._on_demand_only else 2) * self._n_islands
        return SearchBudget(max_steps=max(1, self._run.allowed(searches * int(self.round_length)) // searches))
