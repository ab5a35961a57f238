"""Rows of VISANALOG by track: items with pictures, keys alone; a picture's table."""

import time
from collections.abc import Iterator

from bench.making import picture_line, with_pictures, without_pictures
from bench.measuring import SHARED, Bench, Line
from generator_service.benchmarks.visanalog.identifiability import compare_programs
from generator_service.draws import Draw
from generator_service.items import make_item
from generator_service.mounting import Mounted

NAME, TRACKS, SETTING = "visanalog", ("scenes", "composed", "photographs"), "end-to-end"
MOST, LEAST_KEYS, MOST_SECONDS = (14.0, 0.45), 2_000, 1.0  # core ms an item, times the yardstick
MOST_OF_PHOTOGRAPHS, LEAST_PHOTOGRAPH_KEYS = (65.0, 1.0), 1_000  # each is looked up, and its colours are measured
NO_PHOTOGRAPHS = f"no source of photographs is here; {SHARED} can name a store that has one"


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
    name = f"VISANALOG {track} with three pictures"
    if track not in [served.name for served in mounted.benchmark.card.tracks] or track in mounted.lacking:
        yield Line(name=name, value="not measured", ratio=mounted.lacking.get(track, NO_PHOTOGRAPHS))
        return
    most, least_keys = MOST, LEAST_KEYS
    if track == "photographs":
        most, least_keys = MOST_OF_PHOTOGRAPHS, LEAST_PHOTOGRAPH_KEYS
    drawn, unseen = (Draw(mounted.benchmark, mounted.identity(track, SETTING, {}), seed) for seed in ("106", "107"))
    yield picture_line(name, with_pictures(bench.scale, mounted, drawn), most)
    _, keys = without_pictures(bench.scale, mounted, unseen, bench.scale.trials * 5)
    yield Line(
        name=f"VISANALOG {track}, keys without rendering, one core",
        value=f"{keys:,.0f}/s",
        ratio="one key an item",
        aim=f"{least_keys:,}/s or more",
        met=keys >= least_keys,
    )
