"""Rows of the generator and of scoring: in this process, one core, by processor time, unless a row says otherwise."""

import os
from collections.abc import Iterator

import msgspec

from bench.making import picture_line, with_pictures, without_pictures
from bench.measuring import Bench, Line, core_seconds
from bench.revealing import WHEN, check_all_read, right_replies, scored_over_http
from generator_service.draws import Draw
from generator_service.sealing.draw_keys import keyed_items
from scoring_service.scoring import score
from tetrad.internal.draws import DrawKeys, PackedItems
from tetrad.internal.packed_keys import pack_items, unpack_items
from tetrad.server.garbage_collection import collector_paused

MOST_OF_TRIAL, MOST_OF_SCENES = (4.4, 0.45), (8.5, 0.25)  # core ms an item, times the yardstick
LEAST_KEYS, LEAST_SCENE_KEYS, MOST_SCORING_SECONDS = 20_000, 5_000, 2.5
MOST_SCORING_WALL = 1.5
CARV_TRACKS = ("different-source", "shared-source")


def trials(bench: Bench) -> Iterator[Line]:
    """Make trials of every track with all pictures as PNG."""
    for track in bench.mounted.benchmark.card.tracks:
        cost = with_pictures(bench.scale, bench.mounted, bench.draw("101", track.name))
        yield picture_line(f"{track.name} trials with pictures", cost, MOST_OF_TRIAL)


def scenes(bench: Bench) -> Iterator[Line]:
    """Make CARV items with all five pictures, and without any."""
    mounted = bench.of("carv")
    for track in CARV_TRACKS:
        draw = Draw(mounted.benchmark, mounted.identity(track, "direct", {}), "104")
        yield picture_line(
            f"CARV {track} items with pictures", with_pictures(bench.scale, mounted, draw), MOST_OF_SCENES
        )
        _, keyed = without_pictures(bench.scale, mounted, draw, bench.scale.keys)
        yield Line(
            name=f"CARV {track} keys without rendering, one core",
            value=f"{keyed:,.0f}/s",
            aim=f"{LEAST_SCENE_KEYS:,}/s or more",
            met=keyed >= LEAST_SCENE_KEYS,
        )


def keys(bench: Bench) -> Iterator[Line]:
    """Make trials without rendering; every question has a key."""
    trials_a_second, keys_a_second = without_pictures(bench.scale, bench.mounted, bench.draw("102"), bench.scale.keys)
    yield Line(
        name="keys without rendering, one core",
        value=f"{keys_a_second:,.0f}/s",
        ratio=f"{trials_a_second:,.0f} trials/s of three questions",
        aim=f"{LEAST_KEYS:,}/s or more",
        met=keys_a_second >= LEAST_KEYS,
    )


def scoring(bench: Bench) -> Iterator[Line]:
    """Read and score answers, keys included: in this process, then as it happens, over HTTP."""
    items = max(1, bench.scale.answers // 3)
    _scoring_here(bench, 1)  # what a process loads once: SciPy takes a quarter of a second
    keyed, judged = _scoring_here(bench, items)
    yield Line(
        name=f"{3 * items:,} choice answers read and scored, core seconds",
        value=f"{keyed + judged:.2f} s",
        ratio=f"keys {keyed:.2f} s, reading and scoring {judged:.2f} s",
        aim=f"{MOST_SCORING_SECONDS} s or less",
        met=keyed + judged <= MOST_SCORING_SECONDS,
    )
    largest = bench.mounted.benchmark.card.largest_draw
    parts = -(-items // largest)
    wall, core = scored_over_http(bench, [items // parts] * parts)
    yield Line(
        name=f"the same over HTTP, {parts} submissions, {os.cpu_count()} cores",
        value=f"{wall:.2f} s",
        ratio=f"{core:.2f} s of all cores, {core / wall:.1f} busy: with JSON, and the record of what was gated on",
        aim=f"{MOST_SCORING_WALL} s or less on two idle cores, {MOST_SCORING_SECONDS} s of all",
        met=wall <= MOST_SCORING_WALL and core <= MOST_SCORING_SECONDS,
    )


def _scoring_here(bench: Bench, items: int) -> tuple[float, float]:
    """Make the keys of a draw, carry them over as JSON, read and score every answer; return the seconds of both."""
    mounted, draw = bench.mounted, bench.draw("103")
    sealed = list(right_replies(mounted, draw, items))
    carried: list[bytes] = []

    def reveal() -> None:
        carried[:] = [msgspec.json.encode(pack_items(keyed_items(mounted, draw, range(items), sealed)))]

    def judge() -> None:
        with collector_paused():  # as a job runs
            held = DrawKeys(
                identity=draw.identity,
                size=items,
                seed=draw.seed,
                commitment=draw.commitment(items),
                items=unpack_items(msgspec.json.decode(carried[0], type=PackedItems)),
            )
            report = score("sub_bench", held, sealed, mounted.benchmark.card, scored_at=WHEN)
        check_all_read(report)

    return core_seconds(reveal), core_seconds(judge)
