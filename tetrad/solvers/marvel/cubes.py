"""Find the described cube that a described net folds to.

Directions are whole-number vectors. A net lies with its print towards the viewer, x to the right, y up the page, z out
of it, and is folded away. A cube is seen from (1, 1, 1), z upright: its left face is x, its right one y, its top z.
"""

from collections.abc import Mapping
from typing import NamedTuple, TypeAlias

from tetrad.late_regex import late_regex

Vector: TypeAlias = tuple[int, int, int]
X, Y, Z = (1, 0, 0), (0, 1, 0), (0, 0, 1)
_NET_FACE = late_regex(r"row (\d) column (\d), an? (.+?)(?:, its top (\w+))?(?:; |\.$)")
_CUBE_FACE = late_regex(r"on the (left|right|top) face, an? (.+?)(?:, its top ([\w, ]+?))?(?=; on the |\.$)")


def _back(of: Vector) -> Vector:
    return -of[0], -of[1], -of[2]


_FACES = {"left": X, "right": Y, "top": Z}
_UPRIGHT = {"up": Z, "down": _back(Z)}
_POINTING: dict[str, dict[str, Vector]] = {
    "left": _UPRIGHT | {"right, towards the front edge": Y, "left, away from the front edge": _back(Y)},
    "right": _UPRIGHT | {"right, away from the front edge": _back(X), "left, towards the front edge": X},
    "top": {
        "towards the left face": X,
        "towards the right face": Y,
        "towards the back right edge": _back(X),
        "towards the back left edge": _back(Y),
    },
}


class Printed(NamedTuple):
    """The direction of a face, and that of its mark's top; None if the mark has no top."""

    outward: Vector
    top: Vector | None


class _Laid(NamedTuple):
    """A folded cell of a net: its direction, and the directions of the page's right and up."""

    outward: Vector
    right: Vector
    up: Vector


def possible_cubes(net: str, cubes: list[str]) -> set[int]:
    """Return the places of the cubes that the net folds to.

    A mark that looks alike after half a turn may be described by either end. This is allowed only if no cube fits
    exactly.
    """
    folded = _fold(net)
    shown = [_read_faces(cube) for cube in cubes]
    exact = {place for place, view in enumerate(shown) if _fits(folded, view, either_end=False)}
    return exact or {place for place, view in enumerate(shown) if _fits(folded, view, either_end=True)}


def _fold(net: str) -> Mapping[str, Printed]:
    """Roll over the net from its first cell, and return each mark's face."""
    cells = {(int(column), -int(row)): (mark, top) for row, column, mark, top in _NET_FACE.findall(net)}
    start = next(iter(cells))
    laid = {start: _Laid(Z, X, Y)}
    waiting = [start]
    for x, y in waiting:  # grows as it goes
        outward, right, up = laid[x, y]
        around = {
            (x + 1, y): _Laid(right, _back(outward), up),
            (x - 1, y): _Laid(_back(right), outward, up),
            (x, y + 1): _Laid(up, right, _back(outward)),
            (x, y - 1): _Laid(_back(up), right, outward),
        }
        for cell, face in around.items():
            if cell in cells and cell not in laid:
                laid[cell] = face
                waiting.append(cell)
    return {mark: Printed(laid[cell].outward, _top(laid[cell], top)) for cell, (mark, top) in cells.items()}


def _top(face: _Laid, word: str) -> Vector | None:
    ways = {"up": face.up, "down": _back(face.up), "right": face.right, "left": _back(face.right)}
    return ways[word] if word else None


def _read_faces(cube: str) -> Mapping[str, Printed]:
    return {
        mark: Printed(_FACES[face], _POINTING[face][top] if top else None)
        for face, mark, top in _CUBE_FACE.findall(cube)
    }


def _fits(folded: Mapping[str, Printed], view: Mapping[str, Printed], *, either_end: bool) -> bool:
    """Tell whether some turn of the folded cube shows the marks as described. A turn keeps the corner right-handed."""
    axes = {printed.outward: folded[mark].outward for mark, printed in view.items()}
    if _cross(axes[X], axes[Y]) != axes[Z]:
        return False
    for mark, printed in view.items():
        top = folded[mark].top
        if top is None or printed.top is None:
            continue
        turned = (_dot(top, axes[X]), _dot(top, axes[Y]), _dot(top, axes[Z]))
        if turned != printed.top and not (either_end and _back(turned) == printed.top):
            return False
    return True


def _dot(a: Vector, b: Vector) -> int:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def _cross(a: Vector, b: Vector) -> Vector:
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]
