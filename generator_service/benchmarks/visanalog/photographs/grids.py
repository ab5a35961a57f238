"""Find what can be asked of a photograph: sets of four options of which each is right under some program.

The right option is drawn among them before the program, as for composed pictures. That it can't be told from the
program either follows from the pose of C, which is drawn: the four options of a hue question are exchanged by rotating
C's hues; the two places of a grid by a half turn of C, which no program here notices; the four places at one step by
C's rotations.
"""

from collections.abc import Iterator, Mapping, Sequence

from generator_service.benchmarks.visanalog.grids import Grid, Option, reached
from generator_service.benchmarks.visanalog.photographs.families import EDGES, HUES, TWO_HUES
from generator_service.benchmarks.visanalog.programs import FLIP, PROGRAMS, Ints
from generator_service.benchmarks.visanalog.spec import LEVEL, SIDE_OF, Fact

_DIAGONAL_SWAPS = (None, (0, 3), (1, 2))  # a half turn leaves them as they are
Known = Mapping[Option, tuple[int, ...]]


def photograph_grids(values: Ints, asked: Sequence[Fact], steps: int) -> list[Grid]:
    """Return every set of options of a photograph for programs of so many steps, given its facts' values."""
    known = reached(values, steps)
    if len(asked) > 1:
        return list(_of_place_and_hue(asked[0], _without_swaps(known, _DIAGONAL_SWAPS)))
    own: Option = tuple(values[0].tolist())
    if asked[0].kind in HUES or asked[0].kind in TWO_HUES:
        return list(_of_hues(asked[0], own, known, steps))
    return list(_of_place(asked[0], own, known))


def _without_swaps(known: Known, swaps: Sequence[tuple[int, int] | None]) -> Known:
    fitting = {
        option: tuple(number for number in programs if PROGRAMS[number].swap in swaps)
        for option, programs in known.items()
    }
    return {option: programs for option, programs in fitting.items() if programs}


def _of_hues(fact: Fact, own: Option, known: Known, steps: int) -> Iterator[Grid]:
    """Yield the sets of a hue, or of two, under the four rotations of all hues.

    At one step the photograph's own stand among them, which are never right; at more steps they don't.
    """
    rounds = {_round(fact, option[0]) for option in known}
    for values in sorted(rounds):
        programs: Known = {(value,): known[value,] for value in values if (value,) in known}
        wanted = 3 if steps == 1 else 4
        if len(programs) == wanted and ((own[0] in values) == (steps == 1)):
            yield Grid(tuple((value,) for value in values), programs)


def _round(fact: Fact, value: int) -> tuple[int, ...]:
    hues = divmod(value, 8) if fact.kind in TWO_HUES else (value,)
    found = set()
    for quarters in range(4):
        moved = [(hue & 4) + ((hue + quarters) & 3) for hue in hues]
        found.add(8 * moved[0] + moved[1] if fact.kind in TWO_HUES else moved[0])
    return tuple(sorted(found))


def _of_place(fact: Fact, own: Option, known: Known) -> Iterator[Grid]:
    """Yield the four places: the photograph's own, which is never right, and three that can be.

    Programs that would tell where the thing can be are left out: swaps, and flips where an edge is asked for.
    """
    if own[0] < 0:
        return
    programs = {
        option: tuple(number for number in numbers if not (fact.kind in EDGES and FLIP in PROGRAMS[number].steps))
        for option, numbers in _without_swaps(known, (None,)).items()
    }
    if len(programs) == 3 and all(programs.values()) and own not in programs:  # noqa: PLR2004 - the other places
        yield Grid(tuple((place,) for place in range(4)), programs)


def _of_place_and_hue(place: Fact, known: Known) -> Iterator[Grid]:
    """Yield the grids of two places that a half turn exchanges, and of two opposite hues."""
    for one, hue in known:
        other, across = _opposite(place, one), hue ^ 2
        corners = ((one, hue), (one, across), (other, hue), (other, across))
        if one < other and hue < across and all(corner in known for corner in corners):
            yield Grid(corners, {corner: known[corner] for corner in corners})


def _opposite(fact: Fact, place: int) -> int:
    if fact.kind in {SIDE_OF, LEVEL}:
        return 1 - place
    return (place + 2) % 4 if fact.kind in EDGES else 3 - place
