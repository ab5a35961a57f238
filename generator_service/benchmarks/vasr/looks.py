"""Draw how each picture of an item looks: who is there, in which colours, before which variant of a place, how near.

Every picture has a look of its own. What changes from A to A' beside the role does not change in the same way from B
to any option, because B does not begin with it: so no wrong option is a rival of the right one, and looks tell nothing.
"""

from collections.abc import Mapping, Sequence
from math import prod

from generator_service.benchmarks.vasr.spec import GIVEN, LABELS, LOOKS, State
from generator_service.drawing.people.people_maker import EVERYBODY, who_of
from tetrad.streams import Stream

_EVERY_LOOK = prod(LOOKS.values())
_CHOICES = tuple(LOOKS.items())
WHO, PASSER_BY = "who", "passer_by"
Look = dict[str, int]


def draw_looks(stream: Stream, given: Sequence[State], options: int) -> Mapping[str, Mapping[str, int]]:
    """Return a look for each of A, A' and B and for each label."""
    looks = {name: _draw_look(stream) for name in (*GIVEN, *LABELS[:options])}
    a, changed, b = (looks[name] for name in GIVEN)
    for name in LOOKS.keys() - {WHO}:
        if b[name] == a[name]:
            changed[name] = a[name]
    if _has_passer_by(b) == _has_passer_by(a):
        changed[PASSER_BY] = a[PASSER_BY]
    persons = [_list_traits(state.get("agent"), look[WHO]) for state, look in zip(given, (a, changed, b), strict=True)]
    if _can_repeat(*persons):
        changed[WHO] = a[WHO]
    return looks


def _draw_look(stream: Stream) -> Look:
    number, look = stream.below(_EVERY_LOOK), Look()
    for name, choices in _CHOICES:
        number, look[name] = divmod(number, choices)
    return look


def _has_passer_by(look: Look) -> bool:
    """Return whether somebody may stand far off; half of the numbers are of nobody."""
    return look[PASSER_BY] >= LOOKS[PASSER_BY] // 2


def _list_traits(agent: str, who: int) -> tuple[str, ...]:
    """Return a person's sex and build; nothing of an animal."""
    name = who_of(agent, who)
    return (EVERYBODY[name].sex, EVERYBODY[name].weight) if name else ()


def _can_repeat(a: Sequence[str], changed: Sequence[str], b: Sequence[str]) -> bool:
    """Return whether a trait changes from A to A' that B begins with, too."""
    return any(old != new and old == start for old, new, start in zip(a, changed, b, strict=False))
