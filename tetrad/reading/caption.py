"""Read which state a caption states: "two bottles on a red table".

Written down in short: one value of each property, in the shape's order: "bottle, two, table, red, on"; ? where the
caption leaves a property open, and both values, joined by /, where it contradicts itself.
"""

import re
from collections.abc import Mapping, Sequence

from tetrad.contracts.items import StateCaption
from tetrad.reading.caption_words import BESIDE, OTHER
from tetrad.reading.captioned import Stated, stated_in
from tetrad.reading.choice import REFUSAL, ReadChoice
from tetrad.reading.visible_text import plain_text, visible_part

__all__ = ["is_state", "read_caption", "read_state", "state_text", "values_of"]

OPEN = "?"
_BEYOND = (OTHER, BESIDE)
_JSON = re.compile(r"[\"']caption[\"']\s*:\s*(?:\"((?:[^\"\\]|\\.)*)\"|'([^'\n]*)')", re.IGNORECASE)
_LABELLED = re.compile(
    r"(?:^|\n)[\s#>*_-]{0,8}(?:the )?(?:final |target |resulting |predicted )?"
    r"(?:caption|answer|image|result|output|state)(?: of the (?:resulting|target|final) (?:image|picture))?"
    r"(?: is)?[\s*_]{0,4}[:=][\s*_]{0,4}(?=\S)([^\n]+)",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")
# What is denied or left behind is not stated.
_DENIED = re.compile(
    r"(?:\b(?:not|no longer|never|neither|nor|instead of|rather than|unlike|without)\b|n't\b)"
    r"[^.,;\n]*?(?=\bbut\b|\brather\b(?! than)|[.,;\n]|\Z)"
    r"|\bfrom (?:[\w'-]+ ){1,5}?(?=(?:in)?to\b)"
    r"|\bwas (?:previously |once |originally )[^.,;\n]*(?=[.,;\n])|\bpreviously\b[^.,;\n]*"
)
_CORRECTED = re.compile(
    r"\b(?:wait|scratch that|correction|sorry|i mean(?:t)?|no,|actually|make that|on second thought|rather,)[\s,:.!-]*"
)
_FLAT = re.compile(r"[ \t]+")


def read_caption(reply: str, shape: StateCaption) -> ReadChoice:
    """Return the state that a reply's caption states, in short; None where it states none.

    A "caption" in JSON counts, else a line that begins "Caption:" or the like, else the last sentence that says
    everything, else the whole text. Codes with an answer: json-caption, labelled-caption, sentence, whole-text.
    Codes without: empty, truncated, refusal, no-caption.
    """
    visible = visible_part(reply)
    if not visible:
        return ReadChoice(None, "truncated" if visible is None else "empty")
    if is_state(visible, shape):
        return ReadChoice(visible, "short-form", visible)
    reason, text, stated = _chosen(visible)
    if any(stated.values()):
        return ReadChoice(_written(stated, shape.properties), reason, text.strip()[:300])
    refused = REFUSAL.search(plain_text(visible).lower())
    return ReadChoice(None, "refusal" if refused else "no-caption", refused[0] if refused else "")


def read_state(text: str, properties: Mapping[str, Sequence[str]]) -> str:
    """Return the state that a caption by itself states, in short."""
    return _written(_corrected(text), properties)


def values_of(written: str, properties: Sequence[str]) -> dict[str, frozenset[str]]:
    """Return the values written down in short, by property: none where it is open."""
    parts = written.split(", ")
    return {
        name: frozenset() if part == OPEN else frozenset(part.split("/"))
        for name, part in zip(properties, parts, strict=True)
    }


def is_state(text: str, shape: StateCaption) -> bool:
    """Tell whether the text is a state in short, right or wrong."""
    parts = text.split(", ")
    if len(parts) != len(shape.properties) or all(part == OPEN for part in parts):
        return False
    return all(
        part == OPEN or all(value in values or value in _BEYOND for value in part.split("/"))
        for part, values in zip(parts, shape.properties.values(), strict=True)
    )


def state_text(shape: StateCaption) -> str:
    """Say how a state is written down, for the remedy of an error."""
    example = ", ".join(values[-1] for values in shape.properties.values())
    return f"a caption as response, or its values in short, such as {example!r} ({', '.join(shape.properties)})"


def _chosen(visible: str) -> tuple[str, str, Stated]:
    """Return why, which part of the text, and what it states."""
    for reason, pattern in (("json-caption", _JSON), ("labelled-caption", _LABELLED)):
        found = [next(filter(None, match.groups()), "") for match in pattern.finditer(visible)]
        for text in reversed(found):
            if any((stated := _corrected(text)).values()):
                return reason, text, stated
    sentences = [sentence for sentence in _SENTENCE.split(visible) if sentence.strip()]
    for sentence in reversed(sentences[1:]):
        if _is_whole(stated := _corrected(sentence)):
            return "sentence", sentence, stated
    return "whole-text", visible, _corrected(visible)


def _corrected(text: str) -> Stated:
    """Return what the text states; after "wait," or the like, what it states anew takes the place of the old."""
    plain = _FLAT.sub(" ", plain_text(text).lower())
    stated: Stated = {}
    for part in _CORRECTED.split(plain):
        anew = stated_in(_FLAT.sub(" ", _DENIED.sub(" ", part)))
        stated = {name: values or stated.get(name, set()) for name, values in anew.items()}
    return stated


def _is_whole(stated: Stated) -> bool:
    return all(len(values) == 1 for values in stated.values())


def _written(stated: Stated, properties: Mapping[str, Sequence[str]]) -> str:
    return ", ".join(_one(stated.get(name, set()), offered) for name, offered in properties.items())


def _one(values: set[str], offered: Sequence[str]) -> str:
    known = {value if value in offered or value == BESIDE else OTHER for value in values}
    return "/".join(sorted(known)) or OPEN
