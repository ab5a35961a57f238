"""Hold the words of questions about photographs. They say colour, not hue: the word hue names a step of programs."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from generator_service.benchmarks.visanalog.photographs.families import (
    AT_SIDES,
    CORNER,
    DARKEST,
    EDGE,
    HALF,
    HUE_ACROSS,
    HUE_MIDDLE,
    HUE_RIM,
    HUE_THERE,
    HUE_WHOLE,
    HUES,
    LIGHTER,
    LIGHTEST,
    MEASURED,
    MORE_VIVID,
    OF_TWO,
    OPPOSITE,
    QUARTER,
    VIVID,
    WHERE,
    place_and_ring,
)
from generator_service.benchmarks.visanalog.programs import TILES
from generator_service.benchmarks.visanalog.spec import LEVEL, SIDE_OF, Fact, Labelled

NAMES = ("red", "lime", "cyan", "purple", "orange", "green", "blue", "pink")
"""Colours as photographs have them, by the number that a colour has in COLOURS."""
SIDE_NAMES = ("right", "upper", "left", "lower")
_SIZES: Mapping[str, str] = MappingProxyType(
    {
        CORNER: " (an eighth of each side)",
        QUARTER: "",
        EDGE: " (a strip of an eighth of the picture)",
        HALF: "",
    }
)
_MOST: Mapping[str, str] = MappingProxyType(
    {
        LIGHTEST: "is the lightest",
        DARKEST: "is the darkest",
        VIVID: "has the strongest colors",
        LIGHTER: "is the lighter",
        MORE_VIVID: "has the stronger colors",
    }
)
_OF: Mapping[str, str] = MappingProxyType(
    {
        HUE_MIDDLE: "in the middle (half of each side)",
        HUE_RIM: "along the rim (an eighth of the picture on each side)",
        HUE_WHOLE: "in the whole picture",
        HUE_THERE: "there",
        HUE_ACROSS: "in the part opposite to it",
    }
)


def photograph_asks(facts: Sequence[Fact], things: Sequence[Labelled]) -> str:
    """Return the question in one sentence."""
    sentence = ", and ".join(_asks(fact, things) for fact in facts)
    return f"{sentence[0].upper()}{sentence[1:]}?"


def photograph_offers(facts: Sequence[Fact], values: Sequence[int]) -> str:
    """Return an option: what it says of each fact."""
    return "; ".join(_value(fact, value) for fact, value in zip(facts, values, strict=True))


def _asks(fact: Fact, things: Sequence[Labelled]) -> str:
    kind = fact.kind
    if kind in MEASURED:
        most, part = MEASURED[kind]
        if kind not in OF_TWO:
            return f"which {part}{_SIZES[part]} {_MOST[most]}"
        return f"which of {_both(part, fact.place)} {_MOST[most]}"
    if kind in _OF:
        return f"which color prevails {_OF[kind]}"
    if kind in HUES:
        part, (place, _) = HUES[kind], place_and_ring(fact)
        return f"which color prevails in the {_place(part, place)} {part}{_SIZES[part]}"
    return _asks_of_things(kind, [things[number].name for number in fact.things])


def _asks_of_things(kind: str, named: Sequence[str]) -> str:
    if kind == WHERE:
        return f"in which quarter is the {named[0]}"
    if kind == SIDE_OF:
        return f"on which side of the {named[1]} is the {named[0]}"
    return f"is the {named[0]} higher or lower than the {named[1]}"


def _both(part: str, pair: int) -> str:
    one, other = OPPOSITE[part][pair]
    return f"the {_place(part, one)} and the {_place(part, other)} {part}{_SIZES[part]}"


def _place(part: str, place: int) -> str:
    return SIDE_NAMES[place] if part in AT_SIDES else TILES[place]


def _value(fact: Fact, value: int) -> str:
    kind = fact.kind
    if kind in MEASURED:
        return _place(MEASURED[kind][1], value)
    if kind in {SIDE_OF, LEVEL}:
        return (("left", "right") if kind == SIDE_OF else ("higher", "lower"))[value]
    return TILES[value] if kind == WHERE else NAMES[value]
