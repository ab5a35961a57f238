"""Measure how alike two pictures look to a person: blurred, small, moved onto each other, in integers.

Wood grain, leaves, stripes and a shift by a pixel change most pixels and nothing that a person compares. So pictures
are shrunk to 48 pixels and blurred. Silhouette and coarse color are measured apart, and the larger difference counts.
"""

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from generator_service.drawing.canvas import Picture, reflect, resize, rotate

SIDE = 48  # pixels
_ROOM = 8  # pixels around, for moving a middle onto the other's
_STEP = 10  # degrees between the angles that are tried
_TRIED = 6  # angles that are looked at closely: those whose silhouettes are most alike
_WHOLE = SIDE + 2 * _ROOM

_Planes = npt.NDArray[np.int32]
"""(4, side, side): colors times alpha, then alpha, 0 to 255."""


def mirrored_likeness(picture: Picture) -> int:
    """Return the permille by which a square picture differs from its mirror image, turned to fit it best."""
    small = resize(picture, SIDE, SIDE)
    own, mirrored = _centre(_blur(small)), reflect(small, "y")
    turned = [_centre(_blur(rotate(mirrored, angle))) for angle in range(0, 360, _STEP)]
    # Most angles are far off at once. Only the nearest are moved about.
    nearest = sorted(range(len(turned)), key=lambda at: _silhouettes(own[3], turned[at][3]))[:_TRIED]
    return _least(own, (turned[at] for at in nearest))


def turned_likenesses(picture: Picture) -> tuple[int, ...]:
    """Return the permille by which a square picture differs from itself turned by 45, 90, 135 and 180 degrees."""
    small = resize(picture, SIDE, SIDE)
    own = _centre(_blur(small))
    return tuple(_least(own, [_centre(_blur(rotate(small, angle)))]) for angle in (45, 90, 135, 180))


def _least(own: _Planes, others: Iterable[_Planes]) -> int:
    """Return the least difference over shifts by up to a pixel."""
    inner = own[:, 1:-1, 1:-1]
    shifted = (
        other[:, down : _WHOLE - 2 + down, across : _WHOLE - 2 + across]
        for other in others
        for down in range(3)
        for across in range(3)
    )
    return min(max(_silhouettes(inner[3], other[3]), _colors(inner, other)) for other in shifted)


def _silhouettes(a: npt.NDArray[np.int32], b: npt.NDArray[np.int32]) -> int:
    """Return the permille of the area of either that only one covers."""
    return 1000 * int(np.abs(a - b).sum()) // max(int(np.maximum(a, b).sum()), 1)


def _colors(a: _Planes, b: _Planes) -> int:
    """Return the mean difference of the most different channel where both cover, in permille of the whole range."""
    both = np.minimum(a[3], b[3])
    gap = np.minimum(np.abs(a[:3] - b[:3]).max(axis=0), both)
    return 1000 * int(gap.sum()) // max(int(both.sum()), 1)


def _blur(small: Picture) -> _Planes:
    """Multiply colors by alpha and take the mean of three by three pixels twice."""
    wide = small.astype(np.int32).transpose(2, 0, 1)
    wide[:3] = wide[:3] * wide[3] // 255
    return _sum_neighbours(_sum_neighbours(wide)) // 81


def _sum_neighbours(planes: _Planes) -> _Planes:
    wide = np.pad(planes, ((0, 0), (1, 1), (1, 1)))
    rows = wide[:, :-2] + wide[:, 1:-1] + wide[:, 2:]
    summed: _Planes = rows[:, :, :-2] + rows[:, :, 1:-1] + rows[:, :, 2:]
    return summed


def _centre(planes: _Planes) -> _Planes:
    """Move the middle of what is covered to the middle of a canvas with some room, by whole pixels."""
    alpha = planes[3].astype(np.int64)
    twice = 2 * max(int(alpha.sum()), 1)
    places = 2 * np.arange(SIDE) + 1
    down, across = (
        max(-_ROOM, min(_ROOM, SIDE // 2 - int((alpha.sum(axis=axis) * places).sum()) // twice)) for axis in (1, 0)
    )
    room = ((0, 0), (_ROOM + down, _ROOM - down), (_ROOM + across, _ROOM - across))
    return np.pad(planes, room)
