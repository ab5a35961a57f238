"""Write labels that a reply spells as a word as labels: "the third choice", "the answer is three", "3.0".

It stands alone because what it returns is as long as its text: every later step finds its places in the original.
"""

import re
from collections.abc import Sequence
from functools import lru_cache

from tetrad.extraction.anchored import Anchored
from tetrad.extraction.numerals import ONES
from tetrad.late_regex import late_regex

__all__ = ["bare_label", "write_labels"]

_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth")
_SHORT_ORDINALS = ("1st", "2nd", "3rd", "4th", "5th", "6th", "7th", "8th", "9th")
_ENDS = r"(?=[\s)\]\"]{0,4}(?:[.,;!]|\n|\Z|because\b|since\b|as\b))"
# "The third choice" is an option by its place. "My second choice", "the second choice is B" tell a preference.
_BY_PLACE = Anchored(
    rf"(?:\bthe|\A)\s?(?P<ordinal>{'|'.join([*_ORDINALS, *_SHORT_ORDINALS])})"
    r"\s(?:option|choice|alternative|candidate|answer)\b"
    r"(?=[\s)\]\"]{0,4}(?:[.,;!]|\n|\Z|because\b|since\b|as\b|(?:is|was|must\sbe|would\sbe)\s(?:the\s)?(?:\w{2,16}ly\s)?"
    r"(?:correct|right|best|answer|one)\b|fits\b|matches\b))",
    *_ORDINALS,
    *_SHORT_ORDINALS,
    ignores_case=True,
)
_IN_WORDS = Anchored(
    r"(?=[acnos.!:]|\A)"  # in half the time: most places are skipped at their first letter
    rf"(?:(?:\A|\b(?:answer|solution)(?:\sis|\s?[:=])\s{{1,4}}(?:option\s|choice\s|number\s)?|\b(?:option|choice|number)\s)"
    rf"(?P<cardinal>{'|'.join(ONES)})\b{_ENDS}"
    rf"|(?:\A|[.!:]\s)(?P<subject>{'|'.join(ONES)})\b(?=\s(?:is|must\sbe|would\sbe)\s(?:the\s)?(?:correct|right|best|answer)\b))",
    *ONES,
    ignores_case=True,
)
_ORDINAL_MARK = late_regex("\u7b2c(?=\\s?[0-9A-Za-z]\\s?[\u4e2a\u500b\u3064\u9879\u9805\u53f7\u865f\u756a])")
_DECIMAL = Anchored(
    r"\b(?:answer|choice|option|label|ans)\W{1,6}(?P<whole>\d{1,3})\.0{1,3}(?![\d.])", ".0", ignores_case=True
)


# A reply of nothing but a label with its noun, counter or copula in Chinese, Japanese or Korean.
_NOUN = "(?:\u7b2c|\u9009\u9879|\u9078\u9805|\u9078\u629e\u80a2|\uc120\ud0dd\uc9c0|\ubcf4\uae30|\uc635\uc158)"
_COUNTER = (
    "(?:[\u4e2a\u500b\u3064\u9879\u9805\u53f7\u865f\u756a]|\u756a\u76ee|\ubc88\uc9f8?)(?:\u9009\u9879|\u9078\u9805)?"
)
_COPULA = "(?:\u3067\u3059|\u3060|\u3067\u3042\u308b|\uc785\ub2c8\ub2e4|\uc774\ub2e4|\uc608\uc694|\uc774\uc5d0\uc694)"
_BARE = late_regex(
    rf"[\s(\[]{{0,8}}{_NOUN}?\s?[(\[]?(?P<label>\w)[)\]]?\s?(?:{_COUNTER})?\s?{_COPULA}?[\s)\].!]{{0,8}}"
)


def bare_label(plain: str, labels: Sequence[str]) -> str | None:
    """Return the label that is all of a reply in Chinese, Japanese or Korean, but for its counter and the like."""
    if plain.isascii():
        return None
    found = _BARE.fullmatch(plain)
    return found["label"] if found is not None and found["label"] in labels else None


def write_labels(plain: str, labels: Sequence[str]) -> str:
    """Return plain text, as long as it was, with labels in place of words that name an option by its place."""
    plain = _ORDINAL_MARK.sub(" ", plain)
    by_word = _labels_by_word(tuple(labels))
    if not by_word:
        return plain
    plain = _BY_PLACE.sub(lambda found: _write(found, f"option {by_word.get(found['ordinal'].lower(), '')}", 0), plain)
    if labels[0] != "1":
        return plain
    plain = _IN_WORDS.sub(lambda found: _write_cardinal(found, by_word), plain)
    return _DECIMAL.sub(lambda found: _write(found, found["whole"], found.start("whole")), plain)


def _write(found: re.Match[str], written: str, begins: int) -> str:
    """Return the found text with a label from a place on, filled with spaces; unchanged if there is no such label."""
    if not written.strip() or written == "option ":
        return found[0]
    kept = found.string[found.start() : begins] if begins else ""
    return (kept + written).ljust(len(found[0]))


def _write_cardinal(found: re.Match[str], by_word: dict[str, str]) -> str:
    if found["subject"] is None:
        return _write(found, by_word.get(found["cardinal"].lower(), ""), found.start("cardinal"))
    label = by_word.get(found["subject"].lower())
    return found[0] if label is None else found[0].replace(found["subject"], label.rjust(len(found["subject"])))


@lru_cache(maxsize=256)
def _labels_by_word(labels: tuple[str, ...]) -> dict[str, str]:
    """Return the labels by the words for their places; none if they are not 1, 2, 3 or A, B, C from the first on."""
    begins = ord(labels[0]) if len(labels[0]) == 1 else 0
    if labels[0] not in {"1", "A"} or any(label != chr(begins + at) for at, label in enumerate(labels)):
        return {}
    return {
        word: label for words in (_ORDINALS, _SHORT_ORDINALS, ONES) for word, label in zip(words, labels, strict=False)
    }
