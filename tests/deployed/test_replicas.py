"""Two of each of our services, with folders of their own, over one Postgres, one Valkey and one object store.

What one answers the other knows: keys, sessions, boards, sources, budgets. A "host", which is one copy of each, dies
while teams submit, have models evaluated, order data sets and read; in the end each host gets a newer release, with a
migration. Nothing that was acknowledged is lost, and only what a host had in hand may fail.

With TETRAD_REPLICAS_SHORT one host dies and none gets a newer release.
"""

import json
import logging
import os
import secrets
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

import httpx
import pytest

from tests.answering import patiently
from tests.deployed.compose import make_deployment, read_example, read_file
from tests.deployed.containers import Container, open_folder
from tests.deployed.loads import PATIENCE_SECONDS, Everybody
from tests.deployed.newer_release import make_job, make_newer
from tests.deployed.running import CONTAINED, Running, running
from tests.deployed.workloads import Deployment, Mount, Workload
from tests.photographs import write_photographs
from tests.signed_in import Person
from tests.waiting import REPLY_SECONDS, wait_until
from tetrad.client import Client
from tetrad.client.operator import OperatorClient
from tetrad.contracts.accounts import KeyRequest, ModelRequest
from tetrad.contracts.inference import GatewayTokenRequest, ModelBudgetRequest
from tetrad.contracts.submissions import SubmissionRequest
from tetrad.server.gateway_tokens import GatewayClaims, sign

SHORT = "TETRAD_REPLICAS_SHORT" in os.environ
LONG_ONLY = pytest.mark.skipif(SHORT, reason="TETRAD_REPLICAS_SHORT is set")
TWICE = ("api", "evaluations", "generator", "practice", "bulk", "scoring", "gateway")
DRAWING = ("generator", "practice", "bulk")
BENCHMARKS = [Path(__file__).parents[1] / name for name in ("toy_benchmarks", "source_benchmarks")]
IN_CONTAINER = "/srv/benchmarks"
DEAD_SECONDS, CALM_SECONDS = (8.0, 3.0) if SHORT else (12.0, 6.0)
LISTED_SECONDS = 5.0 + 1.0  # as docs/cluster.md says, and a request
STREAM_SECONDS = 20.0 + 2.0
GATEWAY_SECONDS = 5.0 + 2.0
READ_REVISION = """
import os, sys, sqlalchemy as sa
url = os.environ[next(name for name in os.environ if name.endswith("_DATABASE_URL"))]
with sa.create_engine(url).connect() as connection:
    print(connection.execute(sa.select(sa.column("version_num")).select_from(sa.table(sys.argv[1]))).scalar())
"""
MODELS = """
[random]
provider = "in-process"
kind = "chat"
title = "Random"
options = { solver = "random" }

[dear]
provider = "in-process"
kind = "chat"
title = "Random, at a price"
output_cap = 100
pictures = { tokens = 1 }
price = { input = 100.0, output = 100.0, source = "a test", date = "2026-11-01" }
options = { solver = "random" }
"""
log = logging.getLogger(__name__)
SPENDER = "spending-on-two"
pytestmark = CONTAINED


@dataclass(frozen=True)
class Files:
    """What the hosts share beside the stores: what an operator adds, and the registry of models."""

    photographs: Path
    models: Path


def with_sources(deployment: Deployment, files: Files, secret: str) -> Deployment:
    """Return the deployment whose generators have the toy, whose items cost next to nothing, and one of photographs.

    Their sources lie in the bucket, as on several hosts.
    """
    mounts = [Mount(source=folder, target=f"{IN_CONTAINER}/{folder.name}") for folder in BENCHMARKS]
    mounts.append(Mount(source=files.photographs, target="/srv/photographs"))
    more = {
        f"TETRAD_{part}_SOURCES_URL": "s3://tetrad/sources,file:///var/lib/tetrad/built-in"
        for part in ("GENERATOR", "BULK")
    }
    more |= {"TETRAD_GENERATOR_MADE_BESIDE": "photographs", "AWS_ENDPOINT_URL_S3": "http://objects:9000"}
    more |= {"AWS_ACCESS_KEY_ID": "admin", "AWS_SECRET_ACCESS_KEY": secret, "AWS_DEFAULT_REGION": "us-east-1"}

    def change(workload: Workload) -> Workload:
        return replace(
            workload,
            mounts=(*workload.mounts, *mounts),
            environment={**workload.environment, **more},
            networks=workload.networks | {"objects"},
            needs={**workload.needs, "objects": "healthy"},
        )

    workloads = [change(one) if one.name in DRAWING else one for one in deployment.workloads]
    return replace(deployment, workloads=tuple(workloads))


@pytest.fixture(scope="module")
def variables() -> dict[str, str]:
    return {name: secrets.token_hex(24) for name in read_example()}


@pytest.fixture(scope="module")
def stack(variables: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    folder = open_folder(tmp_path_factory.mktemp("replicas"))
    files = Files(photographs=folder / "photographs", models=folder / "models")
    for number, name in enumerate(("first", "second", "third")):
        write_photographs(files.photographs / name, 12, first=20 * number)
    files.models.mkdir()
    (files.models / "models.toml").write_text(MODELS)
    given = variables | {
        "TETRAD_BENCHMARK_FOLDERS": ":".join(f"{IN_CONTAINER}/{folder.name}" for folder in BENCHMARKS),
        "TETRAD_MODELS_FOLDER": str(files.models),
        "TETRAD_GATEWAY_MODELS_FILE": "/etc/tetrad/models/models.toml",
        "GENERATOR_WORKERS": "2",
        "PRACTICE_WORKERS": "1",
        "TETRAD_BULK_LEASE_SECONDS": "15",
        "TETRAD_BULK_SWEEP_SECONDS": "2",
    }
    deployment = make_deployment(read_file(), given, folder / "files")
    deployment = with_sources(deployment, files, variables["ADMIN_OBJECTS_SECRET"])
    with running(deployment, folder / "run", dict.fromkeys(TWICE, 2)) as started:
        yield started


@pytest.fixture(scope="module")
def url(stack: Running) -> str:
    return stack.publish("proxy", 8000)


@pytest.fixture(scope="module")
def apis(stack: Running) -> list[str]:
    """The addresses of the two, as the proxy sees them."""
    (proxy,) = stack.containers["proxy"]
    return [stack.publish("api", 8000, seen_by=proxy, number=number) for number in range(2)]


@pytest.fixture(scope="module")
def gateways(stack: Running) -> list[str]:
    """The addresses of the two, as the proxy sees them."""
    (proxy,) = stack.containers["proxy"]
    return [stack.publish("gateway", 8000, seen_by=proxy, number=number) for number in range(2)]


def test_what_one_api_is_told_the_other_knows_at_once(apis: list[str]) -> None:
    with Client(apis[0]) as anyone:
        key = patiently(lambda: anyone.register_team("on-two"), PATIENCE_SECONDS).key
    with Client(apis[0], key=key) as one, Client(apis[1], key=key) as other:
        assert other.keys().keys[0].id == one.keys().keys[0].id
        further = one.new_key(KeyRequest(name="further", scopes=["read"]))
        with Client(apis[1], key=further.key) as short_lived:
            assert short_lived.team().name == "on-two"
            one.revoke_key(further.about.id)
            assert (
                httpx.get(
                    f"{apis[1]}/v1/teams/me", headers={"Authorization": f"Bearer {further.key}"}, timeout=REPLY_SECONDS
                ).status_code
                == 401
            )
        boards = [client.leaderboard("kiva") for client in (one, other)]
        assert boards[0] == boards[1]


def test_a_session_of_one_api_is_one_of_the_other_and_ends_on_both(apis: list[str]) -> None:
    with Client(apis[0]) as anyone:
        key = anyone.register_team("reader-on-two").key
    behind_tls = {"X-Forwarded-Proto": "https", "X-Forwarded-For": "192.0.2.9"}  # as the proxy says it
    origins = [url.replace("http:", "https:") for url in apis]
    with ExitStack() as stack:
        first, second = (
            stack.enter_context(httpx.Client(base_url=url, headers=behind_tls, timeout=REPLY_SECONDS)) for url in apis
        )
        person = Person.signed_in(first, key, origins[0])
        elsewhere = replace(person, client=second, origin=origins[1])
        assert "reader-on-two" in elsewhere.get("/team").text
        assert elsewhere.post("/team/sign-out").status_code == 303
        assert "reader-on-two" not in person.get("/team").text


def manage_sources(container: Container, *command: str) -> None:
    """Run a command of an operator's, as `docker compose exec generator` does."""
    done = container.run(["python", "-m", "generator_service.commands", *command])
    assert done.returncode == 0, done.stderr


class Drawing:
    """Whether an api draws from a source, for practice and for a submission; each time another draw."""

    def __init__(self, url: str, key: str) -> None:
        self._url, self._key, self._seed = url, key, 0

    def refusals(self, source: str) -> list[int]:
        """Return the status of a page of practice items, and of an opened submission."""
        self._seed += 1
        headers = {"Authorization": f"Bearer {self._key}"}
        asked = {"track": "photographs", "source": source, "seed": str(self._seed), "limit": "1"}
        body = {"benchmark": "glimpse", "track": "photographs", "model": "glimpser", "size": 1, "source": [source]}
        with httpx.Client(base_url=self._url, headers=headers, timeout=30) as client:
            practice = client.get("/v1/benchmarks/glimpse/items", params=asked)
            opened = client.post("/v1/submissions", json=body)
        return [practice.status_code, opened.status_code]


def test_a_source_that_one_host_adds_or_retires_is_so_on_the_other(stack: Running, apis: list[str]) -> None:
    with Client(apis[0]) as anyone:
        key = anyone.register_team("drawing-on-two").key
    with Client(apis[0], key=key) as client:
        client.register_model(ModelRequest(name="glimpser"))
    here, there = stack.containers["generator"]
    drawing = [Drawing(url, key) for url in apis]

    def all_answer(source: str, *statuses: int) -> bool:
        return all(one.refusals(source) == list(statuses) for one in drawing * 3)

    for name in ("first", "second"):
        manage_sources(here, "add", "photographs", f"/srv/photographs/{name}", "--name", name, "--access", "public")
    seen = wait_until(lambda: all_answer("photographs:second", 200, 201), 30, "the new source is drawn from")
    manage_sources(there, "remove", "photographs:second", "--retire")
    retired = drawn = time.monotonic()

    def all_refuse() -> bool:
        """Note when the last draw began that was not refused: how long the looks themselves take says nothing."""
        nonlocal drawn
        for one in drawing * 3:
            begun = time.monotonic()
            if one.refusals("photographs:second") != [422, 422]:
                drawn = begun
                return False
        return True

    wait_until(all_refuse, 60, "it is refused")
    refused = drawn - retired
    assert all_answer("photographs:first", 200, 201)
    log.warning("a new source is drawn from after %.1f s, a retired one refused after %.1f s", seen, refused)
    assert refused < LISTED_SECONDS


@LONG_ONLY
def test_a_stream_that_is_open_ends_after_its_key_was_revoked_at_the_other_api(apis: list[str]) -> None:
    with Client(apis[0]) as anyone:
        key = anyone.register_team("listening-on-two").key
    with Client(apis[0], key=key) as one, Client(apis[1], key=key) as other, ThreadPoolExecutor(1) as pool:
        one.register_model(ModelRequest(name="listener"))
        opened = one.open_submission(SubmissionRequest(benchmark="toy", model="listener", size=2)).id
        further = one.new_key(KeyRequest(name="further", scopes=["read"]))
        headers = {"Authorization": f"Bearer {further.key}", "Accept": "text/event-stream"}
        address = f"{apis[0]}/v1/submissions/{opened}/events"
        heard = pool.submit(lambda: httpx.get(address, headers=headers, timeout=2 * STREAM_SECONDS).text)
        time.sleep(1.0)
        assert not heard.done()
        other.revoke_key(further.about.id)
        revoked_at = time.monotonic()
        assert "this key is revoked" in heard.result(2 * STREAM_SECONDS)
    log.warning("an open stream ended %.1f s after its key was revoked", time.monotonic() - revoked_at)
    assert time.monotonic() - revoked_at < STREAM_SECONDS


@LONG_ONLY
def test_a_budget_that_is_pulled_and_a_token_that_is_revoked_are_so_at_both_gateways(
    apis: list[str], gateways: list[str], variables: dict[str, str]
) -> None:
    with Client(apis[0]) as anyone:
        anyone.register_team(SPENDER)
    with OperatorClient(apis[0], key=variables["OPERATOR_TOKEN"]) as operator:
        asked = GatewayTokenRequest(team=SPENDER, purpose="practice", budget=10_000_000)
        granted = operator.make_gateway_token(asked)
        claims = GatewayClaims(
            id=granted.about.id,
            team=SPENDER,
            team_id=granted.team_id,
            expires_at=int(time.time() + 3600) * 1000,
            purpose="practice",
            budget=asked.budget,
        )
        headers = {"Authorization": f"Bearer {sign(claims, variables['GATEWAY_TOKEN_SECRET'])}"}
        call = {"model": "dear", "messages": [{"role": "user", "content": "Which? (A) one (B) two"}], "max_tokens": 10}

        def answers() -> list[int]:
            address = "/v1/chat/completions"
            return [httpx.post(url + address, json=call, headers=headers, timeout=30).status_code for url in gateways]

        def wait_for(status: int, what: str) -> float:
            return wait_until(lambda: answers() == [status, status], GATEWAY_SECONDS, what)

        seconds = [wait_for(200, "both answer")]
        for budget, status in ((10_000_000, 200), (0, 402), (None, 200)):
            operator.set_model_budget(SPENDER, ModelBudgetRequest(budget=budget, reason="a test"))
            seconds.append(wait_for(status, f"a budget of {budget}"))
        spent = operator.model_budget(SPENDER).spent
        operator.revoke_gateway_token(granted.about.id)
        seconds.append(wait_for(401, "a revoked token"))
    log.warning("both gateways followed after %s s, %d micro-dollars spent", [round(one, 1) for one in seconds], spent)
    assert spent > 0


def host(stack: Running, number: int) -> list[Container]:
    return [stack.containers[name][number] for name in TWICE]


def test_a_host_may_die_while_everybody_works_and_nothing_is_lost(stack: Running, url: str) -> None:
    everybody = Everybody.of(url, "on-a-host-that-dies")
    with everybody.going_on():
        for number in (1,) if SHORT else (1, 0):
            time.sleep(CALM_SECONDS)
            killed_at = time.monotonic()
            for container in host(stack, number):
                container.kill()
            time.sleep(DEAD_SECONDS / 2)
            if number == 1:  # and meanwhile a source is added
                other = stack.containers["generator"][0]
                manage_sources(other, "add", "photographs", "/srv/photographs/third", "--name", "third")
            time.sleep(DEAD_SECONDS / 2)
            everybody.failed.append(everybody.readers.failed_since(killed_at))
            for container in host(stack, number):
                container.start()
            stack.wait_until_healthy(*TWICE)
            everybody.submitters.ready_at = time.monotonic()
        time.sleep(CALM_SECONDS)
    log.warning("%s", everybody.describe())
    everybody.check()
    listed = stack.containers["generator"][1].run(["python", "-m", "generator_service.commands", "list"])
    assert {"first", "third"} <= {source["name"] for source in json.loads(listed.stdout)["sources"]}
    with Client(url) as anyone:
        assert anyone.leaderboard("toy", setting="shade-only").rows


def read_revisions(stack: Running) -> list[str]:
    """Return the revision of each database, as its service sees it."""
    tables = {"api": "alembic_version", "generator": "record_version"}
    return [
        stack.containers[name][0].run(["python", "-c", READ_REVISION, table]).stdout.strip()
        for name, table in tables.items()
    ]


@LONG_ONLY
def test_a_newer_release_goes_from_host_to_host_while_everybody_works(
    stack: Running, url: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = open_folder(tmp_path_factory.mktemp("newer"))
    before = read_revisions(stack)
    everybody = Everybody.of(url, "on-a-newer-release")
    with everybody.going_on():
        time.sleep(CALM_SECONDS)
        begun = time.monotonic()
        for name in ("api", "generator"):
            with stack.trying(make_job(make_newer(stack.deployment.find(name), folder))) as job:
                wait_until(lambda job=job: job.status() is not None, PATIENCE_SECONDS, "the Job ends")  # type: ignore[misc]  # a lambda's default
                assert job.status() == 0, job.log
        time.sleep(CALM_SECONDS)  # the old processes go on with the new tables
        everybody.failed.append(everybody.readers.failed_since(begun))
        for name in ("api", "generator"):  # and start again with them
            stack.containers[name][1].kill()
            stack.containers[name][1].start()
        stack.wait_until_healthy("api", "generator")
        for number in (0, 1):
            begun = time.monotonic()
            for container in host(stack, number):
                container.stop()
                container.workload = make_newer(container.workload, folder)
                container.start()
            stack.wait_until_healthy(*TWICE)
            everybody.submitters.ready_at = time.monotonic()
            everybody.failed.append(everybody.readers.failed_since(begun))
        time.sleep(CALM_SECONDS)
    log.warning("from %s to %s: %s", before, read_revisions(stack), everybody.describe())
    everybody.check()
    assert read_revisions(stack) == [f"9999_since_{revision}" for revision in before]
