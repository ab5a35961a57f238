"""From the words of a caption to the values it states: which noun a number, a colour or a relation belongs to."""

import re
from collections.abc import Iterator

from tetrad.reading.caption_words import (
    BESIDE,
    COLOR,
    FURNITURE,
    NUMBERS,
    OPEN,
    OPPOSITE,
    OTHER,
    RELATION,
    SECOND,
    SUBJECT,
    color_of,
    furniture_of,
    subject_of,
)

Stated = dict[str, set[str]]
"""The values stated of each property: none is left open, more than one contradict each other."""

_WORD = re.compile(r"[\w'-]+")
_REACH = 48  # characters of a noun phrase before its noun
# What ends a noun phrase, looking back from its noun.
_BREAK = re.compile(
    r"[.,;:!?()\n]|\b(?:on|under|underneath|beneath|below|atop|upon|of|to|left|right|with|and|is|are|was|has|have|holds?"
    r"|that|which|there|in|near|beside|from|by|sits?|stands?|lies?|supports?|supporting)\b"
)
_LINKED = re.compile(
    r"(?:,? ?\b(?:that|which|is|are|was|has|been|being|now|in|of|made|out|from|painted|colou?red|colou?r|turned|bright"
    r"|dark|light|deep|solid|a|the|but|all|it's|its)\b)*,? \Z"
)
_COLOR_LABEL = re.compile(
    r"\b(?:colou?r|material|finish)\b(?: of (?:the )?(?:\w+ ){1,2}| (?:\w+ ){0,2}?)?\s?(?:is|:|=)?\s{0,2}\Z"
)
_NUMBER_LABEL = re.compile(r"\b(?:number|quantity|count|amount)\b(?: of \w+)?\s?(?:is|:|=)?\s{0,2}(?P<number>\w+)")
_DETERMINED = (
    r"(?:(?:a|an|the|one|two|1|2|pairs?|of|both|single|\w+(?:en|ed|y)|red|blue|green|yellow|white|black|gr[ae]y|small"
    r"|large)\s)*"
)
_TO_SUBJECT = re.compile(rf"\s{_DETERMINED}\Z")


def stated_in(text: str) -> Stated:
    """Return what plain text in lower case states of each property."""
    subjects = list(SUBJECT.finditer(text))
    furniture = [one for one in FURNITURE.finditer(text) if not _is_within(one, subjects)]
    colors = list(_colors(text, furniture))
    return {
        "subject": {subject_of(one)[0] for one in subjects},
        "subject_number": _numbers(text, subjects),
        "object": {furniture_of(one) for one in furniture},
        "object_color": _without_undercoat(colors),
        "spatial_relation": _relations(text, subjects, furniture),
    }


def _is_within(one: re.Match[str], others: list[re.Match[str]]) -> bool:
    return any(other.start() <= one.start() < other.end() for other in others)


def _phrase_before(text: str, end: int) -> str:
    """Return the part of a noun phrase that stands before its noun."""
    before = text[max(0, end - _REACH) : end]
    breaks = [match.end() for match in _BREAK.finditer(before)]
    return before[breaks[-1] :] if breaks else before


def _numbers(text: str, subjects: list[re.Match[str]]) -> set[str]:
    """Numerals tell; where there are none, the nouns' forms do. "A bottle and another bottle" are two."""
    told, formed = set[str](), set[str]()
    for one in subjects:
        words = _WORD.findall(_phrase_before(text, one.start()))
        if SECOND & set(words):
            return {"two"}
        numerals = [NUMBERS[word] for word in words if word in NUMBERS]
        form = subject_of(one)[1]
        if one["unit"] and not one["scissors"]:
            told.add("two")
        elif numerals:
            told.add(numerals[-1])
        elif form and not OPEN & set(words):
            formed.add(form)
    told |= {NUMBERS[label["number"]] for label in _NUMBER_LABEL.finditer(text) if label["number"] in NUMBERS}
    return told or formed


def _colors(text: str, furniture: list[re.Match[str]]) -> Iterator[str]:
    """Yield the colours that belong to furniture: a mug's own colour is its own."""
    for color in COLOR.finditer(text):
        belongs = any(_is_before(text, color, one) or _is_after(text, color, one) for one in furniture)
        if belongs or _COLOR_LABEL.search(text[max(0, color.start() - _REACH) : color.start()]):
            yield color_of(color)


def _is_before(text: str, color: re.Match[str], noun: re.Match[str]) -> bool:
    return 0 <= noun.start() - color.end() <= _REACH and color[0] in _phrase_before(text, noun.start())


def _is_after(text: str, color: re.Match[str], noun: re.Match[str]) -> bool:
    between = text[noun.end() : color.start()]
    return 0 <= color.start() - noun.end() <= _REACH and _LINKED.match(between) is not None


def _without_undercoat(colors: list[str]) -> set[str]:
    """A "red wooden chair" is red: wood is what the paint is on."""
    found = set(colors)
    return found - {"wood"} if found & {"red", "blue"} else found


def _relations(text: str, subjects: list[re.Match[str]], furniture: list[re.Match[str]]) -> set[str]:
    found: set[str] = set()
    explicit = False
    for match in RELATION.finditer(text):
        relation = next(name for name in ("left", "right", "under", "on", "beside", "other") if match[name])
        explicit |= relation == "on" and _stands_at(text, match.end(), furniture)
        found.add(OPPOSITE.get(relation, relation) if _is_reversed(text, match, subjects, furniture) else relation)
    sides = found & {"left", "right"}
    if sides:
        # Diagonally below is left or right; "on the left" says where, not on what.
        return sides | ({"on"} if explicit and "on" in found else set())
    return found - {BESIDE, OTHER} or found


def _stands_at(text: str, place: int, nouns: list[re.Match[str]]) -> bool:
    """Does one of the nouns end the phrase that begins here: "on" [the red] table."""
    return any(0 <= one.start() - place <= _REACH and _TO_SUBJECT.match(text[place : one.start()]) for one in nouns)


def _is_reversed(
    text: str, match: re.Match[str], subjects: list[re.Match[str]], furniture: list[re.Match[str]]
) -> bool:
    """Is it said of the furniture: "a red table under two bottles", "a chair to the right of the mug"."""
    if (match["left"] or match["right"]) and not (match["of_left"] or match["of_right"]):
        return False
    if not any(one.end() <= match.start() for one in furniture) or not _stands_at(text, match.end(), subjects):
        return False
    return not any(one.end() <= match.start() for one in subjects)
