"""Rows of MARVEL: puzzles with all pictures, against encoding them alone, and answer keys without rendering."""

import time
from collections.abc import Iterator
from statistics import median

from bench.measuring import Bench, Line, interleaved, median_ratio
from generator_service.benchmark import PictureArray
from generator_service.drawing.png import encode_png
from generator_service.draws import Draw
from generator_service.items import make_item
from generator_service.registry import Mounted, find_benchmarks, mount

NAME = "marvel"
LEAST_PUZZLES, MOST_RATIO, LEAST_KEYS = 60, 2.5, 5_000
PUBLIC_GENERATOR = "RAVEN's own: 22 to 33/s"


def puzzles(bench: Bench) -> Iterator[Line]:
    """Make puzzles of the full setting; the first round, unmeasured, lists the laws' lines."""
    mounted = _mounted(bench)
    count = bench.scale.trials
    draw = Draw(mounted.benchmark, mounted.identity(NAME, "full", {}), "104")
    kept: dict[int, list[PictureArray]] = {}
    made_keys = [0]

    def made(turn: int) -> None:
        kept[turn] = []
        for index in range(turn * count, (turn + 1) * count):
            item = make_item(mounted, draw, index)
            for name in {picture.name: None for keyed in item.questions for picture in keyed.question.pictures}:
                kept[turn].append(mounted.benchmark.render(mounted.bank, item.scene, name))
                encode_png(kept[turn][-1])

    def encoded(turn: int) -> None:
        for pixels in kept.pop(turn):
            encode_png(pixels)

    def unseen(turn: int) -> None:
        first = (bench.scale.rounds + turn) * count * 5
        made_keys[0] += sum(len(make_item(mounted, draw, first + at).questions) for at in range(count * 5))

    made(-1)
    whole, alone, bare = interleaved(bench.scale.rounds, made, encoded, unseen, clock=time.process_time)
    ratio, rate = median_ratio(whole, alone), count / median(whole)
    yield Line(
        name="MARVEL puzzles with pictures, one core",
        value=f"{rate:.1f}/s",
        ratio=f"{ratio:.2f} x encoding the PNGs alone ({PUBLIC_GENERATOR})",
        aim=f"{LEAST_PUZZLES}/s or more, {MOST_RATIO} x or less",
        met=rate >= LEAST_PUZZLES and ratio <= MOST_RATIO,
    )
    keys = made_keys[0] / bench.scale.rounds / median(bare)
    yield Line(
        name="MARVEL keys without rendering, one core",
        value=f"{keys:,.0f}/s",
        ratio="five keys a puzzle",
        aim=f"{LEAST_KEYS:,}/s or more",
        met=keys >= LEAST_KEYS,
    )


def _mounted(bench: Bench) -> Mounted:
    mounted = mount((one for one in find_benchmarks() if one.name == NAME), bench.bank).newest(NAME)
    if mounted is None:
        raise LookupError(f"benchmark {NAME} is not there")
    return mounted
