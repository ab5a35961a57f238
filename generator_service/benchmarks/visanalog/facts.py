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
    MATRICES,
    ORIGINS,
    PRODUCTS,
    SYMMETRY_OF,
    Ints,
    Truths,
    placed,
)
from generator_service.benchmarks.visanalog.spec import (
    ABSENT,
    AMBIGUOUS,
    ARROW_LOOK,
    COLOUR,
    CORNER,
    CUT,
    FACING,
    HANDS,
    LEVEL,
    NAMING,
    ORDER,
    QUARTER,
    READING,
    SIDE_OF,
    SIGN_LOOK,
    SPECIAL,
    Fact,
    Thing,
)
from generator_service.cache_budget import budgeted

CLEARLY = 0.8  # of the second nearest thing's distance: the nearest is nearer than that
APART = 40  # pixels between two things of which one is left of, or above, the other
WHOLE, GONE = 0.95, 0.02  # shares of a thing that is to be seen
HALVES = (0.3, 0.7)
_PRODUCTS = np.array(PRODUCTS)
_DIRECTIONS = ((1, 0), (0, -1), (-1, 0), (0, 1))
"""Where an arrow points: right, up, left, down."""
POINTS = np.array([_DIRECTIONS.index((int(one[0, 0]), int(one[1, 0]))) for one in MATRICES])
"""By symmetry: where an arrow points that points right at first."""
ORDERS = tuple(permutations(range(3)))
_ORDER_CODES: Ints = np.zeros((2, 2, 2), dtype=np.int64)
"""The numbers of orders by whether the second lies right of the first, the third of the second, and of the first."""
for _code, _of in enumerate(ORDERS):
    _first, _second, _third = (_of.index(thing) for thing in range(3))
    _ORDER_CODES[int(_second > _first), int(_third > _second), int(_third > _first)] = _code
_ACROSS = MATRICES[SYMMETRY_OF, 0]
"""How each program turns what lies across, (programs, 2)."""
_CORNERS = np.array([(-HALF, -HALF), (HALF, -HALF), (-HALF, HALF), (HALF, HALF)], dtype=np.float64)


class Facts:
    """The facts of one picture, under all programs of PLACED."""

    def __init__(self, things: Sequence[Thing]) -> None:
        self._things = things
        half = np.array([[one.side / 2] * 2 for one in things])
        self._places = placed(np.array([one.at for one in things], dtype=np.float64), half)
        self._named = np.array([place if one.name not in SPECIAL else AMBIGUOUS for place, one in enumerate(things)])
        self._round = np.array([one.round for one in things])
        self._colour = np.array([one.colour for one in things], dtype=np.int64)

    def values(self, fact: Fact, subject: Ints | None = None) -> Ints:
        """Return the fact's value under each program, (programs,).

        subject: for a colour, the thing that another fact names under each program.
        """
        kind = fact.kind
        if kind in NAMING:
            by_quarter = {CORNER: self._corners, QUARTER: self._quarters, CUT: self._cut}[kind]()
            named: Ints = by_quarter[LAYOUT_OF, ORIGINS[SYMMETRY_OF, fact.place]]
            return named
        if kind in {SIDE_OF, LEVEL}:
            return self._relation(fact, 0 if kind == SIDE_OF else 1)
        if kind == ORDER:
            return self._order(fact)
        if kind == COLOUR:
            return self._coloured(fact.things[0] if subject is None else subject)
        thing = fact.things[0]
        pose = _PRODUCTS[SYMMETRY_OF, self._things[thing].pose]
        value = POINTS[pose] if kind in {FACING, ARROW_LOOK} else pose
        if kind in {SIGN_LOOK, ARROW_LOOK}:
            value = 8 * self._coloured(thing) + value
        return np.where(self._whole([thing])[LAYOUT_OF], value, AMBIGUOUS)

    def _coloured(self, subject: Ints | int) -> Ints:
        colour: Ints = self._colour[subject]
        return np.where(np.asarray(subject) >= 0, (colour & 4) + ((colour + HUE_OF) & 3), subject)

    def _whole(self, things: Sequence[int]) -> Truths:
        """Tell in which layouts things are to be seen whole."""
        whole: Truths = np.all(self._places.share[:, list(things)] >= WHOLE, axis=1)
        return whole

    def _corners(self) -> Ints:
        """Return the thing nearest to each corner of each layout, (layouts, 4)."""
        away = ((self._places.centre[:, None] - _CORNERS[:, None]) ** 2).sum(-1)
        away += np.where(self._places.share < GONE, np.inf, 0.0)[:, None]
        nearest = away.argmin(-1)
        two = np.partition(away, 1, axis=-1)
        return np.where(two[..., 0] <= CLEARLY**2 * two[..., 1], self._named[nearest], AMBIGUOUS)

    def _quarters(self) -> Ints:
        """Return the thing on a round mat in each quarter of each layout, (layouts, 4)."""
        return self._only((self._places.share >= WHOLE) & self._round)

    def _cut(self) -> Ints:
        """Return the thing of which a part is cut off, in each quarter of each layout, (layouts, 4)."""
        share = self._places.share
        cut = (share >= HALVES[0]) & (share <= HALVES[1])
        doubtful = (share > GONE) & (share < WHOLE) & ~cut
        return np.where((doubtful[:, None] & self._in_quarters()).any(-1), AMBIGUOUS, self._only(cut))

    def _in_quarters(self) -> Truths:
        """Tell which things lie in each quarter, (layouts, 4, things)."""
        right, down = self._places.centre[..., 0] > 0, self._places.centre[..., 1] > 0
        there: Truths = (right + 2 * down)[:, None] == np.arange(4)[:, None]
        return there

    def _only(self, chosen: Truths) -> Ints:
        """Return the one chosen thing of each quarter, (layouts, 4)."""
        there = chosen[:, None] & self._in_quarters()
        count = there.sum(-1)
        return np.where(count == 1, self._named[there.argmax(-1)], np.where(count == 0, ABSENT, AMBIGUOUS))

    def _relation(self, fact: Fact, axis: int) -> Ints:
        """Return 0 where the first thing is left of (above) the second, 1 where it is right of (below) it."""
        first, second = fact.things
        apart = (self._places.centre[:, first] - self._places.centre[:, second])[LAYOUT_OF]
        turn = MATRICES[SYMMETRY_OF, axis]
        difference = apart[:, 0] * turn[:, 0] + apart[:, 1] * turn[:, 1]
        clear = self._whole(fact.things)[LAYOUT_OF] & (np.abs(difference) >= APART)
        return np.where(clear, (difference > 0).astype(np.int64), AMBIGUOUS)

    def _order(self, fact: Fact) -> Ints:
        """Return the order of three things from left to right, by its number in ORDERS."""
        first, second, third = (
            self._places.centre[:, thing, 0][LAYOUT_OF] * _ACROSS[:, 0]
            + self._places.centre[:, thing, 1][LAYOUT_OF] * _ACROSS[:, 1]
            for thing in fact.things
        )
        apart = np.stack([second - first, third - second, third - first])
        clear = self._whole(fact.things)[LAYOUT_OF] & (np.abs(apart) >= APART).all(0)
        return np.where(clear, _ORDER_CODES[tuple((apart > 0).astype(np.int64))], AMBIGUOUS)


@budgeted(64)
def option_values(things: tuple[Thing, ...], asked: tuple[Fact, ...]) -> Ints:
    """Return the values of all facts of a picture under every program, (programs, facts), read-only.

    A colour behind a fact that names a thing is the colour of that thing.
    """
    facts = Facts(things)
    first = facts.values(asked[0])
    found = [first]
    for fact in asked[1:]:
        subject = first if fact.kind == COLOUR and asked[0].kind in NAMING else None
        found.append(facts.values(fact, subject))
    values = np.stack(found, axis=1)
    values.flags.writeable = False
    return values


@lru_cache(maxsize=1024)
def partners(kind: str, value: int) -> tuple[int, ...]:
    """Return the values that may stand beside a value in a grid of options; () where any may.

    They come from exchanging two poses, two opposite hues or two names of the picture before the program. So who sees
    the program and the options, and not the picture, can't prefer one of the two.
    """
    if kind in {READING, HANDS}:
        return tuple(PRODUCTS[value][turn] for turn in INVOLUTIONS)
    if kind in {FACING, COLOUR}:
        return (value ^ 2,)
    if kind in {SIGN_LOOK, ARROW_LOOK}:
        colour, rest = divmod(value, 8)
        return tuple(8 * (colour ^ 2) + pose for pose in partners(READING if kind == SIGN_LOOK else FACING, rest))
    if kind == ORDER:
        return tuple(code for code, order in enumerate(ORDERS) if _one_exchange(order, ORDERS[value]))
    return (1 - value,) if kind in {SIDE_OF, LEVEL} else ()


def _one_exchange(one: Sequence[int], other: Sequence[int]) -> bool:
    return sum(a != b for a, b in zip(one, other, strict=True)) == 2  # noqa: PLR2004 - two places
