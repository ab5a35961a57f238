"""The locks install what pyproject.toml asks for, by hash, from no named index."""

import pytest

from tests.architecture.locks import EXTRAS, direct, faults


@pytest.mark.parametrize("extra", EXTRAS)
def test_a_lock_pins_and_hashes_every_direct_dependency(extra: str) -> None:
    assert len(direct(extra)) > 2
    assert faults(extra) == []
