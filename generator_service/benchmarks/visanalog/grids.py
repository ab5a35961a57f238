"""Find what can be asked of a picture: grids of four options of which each is right under some program.

A grid is found before the program: the right option is drawn among its four, then a program that makes it right. So
who sees the picture and the options can't prefer one, even by counting programs.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import combinations
from typing import NamedTuple

import numpy as np

from generator_service.benchmark import Streams
from generator_service.benchmarks.visanalog.facts import partners
from generator_service.benchmarks.visanalog.programs import (
    FLIP,
    INDEX,
    PLACED,
    PRODUCTS,
    PROGRAMS,
    SWAP,
    ZOOM,
    Ints,
    Truths,
    programs_of,
)
from generator_service.benchmarks.visanalog.spec import (
    AMBIGUOUS,
    COLOUR,
    FACES,
    FACING,
    HANDS,
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


def choose(found: Sequence[Grid], streams: Streams) -> Chosen:
    """Draw a grid, its right corner and a program that makes it right ("options"), then the order ("places").

    Of one step, rotations can be asked in most ways. So those programs are drawn from whose step is the rarest.
    """
    stream = streams("options")
    grid = stream.choice(found)
    right = stream.choice(grid.corners)
    program = stream.choice(_select_rarest(grid.programs[right]))
    options = streams("places").shuffle(grid.options)
    return Chosen(options, options.index(right), program)


def has_zoom(grid: Grid) -> bool:
    """Tell whether a corner is right under a program that only zooms."""
    return any(PROGRAMS[number].steps == (ZOOM,) for programs in grid.programs.values() for number in programs)


def _select_rarest(programs: Sequence[int]) -> Sequence[int]:
    """Return those of one step whose step comes first in `_RAREST_FIRST`; all programs of several steps."""
    for step in _RAREST_FIRST:
        if of_step := [number for number in programs if PROGRAMS[number].steps == (step,)]:
            return of_step
    return programs


def grids(values: Ints, asked: Sequence[Fact], steps: int, things: Sequence[Thing | Stander]) -> list[Grid]:
    """Return every grid of a picture for programs of so many steps, given the values of its facts by program.

    A grid names things of one kind only: names of one kind were drawn for their places, so none of them is likelier
    than another. No name in a grid is more than twice as long as another.
    """
    known = group_programs(values, steps)
    if len(asked) == 1:
        return list(_of_one_fact(values, asked[0], known, things))
    return list(_of_two_facts(asked, known, things))


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
    """Yield the grids of two values of each fact whose four corners can all be right."""
    beside: dict[int, set[int]] = {}
    for first, second in known:
        beside.setdefault(first, set()).add(second)
    seconds = list(_pairs(asked[1].kind, sorted({second for _, second in known}), things))
    for value, other in _pairs(asked[0].kind, sorted(beside), things):
        both = beside[value] & beside[other]
        for this, that in seconds:
            if this in both and that in both:
                corners = ((value, this), (value, that), (other, this), (other, that))
                yield Grid(corners, {corner: known[corner] for corner in corners})


def _pairs(kind: str, values: Sequence[int], things: Sequence[Thing | Stander]) -> Iterator[tuple[int, int]]:
    for value, other in combinations(values, 2):
        if _parallel((things[value], things[other])) if kind in NAMING else (other in partners(kind, value)):
            yield value, other


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
