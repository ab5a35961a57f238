"""Compute facts of a photograph under every program at once, from its cells.

A fact has a whole number as its value, as in `facts`: the number of a hue, or a place. A hue is asked for within a
ring of four, each a quarter of the circle from the next, so that no cell is near two of them. It prevails in a part of
a picture if at least SHARE of the part's cells are within 34 degrees of it and coloured enough, and at most OTHERS of
them are near any other hue of the ring. Where none prevails nobody can tell, unless nearly all cells are grey.
"""

from collections.abc import Sequence
from functools import cache

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
)
from generator_service.benchmarks.visanalog.photographs.families import (
    AT_SIDES,
    CORNER,
    DARKEST,
    EDGE,
    HALF,
    HUE_ACROSS,
    HUE_MIDDLE,
    HUE_RIM,
    HUE_THERE,
    HUE_WHOLE,
    HUES,
    MEASURED,
    MORE_VIVID,
    OF_TWO,
    OPPOSITE,
    PARTS,
    QUARTER,
    RINGS,
    VIVID,
    WHERE,
    opposite,
    place_and_ring,
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
    place_things,
)
from generator_service.benchmarks.visanalog.spec import ABSENT, AMBIGUOUS, SIDE_OF, Fact, Photograph
from generator_service.benchmarks.visanalog.transforming import turn_grid
from generator_service.cache_budget import cache_within_budget

SHARE, OTHERS, NO_SHARE = 0.6, 0.15, 0.1
"""Shares of a part's cells. From the first on a hue prevails, if no other of its ring has more than the second. A part
has no hue if at most the third are coloured."""
LIGHTER_BY, MORE_VIVID_BY = 20.0, 20.0
"""Levels by which a part is lighter or darker than any other, whatever rotates the hues; or more colourful."""
_WHOLE = 0.999
_NEAR_MIDDLE = 12.0  # pixels: a thing nearer to a middle line is in no quarter
_COLOURED = (64, 64)  # least S and V of a cell that has a hue
_HUES, _LEVELS, _WINDOW = 8, 32, 24  # named hues, levels of H from one to the next, and how far a cell's may be off
_LUMA = np.array([299, 587, 114])
_CHROMA, _FIRST_HUE, _ANY_HUE, _MEASURES = 4, 5, 13, 14
_DIRECTIONS = ((1, 0), (0, -1), (-1, 0), (0, 1))
"""Edges and halves in their order: right, upper, left, lower."""
_FIRST_OF = {part: 4 * place for place, part in enumerate(PARTS)}
_COMMON = {kind: 4 * len(PARTS) + place for place, kind in enumerate((HUE_MIDDLE, HUE_RIM, HUE_WHOLE))}
_PARTS = 4 * len(PARTS) + len(_COMMON)


def _parts(side: int) -> Floats:
    """Tell which cells of a grid lie in each part, 0 or 1, (parts, side, side)."""
    thin, half, whole = side // 8, side // 2, slice(0, side)
    ends, halves = (slice(0, thin), slice(side - thin, side)), (slice(0, half), slice(half, side))
    made = np.zeros((_PARTS, side, side))
    for tile in range(4):
        down, across = divmod(tile, 2)
        made[_FIRST_OF[CORNER] + tile][ends[down], ends[across]] = 1
        made[_FIRST_OF[QUARTER] + tile][halves[down], halves[across]] = 1
    for part, (low, high) in ((EDGE, ends), (HALF, halves)):
        for place, (rows, columns) in enumerate(((whole, high), (low, whole), (whole, low), (high, whole))):
            made[_FIRST_OF[part] + place][rows, columns] = 1
    middle, inside = slice(side // 4, side - side // 4), slice(thin, side - thin)
    made[_COMMON[HUE_MIDDLE]][middle, middle] = 1
    made[_COMMON[HUE_RIM] :] = 1
    made[_COMMON[HUE_RIM]][inside, inside] = 0
    return made


def _members() -> Floats:
    """Tell for each layout and part which cells of a photograph lie there, 0 or 1, (layouts * parts, cells)."""
    numbers = np.arange(CELLS * CELLS).reshape(CELLS, CELLS)
    made = np.zeros((len(LAYOUTS), _PARTS, CELLS * CELLS))
    for place, layout in enumerate(LAYOUTS):
        grid = np.asarray(laid_out(numbers, layout)).ravel()
        made[place][:, grid] = _parts(KEPT if layout.zoom else CELLS).reshape(_PARTS, -1)
    return made.reshape(-1, CELLS * CELLS)


class _Atoms:
    """Cells that lie in the same parts of every layout make an atom: 256 of them, of 1,600 cells.

    Cells are added up to atoms once, and atoms to parts. Adding cells to parts took ten times as long. One product of
    matrices a layout is so small that NumPy's library makes it in this thread: a larger one would wait for a thread of
    its own, which takes long where others keep the processors busy. The sums are of whole numbers, so that float64
    holds them exactly and no order of adding matters.
    """

    def __init__(self, members: Floats) -> None:
        """Take which cells lie in each part, 0 or 1, (parts, cells)."""
        parts, atom_of = np.unique(members, axis=1, return_inverse=True)
        self._parts: Floats = np.ascontiguousarray(parts).reshape(len(LAYOUTS), _PARTS, -1)
        self._order = np.argsort(atom_of, kind="stable")
        self._starts = np.searchsorted(atom_of[self._order], np.arange(self._parts.shape[2]))
        self._sizes: Floats = members.sum(axis=1).reshape(len(LAYOUTS), _PARTS, 1)

    def means(self, columns: Floats) -> Floats:
        """Return the mean of each column of cells in each part of each layout, (layouts, parts, columns)."""
        return self._parts @ np.add.reduceat(columns[self._order], self._starts, axis=0) / self._sizes


@cache
def _atoms() -> _Atoms:
    """Return the atoms, made when the first photograph is measured: most processes measure none."""
    return _Atoms(_members())


def _edge_origins() -> Ints:
    """Return, for each symmetry and each edge, the edge that is brought there, (8, 4)."""
    found = np.zeros((8, 4), dtype=np.int64)
    for symmetry, matrix in enumerate(MATRICES):
        for edge, direction in enumerate(_DIRECTIONS):
            found[symmetry, _DIRECTIONS.index(tuple(int(coordinate) for coordinate in matrix @ direction))] = edge
    return found


_EDGE_ORIGINS = _edge_origins()


@cache_within_budget(64)
def _measure_parts(look: bytes, pose: int) -> Floats:
    """Return measures of each part in each layout of a photograph in a pose, (layouts, parts, 14).

    Measures: the mean luma under each hue rotation, the mean chroma, the share of cells near each named hue, and the
    share of cells that have a hue.
    """
    colours = np.asarray(turn_grid(colours_of(look), pose), np.uint8).copy()
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
    found = _atoms().means(columns)
    found[..., :_CHROMA] /= _LUMA.sum()
    found.flags.writeable = False
    return found


@cache_within_budget(64)
def photograph_values(photograph: Photograph, asked: tuple[Fact, ...]) -> Ints:
    """Return the values of all facts of a photograph under every program, (programs, facts), read-only."""
    values = PhotographFacts(photograph).values(asked)
    values.flags.writeable = False
    return values


class PhotographFacts:
    """The facts of one photograph in its pose, under all programs of PLACED."""

    def __init__(self, photograph: Photograph) -> None:
        self._measures = _measure_parts(photograph.look, photograph.pose)
        self._hue: Ints = (HUE_OF + photograph.hue) & 3
        self._things = photograph.things
        self._pose = photograph.pose
        self._values: dict[Fact, Ints] = {}
        near = self._measures[..., _FIRST_HUE : _FIRST_HUE + _HUES]
        without = np.where(self._measures[..., _ANY_HUE] <= NO_SHARE, ABSENT, AMBIGUOUS)
        self._prevailing: list[Ints] = []
        """By ring the hue that prevails in each part of each layout, (layouts, parts)."""
        for ring in range(RINGS):
            ordered = np.sort(near[..., ring::RINGS], axis=-1)
            clear = (ordered[..., -1] >= SHARE) & (ordered[..., -2] <= OTHERS)
            self._prevailing.append(np.where(clear, 4 * ring + near[..., ring::RINGS].argmax(-1), without))

    def values(self, asked: Sequence[Fact]) -> Ints:
        """Return the values of all facts under each program, (programs, facts)."""
        found: list[Ints] = []
        for number, fact in enumerate(asked):
            named = fact.kind in {HUE_THERE, HUE_ACROSS}
            found.append(self._hue_beside(fact, asked[number - 1], found[-1]) if named else self.value(fact))
        return np.stack(found, axis=1)

    def value(self, fact: Fact) -> Ints:
        """Return the value under each program, (programs,), of a fact that stands for itself.

        Whoever lists all that can be asked wants each of them a dozen times.
        """
        if fact not in self._values:
            self._values[fact] = self._measure(fact)
        return self._values[fact]

    def _measure(self, fact: Fact) -> Ints:
        kind = fact.kind
        if kind in MEASURED:
            return self._extreme(fact)
        if kind == WHERE:
            return self._quarter_of(fact.things[0])
        if fact.things:
            return self._relation(fact)
        place, ring = place_and_ring(fact)
        if kind in _COMMON:
            return self._rotate_hues(self._prevailing[ring][LAYOUT_OF, _COMMON[kind]])
        return self._hue_at(HUES[kind], place, ring)

    def _hue_beside(self, fact: Fact, before: Fact, named: Ints) -> Ints:
        """Return the hue of the part that the fact before it names, or of the part across from it."""
        _, part = MEASURED[before.kind]
        wanted = np.maximum(named, 0)
        if fact.kind == HUE_ACROSS:
            wanted = opposite(part, wanted)
        return np.where(named >= 0, self._hue_at(part, wanted, place_and_ring(fact)[1]), named)

    def _hue_at(self, part: str, place: int | Ints, ring: int) -> Ints:
        origins = _EDGE_ORIGINS if part in AT_SIDES else ORIGINS
        return self._rotate_hues(self._prevailing[ring][LAYOUT_OF, _FIRST_OF[part] + origins[SYMMETRY_OF, place]])

    def _rotate_hues(self, hue: Ints) -> Ints:
        """Return the hues under the pose's rotation and each program's."""
        return np.where(hue >= 0, (hue & 4) + ((hue + self._hue) & 3), hue)

    def _extreme(self, fact: Fact) -> Ints:
        """Return the place that is most so, the same under every rotation of hues: light does not depend on C's."""
        most, part = MEASURED[fact.kind]
        is_vivid = most in {VIVID, MORE_VIVID}
        columns = slice(_CHROMA, _CHROMA + 1) if is_vivid else slice(0, _CHROMA)
        found = self._measures[:, _FIRST_OF[part] : _FIRST_OF[part] + 4, columns]
        origins = (_EDGE_ORIGINS if part in AT_SIDES else ORIGINS)[SYMMETRY_OF]
        places = np.array(OPPOSITE[part][fact.place] if fact.kind in OF_TWO else range(4))
        found = (-1 if most == DARKEST else 1) * found[LAYOUT_OF[:, None], origins[:, places]]
        best = found.argmax(axis=1)
        ordered = np.sort(found, axis=1)
        margin = MORE_VIVID_BY if is_vivid else LIGHTER_BY
        clear = (ordered[:, -1] - ordered[:, -2] >= margin).all(-1) & (best == best[:, :1]).all(-1)
        return np.where(clear, places[best[:, 0]], AMBIGUOUS)

    def _lying(self, numbers: Sequence[int]) -> tuple[Floats, npt.NDArray[np.bool_]]:
        """Return where things lie under each program, (programs, things, 2), and whether all are whole there."""
        posed = MATRICES[self._pose]
        centre = np.array([posed @ self._things[number].at for number in numbers], dtype=np.float64)
        half = np.array([np.abs(posed) @ self._things[number].half for number in numbers], dtype=np.float64)
        places = place_things(centre, half)
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
