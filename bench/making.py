"""Items made in this process, on one core: with all their pictures, and without any.

The yardstick is Pillow's own PNG encoder at level 1 on the same pictures: it stays as it is when ours changes.
"""

import time
from collections.abc import Iterator
from io import BytesIO
from statistics import median

from PIL import Image

from bench.measuring import Line, Scale, interleave, median_ratio
from generator_service.benchmark import PictureArray
from generator_service.drawing.png import encode_png
from generator_service.draws import Draw
from generator_service.items import make_item
from generator_service.mounting import Mounted

SERVED = 20  # rounds' worth of items
BEFORE = 3  # rounds with pictures


def picture_line(name: str, cost: tuple[float, float], most: tuple[float, float]) -> Line:
    """Return the line of items with pictures: `cost` as `with_pictures` returns it, and the most of each."""
    milliseconds, ratio = cost
    return Line(
        name=f"{name}, one core",
        value=f"{milliseconds:.1f} core ms",
        ratio=f"{ratio:.2f} x encoding them with Pillow at level 1",
        aim=f"{most[0]:g} core ms, {most[1]:g} x or less",
        met=milliseconds <= most[0] and ratio <= most[1],
    )


def with_pictures(scale: Scale, mounted: Mounted, draw: Draw) -> tuple[float, float]:
    """Return the core milliseconds of an item with all pictures as PNG, and that over the yardstick's.

    Pictures are dropped once they are encoded, as a server does, and drawn again, unmeasured, for the yardstick.
    Unmeasured, too, rounds before the first and many items without their pictures fill the caches, as in a server that
    has served a while: MARVEL lists the lines of each law when it first needs them, and VISANALOG reads 700 objects for
    the pictures of 60 items.
    """
    count = scale.trials
    for index in range(SERVED * count, 2 * SERVED * count):
        make_item(mounted, draw, index)
    kept: list[PictureArray] = []

    def draw_pictures(turn: int) -> Iterator[PictureArray]:
        for index in range(turn * count, (turn + 1) * count):
            item = make_item(mounted, draw, index)
            names = {picture.name: None for keyed in item.questions for picture in keyed.question.pictures}
            for name in names:
                yield mounted.benchmark.render(mounted.bank, item.scene, name)

    def make(turn: int) -> None:
        for pixels in draw_pictures(turn):
            encode_png(pixels)

    def draw_again(turn: int) -> None:
        kept[:] = draw_pictures(turn)

    def encode(_: int) -> None:
        for pixels in kept:
            Image.fromarray(pixels).save(BytesIO(), "PNG", compress_level=1)

    interleave(BEFORE, lambda turn: make(scale.rounds + turn))
    whole, _, alone = interleave(scale.rounds, make, draw_again, encode, clock=time.process_time)
    return 1000 * median(whole) / count, median_ratio(whole, alone)


def without_pictures(scale: Scale, mounted: Mounted, draw: Draw, count: int) -> tuple[float, float]:
    """Return items and answer keys a second, `count` items a round, nothing rendered."""
    keys = [0]

    def make(turn: int) -> None:
        items = (make_item(mounted, draw, index) for index in range(turn * count, (turn + 1) * count))
        keys[0] += sum(len(item.questions) for item in items)

    (taken,) = interleave(scale.rounds, make, clock=time.process_time)
    items_a_second = count / median(taken)
    return items_a_second, keys[0] / (scale.rounds * count) * items_a_second
