"""Search all edits that the prompt describes for the one that makes B from A.

A and B are compared at 64 pixels a side. There, an edit is a zoom and a hue rotation (eight pictures, made at full
size), a swap of two quarters and one of the eight symmetries of the square.
"""

from collections.abc import Iterator
from itertools import combinations, product
from typing import NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt
from PIL import Image

from tetrad.solvers.pictures import PictureArray

SMALL = 64
_KEPT = 0.8
_QUARTERS = tuple(combinations(range(4), 2))
_FULL_CIRCLE, _HUES = 256, 4
_Small = npt.NDArray[np.float32]
_T = TypeVar("_T", bound=np.generic)


class Edit(NamedTuple):
    """One edit: zoom or not, two of the quarters 0 to 3 or none, then a mirror image or not, quarter turns, hue.

    turns: counter-clockwise, behind the mirroring of left and right. hue: in quarters of the circle.
    """

    zoom: bool
    swap: tuple[int, int] | None
    mirror: bool
    turns: int
    hue: int


def find_edit(before: PictureArray, after: PictureArray) -> Edit:
    """Return the edit under which `before` comes nearest to `after`; both are square, RGBA."""
    wanted = _small(Image.fromarray(after[..., :3]))
    best = min(_candidates(before), key=lambda one: float(np.square(one[1] - wanted).sum()))
    return best[0]


def apply_edit(picture: PictureArray, edit: Edit) -> PictureArray:
    """Return a picture, square and opaque, under an edit."""
    image = _turn_hue(
        _enlarge(Image.fromarray(picture[..., :3])) if edit.zoom else Image.fromarray(picture[..., :3]), edit.hue
    )
    made = np.full_like(picture, 255)
    made[..., :3] = _mirror_and_turn(_swap_quarters(np.asarray(image), edit.swap), mirror=edit.mirror, turns=edit.turns)
    return made


def _candidates(before: PictureArray) -> Iterator[tuple[Edit, _Small]]:
    """Yield every edit with what it makes of a picture, small."""
    plain = Image.fromarray(before[..., :3])
    for zoom, image in ((False, plain), (True, _enlarge(plain))):
        for hue in range(_HUES):
            small = _small(_turn_hue(image, hue))
            for swap in (None, *_QUARTERS):
                swapped = _swap_quarters(small, swap)
                for mirror, turns in product((False, True), range(4)):
                    yield Edit(zoom, swap, mirror, turns, hue), _mirror_and_turn(swapped, mirror=mirror, turns=turns)


def _small(image: Image.Image) -> _Small:
    return np.asarray(image.resize((SMALL, SMALL), Image.Resampling.BOX), dtype=np.float32)


def _enlarge(image: Image.Image) -> Image.Image:
    """Bring the middle of a picture to full size."""
    margin = int(image.width * (1 - _KEPT) / 2)
    box = (margin, margin, image.width - margin, image.height - margin)
    return image.crop(box).resize(image.size, Image.Resampling.LANCZOS)


def _turn_hue(image: Image.Image, quarters: int) -> Image.Image:
    if not quarters:
        return image
    hue, saturation, value = image.convert("HSV").split()
    turned = hue.point([(level + quarters * _FULL_CIRCLE // _HUES) % _FULL_CIRCLE for level in range(_FULL_CIRCLE)])
    return Image.merge("HSV", (turned, saturation, value)).convert("RGB")


def _swap_quarters(pixels: npt.NDArray[_T], swap: tuple[int, int] | None) -> npt.NDArray[_T]:
    if swap is None:
        return pixels
    half = len(pixels) // 2
    one, other = (
        (slice(half * (tile // 2), half * (tile // 2 + 1)), slice(half * (tile % 2), half * (tile % 2 + 1)))
        for tile in swap
    )
    made = pixels.copy()
    made[one], made[other] = pixels[other], pixels[one]
    return made


def _mirror_and_turn(pixels: npt.NDArray[_T], *, mirror: bool, turns: int) -> npt.NDArray[_T]:
    return np.rot90(pixels[:, ::-1] if mirror else pixels, turns)
