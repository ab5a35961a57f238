"""From plain text in lower case to tokens: words and fixed phrases with what they can be, in one pass."""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import NamedTuple

from tetrad.extraction.captions import words

__all__ = ["Token", "tokens"]


class Token(NamedTuple):
    """`kind` is one of the groups of the pattern below; `value` is what it stands for, where it stands for a value."""

    kind: str
    text: str
    value: str = ""
    form: str = ""


def _one_of(name: str, values: Mapping[str, str]) -> str:
    """Join patterns, each in a group that tells its place."""
    return "|".join(f"(?P<{name}{place}>{pattern})" for place, pattern in enumerate(values.values()))


def _numbers() -> str:
    """Longest first; "four-legged" counts no subjects."""
    return "|".join(sorted(words.NUMBERS, key=len, reverse=True))


_SUBJECTS: Mapping[str, str] = {
    **{f"{value} two": plural for value, (_, plural) in words.SUBJECTS.items()},
    **{f"{value} one": singular for value, (singular, _) in words.SUBJECTS.items()},
}
# Kind, the characters that it can begin with (none: any), pattern; the first that fits is taken.
_ORDER: tuple[tuple[str, str, str], ...] = (
    ("self", "aeiot", words.EACH_OTHER),
    ("idle", "bdfors", words.RELATIONS["idle"]),
    ("past", "fhiopuw", words.PAST),
    ("denial", "", words.DENIALS),
    ("leaving", "cfgmstw", words.LEAVING),
    ("turning", "ct", words.TURNING),
    ("filler", "w", words.FILLERS),
    ("reason", "abgs", words.REASONS),
    ("absence", "agmnr", words.ABSENCES),
    ("sided", "abdfilnort", words.SIDE),
    ("scissors", "s", words.SCISSORS),
    ("subject", " -abcdfghijklmnprstv", _one_of("subject", _SUBJECTS)),
    ("mass", "blt", words.MASS),
    ("unit", "cdgprs", _one_of("unit", words.UNITS)),
    ("furniture", "abcdfkpst", _one_of("furniture", words.FURNITURE)),
    ("relation", "abcdfhijnorstuw", _one_of("relation", words.RELATIONS)),
    ("part", "bceflmst", _one_of("part", words.PARTS)),
    ("frame", "acdipqrst", words.FRAMES),
    ("surrounding", "bcfgrstw", words.SURROUNDINGS),
    ("color", "abcghmnoprstvwy", _one_of("color", words.COLORS)),
    ("number", "0123456abdflmnostxz", rf"(?:{_numbers()})(?![-\w])"),
    ("determiner", "aeist", words.DETERMINERS),
    ("pronoun", "itw", words.PRONOUNS),
    ("label", "acfhlmnpqrs", _one_of("label", words.LABELS)),
    ("join", "iow", words.JOINS),
    ("both", "ao", r"and|or"),
    ("link", "abcdfhijlmnoprstvwy", words.LINKS),
)
_OTHERS = (
    r"|(?P<possessive>'s?(?=\s))|(?P<word>\w(?:\w|'\w)*?(?='s\b|\b(?!'\w)))|(?P<end>[.!?\n]+|=>|->|\u2192)|(?P<comma>,)"
    r"|(?P<opens>\()|(?P<closes>\))|(?P<mark>[:;=|]|\s/\s|\s[-\u2013\u2014]\s|\u2014)"
)
_FIRSTS = frozenset("".join(firsts for _, firsts, _ in _ORDER))
_VALUES: Mapping[str, Sequence[str]] = {
    "subject": tuple(_SUBJECTS),
    "unit": tuple(words.UNITS),
    "furniture": tuple(words.FURNITURE),
    "relation": tuple(words.RELATIONS),
    "part": tuple(words.PARTS),
    "color": tuple(words.COLORS),
    "label": tuple(words.LABELS),
}


def tokens(text: str) -> Iterator[Token]:
    """Yield the tokens of plain text in lower case; time grows with its length alone."""
    at = 0
    while at < len(text):
        found = _beginning_with(text[at] if text[at] in _FIRSTS else "").match(text, at)
        if found is not None:
            kind = found.lastgroup or ""  # the outermost group: it closes last
            yield _MADE.get(kind, _plain)(found, kind)
        at = at + 1 if found is None else found.end()


@cache
def _beginning_with(first: str) -> re.Pattern[str]:
    """Return the pattern of one token without the kinds that can't begin so: most of the time was theirs."""
    can_begin = [(kind, pattern) for kind, firsts, pattern in _ORDER if not firsts or (first and first in firsts)]
    kinds = "|".join(f"(?P<{kind}>(?:{pattern})\\b)" for kind, pattern in can_begin)
    return re.compile(rf"\b(?:{kinds}){_OTHERS}")


def _plain(found: re.Match[str], kind: str) -> Token:
    return Token(kind, found[0])


def _valued(found: re.Match[str], kind: str) -> Token:
    place = next(at for at in range(len(_VALUES[kind])) if found[f"{kind}{at}"] is not None)
    return Token(kind, found[0], _VALUES[kind][place])


def _subject(found: re.Match[str], kind: str) -> Token:
    value, form = _valued(found, kind).value.rsplit(" ", 1)
    return Token(kind, found[0], value, form)


def _scissors(found: re.Match[str], _kind: str) -> Token:
    return Token("subject", found[0], "scissors")


def _mass(found: re.Match[str], _kind: str) -> Token:
    return Token("subject", found[0], "toilet paper")


def _number(found: re.Match[str], kind: str) -> Token:
    return Token(kind, found[0], words.NUMBERS[found[0]])


def _sided(found: re.Match[str], _kind: str) -> Token:
    """A side is told by "to the", by "hand" or "side", by "of", or by whose it is; else it may be any other word."""
    whose = (found["whose"] or "").strip()
    if found["lead"] or found["hand"] or found["of"] or whose in {"its", "their"}:
        return Token(
            "side", found[0], found["side"], whose if whose in {"its", "their"} else (found["of"] or "").strip()
        )
    return Token("bare" if not whose else "word", found[0], found["side"])


_MADE = {
    **dict.fromkeys(("relation", "unit", "furniture", "part", "color", "label"), _valued),
    "subject": _subject,
    "scissors": _scissors,
    "mass": _mass,
    "number": _number,
    "sided": _sided,
}
