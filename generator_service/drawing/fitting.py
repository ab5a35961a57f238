"""Make room for a turn: an object that reaches past the circle inside its canvas would lose its corners."""

import numpy as np
import numpy.typing as npt

from generator_service.cache_budget import cache_within_budget
from generator_service.drawing.canvas import Picture, place, resize


def within_circle(picture: Picture) -> Picture:
    """Return the square picture, shrunk about its middle until any turn keeps the whole object on the canvas.

    An object that fits stays as it is.
    """
    side = picture.shape[0]
    reach = reach_of(picture)
    if reach <= side:
        return picture
    fitting = side * side // reach
    small = resize(picture, fitting, fitting)
    return place(side, small, (side // 2, side // 2))


def reach_of(picture: Picture) -> int:
    """Return the diameter, in pixels and rounded up, of the circle about the middle that holds all that is drawn."""
    drawn = _squared_distances(picture.shape[0])[picture[..., 3] > 0]
    farthest = int(drawn.max(initial=0))
    root = int(np.sqrt(farthest))
    return root + (root * root < farthest)


@cache_within_budget(4)
def _squared_distances(side: int) -> npt.NDArray[np.int64]:
    """Return the square of twice each pixel's distance from the middle: a whole number."""
    offset = 2 * np.arange(side, dtype=np.int64) + 1 - side
    squares: npt.NDArray[np.int64] = offset[:, None] ** 2 + offset[None, :] ** 2
    return squares
