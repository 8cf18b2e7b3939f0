"""`learn` with an executor: which parts of a method run on workers."""

from __future__ import annotations

import math
import os
import platform
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from typing import Any

from bnsearch._tools.locks import hold_file_lock
from bnsearch.distributed.island_rounds import IslandRounds
from bnsearch.distributed.parcels import ParcelFolder
from bnsearch.distributed.pools import Parts, Pool
from bnsearch.distributed.selection import WorkerAuto
from bnsearch.distributed.task_queue import TaskQueue, WorkersLost
from bnsearch.distributed.workers import Workers
from bnsearch.equivalence.ges import GES
from bnsearch.exact.warm_up import load_bound_kernels
from bnsearch.learning.auto import AutoSearch
from bnsearch.learning.bounding import ROWS_PER_SECOND, BoundSearch
from bnsearch.learning.candidates import (
    EVALUATIONS,
    GROWTH,
    CandidateSelector,
    describe,
    load_selection_kernels,
    select_for_run,
    selection_memory,
)
from bnsearch.learning.compilation import compile_missing
from bnsearch.learning.methods import uses_table
from bnsearch.learning.selection_schedule import SelectionSchedule
from bnsearch.learning.table_search import MAX_EXACT_VARIABLES, exact_fits, search_exactly
from bnsearch.learning.warm_up import load_kernels, loads_later
from bnsearch.ondemand.ginobs import GINOBS
from bnsearch.ondemand.island_model import TABLE_MEMORY, IslandModel
from bnsearch.ondemand.shared_table import ROW_BYTES
from bnsearch.orderings.rinobs import RINOBS
from bnsearch.parent_sets.scope import KEPT_SETS
from bnsearch.parent_sets.table import ParentSets
from bnsearch.runs.method import Method
from bnsearch.runs.problem import Problem
from bnsearch.runs.run import Run
from bnsearch.selection.report import Selection

LOCK = "compilation.lock"  # file in the folder of the kernel cache
PREPARATION_SECONDS = 0.0, 0.2, 0.5, 1.0  # seconds that a worker waits after its preparation, at each repetition
MIN_SELECTION_SECONDS = 1.0  # shorter selections run in this process
LAST_SHARE = 0.02  # share of the remaining time that is left to the reports of the last rounds
SELECTION_SHARE = 0.2  # share of the remaining time for the selection at the start, beside the first climb


def distribute(run: Run, problem: Problem, method: Method, workers: Workers) -> None:
    """Search with a method; the parts of it that can run on workers do so."""
    if problem.data is None or problem.table is not None or problem.has_python_score:
        run.remark("the executor was not used: the search is over a given candidate table or with a Python function")
        method.search(problem, run)
    elif isinstance(method, AutoSearch) and problem.size <= MAX_EXACT_VARIABLES:
        run.remark(f"the executor was not used: {problem.size} variables are few enough for this process")
        method.search(problem, run)
    elif not isinstance(method, AutoSearch | GINOBS) and not uses_table(method):
        run.remark(f"the executor was not used: the method {method.name} runs in one process")
        method.search(problem, run)
    else:
        _search_on_workers(run, problem, method, workers)


def _search_on_workers(run: Run, problem: Problem, method: Method, workers: Workers) -> None:
    """Search with islands on workers, or with a method over a candidate table that is selected on workers."""
    has_islands = isinstance(method, AutoSearch | GINOBS)
    with ExitStack() as stack:
        stack.callback(workers.end_replacement)
        queue = stack.enter_context(TaskQueue(workers, run.remark))
        try:
            with run.budget.clock_paused():
                folder = stack.enter_context(ParcelFolder())
                parts: Parts = (problem.needed_data, problem.needed_score, problem.knowledge)
                pool = Pool(queue, folder, folder.write(parts))
                prepare_workers(pool, method if has_islands else None, lambda: run.budget.request is None)
            if has_islands:
                _IslandSearch(run, problem, pool, on_demand_only=isinstance(method, GINOBS)).search()
            else:
                run.select = WorkerSelector(pool)
                method.search(problem, run)
        except WorkersLost as error:
            run.give_up("workers", f"{error}: the result is the best network until then")


def prepare_workers(pool: Pool, method: Method | None, going: Callable[[], bool]) -> None:
    """
    Load the data and the kernels on all workers, before the clock of the run starts; None loads those of a selection.

    An executor chooses the worker of a task. So there is a task for each worker, and these are repeated if one worker
    has performed several of them: then they wait, so that the others take some.
    """
    number, processes = pool.queue.workers.number, set[tuple[str, int]]()
    for seconds in PREPARATION_SECONDS:
        found = pool.queue.map(prepare_worker, [(method, seconds)] * number, [pool.problem], going)
        processes |= set(found or ())
        if found is None or len(processes) >= number or identify_process() in processes:
            return


def prepare_worker(task: tuple[Method | None, float], parts: Parts) -> tuple[str, int]:
    """Compile or load the kernels of a method; return the host and the process. This function runs on a worker."""
    from bnsearch.kernels.cache import describe_cache

    method, seconds = task
    data, score, knowledge = parts
    problem = Problem(data=data, score=score, knowledge=knowledge)
    if method is not None:
        folder, _ = describe_cache()
        groups = () if problem.has_python_score else getattr(type(method), "kernel_groups", ())
        with hold_file_lock(None if folder is None else folder / LOCK):  # one worker of a machine compiles for all
            compile_missing(problem, groups, lambda _: None, lambda _: None)
        for loaded in (GINOBS(), RINOBS()) if loads_later(method) else (method,):
            load_kernels(problem, loaded)
    if method is None or uses_table(method):
        load_selection_kernels(problem, 1)
    time.sleep(seconds)
    return identify_process()


def identify_process() -> tuple[str, int]:
    """Return the host and the number of this process."""
    return platform.node(), os.getpid()


class WorkerSelector(CandidateSelector):
    """
    Selects the candidate table of a problem on workers.

    Parameters
    ----------
    pool : the workers
    """

    def __init__(self, pool: Pool) -> None:
        super().__init__()
        self._pool = pool

    def select(self, problem: Problem, run: Run, seconds: float) -> Selection:
        """Return a selection made within some seconds, or within a number of evaluations if these are infinite."""
        if seconds < MIN_SELECTION_SECONDS:
            return super().select(problem, run, seconds)
        return select_on_workers(self._pool, problem, run, seconds, grows=True)


def select_on_workers(pool: Pool, problem: Problem, run: Run, seconds: float, *, grows: bool) -> Selection:
    """Return a selection made within some seconds, or within `EVALUATIONS` if these are infinite."""
    limited = math.isfinite(seconds)
    builder = WorkerAuto(
        seconds=max(0.01, seconds) if limited else None,
        evaluations=None if limited else EVALUATIONS,
        growth=GROWTH,
        memory=selection_memory(run),
        pool=pool,
        grows=grows,
    )
    return select_for_run(builder, problem, run)


@dataclass
class _IslandSearch:
    """
    The search of the default method, or of GINOBS, with islands on workers.

    The driver makes the first climb over DAGs while the workers select candidate sets. Then it computes an upper bound
    while the islands search.
    """

    run: Run
    problem: Problem
    pool: Pool
    on_demand_only: bool
    schedule: SelectionSchedule = field(default_factory=SelectionSchedule)

    def search(self) -> None:
        """Search until the run stops or the optimum is proven."""
        run, problem = self.run, self.problem
        run.offer(problem.base_score, lambda: problem.base)
        found: Selection | None = None
        if self.on_demand_only:
            model = self._start_model()
        else:
            run.scope, run.stops_at_bound = KEPT_SETS, False
            with run.budget.clock_paused():
                load_bound_kernels()
            found = self._continue_selection()
            if found is None:
                model, found = self._start_and_select()
            else:
                model = self._start_model()
            run.remark(describe(found))
            if self._prove(found):
                return
        if model.is_started and run.going():
            self._search_islands(model, found)

    def _continue_selection(self) -> Selection | None:
        """Return the selection of an earlier run that this one continues; None if there is none."""
        if self.run.checkpoint is None:
            return None
        from bnsearch.learning.auto_state import connect_selections

        return connect_selections(self.schedule, self.run.checkpoint, self.problem.names)

    def _start_and_select(self) -> tuple[IslandModel, Selection]:
        """Return the driver's island and a selection that the workers make during its first climb."""
        run = self.run
        seconds = SELECTION_SHARE * run.seconds_left if run.is_timed else math.inf
        with ThreadPoolExecutor(1) as thread:
            selecting = thread.submit(select_on_workers, self.pool, self.problem, run, seconds, grows=False)
            model = self._start_model()
            found = selecting.result()
        if run.budget.request is None:  # a signal has not cut the selection short
            self.schedule.last_selection = found
        return model, found

    def _start_model(self) -> IslandModel:
        """Return the driver's island, after its first climb over DAGs or with the incumbent of an earlier run."""
        run, problem = self.run, self.problem
        if not self.on_demand_only and problem.needed_score.equivalent:
            with run.budget.clock_paused():
                load_kernels(problem, GES())
        model = IslandModel(problem, run, 1, run.budget.memory, on_demand_only=self.on_demand_only)
        model.start()
        if model.is_started and run.checkpoint is not None and run.checkpoint.is_resumed:
            best = run.best()
            scores = problem.scorer.families(range(problem.size), best.parents)
            model.islands[0].add_network(best, scores)
        return model

    def _prove(self, found: Selection) -> bool:
        """Search a complete table exactly, in this process, if that fits into the time; return True if proven."""
        run, problem = self.run, self.problem
        if not found.complete or not run.going():
            return False
        fits, why = exact_fits(found.table, problem, run)
        if fits:
            run.remark(f"chose exact search: {why}")
            search_exactly(replace(problem, table=found.table), run)
        return run.optimal

    def _search_islands(self, model: IslandModel, found: Selection | None) -> None:
        """Search with islands on the workers, and for an upper bound in this process."""
        run, workers = self.run, self.pool.queue.workers
        n_islands = workers.number if run.is_timed else workers.islands
        keeper, memory = model.islands[0], run.budget.memory // n_islands
        rounds = IslandRounds(self.pool, run, keeper, memory, on_demand_only=self.on_demand_only)
        rounds.continue_from_checkpoint()
        bounding = None if self.on_demand_only else BoundSearch(self.problem, run, model)
        if found is not None and bounding is not None:
            table = self._cut_table(found.table, memory)
            rounds.use_table(self.pool.folder.write(table))
            if bounding.add_selected(found.table, found.scope) or found.complete:
                run.scope, run.bound = found.scope, None
            else:
                bounding.add_selected(table, KEPT_SETS)
            bounding.continue_from_checkpoint()
        if not run.is_timed:
            rounds.search_steps()
        else:
            self._search_with_bound(rounds, bounding)
        if bounding is not None:
            bounding.finish()
            run.end_by_time()
            run.remark(f"chose islands on {workers.number} workers: {rounds.state.n_rounds} rounds")

    def _cut_table(self, table: ParentSets, memory: int) -> ParentSets:
        """Return the best sets of each variable, as many as the islands and the bound can use."""
        max_rows = TABLE_MEMORY * memory / ROW_BYTES
        if self.run.is_timed:
            max_rows = min(max_rows, ROWS_PER_SECOND * self.run.seconds_left)
        number = max(1, int(max_rows) // self.problem.size)
        return table if table.n_sets <= max_rows else table.best(number, self.problem.constraints)

    def _search_with_bound(self, rounds: IslandRounds, bounding: BoundSearch | None) -> None:
        """Search under a time budget; the bound has a thread of this process."""
        run = self.run
        end = run.seconds + run.seconds_left * (1.0 - LAST_SHARE) - (0.0 if bounding is None else bounding.reserve)
        slices: list[Future[Any]] = []
        with ThreadPoolExecutor(1) as thread:

            def compute_bound() -> None:
                if bounding is None or (slices and not slices[-1].done()):
                    return
                bounding.prepare_slice()
                if bounding.credit > 0.0:
                    slices.append(thread.submit(bounding.advance, math.inf))

            rounds.search_seconds(end, compute_bound)
        for done in slices:
            done.result()
        run.reason = run.reason or "seconds"  # the search ends somewhat before the time budget
