"""Attempts and the waits between them, both bounded."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from tetrad.runner.ports import RefusedError, ReplyError

T = TypeVar("T")
LONGEST_WAIT = 60.0  # seconds: whoever asks for more keeps a worker from everything else


@dataclass(frozen=True, kw_only=True)
class Attempts:
    """At most `most` attempts, `pause_seconds` apart and twice as long each time, or as long as the other side says."""

    most: int = 3
    pause_seconds: float = 1.0
    sleep: Callable[[float], None] = time.sleep

    def wait(self, failed: int, error: ReplyError) -> None:
        """Wait after the failed attempt number `failed`, from 1."""
        pause: float = self.pause_seconds * 2 ** (failed - 1)
        self.sleep(min(max(pause, error.wait_seconds or 0.0), LONGEST_WAIT))


def retry(do: Callable[[], T], attempts: Attempts, on_failure: Callable[[], None] | None = None) -> T:
    """Call `do` until it succeeds, and `on_failure` after every failed attempt.

    Raises:
        ReplyError: the last attempt's, once the cap is reached, or the error's own one; a RefusedError at once.
    """
    failed = 0
    while True:
        try:
            return do()
        except ReplyError as error:
            failed += 1
            if on_failure is not None:
                on_failure()
            most = attempts.most if error.most_attempts is None else min(attempts.most, error.most_attempts)
            if failed >= most or isinstance(error, RefusedError):
                raise
            attempts.wait(failed, error)
