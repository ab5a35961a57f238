"""The cyclic garbage collector, held back while a hundred thousand keys or results are made."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def collector_paused() -> Iterator[None]:
    """Collect after the block instead of within it.

    Keys and reports are hundreds of thousands of live objects and no cycles: every full pass walks them all for
    nothing, which takes a third of the time of scoring. What others leave meanwhile is freed soon enough.
    """
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
        gc.collect()
