"""Draw the marks on faces, y down, pointing up before they are turned.

Six a family on a square face, within -1 to 1 each way; eight on a triangular one, whose corners are 1 from its middle.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from generator_service.benchmarks.marvel.forms.figures import block_figures
from generator_service.benchmarks.marvel.forms.symmetric import strokes_with
from generator_service.benchmarks.marvel.spec import ABSTRACT, GEOMETRIC, Look
from generator_service.cache_budget import cache_within_budget
from generator_service.drawing.outlines2d import abstract, geometric, regular
from generator_service.drawing.vector import BLACK, GREY, WHITE, Path, Point
from tetrad.streams import Stream

HALF_SIDE = 0.8660254037844386
"""Half the side of a triangular face, whose corners are 1 from its middle."""


@dataclass(frozen=True)
class Ink:
    """One piece of a mark: a closed outline with a shade inside, or a stroke (closed False). smooth: as in `Pen`.

    edged: whether the outline is drawn round the shade.
    """

    path: Path
    shade: int | None = BLACK
    closed: bool = True
    smooth: bool = False
    edged: bool = True


@dataclass(frozen=True)
class MarkFamily:
    """turns: the sides of a face. likeness: turns by one side until marks look alike. draw: (look, mark) -> its ink."""

    shape: str
    likeness: int
    draw: Callable[[Look, int], Sequence[Ink]]
    names: tuple[str, ...]
    turns: int = 4


def _scale_points(points: Sequence[Point], scale: float) -> list[Point]:
    return [(x * scale, y * scale) for x, y in points]


_POINTERS = ("arrow", "triangle", "heart", "house", "trapezoid", "half disc")


def _pointer(_: Look, mark: int) -> Sequence[Ink]:
    return [Ink(_scale_points(geometric(_POINTERS[mark]).points, 0.66), (BLACK, GREY, BLACK, WHITE, WHITE, GREY)[mark])]


def _emblem(_: Look, mark: int) -> Sequence[Ink]:
    disc, square, slanted = regular(48), regular(4, 45), regular(4)
    return (
        [Ink(_scale_points(disc, 0.5), BLACK, smooth=True)],
        [Ink(_scale_points(square, 0.72), WHITE)],
        [Ink(_scale_points(geometric("cross").points, 0.66), BLACK)],
        [Ink(_scale_points(disc, 0.62), WHITE, smooth=True), Ink(_scale_points(disc, 0.26), BLACK, smooth=True)],
        [Ink(_scale_points(slanted, 0.68), GREY)],
        [Ink(_scale_points(square, 0.78), WHITE), Ink(_scale_points(slanted, 0.48), BLACK)],
    )[mark]


def _box(left: float, top: float, right: float, bottom: float, shade: int | None = BLACK) -> Ink:
    return Ink([(left, top), (right, top), (right, bottom), (left, bottom)], shade)


def _stripes(_: Look, mark: int) -> Sequence[Ink]:
    return (
        [_box(-0.13, -0.72, 0.13, 0.72)],
        [_box(-0.42, -0.72, -0.16, 0.72), _box(0.16, -0.72, 0.42, 0.72)],
        [_box(-0.6, -0.72, -0.4, 0.72), _box(-0.1, -0.72, 0.1, 0.72), _box(0.4, -0.72, 0.6, 0.72)],
        [Ink([(0.55 * x, y) for x, y in _scale_points(regular(48), 0.74)], GREY, smooth=True)],
        [_box(-0.35, -0.74, 0.35, 0.74, WHITE), _box(-0.1, -0.5, 0.1, 0.5)],
        [Ink([(0.0, -0.76), (0.42, 0.0), (0.0, 0.76), (-0.42, 0.0)], WHITE)],
    )[mark]


def _corner(_: Look, mark: int) -> Sequence[Ink]:
    edge = 0.82
    return (
        [Ink([(-edge, -edge), (edge, -edge), (-edge, edge)])],
        [_box(-edge, -edge, 0.0, 0.0)],
        [_box(-edge, -edge, edge, -0.25, GREY)],
        [Ink([(0.35 + x, -0.35 + y) for x, y in _scale_points(regular(48), 0.3)], smooth=True)],
        [_box(-edge, -edge, -0.35, edge), _box(-0.35, 0.35, edge, edge)],
        [Ink([(-edge, edge), (0.0, -edge), (edge, edge)], WHITE)],
    )[mark]


def _block(look: Look, mark: int) -> Sequence[Ink]:
    cells = block_figures(look.seed, 6)[mark]
    left, top = -0.21 * (max(x for x, _ in cells) + 1), -0.21 * (max(y for _, y in cells) + 1)
    return [
        _box(left + 0.42 * x, top + 0.42 * y, left + 0.42 * (x + 1), top + 0.42 * (y + 1), GREY)
        for x, y in sorted(cells)
    ]


_MARK_STROKES = 8  # fewer than on a panel: a face is small


def _strokes(group: str) -> Callable[[Look, int], Sequence[Ink]]:
    def draw(look: Look, mark: int) -> Sequence[Ink]:
        strokes = strokes_with(group, look.seed + mark * 104729, _MARK_STROKES)
        return [
            Ink([(0.36 * x, 0.36 * y) for x, y in sorted(stroke)], closed=False)
            for stroke in sorted(strokes, key=sorted)
        ]

    return draw


_BLOBS = ("jagged shape", "bean", "block shape", "three-lobed blob", "five-lobed blob", "four-lobed blob")


def _blob(look: Look, mark: int) -> Sequence[Ink]:
    """Draw an abstract outline with a dot beside it, which shows its turn."""
    figure = abstract(_BLOBS[mark], look.seed + mark)
    dot = [(0.52 + x, -0.52 + y) for x, y in _scale_points(regular(24), 0.17)]
    return [
        Ink(
            [(-0.12 + 0.6 * x, 0.12 + 0.6 * y) for x, y in figure.points],
            (GREY, BLACK, WHITE)[mark % 3],
            smooth=figure.smooth,
        ),
        Ink(dot, smooth=True),
    ]


_EMBLEMS = (
    *("black disc", "white square", "black cross", "ring with a dot", "grey square on its corner"),
    "square with a black square on its corner inside",
)
_BARS = ("single bar", "double bar", "triple bar", "grey ellipse", "framed bar", "rhombus")
_CORNERS = (
    *("black half cut from corner to corner", "black quarter in a corner", "grey band along an edge"),
    *("black disc in a corner", "black L along two edges", "white triangle on an edge"),
)
_BLOCK_NAMES = tuple(f"block figure {name}" for name in "PQRSTU")
_STROKE_NAMES = tuple(f"stroke figure {name}" for name in "PQRSTU")
# On triangles.
TRIANGLE: tuple[Point, Point, Point] = ((0.0, -1.0), (HALF_SIDE, 0.5), (-HALF_SIDE, 0.5))
"""The corners of a triangular face, clockwise from its top."""
_TIP, _RIGHT, _LEFT = TRIANGLE
_CENTRE = (0.0, 0.0)


def _between(a: Point, b: Point, share: float = 0.5) -> Point:
    return a[0] + (b[0] - a[0]) * share, a[1] + (b[1] - a[1]) * share


def _disc(middle: Point, radius: float, shade: int | None = BLACK) -> Ink:
    return Ink([(middle[0] + x, middle[1] + y) for x, y in _scale_points(regular(32), radius)], shade, smooth=True)


def _fill(_: Look, mark: int) -> Sequence[Ink]:
    base, near, far = (_between(_LEFT, _RIGHT), _between(_TIP, _LEFT), _between(_TIP, _RIGHT))
    low_left, low_right = _between(_LEFT, _TIP, 0.3), _between(_RIGHT, _TIP, 0.3)
    high_left, high_right = _between(_LEFT, _TIP, 0.62), _between(_RIGHT, _TIP, 0.62)
    return (
        [Ink([_TIP, far, near])],
        [Ink([_LEFT, low_left, low_right, _RIGHT])],
        [Ink([_TIP, _RIGHT, base], GREY)],
        [_disc((0.0, -0.42), 0.2)],
        [Ink([_TIP, far, _CENTRE, near], GREY), Ink([_LEFT, _CENTRE, _RIGHT])],
        [Ink([_TIP, base], closed=False)],
        [Ink([low_left, low_right, high_right, high_left], GREY)],
        [_disc(_between(_LEFT, _CENTRE), 0.17), _disc(_between(_RIGHT, _CENTRE), 0.17)],
    )[mark]


_SIGNS = ("arrow", "heart", "house", "trapezoid", "half disc", "narrow triangle", "letter T", "letter L")


def _sign(_: Look, mark: int) -> Sequence[Ink]:
    drawn = {
        "narrow triangle": [(0.0, -1.1), (0.42, 0.9), (-0.42, 0.9)],
        "letter T": [(-0.8, -0.9), (0.8, -0.9), (0.8, -0.4), (0.25, -0.4), (0.25, 0.9), (-0.25, 0.9), (-0.25, -0.4),
                     (-0.8, -0.4)],
        "letter L": [(-0.6, -0.9), (-0.1, -0.9), (-0.1, 0.4), (0.7, 0.4), (0.7, 0.9), (-0.6, 0.9)],
    }  # fmt: skip
    name = _SIGNS[mark]
    shade = (BLACK, GREY, WHITE, GREY, BLACK, WHITE, BLACK, GREY)[mark]
    outline = drawn[name] if name in drawn else geometric(name).points
    return [Ink(_scale_points(outline, 0.4), shade)]


def _badge(_: Look, mark: int) -> Sequence[Ink]:
    corners, middles = regular(3), regular(3, 60)
    return (
        [_disc(_CENTRE, 0.36)],
        [_disc(_CENTRE, 0.38, WHITE), _disc(_CENTRE, 0.16)],
        [Ink(_scale_points(corners, 0.5))],
        [Ink(_scale_points(middles, 0.48), GREY)],
        [_disc((0.58 * x, 0.58 * y), 0.15) for x, y in corners],
        [Ink([_CENTRE, corner], closed=False) for corner in corners],
        [Ink([_CENTRE, (0.5 * x, 0.5 * y)], closed=False) for x, y in middles],
        [Ink(_scale_points(regular(6), 0.44), WHITE)],
    )[mark]


_SECTORS = ((_TIP, _RIGHT), (_RIGHT, _LEFT), (_LEFT, _TIP))
_PARTS = tuple(part for a, b in _SECTORS for part in ((a, _between(a, b), _CENTRE), (_between(a, b), b, _CENTRE)))
"""The six triangles between a face's corners, the middles of its sides and its middle, clockwise from the top."""
_QUARTERS = (
    (_TIP, _between(_TIP, _RIGHT), _between(_TIP, _LEFT)),
    (_RIGHT, _between(_RIGHT, _LEFT), _between(_RIGHT, _TIP)),
    (_LEFT, _between(_LEFT, _TIP), _between(_LEFT, _RIGHT)),
    (_between(_TIP, _RIGHT), _between(_RIGHT, _LEFT), _between(_LEFT, _TIP)),
)
_TRIANGULAR_MARKS = 8
DARK, PALE = 90, 180  # no black: the edges of faces must show


def _six(shades: tuple[int, ...], turn: int, *, mirrored: bool) -> tuple[int, ...]:
    """Return the shades of the six parts after turns by a third, and over the upright if mirrored."""
    shown = shades[::-1] if mirrored else shades
    return shown[-2 * turn :] + shown[: -2 * turn] if turn else shown


def _four(shades: tuple[int, ...], turn: int, *, mirrored: bool) -> tuple[int, ...]:
    """Return the shades of the three corners and the middle after turns by a third, mirrored over the upright."""
    top, right, left, middle = shades
    corners = (top, left, right) if mirrored else (top, right, left)
    return (*corners[-turn:], *corners[:-turn], middle) if turn else (*corners, middle)


@cache_within_budget(64)
def _told_apart(parts: int, shades: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
    """List fillings of a face that differ however they are turned or mirrored, and that no turn leaves alike."""
    moved = _six if parts == len(_PARTS) else _four
    found: dict[frozenset[tuple[int, ...]], tuple[int, ...]] = {}
    for filling in product(shades, repeat=parts):
        turns = [moved(filling, turn, mirrored=False) for turn in range(3)]
        if len(set(turns)) == len(turns):
            flipped = [moved(filling, turn, mirrored=True) for turn in range(3)]
            found.setdefault(frozenset([*turns, *flipped]), filling)
    return tuple(found.values())


def _fill_parts(parts: Sequence[Sequence[Point]], shades: tuple[int, ...]) -> Callable[[Look, int], Sequence[Ink]]:
    def draw(look: Look, mark: int) -> Sequence[Ink]:
        drawn = Stream("tetrad/marvel/filled", 1, look.seed).sample(_told_apart(len(parts), shades), _TRIANGULAR_MARKS)
        return [Ink(list(part), shade, edged=False) for part, shade in zip(parts, drawn[mark], strict=True)]

    return draw


_FILLS = (
    *("black tip", "black band along an edge", "grey half", "black dot near a corner"),
    *("grey kite over a black wedge", "line from a corner to an edge", "grey band across", "pair of dots at an edge"),
)
_BADGES = (
    *("black disc", "ring with a dot", "black triangle", "grey triangle that points to the edges"),
    *("set of three dots", "star of lines to the corners", "star of lines to the edges", "white hexagon"),
)
_SIXTHS, _QUARTERED = (tuple(f"{kind} figure {name}" for name in "PQRSTUVW") for kind in ("six-part", "four-part"))

MARK_FAMILIES: Mapping[str, MarkFamily] = {
    "pointers": MarkFamily(GEOMETRIC, 4, _pointer, _POINTERS),
    "emblems": MarkFamily(GEOMETRIC, 1, _emblem, _EMBLEMS),
    "stripes": MarkFamily(GEOMETRIC, 2, _stripes, _BARS),
    "corners": MarkFamily(GEOMETRIC, 4, _corner, _CORNERS),
    "blocks": MarkFamily(ABSTRACT, 4, _block, _BLOCK_NAMES),
    "lopsided strokes": MarkFamily(ABSTRACT, 4, _strokes("none"), _STROKE_NAMES),
    "half-turn strokes": MarkFamily(ABSTRACT, 2, _strokes("half turn"), _STROKE_NAMES),
    "dotted blobs": MarkFamily(ABSTRACT, 4, _blob, tuple(f"{name} with a dot" for name in _BLOBS)),
    "fills": MarkFamily(GEOMETRIC, 3, _fill, _FILLS, turns=3),
    "signs": MarkFamily(GEOMETRIC, 3, _sign, tuple(f"{name} sign" for name in _SIGNS), turns=3),
    "badges": MarkFamily(GEOMETRIC, 1, _badge, _BADGES, turns=3),
    "sixths": MarkFamily(ABSTRACT, 3, _fill_parts(_PARTS, (GREY, WHITE)), _SIXTHS, turns=3),
    "quarters": MarkFamily(ABSTRACT, 3, _fill_parts(_QUARTERS, (DARK, PALE, WHITE)), _QUARTERED, turns=3),
}
