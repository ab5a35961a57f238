"""The composite presentation: one picture with the given pair above and three lettered pairs below.

Measured on a sheet 1616 x 572: pairs of 520 x 256 inside frames, letters in a strip between the rows. Other sizes
are read in proportion.
"""

from tetrad.solvers.kiva_pixels.panels import Pair, cut_pair
from tetrad.solvers.pictures import PictureArray

_WIDTH = 1616
_PAIR = (520, 256)
_GIVEN_AT = (548, 4)
_OPTIONS_AT = ((4, 312), (548, 312), (1092, 312))
_WIDEST_PAIR = 2.4  # a pair is 2.03 times as wide as high, a sheet 2.83 times


def is_sheet(picture: PictureArray) -> bool:
    height, width = picture.shape[:2]
    return bool(width > _WIDEST_PAIR * height)


def cut_sheet(picture: PictureArray) -> tuple[Pair, list[Pair]]:
    """Return the given pair, and the three below from left to right."""
    return _cut_at(picture, _GIVEN_AT), [_cut_at(picture, at) for at in _OPTIONS_AT]


def _cut_at(picture: PictureArray, at: tuple[int, int]) -> Pair:
    scale = picture.shape[1] / _WIDTH
    left, top, right, bottom = (round(edge * scale) for edge in (*at, at[0] + _PAIR[0], at[1] + _PAIR[1]))
    return cut_pair(picture[top:bottom, left:right])
