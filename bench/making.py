"""Items made in this process, on one core: with all their pictures, against encoding those alone, and without any."""

import time
from statistics import median

from bench.measuring import Scale, interleaved, median_ratio
from generator_service.benchmark import PictureArray
from generator_service.drawing.png import encode_png
from generator_service.draws import Draw
from generator_service.items import make_item
from generator_service.registry import Mounted

SERVED = 20  # rounds' worth of items


def with_pictures(scale: Scale, mounted: Mounted, draw: Draw) -> tuple[float, float]:
    """Return items a second with all pictures as PNG, and how often longer that takes than encoding them alone.

    Unmeasured, a round before the first and many items without their pictures fill the caches, as in a server that
    has served a while: MARVEL lists the lines of each law when it first needs them.
    """
    count = scale.trials
    for index in range(SERVED * count, 2 * SERVED * count):
        make_item(mounted, draw, index)
    kept: dict[int, list[PictureArray]] = {}

    def made(turn: int) -> None:
        kept[turn] = []
        for index in range(turn * count, (turn + 1) * count):
            item = make_item(mounted, draw, index)
            names = {picture.name: None for keyed in item.questions for picture in keyed.question.pictures}
            for name in names:
                pixels = mounted.benchmark.render(mounted.bank, item.scene, name)
                encode_png(pixels)
                kept[turn].append(pixels)

    def encoded(turn: int) -> None:
        for pixels in kept.pop(turn):
            encode_png(pixels)

    made(scale.rounds)
    whole, alone = interleaved(scale.rounds, made, encoded, clock=time.process_time)
    return count / median(whole), median_ratio(whole, alone)


def without_pictures(scale: Scale, mounted: Mounted, draw: Draw, count: int) -> tuple[float, float]:
    """Return items and answer keys a second, `count` items a round, nothing rendered."""
    keys = [0]

    def made(turn: int) -> None:
        items = (make_item(mounted, draw, index) for index in range(turn * count, (turn + 1) * count))
        keys[0] += sum(len(item.questions) for item in items)

    (taken,) = interleaved(scale.rounds, made, clock=time.process_time)
    items_a_second = count / median(taken)
    return items_a_second, keys[0] / (scale.rounds * count) * items_a_second
