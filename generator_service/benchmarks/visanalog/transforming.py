"""Do to pixels what a program says, with Pillow as the paper does. The one place that changes pictures."""

import numpy as np
from PIL import Image

from generator_service.benchmark import PictureArray
from generator_service.benchmarks.visanalog.programs import CROP, HALF, SIDE, Program

_TURNS = {1: Image.Transpose.ROTATE_90, 2: Image.Transpose.ROTATE_180, 3: Image.Transpose.ROTATE_270}
_FLIPS = {"horizontal": Image.Transpose.FLIP_LEFT_RIGHT, "vertical": Image.Transpose.FLIP_TOP_BOTTOM}
_QUARTER = 64  # of PIL's H, whose circle has 256


def transformed(pixels: PictureArray, program: Program) -> PictureArray:
    """Return a picture, (512, 512, 4) and opaque, under a program."""
    image = Image.fromarray(pixels).convert("RGB")
    if program.zoom and not program.swap_first:
        image = _zoomed(image)
    if program.swap is not None:
        image = _swapped(image, program.swap)
    if program.zoom and program.swap_first:
        image = _zoomed(image)
    if program.rotation:
        image = image.transpose(_TURNS[program.rotation])
    if program.flip:
        image = image.transpose(_FLIPS[program.flip])
    if program.hue:
        image = _hue_rotated(image, program.hue)
    return np.array(image.convert("RGBA"))


def _zoomed(image: Image.Image) -> Image.Image:
    return image.crop(CROP).resize((SIDE, SIDE), Image.Resampling.LANCZOS)


def _swapped(image: Image.Image, tiles: tuple[int, int]) -> Image.Image:
    boxes = [_box(tile) for tile in tiles]
    parts = [image.crop(box) for box in boxes]
    made = image.copy()
    for part, box in zip(parts, reversed(boxes), strict=True):
        made.paste(part, box)
    return made


def _box(tile: int) -> tuple[int, int, int, int]:
    down, right = divmod(tile, 2)
    return right * HALF, down * HALF, (right + 1) * HALF, (down + 1) * HALF


def _hue_rotated(image: Image.Image, quarters: int) -> Image.Image:
    """Add quarters of the circle to H, which wraps."""
    hue, saturation, value = image.convert("HSV").split()
    table = [(level + quarters * _QUARTER) % 256 for level in range(256)]
    return Image.merge("HSV", (hue.point(table), saturation, value)).convert("RGB")
