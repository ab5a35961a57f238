"""Compute facts of a picture under every program at once, by geometry.

A fact has a whole number as its value: the number of a thing, a colour, a pose, an order. AMBIGUOUS stands where nobody
can tell, ABSENT where there is nothing of the kind.
"""

from collections.abc import Sequence
from functools import lru_cache
from itertools import permutations

import numpy as np

from generator_service.benchmarks.visanalog.programs import (
    HALF,
    HUE_OF,
    INVOLUTIONS,
    LAYOUT_OF,
    LAYOUTS,
    MATRICES,
    ORIGINS,
    PLACED,
    PRODUCTS,
    SYMMETRY_OF,
    Floats,
    Ints,
    Truths,
    place_things,
)
from generator_service.benchmarks.visanalog.spec import (
    ABSENT,
    AMBIGUOUS,
    ARROW_LOOK,
    COLOUR,
    CORNER,
    CUT,
    FACES,
    FACING,
    HANDS,
    LEVEL,
    LOOKS,
    NAMING,
    ORDER,
    PERSON_LOOK,
    QUARTER,
    READING,
    SIDE_OF,
    SIGN_LOOK,
    SPECIAL,
    Fact,
    Stander,
    Thing,
)
from generator_service.cache_budget import cache_within_budget

CLEARLY = 0.8  # of the second nearest thing's distance: the nearest is nearer than that
APART, PEOPLE_APART = 40, 52
"""Pixels between the middles of two things, or people, of which one is left of, or above, the other."""
WHOLE, GONE = 0.95, 0.02  # shares of a thing that is to be seen
HALVES = (0.3, 0.7)
_PRODUCTS = np.array(PRODUCTS)
_DIRECTIONS = ((1, 0), (0, -1), (-1, 0), (0, 1))
"""Where an arrow points: right, up, left, down."""
POINTS = np.array([_DIRECTIONS.index((int(matrix[0, 0]), int(matrix[1, 0]))) for matrix in MATRICES])
"""By symmetry: where an arrow points that points right at first."""
ORDERS = tuple(permutations(range(3)))
_ORDER_CODES: Ints = np.zeros((2, 2, 2), dtype=np.int64)
"""The numbers of orders by whether the second lies right of the first, the third of the second, and of the first."""
for _code, _of in enumerate(ORDERS):
    _first, _second, _third = (_of.index(thing) for thing in range(3))
    _ORDER_CODES[int(_second > _first), int(_third > _second), int(_third > _first)] = _code
# Tables by program. Programs of one layout and one symmetry differ in hue alone. So facts are worked out by layout, for
# each way in which it can lie, and every program takes its value from there.
_POSES: Ints = np.ascontiguousarray(_PRODUCTS[SYMMETRY_OF].T)
"""The pose, (8, programs), that each program makes of each pose."""
_POINTS: Ints = POINTS[_POSES]
_HUES: Ints = (np.arange(8)[:, None] & 4) + ((np.arange(8)[:, None] + HUE_OF) & 3)
"""The colour, (8, programs), that each program makes of each colour."""
_QUARTERS: Ints = np.ascontiguousarray((4 * LAYOUT_OF[:, None] + ORIGINS[SYMMETRY_OF]).T)
"""Which of all quarters of all layouts is brought to each quarter, (4, programs)."""


def _along() -> Ints:
    """Return where each program's measure across and down, (2, programs), stands in `Facts._ways`."""
    ways = ((1, 0), (0, 1), (-1, 0), (0, -1))
    turned = [[ways.index((int(way[0]), int(way[1]))) for way in MATRICES[SYMMETRY_OF, axis]] for axis in range(2)]
    return np.array(turned) * len(LAYOUTS) + LAYOUT_OF


_ALONG = _along()
_FIRST_QUARTERS: Ints = 4 * np.arange(len(LAYOUTS))[:, None]
_POINTING = frozenset({FACING, ARROW_LOOK, FACES, PERSON_LOOK})
_SIDES = np.array([-HALF, HALF], dtype=np.float64)[:, None]


class Facts:
    """The facts of one picture, under all programs of PLACED."""

    def __init__(self, things: Sequence[Thing | Stander]) -> None:
        self._things = things
        boxes = np.array([(*thing.at, *thing.half) for thing in things])
        places = place_things(boxes[:, :2], boxes[:, 2:])
        self._apart = PEOPLE_APART if isinstance(things[0], Stander) else APART
        self._share = places.share
        self._x, self._y = places.centre[..., 0], places.centre[..., 1]

    def values(self, fact: Fact, subject: Ints | None = None) -> Ints:
        """Return the fact's value under each program, (programs,).

        subject: for a colour, or for where somebody looks: whom or what another fact names under each program.
        """
        kind = fact.kind
        if kind in NAMING:
            by_quarter = {CORNER: self._corners, QUARTER: self._find_marked, CUT: self._find_cut}[kind]()
            return _take_values(by_quarter, _QUARTERS[fact.place])
        if kind in {SIDE_OF, LEVEL}:
            return _take_values(self._relation(fact.things), _ALONG[0 if kind == SIDE_OF else 1])
        if kind == ORDER:
            return _take_values(self._order(fact.things), _ALONG[0])
        if kind == COLOUR:
            return self._read_colours(subject) if subject is not None else _HUES[self._things[fact.things[0]].colour]
        if kind == FACES and subject is not None:
            return self._looking(subject)
        (place,) = fact.things
        thing = self._things[place]
        value = (_POINTS if kind in _POINTING else _POSES)[thing.pose]
        if kind in LOOKS:
            value = 8 * _HUES[thing.colour] + value
        return np.where(self._whole(fact.things).take(LAYOUT_OF), value, AMBIGUOUS)

    def _read_colours(self, subject: Ints) -> Ints:
        colour: Ints = np.array([thing.colour for thing in self._things]).take(subject)
        return np.where(subject >= 0, (colour & 4) + ((colour + HUE_OF) & 3), subject)

    def _looking(self, subject: Ints) -> Ints:
        pose: Ints = np.array([thing.pose for thing in self._things]).take(subject)
        looks: Ints = _POINTS[pose, np.arange(len(PLACED))]
        return np.where(subject >= 0, looks, subject)

    def _whole(self, things: Sequence[int]) -> Truths:
        """Tell in which layouts things are to be seen whole."""
        whole: Truths = self._share[:, things[0]] >= WHOLE
        for thing in things[1:]:
            whole &= self._share[:, thing] >= WHOLE
        return whole

    def _number_things(self) -> Ints:
        """Return the number of each thing, or AMBIGUOUS for those that questions call by what they are."""
        return np.array([place if thing.name not in SPECIAL else AMBIGUOUS for place, thing in enumerate(self._things)])

    def _corners(self) -> Ints:
        """Return the thing nearest to each corner of each layout, (layouts, 4)."""
        across, down = ((middle[:, None] - _SIDES) ** 2 for middle in (self._x, self._y))
        across += np.where(self._share < GONE, np.inf, 0.0)[:, None]
        away = (across[:, None] + down[:, :, None]).reshape(len(LAYOUTS), 4, -1)
        nearest = away.argmin(-1)
        two = np.partition(away, 1, axis=-1)
        return np.where(two[..., 0] <= CLEARLY**2 * two[..., 1], self._number_things()[nearest], AMBIGUOUS)

    def _find_marked(self) -> Ints:
        """Return the thing on a round mat, or the person, in each quarter of each layout, (layouts x 4,)."""
        return self._only((self._share >= WHOLE) & np.array([thing.marked for thing in self._things]))

    def _find_cut(self) -> Ints:
        """Return the thing of which a part is cut off, in each quarter of each layout, (layouts x 4,)."""
        share = self._share
        cut = (share >= HALVES[0]) & (share <= HALVES[1])
        found = self._only(cut)
        doubtful = (share > GONE) & (share < WHOLE) & ~cut
        found[self._quarters()[doubtful]] = AMBIGUOUS
        return found

    def _quarters(self) -> Ints:
        """Return in which of all quarters of all layouts each thing lies, (layouts, things)."""
        quarters: Ints = _FIRST_QUARTERS + (self._x > 0) + 2 * (self._y > 0)
        return quarters

    def _only(self, chosen: Truths) -> Ints:
        """Return the one chosen thing of each quarter, (layouts x 4,)."""
        layouts, things = chosen.nonzero()
        there = self._quarters()[layouts, things]
        found = np.full(4 * len(LAYOUTS), ABSENT)
        found[there] = self._number_things()[things]
        found[np.bincount(there, minlength=len(found)) > 1] = AMBIGUOUS
        return found

    def _ways(self, first: int, second: int) -> Floats:
        """Return how far the second thing lies from the first: right, below, left and above, (4, layouts)."""
        found = np.empty((4, len(LAYOUTS)))
        np.subtract(self._x[:, second], self._x[:, first], out=found[0])
        np.subtract(self._y[:, second], self._y[:, first], out=found[1])
        np.negative(found[:2], out=found[2:])
        return found

    def _relation(self, things: Sequence[int]) -> Ints:
        """Return, by way and layout, 0 where the first thing comes before the second, 1 where it comes behind it."""
        apart = self._ways(things[1], things[0])
        clear = self._whole(things) & (np.abs(apart) >= self._apart)
        return np.where(clear, (apart > 0).astype(np.int64), AMBIGUOUS)

    def _order(self, things: Sequence[int]) -> Ints:
        """Return, by way and layout, the order in which three things come, by its number in ORDERS."""
        first, second, third = things
        apart = np.stack([self._ways(first, second), self._ways(second, third), self._ways(first, third)])
        clear = self._whole(things) & (np.abs(apart) >= self._apart).all(0)
        return np.where(clear, _ORDER_CODES[tuple((apart > 0).astype(np.int64))], AMBIGUOUS)


def _take_values(values: Ints, places: Ints) -> Ints:
    """Return the values at these places of all values in a row. Indexing takes twice as long."""
    found: Ints = values.take(places)
    return found


@cache_within_budget(64)
def option_values(things: tuple[Thing | Stander, ...], asked: tuple[Fact, ...]) -> Ints:
    """Return the values of all facts of a picture under every program, (programs, facts), read-only.

    A colour, or where somebody looks, is that of whom or what the first fact names if the fact itself names nothing.
    """
    facts = Facts(things)
    values = np.empty((len(asked), len(PLACED)), dtype=np.int64)  # each fact's values lie together, as they are used
    values[0] = facts.values(asked[0])
    for place, fact in enumerate(asked[1:], 1):
        values[place] = facts.values(fact, None if fact.things or fact.kind in NAMING else values[0])
    values.flags.writeable = False
    return values.T


@lru_cache(maxsize=1024)
def partners(kind: str, value: int) -> tuple[int, ...]:
    """Return the values that may stand beside a value in a grid of options; () where any may.

    They come from exchanging two poses, two opposite hues or two names of the picture before the program. So who sees
    the program and the options, and not the picture, can't prefer one of the two.
    """
    if kind in {READING, HANDS}:
        return tuple(PRODUCTS[value][turn] for turn in INVOLUTIONS)
    if kind in {FACING, FACES, COLOUR}:
        return (value ^ 2,)
    if kind in LOOKS:
        colour, rest = divmod(value, 8)
        return tuple(8 * (colour ^ 2) + pose for pose in partners(READING if kind == SIGN_LOOK else FACING, rest))
    if kind == ORDER:
        return tuple(code for code, order in enumerate(ORDERS) if _one_exchange(order, ORDERS[value]))
    return (1 - value,) if kind in {SIDE_OF, LEVEL} else ()


def _one_exchange(one: Sequence[int], other: Sequence[int]) -> bool:
    return sum(a != b for a, b in zip(one, other, strict=True)) == 2  # noqa: PLR2004 - two places
