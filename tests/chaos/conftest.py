"""One instance whose processes the chaos tests kill; its own, so that nothing else suffers."""

import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.evaluating import models_file
from tests.instance import Instance, running
from tests.integration.inference_gateway.upstream import Upstream
from tests.integration.inference_gateway.upstream import running as running_upstream

USUAL_FILES = 1_024
TOYS = Path(__file__).parents[1] / "toy_benchmarks"


@pytest.fixture(scope="session")
def upstream() -> Iterator[Upstream]:
    """The server behind the gateway's model `dear`."""
    with running_upstream() as server:
        yield server


@pytest.fixture(scope="session")
def instance(tmp_path_factory: pytest.TempPathFactory, bank_folder: Path, upstream: Upstream) -> Iterator[Instance]:
    folder = tmp_path_factory.mktemp("chaos")
    models = models_file(folder, upstream)
    with (
        usual_file_limit(),
        running(folder / "home", bank_folder, str(TOYS), models_file=models) as instance,
    ):
        yield instance


@contextmanager
def usual_file_limit() -> Iterator[None]:
    """Have what is started begin with the limit of open files that most systems have, whatever it is here."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(USUAL_FILES, hard), hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
