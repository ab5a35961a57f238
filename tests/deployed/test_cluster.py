"""The chart, executed: its Jobs and services as processes, with the Secrets that the command makes, end to end."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import httpx
import msgspec
import psycopg
import pytest

from api.database.upgrading import upgrade
from generator_service.sealing.record import Record
from tests.deployed.chart import Pod, Secrets, pods_of, read_objects
from tests.deployed.cluster import PYTHON, Cluster, PodError, make_store_secrets, start_cluster
from tests.deployed.servers import PROGRAMS, run_empty_postgres, run_statements
from tests.object_store import ROOT
from tests.ports import free_port
from tetrad.client import Client
from tetrad.contracts.evaluations import EvaluationRequest
from tetrad.server.database import make_engine

SECONDS = 180
SLOW = "tests.deployed.slow_app:create_app"
SCALED_BY = {"submissions", "rescorings", "verifications", "evaluation_runs", "dataset_shards"}
ONE_WORKER = [f"{part}.workers=1" for part in ("api", "generator", "practice")]


@pytest.fixture(scope="module")
def secrets(tmp_path_factory: pytest.TempPathFactory) -> Secrets:
    return make_store_secrets(tmp_path_factory.mktemp("secrets"))


@pytest.fixture(scope="module")
def cluster(secrets: Secrets, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with start_cluster(tmp_path_factory.mktemp("cluster"), secrets, *ONE_WORKER, "backup.enabled=true") as cluster:
        yield cluster


@pytest.fixture(scope="module")
def key(cluster: Cluster) -> str:
    """The API key of a new team."""
    with Client(cluster.url("api")) as anonymous:
        return anonymous.register_team("north").key


def run(cluster: Cluster, key: str, *arguments: str) -> Any:
    """Run the command line as the team, and return what it printed."""
    speaker = {"TETRAD_URL": cluster.url("api"), "TETRAD_KEY": key}
    command = [str(Path(sys.executable).parent / "tetrad"), *arguments, "--json"]
    done = subprocess.run(command, env=os.environ | speaker, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_a_submission_is_scored(cluster: Cluster, key: str) -> None:
    said = run(cluster, key, "submit", "--benchmark", "kiva", "--size", "5", "--model", "pixel-solver")
    assert (said["size"], said["missing"]) == (5, 0)


def test_an_evaluation_by_a_model_of_the_gateway_is_scored(cluster: Cluster, key: str) -> None:
    asked = {"benchmark": "kiva", "models": ["random"], "size": 3}
    with Client(cluster.url("api"), key) as team:
        evaluation = team.evaluate(msgspec.convert(asked, EvaluationRequest))
        end = time.monotonic() + SECONDS
        for shown in team.follow_evaluation(evaluation.id, every_seconds=0.5):
            assert time.monotonic() < end, shown
        assert (shown.outcome, team.report(shown.runs[0].submission).missing) == ("complete", 0)


def test_a_data_set_is_made_and_read_through_the_api(cluster: Cluster, key: str, tmp_path: Path) -> None:
    order = ("kiva", "--count", "4", "--shard-items", "2", "--seed", "5", "--wait")
    said = run(cluster, key, "datasets", "make", *order)
    assert (said["state"], said["shards"]) == ("done", 2)
    with Client(cluster.url("api"), key) as team, (tmp_path / "shard").open("wb") as file:
        team.dataset_shard(said["id"], 0, file)
    assert (tmp_path / "shard").read_bytes()[:4] == b"PAR1"


def test_the_numbers_that_scaling_goes_by_are_shown(cluster: Cluster, secrets: Secrets) -> None:
    token = secrets["tetrad-api"]["TETRAD_API_METRICS_TOKEN"]
    shown = {
        part: httpx.get(f"{cluster.url(part)}/metrics", headers={"Authorization": f"Bearer {token}"}, timeout=20).text
        for part in ("api", "gateway")
    }
    outboxes = {outbox for outbox in SCALED_BY if f'tetrad_due_rows{{outbox="{outbox}"}}' in shown["api"]}
    assert outboxes == SCALED_BY
    assert "\ntetrad_gateway_permits 0.0" in shown["gateway"]


def test_a_backup_is_made_and_restored(cluster: Cluster, secrets: Secrets) -> None:
    (pod,) = [pod for pod in pods_of(cluster.objects) if pod.part == "backup"]
    assert cluster.run_to_end(pod) == ["", "", "2 objects copied"]
    (folder,) = cluster.backups.iterdir()
    assert {path.name for path in folder.iterdir()} == {"tetrad.dump", "generator.dump", "objects"}
    for owner, database, table in (("api", "tetrad", "reports"), ("generator", "generator", "sealed_draws")):
        password = secrets[f"tetrad-{owner}"]["DATABASE_PASSWORD"]
        url = f"postgresql://{owner}:{password}@/restored_{owner}?host={cluster.servers.postgres}"
        run_statements(cluster.servers.postgres, "postgres", [f"CREATE DATABASE restored_{owner} OWNER {owner}"])
        command = [str(PROGRAMS / "pg_restore"), "--no-owner", "--exit-on-error", "--dbname", url]
        subprocess.run([*command, str(folder / f"{database}.dump")], check=True)
        with psycopg.connect(url) as connection:
            assert connection.execute(f"SELECT count(*) FROM {table}").fetchone() == (2,)  # noqa: S608 -- ours


def test_the_job_of_sources_reaches_its_store(cluster: Cluster) -> None:
    """What it makes needs packages of the internet; here it lists what is there."""
    pod = changed(cluster, "sources")
    pod.containers[0]["args"] = ["python", "-m", "generator_service.commands", "list"]
    (listed,) = cluster.run_to_end(pod)
    assert '"name":"builtin"' in listed
    assert '"name":"stage"' in listed


def test_a_request_in_progress_ends_before_its_server_does(tmp_path: Path) -> None:
    """The entry point gives requests the seconds of the chart; a server without one in progress ends at once."""
    port, python = free_port(), tmp_path / "python"
    app = f"*:create_app) argument={SLOW} ;; 0.0.0.0)"
    python.write_text(PYTHON.format(python=sys.executable).replace("0.0.0.0)", app))
    python.chmod(0o755)
    path = {"PATH": f"{tmp_path}:{os.environ['PATH']}"}
    environment = {"SERVICE": "gateway", "STOP_SECONDS": "60", "POD_PORT": str(port), **path}
    command = ["sh", str(ROOT / "deploy" / "entrypoint.sh")]
    server = subprocess.Popen(command, cwd=ROOT, env=os.environ | environment)
    try:
        until_it_answers(port)
        with httpx.stream("GET", f"http://127.0.0.1:{port}/slow", timeout=SECONDS) as reply:
            pieces = reply.iter_bytes()
            first = next(pieces)
            server.terminate()
            assert first + b"".join(pieces) == b"x" * 8
    finally:
        server.terminate()
        assert server.wait(SECONDS) == 0


def until_it_answers(port: int) -> None:
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        try:
            httpx.get(f"http://127.0.0.1:{port}/", timeout=10)
        except httpx.TransportError:
            time.sleep(0.1)
        else:
            return
    raise AssertionError("the server does not answer")


def test_the_statements_for_cloudnativepg_make_the_users_that_the_services_are() -> None:
    (made,) = read_objects((ROOT / "deploy" / "helm" / "cloudnativepg.yaml").read_text())
    begin = made["spec"]["bootstrap"]["initdb"]
    with run_empty_postgres() as (socket, _):
        # What the operator itself does first.
        own = [f"CREATE ROLE {begin['owner']} LOGIN", f"CREATE DATABASE {begin['database']} OWNER {begin['owner']}"]
        run_statements(socket, "postgres", [*own, *begin["postInitSQL"]])
        run_statements(socket, begin["database"], begin["postInitApplicationSQL"])
        upgrade(make_engine(f"postgresql+psycopg://api@/tetrad?host={socket}"), "scoring", "bulk")
        Record(f"postgresql+psycopg://generator@/generator?host={socket}").close()
        for user, database in (("generator", "tetrad"), ("scoring", "generator"), ("api", "generator")):
            with pytest.raises(psycopg.OperationalError, match="permission denied for database"):
                psycopg.connect(host=socket, user=user, dbname=database)


def test_a_pod_that_lacks_a_variable_says_which(cluster: Cluster) -> None:
    pod = changed(cluster, "bulk")
    pod.containers[0]["env"] = [v for v in pod.containers[0]["env"] if v["name"] != "TETRAD_BULK_STORE_URL"]
    with pytest.raises(PodError, match="TETRAD_BULK_STORE_URL is not set"):
        cluster.begin(pod, pod.containers[0]).finish()


def test_a_pod_with_a_wrong_module_ends(cluster: Cluster) -> None:
    pod = changed(cluster, "evaluations")
    pod.containers[0]["args"][-1] = "api.evaluation.worker"
    with pytest.raises(PodError, match=r"No module named 'api\.evaluation'"):
        cluster.begin(pod, pod.containers[0]).finish()


def test_a_hook_with_another_database_s_password_fails(cluster: Cluster) -> None:
    pod = changed(cluster, "migrate-api")
    (password,) = [v for v in pod.containers[0]["env"] if v["name"] == "DATABASE_PASSWORD"]
    password["valueFrom"]["secretKeyRef"]["name"] = "tetrad-generator"
    with pytest.raises(PodError, match="password authentication failed"):
        cluster.run_to_end(pod)


def changed(cluster: Cluster, part: str) -> Pod:
    """Return a copy of a part's pod, to be changed, under a name of its own."""
    return next(pod for pod in deepcopy(pods_of(cluster.objects)) if pod.part == part)._replace(part=f"changed-{part}")
