"""Rows of VISANALOG by track: items with pictures, keys alone; a picture's table."""

import time
from collections.abc import Iterator

from bench.making import picture_line, with_pictures, without_pictures
from bench.measuring import Bench, Line
from generator_service.benchmarks.visanalog.identifiability import compare_programs
from generator_service.draws import Draw
from generator_service.items import make_item
from generator_service.mounting import Mounted

NAME, TRACKS, SETTING = "visanalog", ("scenes", "composed"), "end-to-end"
MOST, LEAST_KEYS, MOST_SECONDS = (14.0, 0.45), 2_000, 1.0  # core ms an item, times the yardstick


def edits(bench: Bench) -> Iterator[Line]:
    """Make items of the end-to-end setting on each track, and compare all programs on one of their pictures."""
    mounted = bench.of(NAME)
    for track in TRACKS:
        yield from _items(bench, mounted, track)
    drawn = Draw(mounted.benchmark, mounted.identity("composed", SETTING, {}), "106")
    picture = mounted.benchmark.render(mounted.bank, make_item(mounted, drawn, 0).scene, "1")
    begun = time.process_time()
    compare_programs(picture)
    taken = time.process_time() - begun
    yield Line(
        name="all 448 programs compared on one picture",
        value=f"{taken:.2f} core s",
        aim=f"{MOST_SECONDS:.0f} core s or less",
        met=taken <= MOST_SECONDS,
    )


def _items(bench: Bench, mounted: Mounted, track: str) -> Iterator[Line]:
    """Make items of a track, with pictures and without; where its source is not drawn, say so."""
    if track in mounted.lacking:
        yield Line(name=f"VISANALOG {track} with three pictures", value="not measured", ratio=mounted.lacking[track])
        return
    drawn, unseen = (Draw(mounted.benchmark, mounted.identity(track, SETTING, {}), seed) for seed in ("106", "107"))
    yield picture_line(f"VISANALOG {track} with three pictures", with_pictures(bench.scale, mounted, drawn), MOST)
    _, keys = without_pictures(bench.scale, mounted, unseen, bench.scale.trials * 5)
    yield Line(
        name=f"VISANALOG {track}, keys without rendering, one core",
        value=f"{keys:,.0f}/s",
        ratio="one key an item",
        aim=f"{LEAST_KEYS:,}/s or more",
        met=keys >= LEAST_KEYS,
    )
