"""Split plain text in lower case into tokens, in one pass, and keep those that state something present.

A token is a word or a fixed phrase with its meaning. What a caption denies, or says about the past, states nothing:
"not on but under", "instead of a red one".
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import NamedTuple

from tetrad.extraction.captions import words
from tetrad.late_regex import late_regex

__all__ = ["Token", "stated_tokens", "tokens"]

_ENDS = frozenset({"comma", "end", "closes", "mark"})
_TOKENS_BETWEEN = 8  # "from" and "to", at most
_TO = frozenset({"to", "into"})


class Token(NamedTuple):
    """`kind` is one of the groups of the pattern below. `value` is its meaning, if it means a value."""

    kind: str
    text: str
    value: str = ""
    form: str = ""


def _one_of(name: str, values: Mapping[str, str]) -> str:
    """Join patterns, each in a group that tells its place."""
    return "|".join(f"(?P<{name}{place}>{pattern})" for place, pattern in enumerate(values.values()))


def _numbers() -> str:
    """Return a pattern of all numerals, the longest first; "four-legged" counts no subjects."""
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
    """Yield the tokens of plain text in lower case, in linear time."""
    at = 0
    while at < len(text):
        found = _beginning_with(text[at] if text[at] in _FIRSTS else "").match(text, at)
        if found is not None:
            kind = found.lastgroup or ""  # the outermost group: it closes last
            yield _MADE.get(kind, _plain)(found, kind)
        at = at + 1 if found is None else found.end()


@cache
def _beginning_with(first: str) -> re.Pattern[str]:
    """Return the pattern of one token without the kinds that can't begin so, which would take most of the time."""
    can_begin = [(kind, pattern) for kind, firsts, pattern in _ORDER if not firsts or (first and first in firsts)]
    kinds = "|".join(f"(?P<{kind}>(?:{pattern})\\b)" for kind, pattern in can_begin)
    return late_regex(rf"\b(?:{kinds}){_OTHERS}")


def _plain(found: re.Match[str], kind: str) -> Token:
    return Token(kind, found[0])


def _read_value(found: re.Match[str], kind: str) -> Token:
    place = next(at for at in range(len(_VALUES[kind])) if found[f"{kind}{at}"] is not None)
    return Token(kind, found[0], _VALUES[kind][place])


def _subject(found: re.Match[str], kind: str) -> Token:
    value, form = _read_value(found, kind).value.rsplit(" ", 1)
    return Token(kind, found[0], value, form)


def _scissors(found: re.Match[str], _kind: str) -> Token:
    return Token("subject", found[0], "scissors")


def _mass(found: re.Match[str], _kind: str) -> Token:
    return Token("subject", found[0], "toilet paper")


def _number(found: re.Match[str], kind: str) -> Token:
    return Token(kind, found[0], words.NUMBERS[found[0]])


def _read_side(found: re.Match[str], _kind: str) -> Token:
    """Return a side if "to the", "hand", "side", "of" or its owner stands beside it, else a bare or other word."""
    whose = (found["whose"] or "").strip()
    if found["lead"] or found["hand"] or found["of"] or whose in {"its", "their"}:
        return Token(
            "side", found[0], found["side"], whose if whose in {"its", "their"} else (found["of"] or "").strip()
        )
    return Token("bare" if not whose else "word", found[0], found["side"])


_MADE = {
    **dict.fromkeys(("relation", "unit", "furniture", "part", "color", "label"), _read_value),
    "subject": _subject,
    "scissors": _scissors,
    "mass": _mass,
    "number": _number,
    "sided": _read_side,
}


def stated_tokens(found: Iterable[Token]) -> list[Token]:
    """Return the tokens that state something present, in order."""
    given = list(found)
    kept: list[Token] = []
    at = 0
    while at < len(given):
        token = given[at]
        if token.kind in {"denial", "past"}:
            at = _after_denied(given, at + 1)
        elif token.kind == "leaving":
            at = _after_left(given, at, kept)
        elif token.kind == "turning":
            at = _after_turned(given, at + 1)
        elif token.kind == "filler":
            at += 1
        elif token.kind == "reason":
            at = _after_reason(given, at + 1, begins=not kept or kept[-1].kind in _ENDS)
        elif token.kind == "absence":
            while kept and kept[-1].kind not in _ENDS and kept[-1].text not in {"and", "but"}:
                kept.pop()
            at += 1
        else:
            kept.append(token)
            at += 1
    return kept


def _after_denied(given: Sequence[Token], at: int) -> int:
    """Return the place after the clause, or of its "but", "rather" or "now"."""
    while at < len(given) and given[at].kind not in _ENDS and given[at].text not in {"but", "rather", "now"}:
        at += 1
    return at


def _after_left(given: Sequence[Token], at: int, kept: Sequence[Token]) -> int:
    """Skip what is left behind: "from one to" two; a table made from wood, and what is right from it, stay."""
    bare = given[at].text == "from"
    if bare and kept and (kept[-1].text in words.MADE or kept[-1].kind in {"side", "bare"}):
        return at + 1
    for place in range(at + 1, min(at + 1 + _TOKENS_BETWEEN, len(given))):
        token = given[place]
        if token.kind in _ENDS:
            return at + 1 if bare else place
        if token.text in _TO or (token.kind in {"side", "relation"} and token.text.startswith(("to ", "onto"))):
            return place
    return at + 1


def _after_turned(given: Sequence[Token], at: int) -> int:
    """Skip what turns into something else: "changes the chair into" a table; "the chair turned red" stays."""
    for place in range(at, min(at + _TOKENS_BETWEEN, len(given))):
        if given[place].kind in _ENDS:
            break
        if given[place].text == "into":
            return place
    return at


def _after_reason(given: Sequence[Token], at: int, *, begins: bool) -> int:
    """Skip a reason: to the end of the sentence, or to the comma where the sentence begins with it."""
    ends = {"end", "comma"} if begins else {"end"}
    while at < len(given) and given[at].kind not in ends:
        at += 1
    return at
