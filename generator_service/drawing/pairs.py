"""Join two pictures, before and after, side by side with a line between them."""

import numpy as np

from generator_service.drawing.canvas import Picture

GAP = 8
RULE = 2
INK = (128, 128, 128, 255)  # grey shows on whatever a viewer lays a transparent picture on


def side_by_side(before: Picture, after: Picture) -> Picture:
    """Return both on one transparent canvas, (height, 2 * width + 8, 4); they must be of one size.

    Raises:
        ValueError: their sizes differ.
    """
    if before.shape != after.shape:
        raise ValueError(f"a pair's pictures must be of one size, got {before.shape[:2]} and {after.shape[:2]}")
    height, width = before.shape[:2]
    pair = np.zeros((height, 2 * width + GAP, 4), np.uint8)
    pair[:, :width] = before
    pair[:, width + GAP :] = after
    line = width + (GAP - RULE) // 2
    pair[:, line : line + RULE] = INK
    return pair
