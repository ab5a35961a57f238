"""Compute facts of a photograph under every program at once, from its cells.

A fact has a whole number as its value, as in `facts`: the number of a hue, a place, or two of them. A hue prevails in a
part of a picture if at least SHARE of the part's cells are within 34 degrees of it and coloured enough.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from PIL import Image

from generator_service.benchmarks.visanalog.facts import APART
from generator_service.benchmarks.visanalog.photographs.cells import (
    CELLS,
    KEPT,
    colours_of,
    hue_rotated,
    laid_out,
    turned,
)
from generator_service.benchmarks.visanalog.photographs.families import (
    DARKEST_CORNER,
    DARKEST_EDGE,
    DARKEST_QUARTER,
    EDGES,
    HUE_CORNER,
    HUE_EDGE,
    HUE_MIDDLE,
    HUE_QUARTER,
    HUE_THERE,
    LIGHTEST_CORNER,
    LIGHTEST_EDGE,
    LIGHTEST_QUARTER,
    PAIRS,
    TWO_HUES,
    VIVID_QUARTER,
    WHERE,
)
from generator_service.benchmarks.visanalog.programs import (
    HUE_OF,
    LAYOUT_OF,
    LAYOUTS,
    MATRICES,
    ORIGINS,
    SYMMETRY_OF,
    Floats,
    Ints,
    placed,
)
from generator_service.benchmarks.visanalog.spec import ABSENT, AMBIGUOUS, SIDE_OF, Fact, Photograph
from generator_service.cache_budget import budgeted

SHARE, NO_SHARE = 0.6, 0.1
"""Shares of a part's cells: from the first on a hue prevails, up to the second it has none."""
LIGHTER, MORE_VIVID = 20.0, 20.0
"""Levels by which a part is lighter or darker than any other, whatever rotates the hues; or more colourful."""
_WHOLE = 0.999
_NEAR_MIDDLE = 12.0  # pixels: a thing nearer to a middle line is in no quarter
_COLOURED = (64, 64)  # least S and V of a cell that has a hue
_HUES, _LEVELS, _WINDOW = 8, 32, 24  # named hues, levels of H from one to the next, and how far a cell's may be off
_LUMA = np.array([299, 587, 114])
_CHROMA, _FIRST_HUE, _ANY_HUE, _MEASURES = 4, 5, 13, 14
_CODES = np.array([4 * (hue % 2) + hue // 2 for hue in range(_HUES)])
"""By named hue in the order of H: its number in COLOURS."""
_DIRECTIONS = ((1, 0), (0, -1), (-1, 0), (0, 1))
"""Edges in their order: right, upper, left, lower."""
_CORNERS, _QUARTERS, _EDGES, _MIDDLE, _PARTS = 0, 4, 8, 12, 13


def _parts(side: int) -> list[tuple[slice, slice]]:
    """Return the parts of a grid of cells: four corners, quarters and edges, and the middle, as rows and columns."""
    thin, half, whole = side // 8, side // 2, slice(0, side)
    ends, halves = (slice(0, thin), slice(side - thin, side)), (slice(0, half), slice(half, side))
    corners = [(ends[tile // 2], ends[tile % 2]) for tile in range(4)]
    quarters = [(halves[tile // 2], halves[tile % 2]) for tile in range(4)]
    edges = [(whole, ends[1]), (ends[0], whole), (whole, ends[0]), (ends[1], whole)]
    middle = slice(side // 4, side - side // 4)
    return [*corners, *quarters, *edges, (middle, middle)]


def _members() -> Floats:
    """Tell for each layout and part which cells of a photograph lie there, 0 or 1, (layouts * parts, cells)."""
    numbers = np.arange(CELLS * CELLS).reshape(CELLS, CELLS)
    made = np.zeros((len(LAYOUTS), _PARTS, CELLS * CELLS))
    for place, layout in enumerate(LAYOUTS):
        grid = laid_out(numbers, layout)
        for part, (rows, columns) in enumerate(_parts(KEPT if layout.zoom else CELLS)):
            made[place, part, np.asarray(grid[rows, columns]).ravel()] = 1
    return made.reshape(-1, CELLS * CELLS)


# Sums over cells are of whole numbers, so that float64 holds them exactly and no order of adding matters.
_MEMBERS = _members()
_SIZES = _MEMBERS.sum(axis=1)[:, None]


def _edge_origins() -> Ints:
    """Return, for each symmetry and each edge, the edge that is brought there, (8, 4)."""
    found = np.zeros((8, 4), dtype=np.int64)
    for symmetry, matrix in enumerate(MATRICES):
        for edge, direction in enumerate(_DIRECTIONS):
            found[symmetry, _DIRECTIONS.index(tuple(int(one) for one in matrix @ direction))] = edge
    return found


_EDGE_ORIGINS = _edge_origins()
_GOES, _EDGE_GOES = ORIGINS.argsort(axis=1), _EDGE_ORIGINS.argsort(axis=1)
_FIRST_OF = {HUE_CORNER: _CORNERS, HUE_QUARTER: _QUARTERS, HUE_EDGE: _EDGES}
_EXTREMES: dict[str, tuple[int, int]] = {
    LIGHTEST_QUARTER: (_QUARTERS, 1),
    DARKEST_QUARTER: (_QUARTERS, -1),
    VIVID_QUARTER: (_QUARTERS, 1),
    LIGHTEST_CORNER: (_CORNERS, 1),
    DARKEST_CORNER: (_CORNERS, -1),
    LIGHTEST_EDGE: (_EDGES, 1),
    DARKEST_EDGE: (_EDGES, -1),
}


@budgeted(64)
def _measured(look: bytes, pose: int) -> Floats:
    """Return measures of each part in each layout of a photograph in a pose, (layouts, parts, 14).

    Measures: the mean luma under each hue rotation, the mean chroma, the share of cells near each named hue, and the
    share of cells that have a hue.
    """
    colours = np.asarray(turned(colours_of(look), pose), np.uint8).copy()
    columns = np.empty((CELLS * CELLS, _MEASURES))
    for quarters in range(4):
        columns[:, quarters] = (hue_rotated(colours, quarters).reshape(-1, 3) * _LUMA).sum(-1)
    flat = colours.reshape(-1, 3).astype(np.int64)
    columns[:, _CHROMA] = flat.max(axis=1) - flat.min(axis=1)
    levels = np.asarray(Image.fromarray(colours).convert("HSV")).reshape(-1, 3).astype(np.int64)
    coloured = (levels[:, 1] >= _COLOURED[0]) & (levels[:, 2] >= _COLOURED[1])
    for hue in range(_HUES):
        away = (levels[:, 0] - hue * _LEVELS + 128) % 256 - 128
        columns[:, _FIRST_HUE + hue] = coloured & (np.abs(away) <= _WINDOW)
    columns[:, _ANY_HUE] = coloured
    found: Floats = (_MEMBERS @ columns / _SIZES).reshape(len(LAYOUTS), _PARTS, _MEASURES)
    found[..., :_CHROMA] /= _LUMA.sum()
    found.flags.writeable = False
    return found


@budgeted(64)
def photograph_values(photograph: Photograph, asked: tuple[Fact, ...]) -> Ints:
    """Return the values of all facts of a photograph under every program, (programs, facts), read-only."""
    values = PhotographFacts(photograph).values(asked)
    values.flags.writeable = False
    return values


class PhotographFacts:
    """The facts of one photograph in its pose, under all programs of PLACED."""

    def __init__(self, photograph: Photograph) -> None:
        self._measures = _measured(photograph.look, photograph.pose)
        self._hue: Ints = (HUE_OF + photograph.hue) & 3
        self._things = photograph.things
        self._pose = photograph.pose
        near = self._measures[..., _FIRST_HUE : _FIRST_HUE + _HUES]
        best = near.argmax(-1)
        clear = np.take_along_axis(near, best[..., None], -1)[..., 0] >= SHARE
        without = np.where(self._measures[..., _ANY_HUE] <= NO_SHARE, ABSENT, AMBIGUOUS)
        self._prevailing: Ints = np.where(clear, _CODES[best], without)

    def values(self, asked: Sequence[Fact]) -> Ints:
        """Return the values of all facts under each program, (programs, facts)."""
        first = self._value(asked[0])
        found = [first, *(self._beside(fact, asked[0], first) for fact in asked[1:])]
        return np.stack(found, axis=1)

    def _value(self, fact: Fact) -> Ints:
        kind = fact.kind
        if kind in _FIRST_OF:
            return self._hue_at(kind, fact.place)
        if kind in TWO_HUES:
            one, other = (self._hue_at(TWO_HUES[kind], place) for place in PAIRS[fact.place])
            both: Ints = np.where((one >= 0) & (other >= 0), 8 * one + other, np.minimum(one, other))
            return np.where((one == AMBIGUOUS) | (other == AMBIGUOUS), AMBIGUOUS, both)
        if kind in _EXTREMES:
            return self._extreme(kind)
        return self._quarter_of(fact.things[0]) if kind == WHERE else self._relation(fact)

    def _beside(self, fact: Fact, before: Fact, named: Ints) -> Ints:
        """Return the hue of the middle, or of the part that the fact before it names."""
        if fact.kind == HUE_MIDDLE:
            return self._named(self._prevailing[LAYOUT_OF, _MIDDLE])
        if fact.kind != HUE_THERE:
            raise LookupError(f"there is no fact {fact.kind!r} beside another")
        first = _EXTREMES[before.kind][0]
        origins = _EDGE_ORIGINS if before.kind in EDGES else ORIGINS
        part = first + origins[SYMMETRY_OF, np.maximum(named, 0)]
        return np.where(named >= 0, self._named(self._prevailing[LAYOUT_OF, part]), named)

    def _hue_at(self, kind: str, place: int) -> Ints:
        origins = _EDGE_ORIGINS if kind in EDGES else ORIGINS
        return self._named(self._prevailing[LAYOUT_OF, _FIRST_OF[kind] + origins[SYMMETRY_OF, place]])

    def _named(self, hue: Ints) -> Ints:
        """Return the hues under the pose's rotation and each program's."""
        return np.where(hue >= 0, (hue & 4) + ((hue + self._hue) & 3), hue)

    def _extreme(self, kind: str) -> Ints:
        """Return the place that is most so, the same under every rotation of hues: light does not depend on C's."""
        first, sign = _EXTREMES[kind]
        of_layout = self._measures[:, first : first + 4]
        measures, margin = (of_layout[..., :4], LIGHTER)
        if kind == VIVID_QUARTER:
            measures, margin = of_layout[..., _CHROMA : _CHROMA + 1], MORE_VIVID
        found = sign * measures
        best = found.argmax(axis=1)
        two = np.partition(found, 2, axis=1)
        clear = (two[:, 3] - two[:, 2] >= margin).all(-1) & (best == best[:, :1]).all(-1)
        goes = _EDGE_GOES if kind in EDGES else _GOES
        return np.where(clear[LAYOUT_OF], goes[SYMMETRY_OF, best[LAYOUT_OF, 0]], AMBIGUOUS)

    def _lying(self, numbers: Sequence[int]) -> tuple[Floats, npt.NDArray[np.bool_]]:
        """Return where things lie under each program, (programs, things, 2), and whether all are whole there."""
        posed = MATRICES[self._pose]
        centre = np.array([posed @ self._things[number].at for number in numbers], dtype=np.float64)
        half = np.array([np.abs(posed) @ self._things[number].half for number in numbers], dtype=np.float64)
        places = placed(centre, half)
        in_one = bool((np.abs(centre) >= half).all())
        whole: npt.NDArray[np.bool_] = np.all(places.share >= _WHOLE, axis=-1) & in_one
        at = np.einsum("pij,ptj->pti", MATRICES[SYMMETRY_OF], places.centre[LAYOUT_OF])
        return at, whole[LAYOUT_OF]

    def _quarter_of(self, number: int) -> Ints:
        at, whole = self._lying([number])
        clear = whole & (np.abs(at[:, 0]) >= _NEAR_MIDDLE).all(-1)
        return np.where(clear, (at[:, 0, 0] > 0) + 2 * (at[:, 0, 1] > 0), AMBIGUOUS)

    def _relation(self, fact: Fact) -> Ints:
        """Return 0 where the first thing is left of the second, or higher, 1 where it is right or lower."""
        at, whole = self._lying(fact.things)
        axis = 0 if fact.kind == SIDE_OF else 1
        apart = at[:, 0, axis] - at[:, 1, axis]
        return np.where(whole & (np.abs(apart) >= APART), apart > 0, AMBIGUOUS).astype(np.int64)
