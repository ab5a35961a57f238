"""Rows of MARVEL: puzzles with all pictures, against encoding them alone, and answer keys without rendering."""

import time
from collections.abc import Iterator
from statistics import median

from bench.generating import with_pictures
from bench.measuring import Bench, Line, interleaved
from generator_service.draws import Draw
from generator_service.items import make_item

NAME = "marvel"
LEAST_PUZZLES, MOST_RATIO, LEAST_KEYS = 60, 2.5, 5_000
PUBLIC_GENERATOR = "RAVEN's own: 22 to 33/s"


def puzzles(bench: Bench) -> Iterator[Line]:
    """Make puzzles of the full setting; the first ones, unmeasured, list the laws' lines."""
    mounted, count = bench.of(NAME), bench.scale.trials * 5
    draw = Draw(mounted.benchmark, mounted.identity(NAME, "full", {}), "104")
    made_keys = [0]

    def unseen(turn: int) -> None:
        first = (bench.scale.rounds + turn) * count
        made_keys[0] += sum(len(make_item(mounted, draw, first + at).questions) for at in range(count))

    unseen(-1)
    rate, ratio = with_pictures(bench, mounted, draw)
    yield Line(
        name="MARVEL puzzles with pictures, one core",
        value=f"{rate:.1f}/s",
        ratio=f"{ratio:.2f} x encoding the PNGs alone ({PUBLIC_GENERATOR})",
        aim=f"{LEAST_PUZZLES}/s or more, {MOST_RATIO} x or less",
        met=rate >= LEAST_PUZZLES and ratio <= MOST_RATIO,
    )
    made_keys[0] = 0
    (bare,) = interleaved(bench.scale.rounds, unseen, clock=time.process_time)
    keys = made_keys[0] / bench.scale.rounds / median(bare)
    yield Line(
        name="MARVEL keys without rendering, one core",
        value=f"{keys:,.0f}/s",
        ratio="five keys a puzzle",
        aim=f"{LEAST_KEYS:,}/s or more",
        met=keys >= LEAST_KEYS,
    )
