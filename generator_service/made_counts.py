"""Numbers of the generator: what it made and how long that took, sources that differ, tracks that wait for sources."""

import time
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager

from prometheus_client.core import GaugeMetricFamily, Metric

from generator_service.registry import Registry
from tetrad.server.metrics import Metrics

DRAWING = (0.002, 0.01, 0.05, 0.25, 1.0)


class MadeCounts:
    """Counts what a process of the generator makes. Labels are names of benchmarks that are mounted here.

    wanted: kinds whose source a process beside the service makes. Only of these it is a fault that one is missing:
    whoever makes none does without.
    """

    def __init__(self, metrics: Metrics, registry: Registry, wanted: Collection[str]) -> None:
        self._items = metrics.counter("tetrad_items_made", "Items made, by what for", ("benchmark", "part"))
        self._drawing = metrics.histogram(
            "tetrad_drawing_seconds", "Seconds to draw a picture", ("benchmark",), DRAWING
        )
        self._damaged = metrics.counter("tetrad_source_alarms", "Requests that met a source that differs")
        self._registry = registry
        self._wanted = wanted
        metrics.collect_from(self._tracks)

    def count_items(self, benchmark: str, part: str, count: int) -> None:
        self._items.labels(benchmark, part).inc(count)

    def count_damage(self) -> None:
        self._damaged.inc()

    @contextmanager
    def drawing(self, benchmark: str) -> Iterator[None]:
        """Time the drawing of a picture."""
        begun = time.perf_counter()
        yield
        self._drawing.labels(benchmark).observe(time.perf_counter() - begun)

    def _tracks(self) -> Iterable[Metric]:
        lacking = GaugeMetricFamily("tetrad_tracks_lacking", "Tracks that lack a source", labels=("benchmark",))
        for name in self._registry.names():
            mounted = self._registry.newest(name)
            lacking.add_metric((name,), 0 if mounted is None else len(mounted.lacking))
        about = "1; a source that is to be made and is not there"
        missing = GaugeMetricFamily("tetrad_sources_missing", about, labels=("kind",))
        for kind in self._registry.missing_kinds():
            if kind in self._wanted:
                missing.add_metric((kind,), 1)
        return [lacking, missing]
