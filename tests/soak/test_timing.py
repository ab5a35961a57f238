"""How long a reply takes tells nothing: TETRAD_SOAK_TIMINGS requests (10,000) for each of three secrets.

Right against wrong answers; at a sealed picture, a wrong key that is nearly right against one that isn't; and, for a
stranger, a submission that exists against one that doesn't. Requests of both kinds come in random order on one
connection. The effect is the chance that a reply of the first kind takes longer than one of the second: 0.5 is none.
"""

import http.client
import json
import os
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from random import Random
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import httpx
import pytest
from scipy.stats import mannwhitneyu

from api.settings import ApiSettings
from tests.integration.api.team import NONCE
from tests.integration.api.trio import LABELS, key_of, trio_served
from tests.integration.real_generator import PRACTICE_TOKEN, SEALED_TOKEN, seed_of
from tests.serving import served, variables

REQUESTS = int(os.environ.get("TETRAD_SOAK_TIMINGS", "10000"))
LARGEST_DRAW = 5000
WARM_UP = 200
NAMES = 20  # of submissions, as many of each kind
MOST_EFFECT, LEAST_P = 0.02, 0.001  # 0.5 +- 0.006 is one standard error of 10,000 requests


class Request(NamedTuple):
    method: str
    path: str
    key: str
    body: bytes = b""


class Difference(NamedTuple):
    effect: float
    p: float

    @property
    def is_seen(self) -> bool:
        return self.p < LEAST_P and abs(self.effect - 0.5) > MOST_EFFECT


class Service:
    """A served api with a team and a stranger, and submissions whose keys are known here."""

    def __init__(self, url: str) -> None:
        self._client = httpx.Client(base_url=url, timeout=60)
        place = urlsplit(url)
        self._connection = http.client.HTTPConnection(str(place.hostname), place.port, timeout=60)
        self.key, self.stranger = self._register("timed"), self._register("stranger")

    def close(self) -> None:
        self._client.close()
        self._connection.close()

    def open(self, size: int) -> str:
        """Open a submission of this size, with its first questions."""
        body = {"benchmark": "trio", "track": "plain", "model": "m", "size": size, "nonce": NONCE}
        opened = str(self._post("/v1/submissions", self.key, body)["id"])
        path: str | None = f"/v1/submissions/{opened}/questions?limit=200"
        while path:
            reply = self._client.get(path, headers={"Authorization": f"Bearer {self.key}"}).raise_for_status()
            path = reply.links.get("next", {}).get("url")
        return opened

    def seconds(self, asked: Request) -> tuple[float, int]:
        """Send a request; return how long its reply took, and its status."""
        headers = {"Authorization": f"Bearer {asked.key}", "Content-Type": "application/json"}
        begun = time.perf_counter()
        self._connection.request(asked.method, asked.path, asked.body, headers)
        reply = self._connection.getresponse()
        reply.read()
        return time.perf_counter() - begun, reply.status

    def _register(self, name: str) -> str:
        key = str(self._post("/v1/teams", "", {"name": name})["key"])
        self._post("/v1/models", key, {"name": "m"})
        return key

    def _post(self, path: str, key: str, body: dict[str, Any]) -> dict[str, Any]:
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        made: dict[str, Any] = self._client.post(path, json=body, headers=headers).raise_for_status().json()
        return made


@contextmanager
def service_of(folder: Path, app: str) -> Iterator[Service]:
    folder.mkdir()
    with trio_served(folder) as generator:
        settings = ApiSettings(
            database_url=f"sqlite:///{folder}/api.db",
            store_url=f"file://{folder}/objects",
            generator_url=generator.url,
            generator_practice_token=PRACTICE_TOKEN,
            generator_sealed_token=SEALED_TOKEN,
            log_level="ERROR",
        )
        with served(app, variables("TETRAD_API", settings)) as api, closing(Service(api.url)) as service:
            yield service


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with service_of(tmp_path_factory.mktemp("timing") / "api", "api.app:create_app") as service:
        yield service


def measure(service: Service, name: str, status: int, kinds: tuple[list[Request], list[Request]]) -> Difference:
    """Send all requests in random order, all with this status, and compare the times of the two kinds."""
    order = [(kind, asked) for kind in (0, 1) for asked in kinds[kind]]
    Random(name).shuffle(order)
    taken: tuple[list[float], list[float]] = ([], [])
    for place, (kind, asked) in enumerate(order):
        seconds, answered = service.seconds(asked)
        assert answered == status
        if place >= WARM_UP:
            taken[kind].append(seconds)
    found = mannwhitneyu(taken[0], taken[1], alternative="two-sided")
    difference = Difference(float(found.statistic) / (len(taken[0]) * len(taken[1])), float(found.pvalue))
    middle = [1000 * sorted(times)[len(times) // 2] for times in taken]
    print(f"{name}: {len(order)} requests, medians {middle[0]:.3f} and {middle[1]:.3f} ms, {difference}")  # noqa: T201
    return difference


def of_answers(service: Service) -> tuple[list[Request], list[Request]]:
    """Return requests that seal right and wrong answers, each to a question of its own."""
    kinds: tuple[list[Request], list[Request]] = ([], [])
    random = Random("answers")
    left = REQUESTS
    while left:
        size = min(left, LARGEST_DRAW)
        submission = service.open(size)
        seed = seed_of(submission, NONCE)
        for item in random.sample(range(size), size):
            key = key_of(seed, item, "what-0")
            kind = len(kinds[0]) > len(kinds[1])
            label = key if not kind else random.choice([label for label in LABELS["what"] if label != key])
            body = json.dumps({"answers": [{"item": item, "question": "what-0", "answer": label}]}).encode()
            kinds[kind].append(Request("POST", f"/v1/submissions/{submission}/answers", service.key, body))
        left -= size
    return kinds


def of_wrong_keys(service: Service) -> tuple[list[Request], list[Request]]:
    """Return requests for a sealed picture with a key that differs in its end, and with one that differs in all."""
    path = f"/v1/submissions/{service.open(1)}/items/0/images/what-0-1.png"
    random, alphabet = Random("keys"), "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

    def ending(kept: int) -> Request:
        drawn = "".join(random.choices(alphabet, k=len(service.key) - kept))
        return Request("GET", path, service.key[:kept] + drawn)

    return [ending(len(service.key) - 4) for _ in range(REQUESTS // 2)], [ending(7) for _ in range(REQUESTS // 2)]


def of_strangers(service: Service) -> tuple[list[Request], list[Request]]:
    """Return a stranger's requests for pictures of a submission that exists, and of ones that don't."""
    random = Random("strangers")
    known = [service.open(1) for _ in range(NAMES)]
    unknown = [name[:-24] + "".join(random.choices("0123456789abcdef", k=24)) for name in known]
    existing, missing = (
        [
            Request("GET", f"/v1/submissions/{names[place % NAMES]}/items/0/images/what-0-1.png", service.stranger)
            for place in range(REQUESTS // 2)
        ]
        for names in (known, unknown)
    )
    return existing, missing


SECRETS: dict[str, tuple[int, Callable[[Service], tuple[list[Request], list[Request]]]]] = {
    "right and wrong answers": (200, of_answers),
    "wrong keys at a sealed picture": (401, of_wrong_keys),
    "a stranger at a sealed picture": (404, of_strangers),
}


@pytest.mark.parametrize("secret", SECRETS)
def test_the_time_of_a_reply_tells_nothing(secret: str, service: Service) -> None:
    status, requests = SECRETS[secret]
    assert not measure(service, secret, status, requests(service)).is_seen


def test_a_planted_difference_of_half_a_millisecond_is_seen(tmp_path: Path) -> None:
    with service_of(tmp_path / "leaky", "tests.soak.leaky_api:create_app") as leaky:
        assert measure(leaky, "a planted difference", 200, of_answers(leaky)).is_seen
