"""Hold the words of questions about photographs."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from generator_service.benchmarks.visanalog.photographs.families import (
    DARKEST_CORNER,
    DARKEST_EDGE,
    DARKEST_QUARTER,
    EDGES,
    HUE_CORNER,
    HUE_EDGE,
    HUE_MIDDLE,
    HUE_QUARTER,
    HUE_THERE,
    LIGHTEST_CORNER,
    LIGHTEST_EDGE,
    LIGHTEST_QUARTER,
    PAIRS,
    TWO_HUES,
    VIVID_QUARTER,
    WHERE,
)
from generator_service.benchmarks.visanalog.programs import TILES
from generator_service.benchmarks.visanalog.spec import LEVEL, SIDE_OF, Fact, Labelled

NAMES = ("red", "lime", "cyan", "purple", "orange", "green", "blue", "pink")
"""Hues as photographs have them, by the number that a colour has in COLOURS."""
EDGE_NAMES = ("right", "upper", "left", "lower")
_OF_HUE: Mapping[str, str] = MappingProxyType(
    {
        HUE_CORNER: "in the {} corner (an eighth of each side)",
        HUE_QUARTER: "in the {} quarter",
        HUE_EDGE: "along the {} edge (a strip of an eighth of the image)",
    }
)
_OF_TWO: Mapping[str, str] = MappingProxyType(
    {
        HUE_CORNER: "in the {} and in the {} corner (an eighth of each side)",
        HUE_QUARTER: "in the {} and in the {} quarter",
        HUE_EDGE: "along the {} and along the {} edge (strips of an eighth of the image)",
    }
)
_EXTREMES: Mapping[str, str] = MappingProxyType(
    {
        LIGHTEST_QUARTER: "which quarter is the lightest",
        DARKEST_QUARTER: "which quarter is the darkest",
        VIVID_QUARTER: "which quarter has the strongest colours",
        LIGHTEST_CORNER: "which corner (an eighth of each side) is the lightest",
        DARKEST_CORNER: "which corner (an eighth of each side) is the darkest",
        LIGHTEST_EDGE: "along which edge (a strip of an eighth of the image) is the image the lightest",
        DARKEST_EDGE: "along which edge (a strip of an eighth of the image) is the image the darkest",
    }
)


def photograph_asks(facts: Sequence[Fact], things: Sequence[Labelled]) -> str:
    """Return the question in one sentence."""
    sentence = ", and ".join(_asks(fact, things) for fact in facts)
    return f"{sentence[0].upper()}{sentence[1:]}?"


def photograph_offers(facts: Sequence[Fact], values: Sequence[int]) -> str:
    """Return an option: what it says of each fact."""
    return "; ".join(_value(fact, value) for fact, value in zip(facts, values, strict=True))


def _asks(fact: Fact, things: Sequence[Labelled]) -> str:  # noqa: PLR0911 - one for each kind
    kind = fact.kind
    if kind in _OF_HUE:
        return f"which hue prevails {_OF_HUE[kind].format(_place(kind, fact.place))}"
    if kind in TWO_HUES:
        one, other = PAIRS[fact.place]
        of = TWO_HUES[kind]
        return f"which hues prevail {_OF_TWO[of].format(_place(of, one), _place(of, other))}"
    named = [things[number].name for number in fact.things]
    if kind == SIDE_OF:
        return f"on which side of the {named[1]} is the {named[0]}"
    if kind == LEVEL:
        return f"is the {named[0]} higher or lower than the {named[1]}"
    if kind == WHERE:
        return f"in which quarter is the {named[0]}"
    if kind == HUE_MIDDLE:
        return "which hue prevails in the middle (half of each side)"
    return "which hue prevails there" if kind == HUE_THERE else _EXTREMES[kind]


def _place(kind: str, place: int) -> str:
    return EDGE_NAMES[place] if kind in EDGES else TILES[place]


def _value(fact: Fact, value: int) -> str:
    kind = fact.kind
    if kind in TWO_HUES:
        one, other = PAIRS[fact.place]
        of = TWO_HUES[kind]
        first, second = divmod(value, 8)
        return f"{_place(of, one)} {NAMES[first]}, {_place(of, other)} {NAMES[second]}"
    if kind in {SIDE_OF, LEVEL}:
        return (("left", "right") if kind == SIDE_OF else ("higher", "lower"))[value]
    if kind in _EXTREMES or kind == WHERE:
        return _place(kind, value)
    return NAMES[value]
