"""Fetches the first keys of the submissions that are next, while the worker judges another one.

The worker would else wait for the generator at the beginning of each submission, and the generator for the worker.
Nothing is leased or written here: what is fetched ahead is lost with the process, and fetched again. Revealing a draw
twice with the same answers gives the same. A few submissions are fetched ahead, each up to its first range of keys.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor

from scoring_service.jobs.report_work import ReportWork

MOST_AHEAD = 2  # submissions; each holds up to a range of keys, as a job that is open between its slices does


class KeysAhead:
    """The work on submissions that are next, opened in threads. Only the thread that works calls it."""

    def __init__(self, open_work: Callable[[str], ReportWork]) -> None:
        """Take what reveals a submission's draw, opens the work on it and fetches the first keys."""
        self._open_work = open_work
        self._threads = ThreadPoolExecutor(MOST_AHEAD, thread_name_prefix="ahead")
        self._opened: dict[str, Future[ReportWork]] = {}

    def fetch(self, now: str, following: Sequence[str]) -> None:
        """Begin with those that follow the one that is worked on now. What was fetched for others is forgotten."""
        wanted = following[:MOST_AHEAD]
        for submission in self._opened.keys() - {now, *wanted}:  # another worker has them
            _forget(self._opened.pop(submission))
        for submission in wanted:
            if submission not in self._opened:
                self._opened[submission] = self._threads.submit(self._open_work, submission)

    def take(self, submission: str) -> ReportWork | None:
        """Return the work that is open, or wait until it is; None if there is none or it failed."""
        opened = self._opened.pop(submission, None)
        if opened is None or opened.cancel():  # not begun yet: the caller is as fast
            return None
        return opened.result() if opened.exception() is None else None

    def close(self) -> None:
        self.fetch("", ())
        self._threads.shutdown(cancel_futures=True)


def _forget(opened: Future[ReportWork]) -> None:
    if not opened.cancel():
        opened.add_done_callback(lambda done: None if done.cancelled() or done.exception() else done.result().close())
