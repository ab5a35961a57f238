"""Accept or refuse a puzzle: a pure function of its panels' values, never of pixels.

A reading is something that a viewer can read off every panel. Every rule of the configuration is tried over every
reading: `verdict` checks that rules lead to the key. A viewer might also go by what each panel draws by chance:
`is_drawn_fairly` checks that rules over that lead nowhere else. Refusals are counted by reason.
"""

from collections.abc import Iterator, Sequence

from generator_service.benchmarks.marvel.forms.form import NOWHERE, Form, Reading
from generator_service.benchmarks.marvel.rules.fitting import once_repeated, selected_sets, selections
from generator_service.benchmarks.marvel.spec import Look, Panel

ANOTHER, UNDECIDED = "a rule fits that selects another choice", "rules leave several choices"
REPEATED = "what repeats once goes on with another choice"
BY_CHANCE = "what is drawn by chance fits a rule that selects another choice"
Values = tuple[int, ...]


def verdict(  # noqa: PLR0917 - a puzzle, before it is one
    form: Form, look: Look, configuration: str, context: Sequence[Values], choices: Sequence[Values], key: int
) -> str | None:
    """Return the reason to refuse the puzzle, or None."""
    left = set(range(len(choices)))
    for chosen in rule_choices(form, look, configuration, context, choices):
        if key not in chosen:
            return ANOTHER
        left &= chosen
    return None if left == {key} else UNDECIDED


def rule_choices(
    form: Form, look: Look, configuration: str, context: Sequence[Values], choices: Sequence[Values]
) -> list[frozenset[int]]:
    """Return the sets of choices that rules select, over every reading, except all choices and none."""
    found: list[frozenset[int]] = []
    for place, field in enumerate(form.fields):
        seen, offered = tuple(panel[place] for panel in context), tuple(panel[place] for panel in choices)
        found += selected_sets(configuration, field.kind, field.size(look), seen, offered)
    for reading in form.readings:
        seen, offered = (tuple(reading.of(look, panel) for panel in panels) for panels in (context, choices))
        if NOWHERE in offered:
            found += _among_readable(reading, look, configuration, seen, offered)
        elif NOWHERE not in seen:
            found += selected_sets(configuration, reading.kind, reading.size(look), seen, offered)
    return found


def _among_readable(
    reading: Reading, look: Look, configuration: str, seen: Values, offered: Values
) -> Iterator[frozenset[int]]:
    """Yield the sets of choices that rules select, of those on which the reading can be read."""
    readable = [place for place, value in enumerate(offered) if value != NOWHERE]
    if NOWHERE in seen or not readable:
        return
    values = tuple(offered[place] for place in readable)
    for _, chosen in selections(configuration, reading.kind, reading.size(look), seen, values):
        yield frozenset(readable[place] for place in chosen)


def goes_on_alone(kind: str, size: int, seen: Values, offered: Values, key: int) -> bool:
    """Tell whether no other choice goes on with a sequence that comes back to what it began with.

    One repeat is no rule of the library: 3 4 1 3 are distances, each of the two before. But many would go on with 4.
    """
    return all(key in chosen for chosen in once_repeated(kind, size, seen, offered))


def is_drawn_fairly(  # noqa: PLR0917 - a puzzle, before it is one
    form: Form, look: Look, configuration: str, context: Sequence[Panel], choices: Sequence[Panel], key: int
) -> bool:
    return all(key in chosen for chosen in chance_choices(form, look, configuration, context, choices))


def chance_choices(
    form: Form, look: Look, configuration: str, context: Sequence[Panel], choices: Sequence[Panel]
) -> list[frozenset[int]]:
    """Return the sets of choices that rules select over what the panels draw by chance."""
    found: list[frozenset[int]] = []
    for drawn in form.drawn:
        seen, offered = (tuple(drawn.of(look, panel) for panel in panels) for panels in (context, choices))
        found += selected_sets(configuration, drawn.kind, drawn.ring, seen, offered)
    return found
