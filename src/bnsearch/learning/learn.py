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
from bnsearch.graphs.structures import HasStructure, get_dag
from bnsearch.knowledge import Knowledge
from bnsearch.learning.arguments import (
    check_method,
    check_observers,
    check_score,
    check_size,
    check_support,
    limit_parents,
    stopping_rule,
)
from bnsearch.learning.candidates import CandidateSelector, load_selection_kernels
from bnsearch.learning.methods import uses_table
from bnsearch.learning.search import search_in
from bnsearch.learning.warm_up import load_kernels
from bnsearch.runs.method import Method
from bnsearch.runs.problem import Problem
from bnsearch.runs.result import Result
from bnsearch.runs.run import Run
from bnsearch.runs.stop import Stop

if TYPE_CHECKING:
    from bnsearch.data.discretize import Discretize
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
    memory: int | float | str | None = None,
    parameters: Mapping[str, Any] | None = None,
    start: DAG | HasStructure | None = None,
    discretize: Discretize | None = None,
    stop: Stop | None = None,
    observers: Sequence[Observer] = (),
    clock: Callable[[], float] = time.perf_counter,
) -> Result:
    """
    Learn the structure of a Bayesian network: the one with the highest score that is found within the time budget.

    Parameters
    ----------
    data : a `Dataset`, a pandas, polars or Arrow table, an array of codes, or the path of a file
    method : search method, by name or as an object; "auto" chooses one, and a note of the result says which and why
    score : score to maximise, by name or as an object
    seconds : wall-clock time for everything, candidate selection and search. With None, exact search and methods with a
        fixed number of iterations, generations or restarts run to completion, and other methods run until they have not
        improved for a long time. With the default of 60 s, a method may stop before it has made the number of
        iterations given in its paper
    seed : seed of the random numbers, which makes the result reproducible under a budget of iterations (`stop`)
    max_parents : maximum number of parents of a variable
    knowledge : background knowledge that every network must respect, or the path of a file with it
    threads : number of threads; None means all cores
    memory : memory for candidate tables, caches and islands together, in bytes or as text such as "2GB"; None means a
        quarter of the machine's memory, at most 4 GiB
    parameters : parameters of a method that is given by name
    stop : further stopping rule, such as Iterations(100) or Target(-1000)
    observers : functions that are called with an `Event` at every improvement and from time to time in between. They
        can be called from any thread
    clock : function that returns the current time in seconds

    Notes
    -----
    Ctrl-C or SIGTERM ends the work at any time, and `learn` returns the best network so far; a second signal ends the
    program. Kernels are compiled on the first call, or loaded, before the clock starts.
    """
    method = check_method(method, parameters)
    rule = stopping_rule(seconds, stop, method)
    check_observers(observers)
    table = as_dataset(data, discretize)
    check_size(table)
    problem = Problem(
        data=table,
        score=check_score(score),
        knowledge=limit_parents(knowledge, max_parents, table.names),
        start=None if start is None else get_dag(start),
    )
    check_support(method, problem)
    run = Run(
        rule,
        seed=seed,
        threads=threads,
        memory=parse_memory(memory),
        observers=observers,
        permits=problem.permits,
        select=CandidateSelector(),
        clock=clock,
    )
    with run.budget.clock_paused(), interrupts_preserved():
        if uses_table(method):
            load_selection_kernels(problem, run.threads)
        load_kernels(problem, method)
    for text in describe_suspicious_columns(table):
        run.remark(text)
    if problem.has_python_score:
        run.remark(f"the score {problem.needed_score.name} is a Python function: scores of the library are much faster")
    return search_in(run, problem, method)
