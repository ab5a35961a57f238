"""The numbers of a service, for Prometheus. Each service has one `Metrics`.

Counters and histograms are summed over the processes of a service: where PROMETHEUS_MULTIPROC_DIR names a folder, which
prometheus-client itself reads, each process keeps them in a file there. Those of a process that has ended are added to
one file, so a sum never falls because a process was started again. Gauges are worked out when they are read.

In this file: `Metrics`, what every service counts, the folder.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from prometheus_client import CollectorRegistry, Counter, Histogram, disable_created_metrics, generate_latest
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.mmap_dict import MmapedDict
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector

from tetrad import __version__
from tetrad.server.locks import hold_lock
from tetrad.server.request_ids import RequestContext

FOLDER = "PROMETHEUS_MULTIPROC_DIR"
LOCK = "lock"
LOCK_SECONDS = 10.0
ENDED = "0"  # in place of a process's id: those that have ended
DURATIONS = (0.01, 0.05, 0.25, 1.0, 5.0)  # few: each is a series for every route
PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")

disable_created_metrics()  # type: ignore[no-untyped-call]  # a series more for each counter, which nobody asks for


class Metrics(Collector):
    """The numbers of a service's process, or of all its processes together."""

    def __init__(self) -> None:
        self._folder = Path(os.environ[FOLDER]) if os.environ.get(FOLDER) else None
        if self._folder is not None:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            fold_ended(self._folder)
        self._own = CollectorRegistry()
        self._watched: list[Callable[[], Iterable[Metric]]] = [self._processes]

    def counter(self, name: str, about: str, labels: Sequence[str] = ()) -> Counter:
        return Counter(name, about, labels, registry=self._own)

    def histogram(self, name: str, about: str, labels: Sequence[str], buckets: Sequence[float]) -> Histogram:
        return Histogram(name, about, labels, buckets=buckets, registry=self._own)

    def watch(self, name: str, about: str, value: Callable[[], float]) -> None:
        """Show what a function returns, as a gauge, whenever the numbers are read."""
        self.collect_from(lambda: [GaugeMetricFamily(name, about, float(value()))])

    def collect_from(self, gauges: Callable[[], Iterable[Metric]]) -> None:
        """Show the gauges that a function returns, whenever the numbers are read."""
        self._watched.append(gauges)

    def collect(self) -> Iterator[Metric]:
        """Yield all gauges, as prometheus-client asks for them."""
        for gauges in self._watched:
            yield from gauges()

    def exposition(self) -> bytes:
        """Return all numbers in Prometheus's text format."""
        counted = generate_latest(self._own) if self._folder is None else _read_counted(self._folder)
        gauges = CollectorRegistry()
        gauges.register(self)
        return counted + generate_latest(gauges)

    def _processes(self) -> Iterator[Metric]:
        others = set() if self._folder is None else _live_processes(self._folder)
        yield from _processes_among({*others, os.getpid()})
        info = GaugeMetricFamily("tetrad_info", "1; the version that runs", labels=("version",))
        info.add_metric((__version__,), 1)
        yield info


class CountedWaits:
    """Counts what requests and jobs waited for."""

    def __init__(self, metrics: Metrics) -> None:
        about = "Seconds that requests and jobs waited, by what for"
        self._waited = metrics.counter("tetrad_waited_seconds", about, ("part",))

    def observe(self, asked: RequestContext) -> None:
        """Count the waits of a request or a job that has ended."""
        for part, seconds in asked.waited.items():
            self._waited.labels(part).inc(seconds)


class CountedRequests:
    """Counts requests by the template of their route. Its children are kept: `labels` takes longer than counting."""

    def __init__(self, metrics: Metrics) -> None:
        self._requests = metrics.counter(
            "tetrad_requests", "Requests by route, method and class of status", ("route", "method", "status")
        )
        self._seconds = metrics.histogram(
            "tetrad_request_seconds", "Seconds until a reply began", ("route",), DURATIONS
        )
        self._waits = CountedWaits(metrics)
        self._kept = metrics.counter("tetrad_kept_replies", "Replies that were kept and not made anew", ("route",))
        self._children: dict[tuple[str, str, int], tuple[Counter, Histogram]] = {}

    def observe_kept(self, route: str) -> None:
        """Count a reply that was kept, beside `observe`."""
        self._kept.labels(route).inc()

    def observe(self, route: str, method: str, status: int, seconds: float) -> None:
        """Count a request that has ended. There are few routes, and few methods (request_watch.py)."""
        key = (route, method, status // 100)
        children = self._children.get(key)
        if children is None:
            children = self._children[key] = self._make_children(*key)
        children[0].inc()
        children[1].observe(seconds)

    def observe_waits(self, asked: RequestContext) -> None:
        self._waits.observe(asked)

    def _make_children(self, route: str, method: str, hundreds: int) -> tuple[Counter, Histogram]:
        return self._requests.labels(route, method, f"{hundreds}xx"), self._seconds.labels(route)


def fold_ended(folder: Path) -> None:
    """Add the numbers of processes that have ended to one file, and delete theirs: they would grow in number for ever.

    Gauges of live processes are none of these: nobody keeps any.
    """
    with hold_lock(folder / LOCK, LOCK_SECONDS):
        for path in sorted(folder.glob("*.db")):
            kind, _, process = path.stem.rpartition("_")
            if process == ENDED or _is_alive(int(process)):
                continue
            kept = MmapedDict(str(folder / f"{kind}_{ENDED}.db"))  # type: ignore[no-untyped-call]
            for key, value, _, _ in MmapedDict.read_all_values_from_file(str(path)):  # type: ignore[no-untyped-call]
                before, _ = kept.read_value(key)  # type: ignore[no-untyped-call]
                kept.write_value(key, before + value, 0.0)  # type: ignore[no-untyped-call]
            kept.close()  # type: ignore[no-untyped-call]
            path.unlink()


def read_folder(folder: Path) -> bytes:
    """Return the numbers that the processes of a service keep in a folder: for those that nobody can ask."""
    if not folder.is_dir():
        return b""
    gauges = CollectorRegistry()
    gauges.register(_OfWorkers(folder))
    return _read_counted(folder) + generate_latest(gauges)


class _OfWorkers(Collector):
    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def collect(self) -> Iterator[Metric]:
        yield from _processes_among(_live_processes(self._folder))


def _read_counted(folder: Path) -> bytes:
    with hold_lock(folder / LOCK, LOCK_SECONDS):
        merged = CollectorRegistry()
        MultiProcessCollector(merged, str(folder))  # type: ignore[no-untyped-call]
        return generate_latest(merged)


def _processes_among(ids: set[int]) -> Iterator[Metric]:
    yield GaugeMetricFamily("tetrad_processes", "Processes of the service that run", len(ids))
    memory = sum(map(_resident_bytes, ids))
    yield GaugeMetricFamily("tetrad_resident_memory_bytes", "Memory of these processes", memory)


def _live_processes(folder: Path) -> set[int]:
    found = {int(path.stem.rpartition("_")[2]) for path in folder.glob("*.db")}
    return {process for process in found if process and _is_alive(process)}


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _resident_bytes(process: int) -> int:
    try:
        return int(Path(f"/proc/{process}/statm").read_text(encoding="ascii").split()[1]) * PAGE_BYTES
    except OSError:  # it has ended, or this is not Linux
        return 0
