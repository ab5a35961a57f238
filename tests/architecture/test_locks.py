"""The locks install what pyproject.toml asks for, by hash, from no named index."""

import pytest

from tests.architecture.locks import GROUPS, ROOT, direct, faults


@pytest.mark.parametrize("group", GROUPS)
def test_a_lock_pins_and_hashes_every_direct_dependency(group: str) -> None:
    assert len(direct(group)) > 2
    assert faults(group) == []


def test_what_installs_the_locks_is_the_one_that_they_pin() -> None:
    installer = (ROOT / "requirements" / "uv.txt").read_text()
    assert installer.startswith("uv==")
    assert installer.count("==") == 1
    assert installer in (ROOT / "requirements" / "dev.txt").read_text()
