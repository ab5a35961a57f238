"""The cyclic garbage collector, kept from walking what stays: a loaded server, keys and results by the thousand."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


def freeze_collector() -> None:
    """Take all there is for lasting, once a server has loaded: each full pass over it takes 70 ms, to free nothing."""
    gc.collect()
    gc.freeze()


@contextmanager
def collector_paused() -> Iterator[None]:
    """Collect after the block instead of within it, and only what is new.

    Keys and reports are hundreds of thousands of live objects and no cycles: every full pass walks them all for
    nothing, which takes a third of the time of scoring. What is older waits for the collector's own full passes.
    """
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
        gc.collect(0)
