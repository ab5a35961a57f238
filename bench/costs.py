"""Rows of what practice costs: each track's items and pictures against an item of KiVA, beside what its card says.

Tracks whose sources are not in var/sources are measured where TETRAD_SHARED_SOURCES names a store that has them.
"""

import os
from collections.abc import Iterator
from itertools import cycle, islice
from statistics import median

from bench.measuring import BENCHMARK, SHARED, TRACK, Bench, Line, core_seconds
from generator_service.benchmark import Benchmark
from generator_service.drawing.png import encode_png
from generator_service.draws import Draw
from generator_service.finding import find_benchmarks
from generator_service.items import Item, make_item, picture_names
from generator_service.mounting import Mounted
from generator_service.registry import mount
from generator_service.sources.store import open_sources
from tetrad.contracts.benchmarks import Track

MOST_APART = 1.5
ITEMS, PICTURES = 100, 16  # made in a round: as many as the largest page has, fresh ones each time


def costs(bench: Bench) -> Iterator[Line]:
    """Compare the processor time of every track that is mounted with an item of KiVA, in turns."""
    stores = [f"file://{bench.bank}", *filter(None, [os.environ.get(SHARED, "")])]
    mounted = mount(_with_practice(), open_sources(",".join(stores)), "builtin")
    kiva = mounted.newest(BENCHMARK)
    if kiva is None:
        raise LookupError(f"benchmark {BENCHMARK} is not there")
    for benchmark in mounted.all():
        for track in benchmark.benchmark.card.tracks:
            if track.name in benchmark.lacking:
                yield Line(name=f"an item of {benchmark.benchmark.name} {track.name}", value="its source is not here")
            else:
                yield _compare_track(bench, kiva, benchmark, track)


def _with_practice() -> Iterator[Benchmark]:
    return (benchmark for benchmark in find_benchmarks() if benchmark.card.corpus is None)


def _compare_track(bench: Bench, kiva: Mounted, mounted: Mounted, track: Track) -> Line:
    """Measure items over the track's settings, and pictures of its first one, which costs most."""
    _seconds_an_item(mounted, track.name, -1), _seconds_a_picture(mounted, track, -1)  # caches are filled
    items: list[float] = []
    pictures: list[float] = []
    for number in range(bench.scale.rounds):
        unit = _seconds_an_item(kiva, TRACK, number)
        items.append(_seconds_an_item(mounted, track.name, number) / unit)
        pictures.append(_seconds_a_picture(mounted, track, number) / unit)
    item, picture = median(items), median(pictures)
    return Line(
        name=f"an item of {mounted.benchmark.name} {track.name}, and a picture of it",
        value=f"{item:.2g} and {picture:.2g} items of KiVA",
        ratio=f"{item / track.cost:.2f} and {picture / track.picture_cost:.2f} of what its card says",
        aim=f"each within a factor of {MOST_APART}",
        met=all(1 / MOST_APART <= apart <= MOST_APART for apart in (item / track.cost, picture / track.picture_cost)),
    )


def _draw(mounted: Mounted, track: str, setting: str, number: int) -> Draw:
    return Draw(mounted.benchmark, mounted.identity(track, setting, {}), str(1000 + number))


def _seconds_an_item(mounted: Mounted, track: str, number: int) -> float:
    """Return the time of an item, over all settings of the track alike."""
    settings = next(each.settings for each in mounted.benchmark.card.tracks if each.name == track)
    draws = [_draw(mounted, track, setting, number) for setting in settings]
    made = [(draw, item) for draw in draws for item in range(ITEMS)]
    return core_seconds(lambda: [make_item(mounted, draw, item) for draw, item in made]) / len(made)


def _seconds_a_picture(mounted: Mounted, track: Track, number: int) -> float:
    draw = _draw(mounted, track.name, track.settings[0], number)
    shown = _pictures(mounted, draw)
    render = mounted.benchmark.render
    return core_seconds(lambda: [encode_png(render(mounted.bank, item.scene, name)) for item, name in shown]) / len(
        shown
    )


def _pictures(mounted: Mounted, draw: Draw) -> list[tuple[Item, str]]:
    """Return pictures to draw, each of another item and another name."""
    items = [make_item(mounted, draw, number) for number in range(PICTURES)]
    return [(item, next(islice(cycle(sorted(picture_names(item))), at, None))) for at, item in enumerate(items)]
