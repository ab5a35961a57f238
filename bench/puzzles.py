"""Rows of MARVEL: puzzles with all pictures, against encoding them alone, and answer keys without rendering."""

from collections.abc import Iterator

from bench.making import with_pictures, without_pictures
from bench.measuring import Bench, Line
from generator_service.draws import Draw

NAME = "marvel"
LEAST_PUZZLES, MOST_RATIO, LEAST_KEYS = 60, 2.5, 5_000


def puzzles(bench: Bench) -> Iterator[Line]:
    """Make puzzles of the full setting."""
    mounted = bench.of(NAME)
    drawn, unseen = (Draw(mounted.benchmark, mounted.identity(NAME, "full", {}), seed) for seed in ("104", "105"))
    rate, ratio = with_pictures(bench.scale, mounted, drawn)
    yield Line(
        name="MARVEL puzzles with pictures, one core",
        value=f"{rate:.1f}/s",
        ratio=f"{ratio:.2f} x encoding the PNGs alone",
        aim=f"{LEAST_PUZZLES}/s or more, {MOST_RATIO} x or less",
        met=rate >= LEAST_PUZZLES and ratio <= MOST_RATIO,
    )
    _, keys = without_pictures(bench.scale, mounted, unseen, bench.scale.trials * 5)
    yield Line(
        name="MARVEL keys without rendering, one core",
        value=f"{keys:,.0f}/s",
        ratio="five keys a puzzle",
        aim=f"{LEAST_KEYS:,}/s or more",
        met=keys >= LEAST_KEYS,
    )
