"""While one thread mounts a benchmark on a source that was just made, nobody else waits for it."""

from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from litestar import Litestar, get
from litestar.testing import TestClient

from generator_service import following
from generator_service.finding import find_benchmarks
from generator_service.made_counts import MadeCounts
from generator_service.registry import Registry, mount
from generator_service.routes import catalogue_routes
from generator_service.sources.packaged import PHOTOGRAPHS
from generator_service.sources.people.bank import PEOPLE
from generator_service.sources.store import SourceStore
from tests.photographs import write_photographs
from tests.unit.generator_service.sources.pictures import add
from tetrad.server.metrics import Metrics

FOLDER = Path(__file__).parents[3] / "source_benchmarks"
PATIENCE = 20.0


class Mounting:
    """The preparation of a bank that lasts until it is released."""

    def __init__(self, prepare: Callable[[Mapping[str, Any]], Any] | None) -> None:
        self._prepare = prepare
        self.begun, self.released, self.times = Event(), Event(), 0

    def __call__(self, opened: Mapping[str, Any]) -> Any:
        self.times += 1
        self.begun.set()
        assert self.released.wait(2 * PATIENCE)
        return opened if self._prepare is None else self._prepare(opened)


@pytest.fixture
def pool() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(4) as pool:
        yield pool


@pytest.fixture
def slow() -> Iterator[Mounting]:
    slow = Mounting(glimpse().prepare)
    yield slow
    slow.released.set()


@pytest.fixture
def registry(store: SourceStore, slow: Mounting, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Registry:
    """A registry that waited for photographs. They are there now, and whoever looks next mounts the benchmark."""
    monkeypatch.setattr(following, "LOOK_AGAIN_SECONDS", 0.0)
    benchmark = replace(glimpse(), kinds=(PHOTOGRAPHS,), prepare=slow)
    registry = mount([benchmark], store, beside=[PHOTOGRAPHS])
    add(store, PHOTOGRAPHS, write_photographs(tmp_path / "one", 12), "one", access="public")
    return registry


def glimpse() -> Any:
    (glimpse,) = (benchmark for benchmark in find_benchmarks([FOLDER]) if benchmark.name == "glimpse")
    return glimpse


def lacking(registry: Registry) -> dict[str, str]:
    mounted = registry.newest("glimpse")
    assert mounted is not None
    return dict(mounted.lacking)


def test_one_thread_mounts_and_the_others_go_on_with_what_is_mounted(
    registry: Registry, slow: Mounting, pool: ThreadPoolExecutor
) -> None:
    first = pool.submit(lacking, registry)
    assert slow.begun.wait(PATIENCE)
    others = [pool.submit(lacking, registry) for _ in range(3)]
    for other in others:
        assert "is not there yet" in other.result(PATIENCE)["photographs"]
    assert not first.done()
    slow.released.set()
    assert first.result(PATIENCE) == {}
    assert lacking(registry) == {}
    assert slow.times == 1


def test_the_event_loop_answers_while_a_list_of_benchmarks_mounts_one(
    registry: Registry, slow: Mounting, pool: ThreadPoolExecutor
) -> None:
    @get("/health/live", sync_to_thread=False)
    def live() -> str:
        return "live"

    def status(client: TestClient[Litestar], path: str) -> int:
        return client.get(path).status_code

    with TestClient(Litestar([live, catalogue_routes(registry, lambda _connection, _handler: None)])) as client:
        listed: Future[int] = pool.submit(status, client, "/internal/benchmarks")
        assert slow.begun.wait(PATIENCE)
        try:
            assert pool.submit(status, client, "/health/live").result(PATIENCE) == 200
            assert not listed.done()
        finally:
            slow.released.set()
        assert listed.result(PATIENCE) == 200


@pytest.mark.parametrize(("wanted", "told"), [(set[str](), 0), ({PEOPLE}, 1)])
def test_a_source_that_nobody_makes_is_not_told_of_as_missing(store: SourceStore, wanted: set[str], told: int) -> None:
    registry = mount([replace(glimpse(), kinds=(PEOPLE,))], store)
    metrics = Metrics()
    MadeCounts(metrics, registry, wanted)
    assert metrics.exposition().decode().count('tetrad_sources_missing{kind="people"} 1.0') == told
