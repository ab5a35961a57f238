"""What people do to a deployment while its hosts die: they submit, evaluate, order data sets and read, on and on.

Each counts what it sent, what was acknowledged, and what it found in the end.
"""

import hashlib
import secrets
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from io import BytesIO

import httpx

from tests.answering import patiently
from tests.soak.submitting import Submitters
from tests.waiting import wait_until
from tetrad.client import Client
from tetrad.contracts.datasets import DatasetRequest
from tetrad.contracts.evaluations import EvaluationRequest

PATIENCE_SECONDS = 180.0
BULK_SECONDS = 400.0  # on a busy machine, at the lowest priority
READERS = 4


@dataclass
class Entrance:
    """What teams and readers reach the service by."""

    url: str

    def client(self, key: str = "") -> Client:
        return Client(self.url, key=key) if key else Client(self.url)


@contextmanager
def repeating(act: Callable[[], None], times: int) -> Iterator[None]:
    """Do this on and on during the block, in so many threads; what was begun is finished after it."""
    done = threading.Event()

    def work() -> None:
        while not done.is_set():
            act()

    with ThreadPoolExecutor(times) as pool:
        workers = [pool.submit(work) for _ in range(times)]
        try:
            yield
        finally:
            done.set()
        for worker in workers:
            worker.result()


@dataclass
class Evaluated:
    """A team that has the service's own models evaluated: how each evaluation ended that was acknowledged."""

    url: str
    key: str
    acknowledged: list[str] = field(default_factory=list)
    ended: dict[str, str] = field(default_factory=dict)

    def evaluate(self) -> None:
        with Client(self.url, key=self.key) as client:
            asked = EvaluationRequest(benchmark="toy", setting="shade-only", models=["random"], size=120, concurrency=4)
            opened = patiently(lambda: client.evaluate(asked), PATIENCE_SECONDS).id
            self.acknowledged.append(opened)
            look = partial(patiently, lambda: client.evaluation(opened), PATIENCE_SECONDS)
            wait_until(lambda: look().state == "done", PATIENCE_SECONDS, f"{opened} is done")
            (run,) = look().runs
            self.ended[opened] = str(run.outcome)

    def describe(self) -> str:
        return f"{len(self.ended)} of {len(self.acknowledged)} evaluations done: {dict(Counter(self.ended.values()))}"

    def all_complete(self) -> bool:
        return len(self.ended) == len(self.acknowledged) > 0 and set(self.ended.values()) == {"complete"}


@dataclass
class Ordered:
    """A team that orders data sets and reads every shard: how many it read whole of those that were acknowledged."""

    url: str
    key: str
    shards: int = 4
    acknowledged: list[str] = field(default_factory=list)
    whole: dict[str, int] = field(default_factory=dict)

    def order(self) -> None:
        seed = str(secrets.randbelow(10**15))  # the same order again would be the same data set
        asked = DatasetRequest(benchmark="toy", seed=seed, count=25 * self.shards, form="rows", shard_items=25)
        with Client(self.url, key=self.key) as client:
            ordered = patiently(lambda: client.order_dataset(asked), PATIENCE_SECONDS).id
            self.acknowledged.append(ordered)
            look = partial(patiently, lambda: client.dataset(ordered), PATIENCE_SECONDS)
            wait_until(lambda: look().state == "done", BULK_SECONDS, f"{ordered} is done")
            manifest = patiently(lambda: client.dataset_manifest(ordered), PATIENCE_SECONDS)
            read = {shard.number: self._read(client, ordered, shard.number) for shard in manifest.shards}
            self.whole[ordered] = sum(read[shard.number] == shard.sha256 for shard in manifest.shards)

    @staticmethod
    def _read(client: Client, ordered: str, number: int) -> str:
        def read() -> str:
            body = BytesIO()
            client.dataset_shard(ordered, number, body)
            return hashlib.sha256(body.getvalue()).hexdigest()

        return patiently(read, PATIENCE_SECONDS)

    def describe(self) -> str:
        found = sum(self.whole.values())
        return f"{found} of {self.shards * len(self.acknowledged)} shards of {len(self.acknowledged)} data sets whole"

    def all_whole(self) -> bool:
        return len(self.whole) == len(self.acknowledged) > 0 and set(self.whole.values()) == {self.shards}


@dataclass
class Readers:
    """Readers who ask for one thing after the other, and note what was answered when; 0 is no answer."""

    url: str
    key: str
    answered: list[tuple[float, str, int]] = field(default_factory=list)

    def read(self) -> None:
        paths = (
            "/v1/teams/me",
            "/v1/submissions?limit=5",
            "/v1/leaderboards/toy?track=toy",
            "/v1/benchmarks/toy/items?limit=2",
        )
        with httpx.Client(base_url=self.url, headers={"Authorization": f"Bearer {self.key}"}, timeout=60) as client:
            for path in paths * 4:
                self.answered.append((time.monotonic(), path, self._ask(client, path)))
                time.sleep(0.0125)

    @staticmethod
    def _ask(client: httpx.Client, path: str) -> int:
        try:
            return client.get(path).status_code
        except httpx.TransportError:
            return 0

    def failed_since(self, moment: float) -> "Counter[tuple[str, int]]":
        """Return how often which path was answered with what error."""
        found = ((path, status) for at, path, status in self.answered if at >= moment)
        return Counter((path, status) for path, status in found if status == 0 or status >= 500)


@dataclass
class Everybody:
    """All of them at once."""

    submitters: Submitters
    evaluated: Evaluated
    ordered: Ordered
    readers: Readers
    failed: "list[Counter[tuple[str, int]]]" = field(default_factory=list)

    @classmethod
    def of(cls, url: str, name: str) -> "Everybody":
        """Return teams whose names begin so."""
        with Client(url) as anyone:
            key = anyone.register_team(name).key
        submitters = Submitters(Entrance(url), name)  # type: ignore[arg-type]  # it asks for clients alone
        return cls(submitters, Evaluated(url, key), Ordered(url, key), Readers(url, key))

    @contextmanager
    def going_on(self) -> Iterator[None]:
        """Let all of them work during the block, and finish what they began after it."""
        with ExitStack() as stack:
            stack.enter_context(self.submitters.going_on())
            stack.enter_context(repeating(self.evaluated.evaluate, 1))
            stack.enter_context(repeating(self.ordered.order, 1))
            stack.enter_context(repeating(self.readers.read, READERS))
            yield

    def describe(self) -> str:
        counts = [self.submitters.describe(), self.evaluated.describe(), self.ordered.describe()]
        failed = [{f"{path} {status}": times for (path, status), times in count.items()} for count in self.failed]
        return "; ".join([*counts, f"{len(self.readers.answered)} requests of readers", f"of these failed {failed}"])

    def check(self) -> None:
        """Check that nothing that was acknowledged is lost, and that only what a host had in hand failed."""
        story = self.describe()
        submitters = self.submitters
        assert submitters.lost() == 0, story
        assert len(submitters.reports) == len(submitters.acknowledged) > 0, story
        assert self.evaluated.all_complete(), story
        assert self.ordered.all_whole(), story
        # What a host had in hand: one request of each reader, and that one's next.
        assert all(count.total() <= 2 * READERS for count in self.failed), story
