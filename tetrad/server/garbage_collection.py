"""Keeps the cyclic garbage collector from walking long-lived objects: a loaded server, thousands of keys.

Also here: what else a server does once it has loaded.
"""

import faulthandler
import gc
from collections.abc import Iterator
from contextlib import contextmanager

from tetrad.prepared_structs import prepare_structs


def finish_loading() -> None:
    """Prepare what threads use, and exclude all present objects from collection: a full pass over them takes 70 ms.

    From then on a crash below Python writes the stack of each thread to standard error.
    """
    faulthandler.enable()
    prepare_structs()
    gc.collect()
    gc.freeze()


@contextmanager
def collector_paused() -> Iterator[None]:
    """Collect new objects after the block, and none within it.

    Keys and reports are hundreds of thousands of live objects without cycles. Full passes over them free nothing and
    take a third of the time of scoring. Older objects wait for the collector's own full passes.
    """
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
        gc.collect(0)
