"""Do to pixels what a program says, with Pillow as the paper does. The one place that changes pictures."""

import numpy as np
from PIL import Image

from generator_service.benchmark import PictureArray
from generator_service.benchmarks.visanalog.programs import CROP, HALF, SIDE, Program
from generator_service.drawing.canvas import opaque

_TURNS = {1: Image.Transpose.ROTATE_90, 2: Image.Transpose.ROTATE_180, 3: Image.Transpose.ROTATE_270}
_FLIPS = {"horizontal": Image.Transpose.FLIP_LEFT_RIGHT, "vertical": Image.Transpose.FLIP_TOP_BOTTOM}
_QUARTER = 64  # of PIL's H, whose circle has 256


def transformed(pixels: PictureArray, program: Program) -> PictureArray:
    """Return a picture, (512, 512, 4) and opaque, under a program."""
    image = Image.fromarray(pixels)
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
    made = opaque(image) if image.mode == "RGB" else np.array(image)
    return _hue_rotated(made, program.hue) if program.hue else made


def _zoomed(image: Image.Image) -> Image.Image:
    """Bring the middle back to full size, as RGB: of RGBA, Pillow multiplies colours by their alpha first."""
    middle = image.crop(CROP).convert("RGB")
    return middle.resize((SIDE, SIDE), Image.Resampling.LANCZOS)


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


def _hue_rotated(pixels: PictureArray, quarters: int) -> PictureArray:
    """Add quarters of the circle to H, which wraps.

    Where neighbours in a row often have one colour, as in composed pictures, only the first of them is worked out. That
    is twice as fast, and makes no difference to the pixels.
    """
    some = pixels[::16].view("<u4")[..., 0]
    if np.count_nonzero(some[:, 1:] != some[:, :-1]) > some.size // 2:
        return _recoloured(pixels, quarters)
    words = pixels.view("<u4").reshape(-1)
    starts = np.append(0, np.flatnonzero(words[1:] != words[:-1]) + 1)
    rotated = _recoloured(words[starts].view(np.uint8).reshape(1, -1, 4), quarters).view("<u4").reshape(-1)
    return np.repeat(rotated, np.diff(starts, append=len(words))).view(np.uint8).reshape(pixels.shape)


def _recoloured(pixels: PictureArray, quarters: int) -> PictureArray:
    levels = np.arange(256)
    table = [*(levels + quarters * _QUARTER) % 256, *levels, *levels]
    image = Image.frombuffer("RGB", pixels.shape[1::-1], pixels, "raw", "RGBX", 0, 1)
    return opaque(image.convert("HSV").point(table).convert("RGB"))
