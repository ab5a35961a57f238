"""Rows of MARVEL: puzzles with all pictures, against encoding them alone, and answer keys without rendering."""

from collections.abc import Iterator

from bench.making import picture_line, with_pictures, without_pictures
from bench.measuring import Bench, Line
from generator_service.draws import Draw

NAME = "marvel"
MOST, LEAST_KEYS = (7.0, 0.35), 5_000  # core ms a puzzle, times the yardstick


def puzzles(bench: Bench) -> Iterator[Line]:
    """Make puzzles of the full setting."""
    mounted = bench.of(NAME)
    drawn, unseen = (Draw(mounted.benchmark, mounted.identity(NAME, "full", {}), seed) for seed in ("104", "105"))
    yield picture_line("MARVEL puzzles with pictures", with_pictures(bench.scale, mounted, drawn), MOST)
    _, keys = without_pictures(bench.scale, mounted, unseen, bench.scale.trials * 5)
    yield Line(
        name="MARVEL keys without rendering, one core",
        value=f"{keys:,.0f}/s",
        ratio="five keys a puzzle",
        aim=f"{LEAST_KEYS:,}/s or more",
        met=keys >= LEAST_KEYS,
    )
