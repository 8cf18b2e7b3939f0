"""`learn`: from a table to a network, within one budget."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from bnsearch._tools.memory import parse_memory
from bnsearch.budgets.events import Observer
from bnsearch.budgets.signals import interrupts_preserved
from bnsearch.data.conversion import as_dataset
from bnsearch.data.suspicious_columns import describe_suspicious_columns
from bnsearch.exact.near_optimal import check_within
from bnsearch.graphs.structures import HasStructure, get_dag
from bnsearch.knowledge import Knowledge
from bnsearch.learning.arguments import (
    check_executor,
    check_method,
    check_observers,
    check_score,
    check_size,
    check_support,
    limit_parents,
    make_stopping_rule,
)
from bnsearch.learning.candidates import CandidateSelector, load_selection_kernels
from bnsearch.learning.first_network import compile_and_find_network
from bnsearch.learning.methods import uses_table
from bnsearch.learning.search import add_near_optimal, execute_run
from bnsearch.learning.warm_up import load_kernels, loads_later
from bnsearch.runs.method import Method
from bnsearch.runs.problem import Problem
from bnsearch.runs.result import Result
from bnsearch.runs.run import Run
from bnsearch.runs.stop import Stop

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from bnsearch.data.discretize import Discretize
    from bnsearch.distributed.workers import Workers
    from bnsearch.graphs.dag import DAG
    from bnsearch.scores.score import Score


def learn(
    data: Any,
    *,
    method: str | Method = "auto",
    score: str | Score | Callable[..., float] = "bic",
    seconds: float | None = 60.0,
    seed: int | None = None,
    max_parents: int | None = None,
    knowledge: Knowledge | str | os.PathLike[str] | None = None,
    threads: int | None = None,
    executor: Executor | Workers | None = None,
    memory: int | float | str | None = None,
    parameters: Mapping[str, Any] | None = None,
    start: DAG | HasStructure | None = None,
    discretize: Discretize | None = None,
    stop: Stop | None = None,
    within: float | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    restart: bool = False,
    observers: Sequence[Observer] = (),
    clock: Callable[[], float] = time.perf_counter,
) -> Result:
    """
    Learn the structure of a Bayesian network: return the network with the highest score found within the time budget.

    Parameters
    ----------
    data : Dataset, DataFrame, Table, array of int, str or path
        The data: a `Dataset`, a pandas or polars DataFrame, an Arrow Table, an array of codes, or the path of a file.
    method : str or Method, default "auto"
        Search method, by name or as an object. "auto" chooses one, and a note of the result says which and why.
    score : str, Score or callable, default "bic"
        Score to maximise, by name or as an object. A Python function `local(child, parents, counts)` or
        `local(child, parents)` is accepted as well, but it is slow; see `LocalScore`.
    seconds : float or None, default 60
        Time budget (wall clock) for candidate selection and search together. With None, exact search and methods with a
        fixed number of iterations, generations or restarts run to completion. Other methods run until they have not
        improved their network for a long time. With the default of 60 s, a method may stop before it has made the
        number of iterations given in its paper.
    seed : int, optional
        Seed of the random numbers. Under a budget of iterations (`stop`), the same seed gives the same result.
    max_parents : int, optional
        Maximum number of parents of a variable. If the knowledge has a limit as well, the smaller one applies.
    knowledge : Knowledge, str or path, optional
        Background knowledge that every network must respect, or the path of a knowledge file.
    threads : int, optional
        Number of threads; None means all cores.
    executor : Executor or Workers, optional
        Workers in other processes or on other machines: any `concurrent.futures.Executor`, such as a
        `ProcessPoolExecutor`, an `mpi4py.futures.MPIPoolExecutor`, the `get_executor()` of a Dask client or a
        `bnsearch.RayExecutor`. The default method and `ginobs` run their islands (parallel searches) on the workers.
        Candidate tables are selected on the workers, too. Each worker uses one thread. Under a budget of iterations
        (`stop`), the result does not depend on the number or kind of workers.
    memory : int, float or str, optional
        Memory for candidate tables, caches and islands, in bytes or as text such as "2GB". None means a quarter of the
        machine's memory, at most 4 GiB. The parts have their own limits, which add up to one and a half times this
        number in the worst case.
    parameters : mapping, optional
        Parameters of a method that is given by name.
    start : DAG, BayesianNetwork or Result, optional
        Network with which the search begins. It must respect the knowledge. The default method, `ginobs`, and searches
        over DAGs and over equivalence classes begin with it. For other methods it is only the first incumbent, and a
        note of the result says so.
    discretize : str or mapping, optional
        Rule for columns of numbers in a data frame or a file, such as "quantile:5"; see `Dataset.from_frame`.
    stop : Stop, optional
        Stopping rule in addition to `seconds`, such as Iterations(100) or Target(-1000).
    within : float, optional
        List all networks whose score is within this Bayes factor of the optimum (`Result.near_optimal`), for up to 20
        variables.
    checkpoint : str or path, optional
        Folder, such as "run.bns", in which the state of the run is saved about every ten seconds, less often if it is
        large, and at its end. The same call continues a run that was interrupted, and returns the result of one that
        has ended. A larger `seconds` continues a run that has ended. Only `seconds`, `threads`, `executor`, `memory`,
        `within` and `observers` may differ from those of the saved run.
    restart : bool, default False
        Whether to start over even if the checkpoint has a saved run.
    observers : sequence of callable, optional
        Functions that are called with an `Event` at every improvement, and up to ten times a second in between. They
        can be called from any thread.
    clock : callable, optional
        Function that returns the current time in seconds.

    Returns
    -------
    Result
        The best network, its score, and a report on the search.

    Raises
    ------
    InputError
        If an argument is invalid; the message says what is wrong and what to do.

    Notes
    -----
    After Ctrl-C or SIGTERM, `learn` stops the search and returns the best network so far; a second signal ends the
    program. The first call compiles kernels, and later calls load them. This time is not part of the time budget.

    A run that continues from a checkpoint has the rest of the time budget, and its result is never worse than the saved
    network. The default method and `ginobs` continue with the saved networks, families and candidate tables. Searches
    over DAGs and over equivalence classes begin at the saved network. All other methods start their search again with
    other random numbers. They keep the saved network as the incumbent, and the saved candidate table if there is one.
    If a checkpoint cannot be written, the run continues, and a note of the result says so.

    Examples
    --------
    >>> import bnsearch
    >>> data = bnsearch.load_network("asia").sample(200, 1)
    >>> result = bnsearch.learn(data, seconds=10, seed=1)
    >>> result.optimal
    True
    >>> limited = bnsearch.learn(data, score=bnsearch.BDeu(ess=10), max_parents=2, seconds=10)
    >>> max(len(parents) for parents in limited.dag.parents) <= 2
    True
    >>> result = bnsearch.learn(data, seconds=10, seed=1, checkpoint="run.bns")
    >>> again = bnsearch.learn(data, seconds=10, seed=1, checkpoint="run.bns")  # returns at once
    >>> again.score == result.score
    True
    """
    method = check_method(method, parameters)
    rule = make_stopping_rule(seconds, stop, method)
    check_observers(observers)
    workers = check_executor(executor)
    dataset = as_dataset(data, discretize)
    check_size(dataset)
    problem = Problem(
        data=dataset,
        score=check_score(score),
        knowledge=limit_parents(knowledge, max_parents, dataset.names),
        start=None if start is None else get_dag(start),
    )
    check_support(method, problem)
    if within is not None:
        check_within(within, problem.size)
    run = Run(
        rule,
        seed=seed,
        threads=threads,
        memory=parse_memory(memory),
        observers=observers,
        permits=problem.permits,
        restrict=problem.restrict,
        select=CandidateSelector(),
        clock=clock,
    )
    if checkpoint is not None or restart:
        from bnsearch.learning.checkpointing import attach_checkpoint

        saved_result = attach_checkpoint(run, problem, method, checkpoint, restart=restart, seed=seed, stop=stop)
        if saved_result is not None:
            return add_near_optimal(saved_result, run, problem, within)
    load_kernels_of_run(run, problem, method)
    for text in describe_suspicious_columns(dataset):
        run.remark(text)
    if problem.has_python_score:
        run.remark(f"the score {problem.needed_score.name} is a Python function: scores of the library are much faster")
    return execute_run(run, problem, method, within, workers)


def load_kernels_of_run(run: Run, problem: Problem, method: Method) -> None:
    """Compile or load kernels while the clock is paused, and offer the first network if one was found meanwhile."""
    with run.budget.clock_paused(), interrupts_preserved():
        first = compile_and_find_network(problem, method, run)
        if uses_table(method) and not loads_later(method):
            load_selection_kernels(problem, run.threads)
        load_kernels(problem, method)
    from bnsearch.kernels.cache import describe_missing_cache

    if (missing := describe_missing_cache()) is not None:
        run.remark(missing)
    if first is not None:
        score, dag = first
        run.offer(score, lambda: dag)
        run.remark("kernels were compiled before this run; a first network was found meanwhile")
