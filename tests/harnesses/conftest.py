"""One instance for all harnesses; each harness runs in an environment of its own lock. `make harnesses` runs these."""

import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeAlias

import pytest

from deploy.triton.environment import make_environment
from tests.instance import ROOT, Instance, running
from tests.integration.inference_gateway.upstream import Upstream
from tests.integration.inference_gateway.upstream import running as running_upstream

TOYS = ROOT / "tests" / "toy_benchmarks"
RunIn: TypeAlias = Callable[..., "subprocess.CompletedProcess[str]"]


def kept_variables() -> dict[str, str]:
    """Return the variables that a program of somebody else's environment gets from this one."""
    return {name: value for name, value in os.environ.items() if not name.startswith(("TETRAD", "PYTHON", "COV"))}


@pytest.fixture(scope="session")
def instance(tmp_path_factory: pytest.TempPathFactory, bank_folder: Path) -> Iterator[Instance]:
    with running(tmp_path_factory.mktemp("instance") / "home", bank_folder, str(TOYS)) as instance:
        yield instance


@pytest.fixture
def upstream() -> Iterator[Upstream]:
    with running_upstream() as upstream:
        yield upstream


@pytest.fixture
def run_in(instance: Instance, tmp_path: Path) -> RunIn:
    """Return what runs a program of a harness's environment, in a folder of its own, with a new team's key.

    `TETRAD_URL` is the instance; the package is this checkout's.
    """

    with instance.client() as client:
        key = client.register_team(f"harness-{tmp_path.name[-12:].replace('_', '-').lower()}").key

    def run(harness: str, program: str, *arguments: str, **variables: str) -> "subprocess.CompletedProcess[str]":
        lock = ROOT / "requirements" / f"{harness}.txt"
        environment = make_environment(lock, ROOT / "var" / harness / "environment")
        own = {"TETRAD_URL": instance.url, "TETRAD_KEY": key, "PYTHONPATH": str(ROOT)}
        return subprocess.run(
            [str(environment / "bin" / program), *arguments],
            cwd=tmp_path,
            env=kept_variables() | own | variables,
            capture_output=True,
            text=True,
            check=False,
        )

    return run
