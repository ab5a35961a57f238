"""Wait in tests until something is so."""

import time
from collections.abc import Callable

REPLY_SECONDS = 60.0  # a first reply of a service that has just started, on a busy machine


def wait_until(is_so: Callable[[], object], seconds: float = 15.0, what: str = "it") -> float:
    """Ask again and again until it is so, and return the seconds that it took.

    Raises:
        AssertionError: it is not so in time; the message says `what`.
    """
    begun = time.monotonic()
    while not is_so():
        assert time.monotonic() - begun < seconds, f"not within {seconds:.0f} s: {what}"
        time.sleep(0.05)
    return time.monotonic() - begun
