"""From the phrases of a caption to the values it states: whose a number or a colour is, and what stands where."""

from collections.abc import Sequence

from tetrad.extraction.captions.denials import stated_tokens
from tetrad.extraction.captions.phrases import Phrase, phrases
from tetrad.extraction.captions.places import places
from tetrad.extraction.captions.tokens import tokens
from tetrad.extraction.captions.words import LEGS, OTHER, PALE, SECOND, UNNAMED

__all__ = ["Stated", "stated_in"]

Stated = dict[str, set[str]]
"""The values stated of each property: none is left open, more than one contradict each other."""

_NAMING = frozenset({"subject", "furniture", "part", "surrounding", "frame", "unknown"})


def stated_in(text: str) -> Stated:
    """Return what plain text in lower case states of each property, now and not denied."""
    return _interpreted(phrases(stated_tokens(tokens(text))))


def _interpreted(found: Sequence[Phrase]) -> Stated:
    main = _without_attributes(found)
    subjects = [phrase for phrase in main if phrase.kind == "subject"]
    furniture = {phrase.value for phrase in main if phrase.kind == "furniture"} - {UNNAMED}
    parts = {phrase.value for phrase in main if phrase.kind == "part"} - {UNNAMED}
    named = {phrase.value for phrase in subjects} - {UNNAMED}
    return {
        "subject": named,
        "subject_number": _numbers(main, [one for one in subjects if one.value or not named]),
        "object": furniture or parts,
        "object_color": _without_undercoat(_colors(main)),
        "spatial_relation": places(main),
    }


def _without_attributes(found: Sequence[Phrase]) -> list[Phrase]:
    """Leave out what a subject has or is in: a plant in a pot, a bottle of wine, a bowl with a spoon."""
    kept: list[Phrase] = []
    for place, phrase in enumerate(found):
        before = found[place - 1] if place else None
        owner = found[place - 2] if place > 1 else None
        if (
            phrase.kind == "subject"
            and before is not None
            and owner is not None
            and before.kind == "join"
            and owner.kind == "subject"
            and (before.text != "with" or phrase.value == OTHER)
        ):
            continue
        kept.append(phrase)
    return kept


def _numbers(main: Sequence[Phrase], subjects: Sequence[Phrase]) -> set[str]:
    """Numerals tell; where there are none, the nouns' forms do. "A bottle and another bottle" are two."""
    if any(phrase.words & SECOND for phrase in subjects):
        return {"two"}
    told = {phrase.number for phrase in subjects if phrase.number} | _labelled_numbers(main)
    return told or {phrase.form for phrase in subjects if phrase.form}


def _labelled_numbers(main: Sequence[Phrase]) -> set[str]:
    """Numbers after "number:", or behind their noun: "the scissors (one pair)", "mug x2"."""
    found = set[str]()
    labelled, last = False, ""
    for place, phrase in enumerate(main):
        if phrase.kind in {"label", "end"}:
            labelled = phrase.value == "number"
        elif phrase.kind == "loose" and phrase.number:
            if labelled or (last == "subject" and _is_behind(main, place)):
                found.add(phrase.number)
            labelled = False
        elif phrase.kind in {"subject", "furniture"}:
            last = phrase.kind
    return found


def _is_behind(main: Sequence[Phrase], place: int) -> bool:
    """Is a number set behind its noun: in parentheses, after a colon, or as one of a list."""
    before, after = main[place - 1], main[place + 1] if place + 1 < len(main) else None
    listed = before.kind in {"comma", "mark"} and (after is None or after.kind in {"comma", "mark", "end"})
    return listed or before.text in {"(", ":"} or main[place].text.startswith("x")


def _colors(main: Sequence[Phrase]) -> set[str]:
    """Colours of furniture: before its noun, said of it, or after "color:". A mug's own colour is its own."""
    nouns = [phrase for phrase in main if phrase.kind == "furniture" or (phrase.kind == "part" and _is_whole(phrase))]
    own = {color for phrase in nouns for color in phrase.colors} | _said_colors(main)
    return own or {color for phrase in main if phrase.kind == "part" for color in phrase.colors}


def _is_whole(part: Phrase) -> bool:
    """Does its colour speak for all of the furniture: a red seat does, red legs don't."""
    return part.text not in LEGS


def _said_colors(main: Sequence[Phrase]) -> set[str]:
    """Colours without a noun of their own that are said of furniture: "the table is red", "it is red", "color: red"."""
    found = set[str]()
    last, thing, labelled = "", "", False  # what was named last, what "it" stands for, is it "color:"
    for place, phrase in enumerate(main):
        if phrase.kind == "unknown" and place and main[place - 1].text == "in":
            continue  # "which in this version is red"
        if phrase.kind == "loose" and phrase.colors:
            found.update(phrase.colors if last == "furniture" or labelled else ())
            labelled = False
        elif phrase.kind == "label":
            labelled = phrase.value == "color"
        elif phrase.kind == "pronoun":
            last = thing
        elif phrase.kind in _NAMING:
            last = "furniture" if phrase.kind == "part" else phrase.kind
            thing = last if last in {"subject", "furniture"} else thing
            labelled = labelled and last == "furniture"
        elif phrase.kind == "end":
            last = ""
    return found


def _without_undercoat(found: set[str]) -> set[str]:
    """A "red wooden chair" is red: wood is what the paint is on. "Beige wood" is wood."""
    if found & {"red", "blue"}:
        return found - {"wood", PALE}
    if PALE in found:
        return found - {PALE} if "wood" in found else (found - {PALE}) | {OTHER}
    return found
