"""The transformations of the paper, their algebra, and what they do to places: no pixels, no randomness.

A program is up to five steps, in this order: a centred zoom, a swap of two tiles of a 2x2 grid, a counter-clockwise
rotation, a flip, a hue rotation (section 3 of the paper). 672 combinations are 448 different programs: a rotation and
a flip together are one of the eight symmetries of the square. Each is kept in its shortest form.

Map of this module: symmetries of the square, programs, their shortest forms, neighbours of a program (a step left out,
another amount, steps exchanged), and the arrays that say where a program puts what.
"""

from collections.abc import Iterator
from functools import lru_cache
from itertools import combinations, product
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

SIDE = 512
HALF = SIDE // 2
CROP = (51, 51, 461, 461)
"""The box that a zoom keeps, in pixels: 80% of 512 is 409.6; 410 is the even number next to it."""
SCALE = SIDE / (CROP[2] - CROP[0])

TILES = ("upper left", "upper right", "lower left", "lower right")
PAIRS = tuple(combinations(range(4), 2))
FLIPS = ("", "horizontal", "vertical")
ZOOM, SWAP, ROTATION, FLIP, HUE = "zoom", "swap", "rotation", "flip", "hue"
STEPS = (ZOOM, SWAP, ROTATION, FLIP, HUE)
MOST_STEPS = len(STEPS)

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Truths = npt.NDArray[np.bool_]

# Symmetries of the square. Number 4m + t: mirrored left to right if m is 1, then turned t quarters counter-clockwise.
# Matrices act on (x, y) from the centre, y downwards.
_TURN = ((0, 1), (-1, 0))
_MIRROR = ((-1, 0), (0, 1))


def _matrix(symmetry: int) -> Ints:
    mirrored, turns = divmod(symmetry, 4)
    made = np.eye(2, dtype=np.int64) if not mirrored else np.array(_MIRROR)
    for _ in range(turns):
        made = np.array(_TURN) @ made
    return made


MATRICES: Ints = np.stack([_matrix(symmetry) for symmetry in range(8)])
"""(8, 2, 2)."""
_NUMBERS = {MATRICES[symmetry].tobytes(): symmetry for symmetry in range(8)}
PRODUCTS: tuple[tuple[int, ...], ...] = tuple(
    tuple(_NUMBERS[(MATRICES[after] @ MATRICES[before]).tobytes()] for before in range(8)) for after in range(8)
)
"""PRODUCTS[after][before] is the symmetry of doing `before`, then `after`."""
INVOLUTIONS = tuple(symmetry for symmetry in range(1, 8) if PRODUCTS[symmetry][symmetry] == 0)
_OF_FLIP = {"": 0, "horizontal": 4, "vertical": 6}


class Program(NamedTuple):
    """One combination of steps. rotation and hue count quarters, 0 to 3; swap names two tiles, or none.

    swap_first: the swap comes before the zoom. No item has such a program; it is a mistake that a solver can make.
    """

    zoom: bool = False
    swap: tuple[int, int] | None = None
    rotation: int = 0
    flip: str = ""
    hue: int = 0
    swap_first: bool = False

    @property
    def symmetry(self) -> int:
        """Return the symmetry of the square that rotation and flip make together."""
        return PRODUCTS[_OF_FLIP[self.flip]][self.rotation]

    @property
    def effect(self) -> tuple[bool, tuple[int, int] | None, int, int, bool]:
        """Return what tells two programs apart."""
        exchanged = self.swap_first and self.zoom and self.swap is not None
        return self.zoom, self.swap, self.symmetry, self.hue, exchanged

    @property
    def steps(self) -> tuple[str, ...]:
        """Return the names of the steps that the program takes, in order."""
        taken = (self.zoom, self.swap is not None, self.rotation > 0, bool(self.flip), self.hue > 0)
        return tuple(name for name, is_taken in zip(STEPS, taken, strict=True) if is_taken)

    def taking(self, step: str, value: object) -> "Program":
        """Return the program with another amount of one step."""
        return Program(**(self._asdict() | {step: value}))

    def without(self, step: str) -> "Program":
        """Return the program with one step left out."""
        return self.taking(step, IDENTITY._asdict()[step])


IDENTITY = Program()


def _every() -> Iterator[Program]:
    for hue, flip, rotation, swap, zoom in product(range(4), FLIPS, range(4), (None, *PAIRS), (False, True)):
        yield Program(zoom, swap, rotation, flip, hue)


EVERY = tuple(_every())
"""All 672 combinations."""


def _shortest() -> dict[tuple[bool, tuple[int, int] | None, int, int, bool], Program]:
    found: dict[tuple[bool, tuple[int, int] | None, int, int, bool], Program] = {}
    for program in sorted(EVERY, key=lambda one: len(one.steps)):  # stable: of two as short, the first listed
        found.setdefault(program.effect, program)
    return found


_SHORTEST = _shortest()
PROGRAMS = tuple(_SHORTEST.values())
"""The 448 different programs, in their shortest forms, by number of steps."""
_EXCHANGED = tuple(
    program._replace(swap_first=True) for program in PROGRAMS if program.zoom and program.swap is not None
)
PLACED = PROGRAMS + _EXCHANGED
"""The programs whose effects are known: the 448, and those that swap before they zoom."""
INDEX = {program.effect: place for place, program in enumerate(PLACED)}


@lru_cache(maxsize=8)
def programs_of(steps: int) -> tuple[int, ...]:
    """Return the numbers, in PROGRAMS, of those whose shortest form has so many steps."""
    return tuple(place for place, program in enumerate(PROGRAMS) if len(program.steps) == steps)


# Mistakes: what a solver may do instead of a program.

LEFT_OUT = {step: f"{step} left out" for step in STEPS}
OTHER_AMOUNT = {SWAP: "other tiles swapped", ROTATION: "other rotation", FLIP: "other flip", HUE: "other hue"}
EXCHANGED = "order exchanged"
SLIPS = frozenset({*LEFT_OUT.values(), EXCHANGED})
"""The mistakes that the paper names first: an omitted step, and a wrong order."""
ADDED = {step: f"{step} too many" for step in STEPS}
TURN = "turn"  # rotation and flip together
_PARTS = (ZOOM, SWAP, TURN, HUE)
TWO_WRONG = {frozenset(pair): f"{pair[0]} and {pair[1]} wrong" for pair in combinations(_PARTS, 2)}
TURN_WRONG = "rotation and flip wrong"  # a turn of which one step alone is wrong has that step's name
MORE_WRONG = "three or more steps wrong"
MISTAKES = (
    *LEFT_OUT.values(),
    *OTHER_AMOUNT.values(),
    EXCHANGED,
    *ADDED.values(),
    TURN_WRONG,
    *TWO_WRONG.values(),
    MORE_WRONG,
)


@lru_cache(maxsize=512)
def neighbours(number: int) -> tuple[tuple[str, int], ...]:
    """Return the mistakes one step away from a program, each with the number in PLACED of what it comes to.

    In the order in which they are looked at: a step left out, steps exchanged, another amount, a step too many.
    """
    program = PROGRAMS[number]
    found = [(LEFT_OUT[step], program.without(step)) for step in program.steps]
    found += [(EXCHANGED, other) for other in exchange_steps(program)]
    found += [
        (OTHER_AMOUNT[step], program.taking(step, value))
        for step in program.steps
        for value in _AMOUNTS.get(step, ())
        if value != program._asdict()[step]
    ]
    found += [
        (ADDED[step], program.taking(step, value))
        for step in STEPS
        if step not in program.steps
        for value in _AMOUNTS.get(step, (True,))
    ]
    own = program.effect
    return tuple((name, INDEX[other.effect]) for name, other in found if other.effect != own)


_AMOUNTS: dict[str, tuple[object, ...]] = {
    SWAP: PAIRS,
    ROTATION: (1, 2, 3),
    FLIP: FLIPS[1:],
    HUE: (1, 2, 3),
}


class Near(NamedTuple):
    """The neighbours of a program: their mistakes, and their numbers in PLACED."""

    names: tuple[str, ...]
    numbers: Ints


@lru_cache(maxsize=512)
def near(number: int) -> Near:
    """Return the neighbours of a program, numbers as an array."""
    names, numbers = zip(*neighbours(number), strict=True)
    return Near(names, np.array(numbers))


@lru_cache(maxsize=512)
def slips(number: int) -> Ints:
    """Return the numbers in PLACED of who leaves out one step of a program, or exchanges two."""
    own = [place for name, place in neighbours(number) if name in SLIPS]
    return np.array(own)


def wrong_parts(number: int, others: Truths) -> str:
    """Return the mistake of who takes one of these programs of PLACED instead: that which differs in fewest parts.

    others: for each program of PLACED, whether it is among them.
    """
    return _WRONG[int(_ranks(number)[others].min())]


@lru_cache(maxsize=512)
def _ranks(number: int) -> npt.NDArray[np.uint8]:
    """Return how late, for each program of PLACED, its mistake is looked for: 640 bytes."""
    ranks: npt.NDArray[np.uint8] = _RANKS[(_EFFECTS[number] != _EFFECTS) @ _BITS].astype(np.uint8)
    return ranks


def _effects() -> Ints:
    """Return what tells programs apart part by part, (programs, parts), as numbers."""
    pairs = (None, *PAIRS)
    return np.array([[program.zoom, pairs.index(program.swap), program.symmetry, program.hue] for program in PLACED])


_EFFECTS = _effects()
_BITS = np.array([1, 2, 4, 8])
"""By part: sets of parts are numbers."""


def _sets_of_parts() -> list[list[str]]:
    return [[part for bit, part in zip(_BITS, _PARTS, strict=True) if number & bit] for number in range(16)]


# Sets of parts in the order in which a mistake is looked for: of few parts first, then by their names.
_IN_ORDER = sorted(range(16), key=lambda number: (len(_sets_of_parts()[number]), sorted(_sets_of_parts()[number])))
_RANKS = np.argsort(_IN_ORDER)
_NAMES = {**TWO_WRONG, frozenset({TURN}): TURN_WRONG}
_WRONG = [_NAMES.get(frozenset(_sets_of_parts()[number]), MORE_WRONG) for number in _IN_ORDER]


def exchange_steps(program: Program) -> Iterator[Program]:
    """Yield what the program comes to when two of its steps that stand next to each other are exchanged.

    Only where that makes a difference: zoom and swap always do; swap and a rotation or a flip unless the pair of tiles
    is kept by it; a quarter rotation and a flip.
    """
    if program.zoom and program.swap is not None:
        yield program._replace(swap_first=True)
    if program.swap is not None:
        if program.rotation:
            yield from _moved_swap(program, program.rotation)
        elif program.flip:
            yield from _moved_swap(program, _OF_FLIP[program.flip])
    if program.rotation % 2 and program.flip:
        yield program._replace(rotation=4 - program.rotation)


def _moved_swap(program: Program, symmetry: int) -> Iterator[Program]:
    """Yield the program that moves first and swaps then: as if it swapped the tiles that come to lie there."""
    assert program.swap is not None  # noqa: S101 - its callers ask
    origin = origins(symmetry)
    first, second = sorted(origin[tile] for tile in program.swap)
    if (first, second) != program.swap:
        yield program._replace(swap=(first, second))


@lru_cache(maxsize=8)
def origins(symmetry: int) -> tuple[int, ...]:
    """Return, for each tile, the tile that a symmetry brings there."""
    centres = [_tile_centre(tile) for tile in range(4)]
    goes = [centres.index(tuple(MATRICES[symmetry] @ centre)) for centre in centres]
    return tuple(goes.index(tile) for tile in range(4))


def _tile_centre(tile: int) -> tuple[int, int]:
    down, right = divmod(tile, 2)
    return (2 * right - 1) * (HALF // 2), (2 * down - 1) * (HALF // 2)


# Where things come to lie. All places are in pixels from the centre, y downwards. Zoom and swap make 20 layouts of a
# picture; a symmetry turns each of them as a whole, and a hue rotation moves nothing.


class Layout(NamedTuple):
    """The changes of places that come before rotation and flip."""

    zoom: bool
    swap: tuple[int, int] | None
    swap_first: bool


def _layout(program: Program) -> Layout:
    return Layout(program.zoom, program.swap, program.swap_first)


LAYOUTS = tuple(dict.fromkeys(map(_layout, PLACED)))
LAYOUT_OF: Ints = np.array([LAYOUTS.index(_layout(program)) for program in PLACED])
"""The layout of every program of PLACED."""
SYMMETRY_OF: Ints = np.array([program.symmetry for program in PLACED])
HUE_OF: Ints = np.array([program.hue for program in PLACED])
ORIGINS: Ints = np.array([origins(symmetry) for symmetry in range(8)])
"""(8, 4): for each symmetry and each quarter or corner, the one that is brought there."""


def _shifts() -> Floats:
    """Return how far each layout moves what lies in each tile, across and down, (2, layouts, tiles)."""
    shift = np.zeros((2, len(LAYOUTS), 4))
    for place, layout in enumerate(LAYOUTS):
        if layout.swap is not None:
            first, second = layout.swap
            way = np.subtract(_tile_centre(second), _tile_centre(first))
            shift[:, place, first], shift[:, place, second] = way, -way
    return shift


_SHIFT = _shifts()
_FIRST = np.array([SCALE if layout.zoom and not layout.swap_first else 1.0 for layout in LAYOUTS])[:, None]
_LAST = np.array([SCALE if layout.zoom and layout.swap_first else 1.0 for layout in LAYOUTS])[:, None]
_GROWN = (_FIRST * _LAST) ** 2 * 4  # how many times the product of its half sizes a whole thing covers


class Places(NamedTuple):
    """The places of things in the layouts.

    Centre and half sizes of what is visible are of the shape (layouts, things, 2); its share stands beside.
    """

    centre: Floats
    half: Floats
    share: Floats


def place_things(centre: Floats, half: Floats) -> Places:
    """Return where things of these centres and half sizes, (things, 2), lie in every layout.

    A thing lies in one quarter: none crosses a middle line. What leaves the picture is cut off.
    Inside, what lies across and what lies down are apart: NumPy takes long for an axis of two numbers at the end.
    """
    middle, wide = centre.T, half.T
    tile = (middle[0] > 0) + 2 * (middle[1] > 0)
    bounds = np.empty((2, 2, 1, len(centre)))
    np.subtract(middle, wide, out=bounds[0, :, 0])
    np.add(middle, wide, out=bounds[1, :, 0])
    reached = _cut_bounds(_FIRST * bounds)
    reached += _SHIFT.take(tile, axis=2)
    reached *= _LAST
    low, high = _cut_bounds(reached)
    size = np.maximum(high - low, 0.0)
    share = size[0] * size[1] / (_GROWN * wide[0] * wide[1])
    return Places(((low + high) / 2).transpose(1, 2, 0), (size / 2).transpose(1, 2, 0), share)


def _cut_bounds(bounds: Floats) -> Floats:
    """Cut off, in place, what lies outside the picture. `np.clip` takes twice as long for so few numbers."""
    np.maximum(bounds, -HALF, out=bounds)
    return np.minimum(bounds, HALF, out=bounds)
