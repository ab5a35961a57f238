"""The collector is held back in the block, and only there."""

import gc
import weakref

import pytest

from tetrad.server.garbage_collection import collector_paused, finish_loading


class Ring:
    """A thing that only the collector frees."""

    def __init__(self) -> None:
        self.itself = self


def test_cycles_are_collected_after_the_block_and_not_within_it() -> None:
    with collector_paused():
        seen = weakref.ref(Ring())
        assert not gc.isenabled()
        assert seen() is not None
    assert seen() is None
    assert gc.isenabled()


def test_what_has_settled_is_not_walked_again() -> None:
    before = gc.get_freeze_count()
    try:
        finish_loading()
        assert gc.get_freeze_count() > before
        assert not gc.get_objects(generation=2)
    finally:
        gc.unfreeze()


def test_a_job_that_fails_leaves_the_collector_on() -> None:
    with pytest.raises(LookupError), collector_paused():
        raise LookupError
    assert gc.isenabled()
