"""An executor that runs calls as tasks of Ray."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor, Future
from typing import Any

from bnsearch._tools.extras import import_optional
from bnsearch.errors import InputError, require


class RayExecutor(Executor):
    """
    An executor that runs calls as tasks of Ray, for `learn(executor=...)`.

    Parameters
    ----------
    number : int, optional
        Number of tasks that run at a time; None means the number of CPUs of the cluster.
    **options
        Options of each task, such as `num_cpus=1` or `resources={"highmem": 1}`; see `ray.remote`.

    Notes
    -----
    Call `ray.init` first to connect to a cluster, on whose machines bnsearch is installed. Otherwise Ray starts on this
    machine. A task that is lost with its process is repeated by bnsearch and not by Ray.

    Examples
    --------
    >>> import bnsearch
    >>> with bnsearch.RayExecutor() as executor:  # doctest: +SKIP
    ...     result = bnsearch.learn("table.csv", seconds=60, executor=executor)
    """

    def __init__(self, number: int | None = None, **options: Any) -> None:
        self._ray = import_optional("ray", "ray")
        if not self._ray.is_initialized():
            self._ray.init(log_to_driver=False)
        if number is None:
            number = int(self._ray.cluster_resources().get("CPU", 0))
            if not number:
                raise InputError("the Ray cluster has no CPUs: add a machine to it, or pass the number of tasks")
        require("number", number, at_least=1, whole=True)
        self._max_workers = number
        self._task = self._ray.remote(_call).options(**{"num_cpus": 1, "max_retries": 0, **options})
        self._is_closed = False

    def submit(self, function: Callable[..., Any], /, *arguments: Any, **keywords: Any) -> Future[Any]:
        """Submit a call as a task, and return its future."""
        if self._is_closed:
            raise RuntimeError("the executor is closed")
        reference = self._task.remote(function, arguments, keywords)
        future = _TaskFuture(self._ray, reference)
        reference.future().add_done_callback(future.copy_outcome)
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Accept no further calls; Ray stays connected."""
        self._is_closed = True


class _TaskFuture(Future[Any]):
    """The future of a task, which also cancels the task."""

    def __init__(self, ray: Any, reference: Any) -> None:
        super().__init__()
        self._ray, self._reference = ray, reference

    def cancel(self) -> bool:
        """Cancel the task if it has not begun, and return True if the future is cancelled."""
        cancelled = super().cancel()
        if cancelled:
            self._ray.cancel(self._reference, force=False)
        return cancelled

    def copy_outcome(self, source: Future[Any]) -> None:
        """Set the outcome to that of another future."""
        if not self.set_running_or_notify_cancel():
            return
        error = source.exception()
        if error is None:
            self.set_result(source.result())
        else:
            self.set_exception(error)


def _call(function: Callable[..., Any], arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
    """Return the value of a call; this function runs in a process of Ray."""
    return function(*arguments, **keywords)
