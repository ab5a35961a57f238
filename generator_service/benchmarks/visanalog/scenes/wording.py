"""Hold the words in which scenes of people are asked about."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from generator_service.benchmarks.visanalog.facts import ORDERS
from generator_service.benchmarks.visanalog.programs import TILES
from generator_service.benchmarks.visanalog.spec import (
    ARROW_LOOK,
    BOARD,
    COLOUR,
    COLOURS,
    CORNER,
    CUT,
    FACES,
    FACING,
    HANDS,
    LEVEL,
    NAMING,
    ORDER,
    PERSON,
    PERSON_LOOK,
    QUARTER,
    READING,
    SIDE_OF,
    SIGN_LOOK,
    Fact,
    Stander,
)
from generator_service.benchmarks.visanalog.wording import POINTS, a_or_an, hands, letters, word_look

_QUESTIONS: Mapping[str, str] = MappingProxyType(
    {
        CORNER: "{who} is nearest to the {place} corner",
        QUARTER: "who is in the {place} quarter",
        CUT: "which thing in the {place} quarter is cut off",
        READING: "how are the letters of the sign written",
        HANDS: "where do the hands of the clock point",
        FACING: "where does the arrow point",
        FACES: "which way does the {0} look",
        SIDE_OF: "on which side of the {1} is the {0}",
        LEVEL: "is the {0} higher or lower than the {1}",
        ORDER: "in which order, from left to right, are the {0}, the {1} and the {2}",
        SIGN_LOOK: "what do the letters and the board of the sign look like",
        ARROW_LOOK: "what are the arrow's direction and its board's color",
        PERSON_LOOK: "which way does the {0} look, in clothes of which color",
    }
)
"""By kind of fact: what is asked. Those that a fact names stand for the numbers."""
_WORDS: Mapping[str, Sequence[str]] = MappingProxyType(
    {FACING: POINTS, FACES: POINTS, SIDE_OF: ("left", "right"), LEVEL: ("higher", "lower")}
)


def scene_asks(facts: Sequence[Fact], values: Sequence[int], things: Sequence[Stander]) -> str:
    """Return the question in one sentence. values: those of any option, which all name people, or all things."""
    names_people = facts[0].kind in NAMING and things[values[0]].kind == PERSON
    sentence = ", and ".join(_asks(fact, things, names_people=names_people) for fact in facts)
    return f"{sentence[0].upper()}{sentence[1:]}?"


def scene_offers(facts: Sequence[Fact], values: Sequence[int], things: Sequence[Stander]) -> str:
    """Return an option: what it says of each fact."""
    return "; ".join(
        _value(fact, value, facts[:place], things)
        for place, (fact, value) in enumerate(zip(facts, values, strict=True))
    )


def _asks(fact: Fact, things: Sequence[Stander], *, names_people: bool) -> str:
    named = [things[place].name for place in fact.things]
    if fact.kind == COLOUR:
        if not fact.things:
            return "what color are the clothes" if names_people else "what color is it"
        return _asks_colour(things[fact.things[0]])
    if fact.kind == FACES and not fact.things:
        return "which way does that person look"
    who = "who" if names_people else "what"
    return _QUESTIONS[fact.kind].format(*named, who=who, place=TILES[fact.place])


def _asks_colour(one: Stander) -> str:
    if one.kind == PERSON:
        return f"what color are the {one.name}'s clothes"
    return f"what color is the {'board of the ' if one.kind == BOARD else ''}{one.name}"


def _value(fact: Fact, value: int, before: Sequence[Fact], things: Sequence[Stander]) -> str:
    """Return what an option says of one fact."""
    kind = fact.kind
    if kind in NAMING:
        return a_or_an(things[value].name)
    if kind == ORDER:
        return ", ".join(things[fact.things[place]].name for place in ORDERS[value])
    if kind in {SIGN_LOOK, ARROW_LOOK, PERSON_LOOK}:
        return word_look(kind, value, "clothes" if kind == PERSON_LOOK else "board")
    if kind == COLOUR:
        return COLOURS[value] + _of_what(fact, before, things)
    if kind == READING:
        return letters(value)
    return hands(value) if kind == HANDS else _WORDS[kind][value]


def _of_what(fact: Fact, before: Sequence[Fact], things: Sequence[Stander]) -> str:
    """Return what a colour is said to be of, where that is clear from the question and more than one thing is asked."""
    if not before:
        return ""
    if before[0].kind in NAMING:
        return " clothes" if before[0].kind == QUARTER else ""
    return " clothes" if things[fact.things[0]].kind == PERSON else " board"
