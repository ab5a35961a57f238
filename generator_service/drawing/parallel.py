"""Run tasks on all cores, keep their order, and count those done."""

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing.process import BaseProcess
from typing import TypeVar

from tetrad.server.embedded.die_with_parent import end_with

T = TypeVar("T")
R = TypeVar("R")
Progress = Callable[[int, int], None]
ONE_THREAD_EACH = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS")  # of NumPy and SciPy, and of scikit-learn


def on_all_cores(
    work: Callable[[T], R], tasks: Sequence[T], progress: Progress, *, few: int = 1, chunk: int = 1
) -> list[R]:
    """Return the results in the tasks' order. With `few` tasks, or no children allowed, this process does the work."""
    workers = min(len(os.sched_getaffinity(0)), len(tasks))
    if len(tasks) <= few or workers == 1 or multiprocessing.current_process().daemon:
        return _report_each(map(work, tasks), len(tasks), progress)
    with spawned_pool(workers) as pool:
        return _report_each(pool.map(work, tasks, chunksize=chunk), len(tasks), progress)


@contextmanager
def spawned_pool(workers: int) -> Iterator[ProcessPoolExecutor]:
    """Give a pool of so many processes. If the block fails or is interrupted, only tasks that are begun are ended.

    Each worker is a fresh interpreter: a fork would copy the threads' locks of the server that asks. A pool that is not
    shut down leaves semaphores behind, of which Python's resource tracker then complains.
    """
    pool = ProcessPoolExecutor(workers, mp_context=multiprocessing.get_context("spawn"), initializer=_begin_worker)
    try:
        yield pool
    finally:
        pool.shutdown(cancel_futures=True)


@contextmanager
def workers(
    few: int, begin: Callable[[], None] | None = None
) -> Iterator[Callable[[Callable[[T], R], Sequence[T]], list[R]]]:
    """Give a map over batches of tasks. Its processes start with the first batch of more than `few` tasks.

    Each process calls `begin`, which is pickled by its name, before its first task.
    """
    pool: list[ProcessPoolExecutor] = []

    def map_tasks(work: Callable[[T], R], tasks: Sequence[T]) -> list[R]:
        cores = len(os.sched_getaffinity(0))
        if not pool and (len(tasks) <= few or cores == 1 or multiprocessing.current_process().daemon):
            return list(map(work, tasks))
        if not pool:
            spawning = multiprocessing.get_context("spawn")
            pool.append(ProcessPoolExecutor(cores, mp_context=spawning, initializer=_begin, initargs=(begin,)))
        return list(pool[0].map(work, tasks, chunksize=max(1, len(tasks) // (4 * cores))))

    try:
        yield map_tasks
    finally:
        for executor in pool:
            executor.shutdown(cancel_futures=True)


def _begin(begin: Callable[[], None] | None) -> None:
    _begin_worker()
    if begin is not None:
        begin()


def _begin_worker() -> None:
    """Leave Ctrl-C, which a terminal sends to every process, to the process that started this worker.

    NumPy, which is imported later, takes one thread: with more, the workers would wait for each other's.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.environ |= dict.fromkeys(ONE_THREAD_EACH, "1")
    _end_with_parent()


def _end_with_parent() -> None:
    """Make this worker end if the process that started it is killed; otherwise it would wait for work for ever.

    On Linux the kernel ends it at once, whatever it is doing. Elsewhere a thread ends it, once it gets its turn.
    """
    parent = multiprocessing.parent_process()
    if parent is not None and parent.pid is not None:
        threading.Thread(target=_wait_for, args=(parent,), daemon=True).start()
        end_with(parent.pid)


def _wait_for(parent: BaseProcess) -> None:
    parent.join()
    os._exit(1)


def _report_each(results: Iterable[R], total: int, progress: Progress) -> list[R]:
    finished: list[R] = []
    for each in results:
        finished.append(each)
        progress(len(finished), total)
    return finished
