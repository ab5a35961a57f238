"""Find what can be asked of a photograph: sets of four options of which each is right under some program.

The right option is drawn among them before the program, as for composed pictures. That it can't be told from the
program either follows from the pose of C, which is drawn: opposite hues are exchanged by rotating C's hues by half the
circle; opposite places by a half turn of C, which programs without swaps, or with a diagonal swap, do not notice. At
one step four hues are exchanged by rotating C's hues, and four places by C's rotations.
"""

from collections.abc import Iterator, Mapping, Sequence

from generator_service.benchmarks.visanalog.grids import Grid, Option, group_programs
from generator_service.benchmarks.visanalog.photographs.families import (
    AT_SIDES,
    HUES,
    MEASURED,
    QUARTER,
    WHERE,
    is_of_hue,
    opposite,
)
from generator_service.benchmarks.visanalog.programs import FLIP, PROGRAMS, Ints
from generator_service.benchmarks.visanalog.spec import LEVEL, SIDE_OF, Fact

_DIAGONAL_SWAPS = (None, (0, 3), (1, 2))  # a half turn leaves them as they are
Known = Mapping[Option, tuple[int, ...]]


def photograph_grids(values: Ints, asked: Sequence[Fact], steps: int) -> list[Grid]:
    """Return every set of options of a photograph for programs of so many steps, given its facts' values."""
    known = group_programs(values, steps)
    if steps > 1:
        return list(_of_two_clauses(asked, _without_swaps(known, _DIAGONAL_SWAPS)))
    own: Option = tuple(values[0].tolist())
    return list(_of_hue(own, known) if asked[0].kind in HUES else _of_place(asked[0], own, known))


def _without_swaps(known: Known, swaps: Sequence[tuple[int, int] | None]) -> Known:
    fitting = {
        option: tuple(number for number in programs if PROGRAMS[number].swap in swaps)
        for option, programs in known.items()
    }
    return {option: programs for option, programs in fitting.items() if programs}


def _of_hue(own: Option, known: Known) -> Iterator[Grid]:
    """Yield the four hues of a ring: the photograph's own, which is never right, and three that can be."""
    if own[0] < 0:
        return
    options = tuple(((own[0] & 4) + hue,) for hue in range(4))
    programs: Known = {option: known[option] for option in options if option != own and option in known}
    if len(programs) == 3:  # noqa: PLR2004 - the other hues
        yield Grid(options, programs)


def _of_place(fact: Fact, own: Option, known: Known) -> Iterator[Grid]:
    """Yield the four places: the photograph's own, which is never right, and three that can be.

    Programs that would tell where the thing can be are left out: swaps, and flips where an edge is asked for.
    """
    if own[0] < 0:
        return
    at_sides = _part(fact) in AT_SIDES
    programs = {
        option: tuple(number for number in numbers if not (at_sides and FLIP in PROGRAMS[number].steps))
        for option, numbers in _without_swaps(known, (None,)).items()
    }
    if len(programs) == 3 and all(programs.values()) and own not in programs:  # noqa: PLR2004 - the other places
        yield Grid(tuple((place,) for place in range(4)), programs)


def _of_two_clauses(asked: Sequence[Fact], known: Known) -> Iterator[Grid]:
    """Yield the sets of an option and what exchanges make of it: of opposite places, of opposite hues, of both."""
    seen: set[Option] = set()
    for option in known:
        moved, across = _turn_option(asked, option), _recolour_option(asked, option)
        corners = (option, across, moved, _turn_option(asked, across))
        if option not in seen and len(set(corners)) == len(corners) and all(corner in known for corner in corners):
            seen.update(corners)
            yield Grid(corners, {corner: known[corner] for corner in corners})


def _turn_option(asked: Sequence[Fact], option: Option) -> Option:
    """Return what holds of a photograph under a half turn, given what holds of it."""
    return tuple(_opposite(fact, value) for fact, value in zip(asked, option, strict=True))


def _opposite(fact: Fact, value: int) -> int:
    if fact.kind in {SIDE_OF, LEVEL}:
        return 1 - value
    part = _part(fact)
    if not part:
        return value  # a hue of the middle, or of a part that another fact names
    return opposite(part, value)


def _recolour_option(asked: Sequence[Fact], option: Option) -> Option:
    """Return what holds of a photograph with its hues rotated by half the circle, given what holds of it."""
    return tuple(value ^ 2 if is_of_hue(fact) else value for fact, value in zip(asked, option, strict=True))


def _part(fact: Fact) -> str:
    """Return the kind of part that the fact's value names, "" where it names none."""
    if fact.kind in MEASURED:
        return MEASURED[fact.kind][1]
    return QUARTER if fact.kind == WHERE else ""
