"""The chart for one node in containers of namespaces: read-only roots, users, and ways as its policies say."""

import time
from collections.abc import Iterator

import pytest

from tests.answering import patiently
from tests.deployed.chart import VALUES, made_secrets, render
from tests.deployed.contained_chart import make_deployment
from tests.deployed.containers import open_folder
from tests.deployed.running import CONTAINED, Running
from tests.deployed.test_compose import CONFINED, PATIENCE_SECONDS
from tetrad.client import Client
from tetrad.contracts.evaluations import EvaluationRequest

pytestmark = CONTAINED
ONE_WORKER = [f"{part}.workers=1" for part in ("api", "generator", "practice")]
PARTS = ("api", "evaluations", "generator", "practice", "bulk", "scoring", "gateway")
SERVERS = ("tetrad-postgres", "tetrad-valkey", "tetrad-objects")
JOBS = ("tetrad-migrate-api", "tetrad-migrate-generator")
REACH = "import socket, sys; socket.create_connection((sys.argv[1], 8000), 5)"


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    folder = open_folder(tmp_path_factory.mktemp("chart"))
    objects = render(next(path for path in VALUES if path.stem == "one-node"), *ONE_WORKER)
    started = Running(make_deployment(objects, made_secrets(folder, "one-node"), folder / "files"), folder / "run")
    lasting = [f"tetrad-{part}" for part in PARTS]
    try:
        started.start(*SERVERS, *JOBS)
        until_ended(started)
        pods = [started.add(started.deployment.find(name)) for name in lasting]  # all have their addresses first
        for pod in pods:
            pod.start()
        started.wait_until_healthy(*lasting)
        yield started
    finally:
        started.close()


def until_ended(started: Running) -> None:
    """Wait until the Jobs before an installation have ended, as helm does."""
    end = time.monotonic() + PATIENCE_SECONDS
    for name in JOBS:
        (job,) = started.containers[name]
        while job.status() is None and time.monotonic() < end:
            time.sleep(0.2)
        assert job.status() == 0, job.log


def test_an_evaluation_is_scored_and_every_root_is_read_only(stack: Running) -> None:
    url = stack.publish("tetrad-api", 8000)
    with Client(url) as anyone:
        key = patiently(lambda: anyone.register_team("contained"), PATIENCE_SECONDS).key
    with Client(url, key=key) as team:
        evaluation = team.evaluate(EvaluationRequest(benchmark="kiva", models=["random"], size=3))
        *_, shown = team.follow_evaluation(evaluation.id, every_seconds=0.5)
        assert shown.outcome == "complete"
    for part in PARTS:
        told = stack.containers[f"tetrad-{part}"][0].run(["python", "-c", CONFINED]).stdout.split()
        assert told == ["10001", "0000000000000000", "read-only"], part


@pytest.mark.parametrize(
    ("caller", "asked", "reached"),
    [
        ("scoring", "generator", True),
        ("gateway", "api", True),
        ("scoring", "api", False),
        ("bulk", "generator", False),
        ("practice", "generator", False),
        ("evaluations", "practice", False),
    ],
)
def test_a_pod_reaches_whom_its_policies_name(stack: Running, caller: str, asked: str, *, reached: bool) -> None:
    done = stack.containers[f"tetrad-{caller}"][0].run(["python", "-c", REACH, f"tetrad-{asked}"])
    assert (done.returncode == 0) is reached, done.stderr
