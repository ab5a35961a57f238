"""Draw the marks on faces: six a family, in a unit square, y down, pointing up before they are turned."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from generator_service.benchmarks.marvel.forms.figures import block_figures
from generator_service.benchmarks.marvel.forms.symmetric import strokes_with
from generator_service.benchmarks.marvel.spec import ABSTRACT, GEOMETRIC, Look
from generator_service.drawing.outlines2d import abstract, geometric, regular
from generator_service.drawing.vector import BLACK, GREY, WHITE, Path, Point


@dataclass(frozen=True)
class Ink:
    """One piece of a mark: a closed outline with a shade inside, or a stroke (closed False). smooth: as in `Pen`."""

    path: Path
    shade: int | None = BLACK
    closed: bool = True
    smooth: bool = False


@dataclass(frozen=True)
class MarkFamily:
    """likeness: quarter turns after which a mark looks the same. draw: (look, mark 0 to 5) -> its ink."""

    shape: str
    likeness: int
    draw: Callable[[Look, int], Sequence[Ink]]
    names: tuple[str, ...]


def _scaled(points: Sequence[Point], scale: float) -> list[Point]:
    return [(x * scale, y * scale) for x, y in points]


_POINTERS = ("arrow", "triangle", "heart", "house", "trapezoid", "half disc")


def _pointer(_: Look, mark: int) -> Sequence[Ink]:
    return [Ink(_scaled(geometric(_POINTERS[mark]).points, 0.66), (BLACK, GREY, BLACK, WHITE, WHITE, GREY)[mark])]


def _emblem(_: Look, mark: int) -> Sequence[Ink]:
    disc, square, slanted = regular(48), regular(4, 45), regular(4)
    return (
        [Ink(_scaled(disc, 0.5), BLACK, smooth=True)],
        [Ink(_scaled(square, 0.72), WHITE)],
        [Ink(_scaled(geometric("cross").points, 0.66), BLACK)],
        [Ink(_scaled(disc, 0.62), WHITE, smooth=True), Ink(_scaled(disc, 0.26), BLACK, smooth=True)],
        [Ink(_scaled(slanted, 0.68), GREY)],
        [Ink(_scaled(square, 0.78), WHITE), Ink(_scaled(slanted, 0.48), BLACK)],
    )[mark]


def _box(left: float, top: float, right: float, bottom: float, shade: int | None = BLACK) -> Ink:
    return Ink([(left, top), (right, top), (right, bottom), (left, bottom)], shade)


def _stripes(_: Look, mark: int) -> Sequence[Ink]:
    return (
        [_box(-0.13, -0.72, 0.13, 0.72)],
        [_box(-0.42, -0.72, -0.16, 0.72), _box(0.16, -0.72, 0.42, 0.72)],
        [_box(-0.6, -0.72, -0.4, 0.72), _box(-0.1, -0.72, 0.1, 0.72), _box(0.4, -0.72, 0.6, 0.72)],
        [Ink([(0.55 * x, y) for x, y in _scaled(regular(48), 0.74)], GREY, smooth=True)],
        [_box(-0.35, -0.74, 0.35, 0.74, WHITE), _box(-0.1, -0.5, 0.1, 0.5)],
        [Ink([(0.0, -0.76), (0.42, 0.0), (0.0, 0.76), (-0.42, 0.0)], WHITE)],
    )[mark]


def _corner(_: Look, mark: int) -> Sequence[Ink]:
    edge = 0.82
    return (
        [Ink([(-edge, -edge), (edge, -edge), (-edge, edge)])],
        [_box(-edge, -edge, 0.0, 0.0)],
        [_box(-edge, -edge, edge, -0.25, GREY)],
        [Ink([(0.35 + x, -0.35 + y) for x, y in _scaled(regular(48), 0.3)], smooth=True)],
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
    dot = [(0.52 + x, -0.52 + y) for x, y in _scaled(regular(24), 0.17)]
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

MARK_FAMILIES: Mapping[str, MarkFamily] = {
    "pointers": MarkFamily(GEOMETRIC, 4, _pointer, _POINTERS),
    "emblems": MarkFamily(GEOMETRIC, 1, _emblem, _EMBLEMS),
    "stripes": MarkFamily(GEOMETRIC, 2, _stripes, _BARS),
    "corners": MarkFamily(GEOMETRIC, 4, _corner, _CORNERS),
    "blocks": MarkFamily(ABSTRACT, 4, _block, _BLOCK_NAMES),
    "lopsided strokes": MarkFamily(ABSTRACT, 4, _strokes("none"), _STROKE_NAMES),
    "half-turn strokes": MarkFamily(ABSTRACT, 2, _strokes("half turn"), _STROKE_NAMES),
    "dotted blobs": MarkFamily(ABSTRACT, 4, _blob, tuple(f"{name} with a dot" for name in _BLOBS)),
}
