"""Find the described tetrahedron or octahedron that a described net folds to.

A net lies on rows of triangles. Corners of it that meet when it is folded get one name, face by face from the first:
over an edge from there lies the one corner of a tetrahedron that is left, or the corner of an octahedron that lies
opposite to the one on this side.
"""

from collections.abc import Mapping, Sequence
from itertools import product
from typing import NamedTuple, TypeAlias

from tetrad.late_regex import late_regex

Spot: TypeAlias = tuple[int, int]
_NET_FACE = late_regex(
    r"row (\d) column (\d), a triangle that points (up|down), an? (.+?)(?:, its top ([\w ]+))?(?=; row |\.$)"
)
_VIEW_FACE = late_regex(r"on the ([\w ]+) face, an? (.+?)(?:, its top towards the (\w+)(?: corner)?)?(?=; on the |\.$)")
_CORNERS: Mapping[str, Mapping[str, tuple[str, str, str]]] = {
    "A tetrahedron": {"left": ("tip", "front", "left"), "right": ("tip", "right", "front")},
    "An octahedron": {
        "upper left": ("front", "left", "top"),
        "upper right": ("front", "top", "right"),
        "lower right": ("front", "right", "bottom"),
        "lower left": ("front", "bottom", "left"),
    },
}
"""The corners of each visible face, clockwise."""


class _Printed(NamedTuple):
    """A face: its corners clockwise, and the one that its mark's top points to; None if the mark has no top."""

    corners: tuple[int, ...]
    top: int | None


def possible_triangular(net: str, choices: Sequence[str]) -> set[int]:
    """Return the places of the solids that the net folds to."""
    folded = _fold(net, opposite=choices[0].startswith("An octahedron"))
    return {place for place, words in enumerate(choices) if _fits(folded, words)}


def _fold(net: str, *, opposite: bool) -> Mapping[str, _Printed]:
    """Name the corners of every face, and return each mark's face."""
    cells = {_spots(int(row), int(column), way): (mark, top) for row, column, way, mark, top in _NET_FACE.findall(net)}
    start = next(iter(cells))
    named = {start: (0, 1, 2)}
    waiting = [start]
    for spots in waiting:  # grows as it goes
        names = dict(zip(spots, named[spots], strict=True))
        for other in cells:
            shared = [spot for spot in other if spot in names]
            if other in named or len(shared) < 2:  # noqa: PLR2004 - the ends of an edge
                continue
            [away] = set(named[spots]) - {names[spot] for spot in shared}
            new = 5 - away if opposite else 6 - sum(named[spots])  # opposite corners add up to 5, all four to 6
            a, b, c = (names.get(spot, new) for spot in other)
            named[other] = (a, b, c)
            waiting.append(other)
    return {
        mark: _Printed(named[spots], named[spots][_WAYS.index(top) % 3] if top else None)
        for spots, (mark, top) in cells.items()
    }


_WAYS = ("up", "lower right", "lower left", "down", "upper left", "upper right")


def _spots(row: int, column: int, way: str) -> tuple[Spot, Spot, Spot]:
    """Return the corners of a triangle clockwise, the one that it points to first."""
    if way == "up":
        return (column + 1, row), (column + 2, row + 1), (column, row + 1)
    return (column + 1, row + 1), (column, row), (column + 2, row)


def _fits(folded: Mapping[str, _Printed], words: str) -> bool:
    """Tell whether the corners that the view names can be those of the folded net: one to one, clockwise on both."""
    known = _CORNERS[words.partition(",")[0].partition(" on its")[0]]
    pairings = []
    for face, mark, top in _VIEW_FACE.findall(words):
        if mark not in folded:
            return False
        printed, seen = folded[mark], known[face]
        turned = [(*printed.corners[by:], *printed.corners[:by]) for by in range(3)]
        pairings.append(
            [
                dict(zip(seen, names, strict=True))
                for names in turned
                if printed.top is None or names[seen.index(top)] == printed.top
            ]
        )
    return any(_agree(chosen) for chosen in product(*pairings))


def _agree(pairings: Sequence[Mapping[str, int]]) -> bool:
    """Tell whether each corner has one name, and no two the same."""
    together = {(corner, name) for pairing in pairings for corner, name in pairing.items()}
    return all(len({pair[at] for pair in together}) == len(together) for at in (0, 1))
