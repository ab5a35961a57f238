"""deploy/compose.yaml, executed: every service in a container of namespaces, on its networks, as its user.

No image is built and no engine runs; programs of others come from wheels. All that compose.yaml says of commands,
variables, users, networks, volumes, read-only roots, order and checks of health holds here as it does there.
"""

import hashlib
import json
import os
import re
import secrets
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping
from copy import deepcopy
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.answering import open_questions, patiently, register, wait_scored
from tests.deployed.compose import ROOT, ComposeError, fill_in, make_deployment, read_example, read_file
from tests.deployed.compose_checks import find_faults
from tests.deployed.containers import Container, open_folder
from tests.deployed.documented_commands import Documented, find_commands
from tests.deployed.running import CONTAINED, WORLD, Running, running
from tests.deployed.workloads import Mount, Workload, order
from tests.waiting import REPLY_SECONDS, wait_until
from tetrad.client import Client
from tetrad.contracts.answers import Answer
from tetrad.contracts.datasets import DatasetRequest
from tetrad.contracts.evaluations import EvaluationRequest
from tetrad.contracts.submissions import SubmissionRequest

PATIENCE_SECONDS = 180.0
ENDS_SECONDS = 60.0
PORTS = {"database": 5432, "redis": 6379, "objects": 9000, "proxy": 8001}  # of the others 8000
LISTENS_TO_NOTHING = {"evaluations", "scoring", "bulk"}
OPERATOR = 1000  # a user of the host
PACKAGES = {"sources"}  # a job that fetches packages
ENDED_BY_SIGTERM = {0, 130, 143}
WRONG_STORE = "s3://tetrads/reports"
REACH = """
import json, socket, sys
def reach(address, port):
    try:
        socket.create_connection((address, port), 3).close()
    except OSError:
        return False
    return True
print(json.dumps([name for name, address, port in json.loads(sys.argv[1]) if reach(address, port)]))
"""
CONFINED = """
import os
rights = open("/proc/self/status").read().split("CapEff:")[1].split()[0]
try:
    open("/written", "w").close()
    root = "writable"
except OSError:
    root = "read-only"
print(os.getuid(), rights, root)
"""
pytestmark = CONTAINED


@pytest.fixture(scope="module")
def variables() -> dict[str, str]:
    tokens = [f"TETRAD_{part}_METRICS_TOKEN" for part in ("API", "GENERATOR", "GATEWAY")]
    return {name: secrets.token_hex(24) for name in read_example()} | dict.fromkeys(tokens, secrets.token_hex(24))


@pytest.fixture(scope="module")
def stack(variables: Mapping[str, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    folder = open_folder(tmp_path_factory.mktemp("compose"))
    with running(make_deployment(read_file(), variables, folder / "files"), folder / "run") as started:
        yield started


@pytest.fixture(scope="module")
def url(stack: Running) -> str:
    return stack.publish("proxy", 8000)


@pytest.fixture(scope="module")
def team(url: str) -> Iterator[Client]:
    with Client(url) as anyone:
        key = patiently(lambda: anyone.register_team("composed"), PATIENCE_SECONDS).key
    with Client(url, key=key) as client:
        yield client


def test_a_submission_is_answered_and_scored_through_the_proxy(team: Client, url: str) -> None:
    register(team, "by-hand")
    opened = team.open_submission(SubmissionRequest(benchmark="kiva", model="by-hand", size=5))
    state = "open"
    while state == "open" and (asked := list(open_questions(team, opened.id))):
        answers = [Answer(item=one.item, question=one.question.id, response="The answer is (A).") for one in asked]
        assert team.picture(asked[0].question.pictures[0].url or "").startswith(b"\x89PNG")
        state = team.seal(opened.id, answers).state
    wait_scored(team, opened.id)
    assert team.report(opened.id).size == 5
    page = httpx.get(f"{url}/submissions/{opened.id}", headers={"Accept": "text/html"}, timeout=REPLY_SECONDS)
    assert (page.status_code, "<h1" in page.text) == (200, True)
    inner = [
        httpx.get(f"{url}{path}", timeout=REPLY_SECONDS).status_code
        for path in ("/metrics", "/internal/v1/settlements")
    ]
    assert inner == [404, 404]


def test_a_model_of_the_gateway_is_evaluated(team: Client) -> None:
    opened = team.evaluate(EvaluationRequest(benchmark="marvel", models=["random"], size=4))
    end = time.monotonic() + PATIENCE_SECONDS
    while (found := team.evaluation(opened.id)).state != "done":
        assert time.monotonic() < end, found
        time.sleep(0.5)
    assert [run.outcome for run in found.runs] == ["complete"]


def test_a_data_set_is_made_by_a_bulk_worker_and_read(team: Client, tmp_path: Path) -> None:
    ordered = team.order_dataset(
        DatasetRequest(benchmark="kiva", seed="5", count=6, form="rows", shard_items=3, source=["objects:builtin"])
    )
    end = time.monotonic() + PATIENCE_SECONDS
    while (found := team.dataset(ordered.id)).state != "done":
        assert time.monotonic() < end, found
        time.sleep(0.5)
    for shard in team.dataset_manifest(ordered.id).shards:
        with (tmp_path / "shard").open("wb") as file:
            team.dataset_shard(ordered.id, shard.number, file)
        assert hashlib.sha256((tmp_path / "shard").read_bytes()).hexdigest() == shard.sha256
    assert found.shards_done == 2


def as_documented(workload: Workload, asked: Documented) -> Workload:
    """Return what `docker compose run` makes of a service. Docker makes the folder of a volume, which root then has."""
    mounts = []
    for source, target in (text.split(":") for text in asked.volumes):
        Path(source).mkdir(parents=True, exist_ok=True)
        mounts.append(Mount(source=Path(source), target=target, writable=True))
    ours = workload.command.index("/usr/local/bin/entrypoint.sh") + 1
    return replace(
        workload,
        name="documented",
        command=(*workload.command[:ours], *asked.command),
        environment={**workload.environment, **dict(text.split("=", 1) for text in asked.environment)},
        user=(int(asked.user), 0) if asked.user else workload.user,
        mounts=(*workload.mounts, *mounts),
        health=None,
    )


def run_documented(stack: Running, asked: Documented) -> tuple[int, str]:
    """Run a command of a document; return its status, and what it said."""
    if asked.verb == "exec":
        done = stack.containers[asked.service][0].run(asked.command)
        return done.returncode, done.stdout + done.stderr
    with stack.trying(as_documented(stack.deployment.find(asked.service), asked)) as container:
        end = time.monotonic() + ENDS_SECONDS
        while (status := container.status()) is None:
            assert time.monotonic() < end, container.log[-3000:]
            time.sleep(0.2)
        return status, container.log


def test_the_documents_commands_work_in_the_containers(
    stack: Running, variables: Mapping[str, str], tmp_path: Path, team: Client
) -> None:
    """They are run as an operator without any right gives them, in a folder of its own."""
    folder = open_folder(tmp_path)
    os.chown(folder, OPERATOR, OPERATOR)
    for line in re.findall(r"^mkdir .*$", (ROOT / "docs" / "upkeep.md").read_text(), re.MULTILINE):
        as_operator = ["setpriv", f"--reuid={OPERATOR}", f"--regid={OPERATOR}", "--clear-groups"]
        subprocess.run([*as_operator, *line.split()], cwd=folder, check=True)
    (folder / "objects").symlink_to(folder / "new" / "objects")  # a restore begins in the folder of the backup
    fill = {"$(id -u)": str(OPERATOR), "$PWD": str(folder), "$ADMIN_OBJECTS_SECRET": variables["ADMIN_OBJECTS_SECRET"]}
    commands = [asked for asked in find_commands(fill) if asked.service not in PACKAGES]
    said = {asked: run_documented(stack, asked) for asked in commands}
    assert {asked: words[-2000:] for asked, (status, words) in said.items() if status} == {}
    assert {"database", "api", "generator"} <= {asked.service for asked in commands}
    assert len(commands) >= 7
    status = next(words for asked, (_, words) in said.items() if "status" in " ".join(asked.command))
    assert "NOT SEEN" in status, status
    reports = [name for name in (folder / "new" / "objects").rglob("*") if name.is_file()]
    assert reports, team.submissions()


def test_each_reaches_whom_it_shares_a_network_with_and_nobody_else(stack: Running) -> None:
    every = [container for containers in stack.containers.values() for container in containers]
    places = [
        (container.workload.name, address, PORTS.get(container.workload.name, 8000))
        for container in every
        for address in container.addresses.values()
    ]
    for container in every:
        mine = container.workload.networks
        wanted = (
            {other.workload.name for other in every if other.workload.networks & mine} - LISTENS_TO_NOTHING - {WORLD}
        )
        asked = container.run(["/opt/venv/bin/python", "-c", REACH, json.dumps(places)])
        reached = set(json.loads(asked.stdout or "[]"))
        assert reached - {container.workload.name} == wanted - {container.workload.name}, container.workload.name


def test_each_has_its_user_no_right_and_a_root_as_the_file_says(stack: Running) -> None:
    for workload in stack.deployment.workloads:
        (container,) = stack.containers[workload.name]
        uid, rights, root = container.run(["/opt/venv/bin/python", "-c", CONFINED]).stdout.split()
        assert (int(uid), int(rights, 16)) == (workload.user[0], 0), workload.name
        assert uid != "0", workload.name
        assert root == "read-only", f"{workload.name} can write its root"


def test_the_file_itself_has_no_fault() -> None:
    assert find_faults(read_file()) == []


def plant(path: str, value: Any) -> Callable[[dict[str, Any]], None]:
    """Return what sets a value of the file, by the names that lead to it; None takes it away."""
    *names, last = path.split("/")

    def change(file: dict[str, Any]) -> None:
        place = file["services"]
        for name in names:
            place = place[name]
        if value is None:
            del place[last]
        else:
            place[last] = value

    return change


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (plant("bulk/environment/TETRAD_BULK_SEED", "${SEED_SECRET:?}"), "bulk holds SEED_SECRET"),
        (plant("api/environment/TETRAD_API_SECRETS", "${GATEWAY_TOKEN_SECRET:?}"), "api holds GATEWAY_TOKEN_SECRET"),
        (plant("scoring/environment/X", "${API_OBJECTS_SECRET:?}"), "scoring holds API_OBJECTS_SECRET"),
        (plant("scoring/environment/TETRAD_SCORING_GENERATOR_KEYS_TOKEN", ""), "scoring lacks KEYS_TOKEN"),
        (plant("api/networks", ["proxy", "outside"]), "api reaches outside by outside"),
        (plant("scoring/networks", ["redis"]), "scoring names database, with which it shares no network"),
        (plant("practice/networks", ["api-practice", "scoring-generator"]), "neither names the other"),
    ],
)
def test_a_fault_of_secrets_or_networks_is_said(change: Callable[[dict[str, Any]], None], fault: str) -> None:
    file = deepcopy(read_file())
    change(file)
    assert any(fault in found for found in find_faults(file)), find_faults(file)


def test_what_must_be_set_and_is_not_is_named_before_anything_starts(tmp_path: Path) -> None:
    with pytest.raises(ComposeError, match=r"[A-Z_]+ is not set"):
        make_deployment(read_file(), {}, tmp_path)
    assert fill_in("${A:-b}-${C:?}-${D}", {"C": "c"}) == "b-c-"


def test_services_that_wait_for_each_other_are_named(variables: Mapping[str, str], tmp_path: Path) -> None:
    deployment = make_deployment(read_file(), variables, tmp_path)
    circle = [replace(one, needs={"api": "healthy"}) if one.name == "database" else one for one in deployment.workloads]
    with pytest.raises(ValueError, match=r"nothing can start next.*'database': \['api'\]"):
        order(tuple(circle))


def with_variables(**changes: str) -> Callable[[Workload], Workload]:
    return lambda workload: replace(workload, environment={**workload.environment, **changes})


def without(name: str) -> Callable[[Workload], Workload]:
    return lambda workload: replace(
        workload, environment={key: value for key, value in workload.environment.items() if key != name}
    )


@pytest.mark.parametrize(
    ("service", "change", "words"),
    [
        pytest.param(
            "generator", without("TETRAD_GENERATOR_SEED_SECRET"), "TETRAD_GENERATOR_SEED_SECRET", id="variable"
        ),
        pytest.param(
            "api",
            lambda one: with_variables(
                TETRAD_API_DATABASE_URL=one.environment["TETRAD_API_DATABASE_URL"].replace("api:", "api:x")
            )(one),
            "password authentication failed",
            id="secret",
        ),
        pytest.param(
            "scoring",
            lambda one: with_variables(
                TETRAD_SCORING_DATABASE_URL=one.environment["TETRAD_SCORING_DATABASE_URL"].replace(
                    "tetrad", "generator"
                )
            )(one),
            "work put off",
            id="role",
        ),
        pytest.param(
            "evaluations",
            lambda one: replace(one, command=(*one.command[:-1], "api.evaluations.works")),
            "No module named",
            id="module",
        ),
        pytest.param("generator", lambda one: replace(one, scratch=()), "Read-only file system", id="scratch"),
        pytest.param(
            "redis",
            lambda one: replace(one, mounts=tuple(mount for mount in one.mounts if mount.target != "/data")),
            "No such file or directory",
            id="volume",
        ),
    ],
)
def test_a_fault_that_only_running_shows_ends_the_service_with_its_name(
    stack: Running, service: str, change: Callable[[Workload], Workload], words: str
) -> None:
    with stack.trying(change(stack.deployment.find(service))) as container:
        end = time.monotonic() + ENDS_SECONDS
        while words not in container.log:
            assert time.monotonic() < end, container.log[-3000:]
            time.sleep(0.3)


def says_that_its_store_is_down(container: Container) -> bool:
    return "the store is down" in container.log and WRONG_STORE in container.log


def test_an_api_with_a_wrong_bucket_is_never_healthy_and_says_why(stack: Running) -> None:
    wrong = with_variables(TETRAD_API_STORE_URL=WRONG_STORE)(stack.deployment.find("api"))
    with stack.trying(wrong) as container:
        end = time.monotonic() + ENDS_SECONDS
        while not says_that_its_store_is_down(container):
            assert not container.is_healthy()
            assert time.monotonic() < end, container.log[-3000:]
            time.sleep(0.3)


@pytest.mark.parametrize("service", ["scoring", "bulk"])
def test_a_worker_with_a_wrong_bucket_says_so_before_there_is_work(stack: Running, service: str) -> None:
    right = stack.deployment.find(service)
    wrong = with_variables(**{f"TETRAD_{service.upper()}_STORE_URL": WRONG_STORE})(right)
    with stack.trying(wrong) as container:
        wait_until(lambda: says_that_its_store_is_down(container), ENDS_SECONDS, "it says that its store is down")
    assert "the store is down" not in stack.containers[service][0].log


def test_a_check_of_health_at_a_wrong_port_never_passes(stack: Running) -> None:
    (gateway,) = stack.containers["gateway"]
    stack.wait_until_healthy("gateway")
    check = "import urllib.request as r; r.urlopen('http://127.0.0.1:8001/health/ready', timeout=4)"
    gateway.workload = replace(gateway.workload, health=("python", "-c", check))
    assert not gateway.is_healthy()


def test_all_end_when_they_are_told_to(stack: Running) -> None:
    """It is the last one of the file."""
    for workload in reversed(order(stack.deployment.workloads)):
        (container,) = stack.containers[workload.name]
        assert container.stop() in ENDED_BY_SIGTERM, workload.name
