"""Tests that share an instance share a worker: else each worker of pytest-xdist starts one, for half a minute."""

import os

import pytest

from tests.instance import Instance


def test_what_uses_the_instance_is_in_its_group(instance: Instance, request: pytest.FixtureRequest) -> None:
    assert instance.process.poll() is None
    grouped = request.node.nodeid.endswith("@e2e instance")  # as pytest-xdist marks what it deals by group
    assert grouped == ("PYTEST_XDIST_WORKER" in os.environ)
