"""Draw a puzzle without its context: choices first, from a distribution in which none stands out, then the key."""

from dataclasses import dataclass

from generator_service.benchmarks.marvel.forms.form import Field
from generator_service.benchmarks.marvel.nets.puzzles import NoPuzzle
from generator_service.benchmarks.marvel.rules.families import ROW, Family, families_of
from generator_service.benchmarks.marvel.rules.laws import SET, Law, Line
from generator_service.benchmarks.marvel.rules.making import (
    attainable,
    law_named,
)
from generator_service.benchmarks.marvel.spec import (
    CHOICES,
    GROUP,
    MATRIX,
    SEQUENCE,
    TWO_ROW,
    Look,
)
from tetrad.streams import Stream

SEEDS = 1 << 32
PANELS = {TWO_ROW: 6, MATRIX: 9, GROUP: 3}
_NEAR = 6  # the four counts offered lie within this many consecutive numbers


@dataclass(frozen=True, kw_only=True)
class Rule:
    """The rule of one field: the law, the direction of its lines, and the values that it goes through."""

    place: int
    law: Law
    way: str
    values: Line
    size: int
    bits: int  # of a set; 0 for others


@dataclass(frozen=True, kw_only=True)
class Frame:
    """A puzzle with choices and key, but without its context."""

    family: Family
    configuration: str
    look: Look
    panels: int
    rules: tuple[Rule, ...]
    fixed: Line
    choices: tuple[Line, ...]
    key: int


def family_for(pattern: str, configuration: str, shape: str, panels: int, stream: Stream) -> tuple[Family, Look]:
    """Draw a family, and a look under which its laws can fill so many panels."""
    for family in stream.shuffle(families_of(pattern, configuration)):
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


def frame_for(family: Family, configuration: str, look: Look, panels: int, stream: Stream) -> Frame:
    form = family.panel
    way = stream.choice(family.ways) if configuration == MATRIX else ROW
    rules = tuple(
        _rule(family, name, law_named(stream.choice(_laws_for(family, name, look, configuration, panels))), look, way)
        for name in family.governs
    )
    fixed = tuple(stream.choice(field.values(look)) for field in form.fields)
    offered = _draw_choices(rules, configuration, panels, stream)
    # Choices of a group share their loose values, and its context has others, so the right choice is no copy of a
    # panel.
    loose = None if configuration == GROUP else stream
    choices = tuple(with_loose(family, look, fixed, rules, values, loose) for values in stream.shuffle(offered))
    return Frame(
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


def _rule(family: Family, name: str, law: Law, look: Look, way: str) -> Rule:
    place = family.panel.place(name)
    one = family.panel.fields[place]
    is_set = one.kind == SET
    return Rule(
        place=place,
        law=law,
        way=way,
        values=() if is_set else _values(family, one, look),
        size=one.size(look),
        bits=one.high.bit_length() if is_set else 0,
    )


def _draw_choices(rules: tuple[Rule, ...], configuration: str, panels: int, stream: Stream) -> list[Line]:
    """Draw the four choices' values: four of one field, or two of each of two fields, crossed."""
    if rules[0].bits:
        return [(mask,) for mask in _four_masks(rules[0].bits, stream)]
    free = [attainable(rule.law, rule.values, rule.size, configuration, panels) for rule in rules]
    if len(rules) == 1:
        return [(value,) for value in _near(free[0], CHOICES, rules[0].size, stream)]
    first, second = (_near(values, 2, rule.size, stream) for values, rule in zip(free, rules, strict=True))
    return [(a, b) for a in first for b in second]


def _near(values: Line, count: int, size: int, stream: Stream) -> Line:
    """Draw `count` values. Numbers are from a stretch so short that a solver must look closely to tell them apart."""
    if size or len(values) <= _NEAR:
        return stream.sample(values, count)
    start = stream.below(len(values) - _NEAR + 1)
    return stream.sample(values[start : start + _NEAR], count)


def _four_masks(bits: int, stream: Stream) -> tuple[int, ...]:
    """Draw four sets of strokes: one, the same changed in either of two places, and in both. None stands out."""
    while True:
        base = stream.below(1 << bits)
        order = stream.shuffle(range(bits))
        cut = 1 + stream.below(2)
        first, second = (sum(1 << bit for bit in part) for part in (order[:cut], order[cut : 2 * cut]))
        masks = (base, base ^ first, base ^ second, base ^ first ^ second)
        if all(2 <= mask.bit_count() <= bits - 3 for mask in masks):  # noqa: PLR2004 - neither bare nor full
            return masks


def with_loose(  # noqa: PLR0917 - what a panel is made of
    family: Family, look: Look, fixed: Line, rules: tuple[Rule, ...], governed: Line, stream: Stream | None
) -> Line:
    """Put a panel's values together. Without a stream, loose values keep those of `fixed`."""
    values = list(fixed)
    if stream is not None:
        for name in family.loose:
            place = family.panel.place(name)
            values[place] = stream.choice(family.panel.fields[place].values(look))
    for rule, value in zip(rules, governed, strict=True):
        values[rule.place] = value
    return tuple(values)


def otherwise_loose(family: Family, look: Look, fixed: Line, panels: int, stream: Stream) -> list[Line]:
    """Return `fixed` for so many panels with other loose values, all different if there are enough of them."""
    made = [list(fixed) for _ in range(panels)]
    for name in family.loose:
        place = family.panel.place(name)
        free = stream.shuffle([value for value in family.panel.fields[place].values(look) if value != fixed[place]])
        for at, values in enumerate(made):
            values[place] = free[at % len(free)]
    return [tuple(values) for values in made]
