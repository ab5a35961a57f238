"""Find what can be asked of a picture: grids of four options of which each is right under some program.

A grid is found before the program: the right option is drawn among its four, then a program that makes it right. So
who sees the picture and the options can't prefer one, even by counting programs.

A program has three parts: its layout (zoom and swap), its symmetry (rotation and flip) and its hue. From two steps on,
who knows one part of the program is left with two options or more. Among the programs of the right option those are
drawn under which most wrong options come from a step left out, or from two steps exchanged.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import combinations
from typing import NamedTuple

import numpy as np

from generator_service.benchmark import Streams
from generator_service.benchmarks.visanalog.facts import partners
from generator_service.benchmarks.visanalog.programs import (
    FLIP,
    HUE_OF,
    INDEX,
    LAYOUT_OF,
    MOST_STEPS,
    PLACED,
    PRODUCTS,
    PROGRAMS,
    SWAP,
    SYMMETRY_OF,
    ZOOM,
    Ints,
    Truths,
    programs_of,
    slips,
)
from generator_service.benchmarks.visanalog.spec import (
    AMBIGUOUS,
    COLOUR,
    FACES,
    FACING,
    HANDS,
    LOOKS,
    NAMING,
    READING,
    Fact,
    Stander,
    Thing,
)
from generator_service.benchmarks.visanalog.wording import a_or_an, name_thing

Option = tuple[int, ...]
"""The value of each fact."""
_LONGER = 2  # times as long as another
_RAREST_FIRST = (ZOOM, SWAP, FLIP)
_FEW = 2  # steps: the most for which a zoom is taken wherever it can be
_PARTS: tuple[list[int], ...] = (LAYOUT_OF.tolist(), SYMMETRY_OF.tolist(), HUE_OF.tolist())
"""By part of a program: its value for each program of PLACED."""


class Grid(NamedTuple):
    """Four options, and for each that can be right the programs that make it so. `own`: what holds of the picture."""

    options: tuple[Option, ...]
    programs: Mapping[Option, tuple[int, ...]]

    @property
    def corners(self) -> tuple[Option, ...]:
        return tuple(option for option in self.options if option in self.programs)


class Chosen(NamedTuple):
    """The options of an item in the order shown, the place of the right one, and a program that makes it right."""

    options: tuple[Option, ...]
    right: int
    program: int


def choose(found: Sequence[Grid], values: Ints, streams: Streams) -> Chosen:
    """Draw a grid, its right corner and a program that makes it right ("options"), then the order ("places").

    values: those of the picture's facts, by program.
    """
    stream = streams("options")
    grid = offer_slips(stream.choice(_offer_most_slips(found, values)), values)
    right = stream.choice(grid.corners)
    program = stream.choice(grid.programs[right])
    options = streams("places").shuffle(grid.options)
    return Chosen(options, options.index(right), program)


def offer_slips(grid: Grid, values: Ints) -> Grid:
    """Return a grid with the programs that are drawn from: those that offer the most slips, if they keep doubt.

    Of one step, rotations can be asked in most ways, and of two, a zoom in few. So those programs are drawn from first
    that take the rarest step.
    """
    steps = _count_steps(grid)
    offering = Grid(
        grid.options,
        {
            corner: _select_most_slips(grid, corner, _select_rarest(programs, steps), values)
            for corner, programs in grid.programs.items()
        },
    )
    return offering if steps == 1 else keep_doubt(offering, steps) or grid


def _count_steps(grid: Grid) -> int:
    return len(PROGRAMS[grid.programs[grid.corners[0]][0]].steps)


def _select_most_slips(grid: Grid, right: Option, programs: Sequence[int], values: Ints) -> tuple[int, ...]:
    offered = [_count_slips(grid, right, number, values) for number in programs]
    return tuple(number for number, count in zip(programs, offered, strict=True) if count == max(offered))


def _count_slips(grid: Grid, right: Option, number: int, values: Ints) -> int:
    """Return how many wrong options are right for who leaves out a step of a program, or exchanges two."""
    reached = set(map(tuple, values[slips(number)].tolist()))
    return sum(option in reached for option in grid.options if option != right)


def _offer_most_slips(found: Sequence[Grid], values: Ints) -> Sequence[Grid]:
    """Return the grids of which most wrong options can be slips, whichever corner is right; with a zoom if of two."""
    if len(found) == 1:
        return found
    steps = _count_steps(found[0])
    offered = [
        (
            steps == _FEW
            and sum(any(PROGRAMS[number].zoom for number in programs) for programs in grid.programs.values()),
            sum(
                max(_count_slips(grid, corner, number, values) for number in programs)
                for corner, programs in grid.programs.items()
            ),
        )
        for grid in found
    ]
    return [grid for grid, count in zip(found, offered, strict=True) if count == max(offered)]


def keep_doubt(grid: Grid, steps: int) -> Grid | None:
    """Return a grid without the programs of which one part alone tells the corner; None if a corner has no other.

    Of five steps the layout may tell it: one symmetry is left beside each, and it asks for a layout of its own.
    """
    parts = _PARTS if steps < MOST_STEPS else _PARTS[1:]
    programs = dict(grid.programs)
    while True:
        told = [_count_corners(part, programs) for part in parts]
        kept = {
            corner: tuple(
                number
                for number in numbers
                if all(corners[part[number]] > 1 for part, corners in zip(parts, told, strict=True))
            )
            for corner, numbers in programs.items()
        }
        if not all(kept.values()):
            return None
        if kept == programs:
            return Grid(grid.options, kept)
        programs = kept


def _count_corners(part: Sequence[int], programs: Mapping[Option, Sequence[int]]) -> Counter[int]:
    """Return, by value of a part, how many corners have a program with it."""
    return Counter(value for numbers in programs.values() for value in {part[number] for number in numbers})


def has_zoom(grid: Grid) -> bool:
    """Tell whether a corner is right under a program that only zooms."""
    return any(PROGRAMS[number].steps == (ZOOM,) for programs in grid.programs.values() for number in programs)


def _select_rarest(programs: Sequence[int], steps: int) -> Sequence[int]:
    """Return those of one step whose step comes first in `_RAREST_FIRST`; of two steps, those with a zoom; else all."""
    for step in _RAREST_FIRST[: {1: len(_RAREST_FIRST), _FEW: 1}.get(steps, 0)]:
        if with_step := [number for number in programs if step in PROGRAMS[number].steps]:
            return with_step
    return programs


def grids(values: Ints, asked: Sequence[Fact], steps: int, things: Sequence[Thing | Stander]) -> list[Grid]:
    """Return every grid of a picture for programs of so many steps, given the values of its facts by program.

    A grid names things of one kind only: names of one kind were drawn for their places, so none of them is likelier
    than another. No name in a grid is more than twice as long as another.
    """
    known = group_programs(values, steps)
    if len(asked) == 1:
        return list(_of_one_fact(values, asked[0], known, things))
    kept = (keep_doubt(grid, steps) for grid in _of_two_facts(asked, known, things))
    return [grid for grid in kept if grid is not None]


def _parallel(named: Iterable[Thing | Stander]) -> bool:
    """Tell whether things are of one kind, and their names, as options say them, about as long as each other."""
    kinds, lengths = zip(*((thing.kind, len(a_or_an(name_thing(thing)))) for thing in named), strict=True)
    return len({*kinds}) == 1 and max(lengths) <= _LONGER * min(lengths)


def group_programs(values: Ints, steps: int) -> dict[Option, tuple[int, ...]]:
    """Return, by option, the programs of so many steps of which each single step is needed to make it right."""
    numbers, omitted = _numbers(steps), _omit_steps(steps)
    facts = [np.ascontiguousarray(column) for column in values.T]
    own = [column.take(numbers) for column in facts]
    stands = own[0] >= 0
    for values_there in own[1:]:
        stands &= values_there >= 0
    stands &= _false_without(own, [column[:1] for column in facts])
    numbers, omitted, own = numbers[stands], omitted[:, stands], [values_there[stands] for values_there in own]
    needed = _false_without(own, [column.take(omitted) for column in facts]).all(0)
    numbers, own = numbers[needed], [values_there[needed] for values_there in own]
    found: dict[Option, list[int]] = {}
    for number, option in zip(numbers.tolist(), zip(*(values.tolist() for values in own), strict=True), strict=True):
        found.setdefault(option, []).append(number)
    return {option: tuple(programs) for option, programs in found.items()}


def _false_without(own: Sequence[Ints], other: Sequence[Ints]) -> Truths:
    """Tell where an option is plainly false under other programs: a fact is another there, and not in doubt.

    Both are given fact by fact: reducing along a short axis takes NumPy longer than the facts one by one.
    """
    plainly: Truths = (other[0] != own[0]) & (other[0] != AMBIGUOUS)
    for here, there in zip(own[1:], other[1:], strict=True):
        plainly |= (there != here) & (there != AMBIGUOUS)
    return plainly


@lru_cache(maxsize=8)
def _numbers(steps: int) -> Ints:
    return np.array(programs_of(steps))


@lru_cache(maxsize=8)
def _omit_steps(steps: int) -> Ints:
    """Return the numbers of programs of so many steps with each step that they take left out, (steps, programs)."""
    programs = [PROGRAMS[number] for number in programs_of(steps)]
    return np.array([[INDEX[program.without(step).effect] for step in program.steps] for program in programs]).T.copy()


def _of_two_facts(
    asked: Sequence[Fact], known: Mapping[Option, tuple[int, ...]], things: Sequence[Thing | Stander]
) -> Iterator[Grid]:
    """Yield the grids of two values of each fact whose four corners can all be right.

    No thing is spoken of in both facts: where it lies would tell on which side of another it is.
    """
    beside: dict[int, set[int]] = {}
    for first, second in known:
        beside.setdefault(first, set()).add(second)
    if asked[1].kind in LOOKS:
        yield from _of_looks(asked, beside, known, things)
        return
    named = {thing for fact in asked for thing in fact.things}
    seconds = list(_pairs(asked[1].kind, sorted({second for _, second in known}), things, named))
    for value, other in _pairs(asked[0].kind, sorted(beside), things, named):
        both = beside[value] & beside[other]
        is_told = {value, other} if asked[0].kind in NAMING and asked[1].kind in NAMING else set[int]()
        for this, that in seconds:
            if this in both and that in both and is_told.isdisjoint((this, that)):
                corners = ((value, this), (value, that), (other, this), (other, that))
                yield Grid(corners, {corner: known[corner] for corner in corners})


def _of_looks(
    asked: Sequence[Fact],
    beside: Mapping[int, Collection[int]],
    known: Mapping[Option, tuple[int, ...]],
    things: Sequence[Thing | Stander],
) -> Iterator[Grid]:
    """Yield the grids of two values of the first fact, two colours and two poses: each two of three tell the corner.

    So neither half of a look tells the other: of two looks with one color, or in one pose, each stands beside one value
    of the first fact.
    """
    for value, other in _pairs(asked[0].kind, sorted(beside), things):
        for look in sorted(beside[value]):
            for opposite in partners(asked[1].kind, look):
                crossed = (look // 8 * 8 + opposite % 8, opposite // 8 * 8 + look % 8)
                corners = ((value, look), (value, opposite), *((other, cross) for cross in crossed))
                if look < opposite and all(corner in known for corner in corners):
                    yield Grid(corners, {corner: known[corner] for corner in corners})


def _pairs(
    kind: str, values: Sequence[int], things: Sequence[Thing | Stander], named: Collection[int] = ()
) -> Iterator[tuple[int, int]]:
    """Yield the values of a fact that may stand beside each other. named: the things that other facts speak of."""
    if kind in NAMING:
        found = combinations((value for value in values if value not in named), 2)
        yield from (pair for pair in found if _parallel(things[value] for value in pair))
        return
    yield from (pair for pair in combinations(values, 2) if pair[1] in partners(kind, pair[0]))


def _of_one_fact(
    values: Ints, fact: Fact, known: Mapping[Option, tuple[int, ...]], things: Sequence[Thing | Stander]
) -> Iterator[Grid]:
    """Yield the sets of four values of a fact: the picture's own, which is never right, and three that can be.

    Poses that differ by flips and half turns, or by rotations; four colours; four directions, by rotations; four
    things.
    """
    own = int(values[0, 0])
    if own < 0:
        return
    if fact.kind in {READING, HANDS}:
        wholes = [[PRODUCTS[turn][own] for turn in turns] for turns in ((4, 2, 6), (1, 2, 3))]
    elif fact.kind in {COLOUR, FACING, FACES}:
        wholes = [[(own & 4) + ((own + quarter) & 3) for quarter in (1, 2, 3)]]
    else:
        others = sorted(value for (value,) in known if value != own)
        threes = combinations(others, 3)
        wholes = [list(chosen) for chosen in threes if _parallel(things[value] for value in (own, *chosen))]
    for three in wholes:
        programs: dict[Option, tuple[int, ...]] = {(value,): _fitting(fact, known.get((value,), ())) for value in three}
        if all(programs.values()):
            yield Grid(((own,), *programs), programs)


def _fitting(fact: Fact, programs: tuple[int, ...]) -> tuple[int, ...]:
    """Leave out flips where an arrow points or somebody looks somewhere: they keep it in two of four directions."""
    if fact.kind not in {FACING, FACES}:
        return programs
    return tuple(number for number in programs if FLIP not in PLACED[number].steps)
