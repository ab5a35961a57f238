"""From random streams to a Scene: the only user of randomness.

Choices first, from a distribution in which none stands out; then the key, uniformly; then contexts until one stands
(rules/accepting.py). A refused context is drawn again with the same choices and key; choices go only as a whole.
"""

from collections import Counter
from dataclasses import dataclass
from typing import Any

from generator_service.benchmark import Parameters, Streams
from generator_service.benchmarks.marvel.demonstrations import demonstrations_for
from generator_service.benchmarks.marvel.details import fine_question
from generator_service.benchmarks.marvel.forms.form import Field
from generator_service.benchmarks.marvel.nets.cubes import MOST_SETS, MOST_TRIES, NoPuzzle, cube_puzzle
from generator_service.benchmarks.marvel.nets.marks import MARK_FAMILIES
from generator_service.benchmarks.marvel.rules.accepting import verdict
from generator_service.benchmarks.marvel.rules.families import Family, families_of
from generator_service.benchmarks.marvel.rules.laws import SET, Law, Line
from generator_service.benchmarks.marvel.rules.making import (
    CannotBeKey,
    attainable,
    context_for,
    law_named,
    masks_for,
    spread,
)
from generator_service.benchmarks.marvel.spec import (
    CHOICES,
    FEW_SHOT,
    FULL,
    GROUP,
    LENGTHS,
    MATRIX,
    SEQUENCE,
    SOLID,
    TWO_ROW,
    Look,
    Panel,
    Puzzle,
    Scene,
)
from tetrad.contracts.wire import Facets
from tetrad.streams import Stream

SEEDS = 1 << 32
_PANELS = {TWO_ROW: 6, MATRIX: 9, GROUP: 3}
_NEAR = 6  # four counts to choose from lie among this many in a row


def sample(_bank: Any, _track: str, setting: str, parameters: Parameters, facets: Facets, streams: Streams) -> Scene:
    """Draw the item of a cell: the puzzle, the detail asked, the examples shown."""
    puzzle = draw_puzzle(facets["pattern"], facets["configuration"], facets["shape"], streams("puzzle"))
    stream = streams("questions")
    return Scene(
        item=f"{stream.word():016x}",
        setting=setting,
        variant=str(parameters["variant"]),
        puzzle=puzzle,
        fine=fine_question(puzzle, str(parameters["variant"]), stream) if setting == FULL else None,
        demonstrations=demonstrations_for(puzzle, parameters, stream, draw_puzzle) if setting == FEW_SHOT else (),
    )


def draw_puzzle(
    pattern: str, configuration: str, shape: str, stream: Stream, rejected: Counter[str] | None = None
) -> Puzzle:
    """Draw one puzzle; `rejected` counts refusals by reason.

    Raises:
        NoPuzzle: the bounds on tries were reached.
    """
    reasons: Counter[str] = Counter() if rejected is None else rejected
    if pattern == SOLID:
        names = [name for name, family in MARK_FAMILIES.items() if family.shape == shape]
        look = Look(shape=shape, sorts=(), seeds=(), fills=(), ground=0, seed=stream.below(SEEDS))
        return cube_puzzle(look, stream.choice(names), stream, reasons)
    panels = stream.choice(LENGTHS[pattern]) if configuration == SEQUENCE else _PANELS[configuration]
    family, look = _family(pattern, configuration, shape, panels, stream)
    tries = 0
    for _ in range(MOST_SETS):
        frame = _frame(family, configuration, look, panels, stream)
        for _ in range(MOST_TRIES):
            tries += 1
            reason, context = _attempt(frame, stream)
            if reason is None:
                return _puzzle(frame, context, tries, stream)
            reasons[reason] += 1
        reasons["set dropped"] += 1
    raise NoPuzzle(f"{pattern} in {configuration}, {family.name}: nothing stood in {tries} tries")


@dataclass(frozen=True, kw_only=True)
class _Rule:
    """What governs one field: the law, the way its lines run, and the values it goes through."""

    place: int
    law: Law
    way: str
    values: Line
    size: int
    bits: int  # of a set; 0 for others


@dataclass(frozen=True, kw_only=True)
class _Frame:
    """A puzzle before its context: choices and key stand."""

    family: Family
    configuration: str
    look: Look
    panels: int
    rules: tuple[_Rule, ...]
    fixed: Line
    choices: tuple[Line, ...]
    key: int


def _family(pattern: str, configuration: str, shape: str, panels: int, stream: Stream) -> tuple[Family, Look]:
    """Draw a family, and a look with which its laws have room enough in so many panels."""
    for family in stream.shuffled(families_of(pattern, configuration)):
        if configuration != SEQUENCE or panels in family.lengths:
            look = _look(family, shape, stream)
            if all(_laws_for(family, name, look, configuration, panels) for name in family.governs):
                return family, look
    raise NoPuzzle(f"{pattern} in {configuration} of {panels} panels has no family")


def _look(family: Family, shape: str, stream: Stream) -> Look:
    form = family.panel
    return Look(
        shape=shape,
        sorts=stream.sample(form.sorts[shape], form.slots),
        seeds=tuple(stream.below(SEEDS) for _ in range(form.slots)),
        fills=tuple(stream.below(2) for _ in range(max(form.slots, 3))),
        ground=stream.choice(form.grounds),
        seed=stream.below(SEEDS),
    )


def _frame(family: Family, configuration: str, look: Look, panels: int, stream: Stream) -> _Frame:
    form = family.panel
    rules = tuple(
        _rule(
            family,
            name,
            law_named(stream.choice(_laws_for(family, name, look, configuration, panels))),
            look,
            configuration,
            stream,
        )
        for name in family.governs
    )
    fixed = tuple(stream.choice(one.values(look)) for one in form.fields)
    offered = _offered(rules, configuration, panels, stream)
    choices = tuple(_with_loose(family, look, fixed, rules, values, stream) for values in stream.shuffled(offered))
    return _Frame(
        family=family,
        configuration=configuration,
        look=look,
        panels=panels,
        rules=rules,
        fixed=fixed,
        choices=choices,
        key=stream.below(CHOICES),
    )


def _laws_for(family: Family, name: str, look: Look, configuration: str, panels: int) -> list[str]:
    """Return the laws under which enough values of the field can complete so many panels."""
    wanted = CHOICES if len(family.governs) == 1 else 2
    one = family.panel.fields[family.panel.place(name)]
    if one.kind == SET:
        return list(family.laws[configuration])
    values = _values(family, one, look)
    return [
        law
        for law in family.laws[configuration]
        if (configuration != SEQUENCE or panels > law_named(law).least)
        and len(attainable(law_named(law), values, one.size(look), configuration, panels)) >= wanted
    ]


def _values(family: Family, one: Field, look: Look) -> Line:
    return tuple(value for value in one.values(look) if value <= family.most)


def _rule(  # noqa: PLR0917 - a field and its law
    family: Family, name: str, law: Law, look: Look, configuration: str, stream: Stream
) -> _Rule:
    place = family.panel.place(name)
    one = family.panel.fields[place]
    is_set = one.kind == SET
    return _Rule(
        place=place,
        law=law,
        way=stream.choice(("row", "column")) if configuration == MATRIX else "row",
        values=() if is_set else _values(family, one, look),
        size=one.size(look),
        bits=one.high.bit_length() if is_set else 0,
    )


def _offered(rules: tuple[_Rule, ...], configuration: str, panels: int, stream: Stream) -> list[Line]:
    """Draw the four choices' values: four of one field, or two of each of two fields, crossed."""
    if rules[0].bits:
        return [(mask,) for mask in _four_masks(rules[0].bits, stream)]
    free = [attainable(rule.law, rule.values, rule.size, configuration, panels) for rule in rules]
    if len(rules) == 1:
        return [(value,) for value in _near(free[0], CHOICES, rules[0].size, stream)]
    first, second = (_near(values, 2, rule.size, stream) for values, rule in zip(free, rules, strict=True))
    return [(a, b) for a in first for b in second]


def _near(values: Line, count: int, size: int, stream: Stream) -> Line:
    """Draw `count` values: of a number, from a stretch short enough that they must be told apart by looking."""
    if size or len(values) <= _NEAR:
        return stream.sample(values, count)
    start = stream.below(len(values) - _NEAR + 1)
    return stream.sample(values[start : start + _NEAR], count)


def _four_masks(bits: int, stream: Stream) -> tuple[int, ...]:
    """Draw a set of strokes, and change it in two places, each or both: a square in which none stands out."""
    while True:
        base = stream.below(1 << bits)
        order = stream.shuffled(range(bits))
        cut = 1 + stream.below(2)
        first, second = (sum(1 << bit for bit in part) for part in (order[:cut], order[cut : 2 * cut]))
        masks = (base, base ^ first, base ^ second, base ^ first ^ second)
        if all(2 <= mask.bit_count() <= bits - 3 for mask in masks):  # noqa: PLR2004 - neither bare nor full
            return masks


def _with_loose(  # noqa: PLR0917 - what a panel is made of
    family: Family, look: Look, fixed: Line, rules: tuple[_Rule, ...], governed: Line, stream: Stream
) -> Line:
    values = list(fixed)
    for name in family.loose:
        place = family.panel.place(name)
        values[place] = stream.choice(family.panel.fields[place].values(look))
    for rule, value in zip(rules, governed, strict=True):
        values[rule.place] = value
    return tuple(values)


def _attempt(frame: _Frame, stream: Stream) -> tuple[str | None, tuple[Line, ...]]:
    """Draw one context; return why it does not stand, or None, and the context."""
    try:
        governed = [_governed(frame, rule, stream) for rule in frame.rules]
    except CannotBeKey:
        return "no context leads to the key", ()
    context = tuple(
        _with_loose(frame.family, frame.look, frame.fixed, frame.rules, values, stream)
        for values in zip(*governed, strict=True)
    )
    form = frame.family.panel
    return verdict(form, frame.look, frame.configuration, context, frame.choices, frame.key), context


def _governed(frame: _Frame, rule: _Rule, stream: Stream) -> Line:
    key = frame.choices[frame.key][rule.place]
    if rule.bits:
        flat = masks_for(rule.law.name, rule.bits, frame.panels // 3, key, stream)
    else:
        flat = context_for(rule.law, rule.values, rule.size, frame.configuration, frame.panels, key, stream)
    return spread(flat, rule.way)


def _puzzle(frame: _Frame, context: tuple[Line, ...], tries: int, stream: Stream) -> Puzzle:
    fields = frame.family.panel.fields
    matrix = frame.configuration == MATRIX
    words = tuple(f"{fields[rule.place].name}: {rule.law.name}{f' by {rule.way}' * matrix}" for rule in frame.rules)
    return Puzzle(
        pattern=frame.family.pattern,
        configuration=frame.configuration,
        family=frame.family.name,
        form=frame.family.form,
        look=frame.look,
        context=tuple(Panel(values, stream.below(SEEDS)) for values in context),
        choices=tuple(Panel(values, stream.below(SEEDS)) for values in frame.choices),
        key=frame.key,
        rules=words,
        tries=tries,
    )
