"""Two of each of our services, with folders of their own, over one Postgres, one Valkey and one object store.

What one answers the other knows: keys, sessions, boards. A "host", which is one copy of each, dies while teams submit
and readers read: nothing that was acknowledged is lost, and only what the host had in hand may fail.
"""

import logging
import secrets
import threading
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

import httpx
import pytest

from tests.answering import patiently
from tests.deployed.compose import make_deployment, read_example, read_file
from tests.deployed.containers import Container, open_folder
from tests.deployed.running import CONTAINED, Running, running
from tests.deployed.workloads import Deployment, Mount
from tests.signed_in import Person
from tests.soak.submitting import Submitters
from tetrad.client import Client
from tetrad.contracts.accounts import KeyRequest

TWICE = ("api", "evaluations", "generator", "practice", "scoring", "gateway")
TOYS = Path(__file__).parents[1] / "toy_benchmarks"
IN_CONTAINER = "/srv/benchmarks"
DEAD_SECONDS, CALM_SECONDS = 12.0, 6.0
READERS = 4
PATIENCE_SECONDS = 180.0
log = logging.getLogger(__name__)
pytestmark = CONTAINED


def with_toys(deployment: Deployment) -> Deployment:
    """Return the deployment whose generators have the toy, whose items cost next to nothing."""
    toys = Mount(source=TOYS, target=IN_CONTAINER)
    return replace(
        deployment,
        workloads=tuple(
            replace(one, mounts=(*one.mounts, toys)) if one.name in {"generator", "practice", "bulk"} else one
            for one in deployment.workloads
        ),
    )


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    folder = open_folder(tmp_path_factory.mktemp("replicas"))
    variables = {name: secrets.token_hex(24) for name in read_example()}
    variables |= {"TETRAD_BENCHMARK_FOLDERS": IN_CONTAINER, "GENERATOR_WORKERS": "2", "PRACTICE_WORKERS": "1"}
    deployment = with_toys(make_deployment(read_file(), variables, folder / "files"))
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
                httpx.get(f"{apis[1]}/v1/teams/me", headers={"Authorization": f"Bearer {further.key}"}).status_code
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
        first, second = (stack.enter_context(httpx.Client(base_url=url, headers=behind_tls)) for url in apis)
        person = Person.signed_in(first, key, origins[0])
        elsewhere = replace(person, client=second, origin=origins[1])
        assert "reader-on-two" in elsewhere.get("/team").text
        assert elsewhere.post("/team/sign-out").status_code == 303
        assert "reader-on-two" not in person.get("/team").text


@dataclass
class Entrance:
    """What teams and readers reach the service by."""

    url: str

    def client(self, key: str = "") -> Client:
        return Client(self.url, key=key) if key else Client(self.url)


@dataclass
class Readers:
    """Readers who ask on and on, each for one thing after the other, and note what was answered when."""

    url: str
    key: str
    answered: list[tuple[float, str, int]] = field(default_factory=list)
    _done: threading.Event = field(default_factory=threading.Event)

    @contextmanager
    def going_on(self) -> Iterator[None]:
        with ThreadPoolExecutor(READERS) as pool:
            readers = [pool.submit(self._read) for _ in range(READERS)]
            try:
                yield
            finally:
                self._done.set()
            for reader in readers:
                reader.result()

    def _read(self) -> None:
        paths = (
            "/v1/teams/me",
            "/v1/submissions?limit=5",
            "/v1/leaderboards/toy?track=toy",
            "/v1/benchmarks/toy/items?limit=2",
        )
        with httpx.Client(base_url=self.url, headers={"Authorization": f"Bearer {self.key}"}, timeout=60) as client:
            while not self._done.is_set():
                for path in paths:
                    self.answered.append((time.monotonic(), path, self._ask(client, path)))
                time.sleep(0.05)

    @staticmethod
    def _ask(client: httpx.Client, path: str) -> int:
        try:
            return client.get(path).status_code
        except httpx.TransportError:
            return 0

    def failed_since(self, moment: float) -> Counter[tuple[str, int]]:
        """Return how often which path was answered with what error; 0 is no answer."""
        found = ((path, status) for at, path, status in self.answered if at >= moment)
        return Counter((path, status) for path, status in found if status == 0 or status >= 500)


def host(stack: Running, number: int) -> list[Container]:
    return [stack.containers[name][number] for name in TWICE]


def test_a_host_may_die_while_teams_submit_and_nothing_is_lost(stack: Running, url: str) -> None:
    with Client(url) as anyone:
        key = anyone.register_team("readers-of-two").key
    submitters, readers = Submitters(Entrance(url)), Readers(url, key)  # type: ignore[arg-type]  # it asks for clients alone
    failed: list[Counter[tuple[str, int]]] = []
    with submitters.going_on(), readers.going_on():
        for number in (1, 0):
            time.sleep(CALM_SECONDS)
            killed_at = time.monotonic()
            for container in host(stack, number):
                container.kill()
            time.sleep(DEAD_SECONDS)
            failed.append(readers.failed_since(killed_at))
            for container in host(stack, number):
                container.start()
            stack.wait_until_healthy(*TWICE)
            submitters.ready_at = time.monotonic()
        time.sleep(CALM_SECONDS)
    story = {"failed": failed, "read": len(readers.answered), "submitted": submitters.describe()}
    log.warning("%s", story)
    assert submitters.lost() == 0, story
    assert len(submitters.reports) == len(submitters.acknowledged) > 0, story
    assert all(count.total() <= 2 * READERS for count in failed), (
        story
    )  # what it had in hand: a reader's, and that one's next
    with Client(url, key=key) as client:
        assert client.leaderboard("toy", setting="shade-only").rows
