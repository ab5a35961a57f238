"""Measure what a viewer can tell apart: the share of an object's area that differs between two states, in integers.

States are named as KiVA's changes are: "plain"; "rotation:45" to "rotation:315" (clockwise); "reflection:x" (top and
bottom swapped), ":y", ":both"; "color:red", green, blue, yellow, grey (mixed half and half); "hue:red" and the others
(taken on wholly); "size:2x1" (twice as wide as plain), "size:1x2" (twice as tall), "size:2x2". States of one domain
compare with each other and with plain; so do turns and reflections.

How alike two pictures look to a person is measured on them blurred, small, and moved onto each other. Wood grain,
leaves, stripes and a shift by a pixel change most pixels and nothing that a person compares. So pictures are shrunk to
48 pixels and blurred. Silhouette and coarse color are measured apart, and the larger difference counts.
"""

from collections.abc import Iterable, Sequence
from itertools import combinations
from math import isqrt

import msgspec
import numpy as np
import numpy.typing as npt

from generator_service.drawing.canvas import TINTS, Picture, recolor, reflect, resize, rotate, stretch, tint

SIDE = 48  # pixels
_ROOM = 8  # pixels around, for moving a middle onto the other's
# Degrees. Angles that differ by a quarter turn stand together: they share a table of places.
_ANGLES = tuple(quarter + rest for rest in range(0, 90, 10) for quarter in range(0, 360, 90))
_TRIED = 6  # angles that are looked at closely: those whose silhouettes are most alike
_WHOLE = SIDE + 2 * _ROOM

_Planes = npt.NDArray[np.int32]
"""(4, side, side): colors times alpha, then alpha, 0 to 255."""


def mirrored_likeness(picture: Picture) -> int:
    """Return the permille by which a square picture differs from its mirror image, turned to fit it best."""
    small = resize(picture, SIDE, SIDE)
    mirrored = reflect(small, "y")
    own, *turned = map(_centre, _blur([small, *(rotate(mirrored, angle) for angle in _ANGLES)]))
    # Most angles are far off at once. Only the nearest are moved about.
    nearest = sorted(range(len(turned)), key=lambda at: (_silhouettes(own[3], turned[at][3]), _ANGLES[at]))[:_TRIED]
    return _least(own, (turned[at] for at in nearest))


def turned_likenesses(picture: Picture) -> tuple[int, ...]:
    """Return the permille by which a square picture differs from itself turned by 45, 90, 135 and 180 degrees."""
    small = resize(picture, SIDE, SIDE)
    own, *turned = map(_centre, _blur([small, *(rotate(small, angle) for angle in (45, 90, 135, 180))]))
    return tuple(_least(own, [other]) for other in turned)


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


def _blur(pictures: Sequence[Picture]) -> _Planes:
    """Multiply colors by alpha and take the mean of three by three pixels twice: (pictures, 4, side, side)."""
    wide = np.stack(pictures).astype(np.int32).transpose(0, 3, 1, 2)
    wide[:, :3] = wide[:, :3] * wide[:, 3:] // 255
    return _sum_neighbours(_sum_neighbours(wide)) // 81


def _sum_neighbours(planes: _Planes) -> _Planes:
    wide = np.zeros((*planes.shape[:2], SIDE + 2, SIDE + 2), np.int32)
    wide[..., 1:-1, 1:-1] = planes
    rows = wide[..., :-2, :] + wide[..., 1:-1, :] + wide[..., 2:, :]
    summed: _Planes = rows[..., :-2] + rows[..., 1:-1] + rows[..., 2:]
    return summed


def _centre(planes: _Planes) -> _Planes:
    """Move the middle of what is covered to the middle of a canvas with some room, by whole pixels."""
    alpha = planes[3].astype(np.int64)
    twice = 2 * max(int(alpha.sum()), 1)
    places = 2 * np.arange(SIDE) + 1
    down, across = (
        max(-_ROOM, min(_ROOM, SIDE // 2 - int((alpha.sum(axis=axis) * places).sum()) // twice)) for axis in (1, 0)
    )
    canvas = np.zeros((4, _WHOLE, _WHOLE), np.int32)
    canvas[:, _ROOM + down : _ROOM + down + SIDE, _ROOM + across : _ROOM + across + SIDE] = planes
    return canvas


VERSION = 3
"""Of the table. It goes up when `measure` changes what it writes; banks are then measured again."""
THRESHOLD = 80  # permille; below it, two pictures look alike at a glance (see tests/.../test_visibility.py)
SEEN = 500  # permille; from here on, more of an object stands out from a backdrop than is lost in it
HANDED = 200  # permille; below it, a picture and its mirror image look alike to a person
TURNED = 200  # permille; below it, a picture and its turned image look alike to a person
COMPACT = 970  # percent of the root of the area; from here on an outline is too long to keep in mind while it is turned
FINE = 2500  # the same; from here on an outline is of teeth or bars that run together in a smaller picture
LANDED = 800  # permille of its area that must be of a color, so that the object is of that color
_CHIRAL = 250  # permille; from here on a viewer sees at once that a mirror image differs from the original
_UPRIGHT = 200  # permille; up to here a stretch along an axis does not seem to turn the object
_LEVELS = 24  # of 255: a difference that survives JPEG, a gamma curve or a tired eye
_BACKDROPS = {"black": 0, "white": 255}  # the level of every channel
_EIGHTHS = 8
_COLOURS = ("plain", *(f"color:{name}" for name in TINTS))
_HUES = ("plain", *(f"hue:{name}" for name in TINTS))
_SIZES = ("plain", "size:2x1", "size:1x2", "size:2x2")
_REFLECTIONS = {"reflection:x": (1, 4), "reflection:y": (1, 0), "reflection:both": (0, 4)}
# A pose: mirrored left to right or not, then turned clockwise by so many eighths.
_POSES = {"plain": (0, 0)} | {f"rotation:{45 * k}": (0, k) for k in range(1, _EIGHTHS)} | _REFLECTIONS
STATES: tuple[str, ...] = (*_POSES, *_COLOURS[1:], *_HUES[1:], *_SIZES[1:])

_HALF_COVERED = 128
_DARK_YELLOW = 140  # of 255; what is darker is brown

_OnGrey = npt.NDArray[np.int16]


class Appearance(msgspec.Struct, frozen=True, kw_only=True):
    """One object's table, in permille of its area; `area` is in permille of the canvas.

    turns[k]: against itself turned by k eighths; mirrors[k]: mirrored, then turned; tints, sizes: by pair of states.
    shown: by color state and backdrop, the permille of its area that stands out from the backdrop.
    slant: how far the covered area runs along a diagonal, as the permille of the correlation of its x and y; no stretch
    along an axis changes it.
    mirror_likeness: against its mirror image turned to fit best; turn_likenesses: against itself turned by 45, 90, 135
    and 180 degrees, both as people see (`resemblance`). landed: by color, the area that has this color in "hue" states.
    outline: the length of its edges, those of holes too, in percent of the root of its area: a disc has 350, a comb
    2,700.

    `measure` writes these columns and banks keep them. A new column needs a higher VERSION and nothing else: every bank
    is then measured again.
    """

    area: int
    turns: tuple[int, ...]
    mirrors: tuple[int, ...]
    tints: dict[str, int]
    sizes: dict[str, int]
    shown: dict[str, int]
    slant: int
    mirror_likeness: int
    turn_likenesses: tuple[int, ...]
    landed: dict[str, int]
    outline: int

    @property
    def compact(self) -> bool:
        """Tell whether its outline is short enough to be compared with a turned one, unlike thirty bars or leaves."""
        return self.outline < COMPACT

    @property
    def scales(self) -> bool:
        """Tell whether the object looks the same when it is smaller: no teeth or bars run together."""
        return self.outline < FINE

    @property
    def stretches(self) -> bool:
        """Tell whether a stretch along one axis looks like one. Objects on a diagonal seem to turn as well."""
        return self.slant <= _UPRIGHT

    @property
    def chiral(self) -> bool:
        """Tell whether the picture clearly differs from its mirror image, however that is turned."""
        return min(self.mirrors) >= _CHIRAL

    @property
    def handed(self) -> bool:
        """Tell whether a person sees that the picture is no turned mirror image of itself."""
        return self.mirror_likeness >= HANDED

    @property
    def quarters(self) -> bool:
        """Tell whether a person sees quarter and half turns."""
        return min(self.turn_likenesses[1], self.turn_likenesses[3]) >= TURNED

    @property
    def eighths(self) -> bool:
        """Tell whether a person sees all turns by eighths."""
        return min(self.turn_likenesses) >= TURNED

    def lands(self, color: str) -> bool:
        """Tell whether the object, in this color, is of this color for the most part; KeyError for unknown ones."""
        return self.landed[color] >= LANDED

    def difference(self, state_a: str, state_b: str) -> int:
        """Return the permille that differs; ValueError for unknown states and for two that can't be compared."""
        if state_a == state_b and state_a in STATES:
            return 0
        if state_a in _POSES and state_b in _POSES:
            mirrored, eighths = _relative(_POSES[state_a], _POSES[state_b])
            return (self.mirrors if mirrored else self.turns)[eighths]
        pair = _pair(state_a, state_b)
        if pair in self.tints:
            return self.tints[pair]
        if pair in self.sizes:
            return self.sizes[pair]
        raise ValueError(
            f"states {state_a!r} and {state_b!r} don't compare; take two of one domain: {', '.join(STATES)}"
        )

    def shows(self, state: str, backdrop: str) -> int:
        """Return the permille that stands out from "black" or "white", "plain" or in a color; KeyError for others."""
        return self.shown[_on(state, backdrop)]


def measure(picture: Picture) -> Appearance:
    """Fill in the table for a square picture (side, side, 4) with an even side."""
    small = _halve(picture)
    plain, eighth = _on_grey(small), _on_grey(_halve(rotate(picture, 45)))
    # Quarter turns and mirrors of whole pixels are exact, so all the odd eighths come from one resampled turn.
    turned = [np.rot90(eighth if k % 2 else plain, -(k // 2)) for k in range(_EIGHTHS)]
    tinted = [plain, *(_on_grey(tint(small, name)) for name in TINTS)]
    hued = [plain, *(_on_grey(recolor(small, name)) for name in TINTS)]
    stretched = [_on_grey(_halve(stretch(picture, across, down))) for across, down in ((1, 1), (2, 1), (1, 2), (2, 2))]
    return Appearance(
        area=1000 * int((small[..., 3] >= _HALF_COVERED).sum()) // (small.shape[0] * small.shape[1]),
        # Turning back differs as much as turning on; one score for both keeps the table symmetric.
        turns=tuple(score(plain, turned[min(k, _EIGHTHS - k)]) for k in range(_EIGHTHS)),
        # Mirrored, then turned by k, is turned by -k, then mirrored.
        mirrors=tuple(score(plain, turned[-k % _EIGHTHS][:, ::-1]) for k in range(_EIGHTHS)),
        tints=_pairwise(_COLOURS, tinted) | _pairwise(_HUES, hued),
        sizes=_pairwise(_SIZES, stretched),
        shown={
            _on(state, backdrop): _standing_out(each, level)
            for state, each in (*zip(_COLOURS, tinted, strict=True), *zip(_HUES, hued, strict=True))
            for backdrop, level in _BACKDROPS.items()
        },
        slant=_slant(small),
        mirror_likeness=mirrored_likeness(picture),
        turn_likenesses=turned_likenesses(picture),
        landed={name: _landing(recolor(small, name), name) for name in TINTS},
        outline=_outline(small),
    )


def score(a: _OnGrey, b: _OnGrey) -> int:
    """Return the permille of the area of either where a channel or alpha differs by more than 24 levels."""
    either = (a[..., 3] >= _HALF_COVERED) | (b[..., 3] >= _HALF_COVERED)
    # Four truth values are read as one number, which is not 0 if any channel differs.
    differs = (np.abs(a - b) > _LEVELS).view(np.uint32)[..., 0] != 0
    return 1000 * int((differs & either).sum()) // max(int(either.sum()), 1)


def _standing_out(picture: _OnGrey, level: int) -> int:
    """Return the permille of the area where a channel differs by more than 24 levels from a backdrop's."""
    covered = picture[..., 3] >= _HALF_COVERED
    gap = np.abs(picture - np.int16(level))
    gap[..., 3] = 0
    differs = (gap > _LEVELS).view(np.uint32)[..., 0] != 0
    return 1000 * int((covered & differs).sum()) // max(int(covered.sum()), 1)


def _landing(picture: Picture, color: str) -> int:
    """Return the permille of the covered area that anyone would call by the color's name, by hue and strength."""
    covered = picture[..., 3] >= _HALF_COVERED
    red, green, blue = (picture[..., channel][covered].astype(np.int32) for channel in range(3))
    most, least = np.maximum(np.maximum(red, green), blue), np.minimum(np.minimum(red, green), blue)
    strong = (most - least) * 4 >= most  # a quarter of its brightness, at least, is color
    named = {
        "red": strong & (red == most) & (np.abs(green - blue) * 3 <= most - least),
        "green": strong & (green == most) & (np.abs(red - blue) * 3 <= (most - least) * 2),
        "blue": strong & (blue == most) & (np.abs(red - green) * 3 <= (most - least) * 2),
        "yellow": strong
        & (blue == least)
        & ((red - blue) * 4 >= (most - least) * 3)
        & (green * 5 >= red * 4)
        & (most > _DARK_YELLOW),
        "grey": (most - least) * 8 <= np.maximum(most, 32),
    }
    return 1000 * int(named[color].sum()) // max(int(covered.sum()), 1)


def _outline(picture: Picture) -> int:
    """Return the number of covered pixels with an uncovered neighbor, in percent of the root of all covered ones."""
    covered = np.pad(picture[..., 3] >= _HALF_COVERED, 1)
    within = covered[:-2, 1:-1] & covered[2:, 1:-1] & covered[1:-1, :-2] & covered[1:-1, 2:]
    area = int(covered.sum())
    edge = area - int((covered[1:-1, 1:-1] & within).sum())
    return isqrt(10_000 * edge * edge // max(area, 1))


def _slant(picture: Picture) -> int:
    """Return the correlation of x and y over the covered area, in whole numbers; 0 for a line along an axis."""
    rows, columns = np.nonzero(picture[..., 3] >= _HALF_COVERED)
    x, y = columns.astype(np.int64), rows.astype(np.int64)
    count, across, down = len(x), int(x.sum()), int(y.sum())
    wide = count * int((x * x).sum()) - across * across
    tall = count * int((y * y).sum()) - down * down
    both = count * int((x * y).sum()) - across * down
    return isqrt(1_000_000 * both * both // (wide * tall)) if wide and tall else 0


def _halve(picture: Picture) -> Picture:
    """Halve both sides: the blur of an edge resampled at 45 degrees must not count as a difference."""
    return resize(picture, picture.shape[1] // 2, picture.shape[0] // 2)


def _on_grey(picture: Picture) -> _OnGrey:
    """Composite on mid-grey; alpha stays the fourth channel."""
    # Alpha stands beside each channel: NumPy repeats a number of one pixel much slower than it multiplies.
    alpha = np.repeat(picture[..., 3], 4).reshape(picture.shape).astype(np.uint32)
    wide = ((picture * alpha + 128 * (255 - alpha)) // 255).astype(np.int16)
    wide[..., 3] = picture[..., 3]
    return wide


def _relative(a: tuple[int, int], b: tuple[int, int]) -> tuple[int, int]:
    """Return pose b as seen from pose a: in the group of the octagon, a inverse times b."""
    eighths = (b[1] - a[1]) % _EIGHTHS
    return (b[0], eighths) if a[0] == 0 else (1 - b[0], -eighths % _EIGHTHS)


def _pair(a: str, b: str) -> str:
    return " | ".join(sorted((a, b)))


def _on(state: str, backdrop: str) -> str:
    return f"{state} on {backdrop}"


def _pairwise(names: tuple[str, ...], pictures: list[_OnGrey]) -> dict[str, int]:
    return {_pair(a, b): score(x, y) for (a, x), (b, y) in combinations(zip(names, pictures, strict=True), 2)}
