"""Extract the whole number that a reply gives as its answer: "nine", "3 x 3 = 9", "so there are 13 in all".

As with options, the last explicit statement decides; else the last conclusion or total; else the only number. Several
numbers without a statement are no answer: taking the first or the last would be a guess.
"""

import re
from collections.abc import Iterator

import msgspec

from tetrad.extraction.choice import REFUSAL, ExtractedAnswer
from tetrad.extraction.mentions import Mention
from tetrad.extraction.statements import is_retracted, statement_begins
from tetrad.extraction.visible_text import last_places, plain_text, visible_part

__all__ = ["extract_number"]

_ONES = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
_TEENS = ("thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen")
_SMALL = ("zero", *_ONES, "ten", "eleven", "twelve", *_TEENS)
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
WORDS = {word: value for value, word in enumerate(_SMALL)} | {
    word: 10 * value for value, word in enumerate(_TENS, start=2)
}
_LONGEST_FIRST = "|".join(sorted(_SMALL, key=len, reverse=True))
_SPOKEN = rf"(?:{'|'.join(_TENS)})(?:[\s-](?:{'|'.join(_ONES)}))?|{_LONGEST_FIRST}|(?:a\s)?dozen"
_NUMBER = re.compile(
    rf"(?<![\w.,'/])(?:(?P<digits>\d{{1,3}}(?:,\d{{3}}){{1,9}}|\d{{1,9}})(?:\.0{{1,9}})?|(?P<spoken>{_SPOKEN}))"
    r"(?![\w'%\u00b0]|\.\d|,\d)"
)  # for lower-case text; ignoring case would take the long s of "\u017fix" for an s
_BARE = re.compile(rf"[\s*`\"'$#({{\[]{{0,8}}({_NUMBER.pattern})[\s*`\"'$)}}\].]{{0,8}}")
_SIGN = re.compile(r"(?:^|[\s(=:])[-\u2212]\Z")
# "3 x 3 matrix", "2 by 3": the shape of the whole, not its count.
_GRID = re.compile(r"\s?(?:[x\u00d7*]|-?by-?)\s?\Z")
_CALCULATED = re.compile(
    r"(?:[=\u2248]|\bequals|\bmakes|\bmaking|\bgives|\bgiving)"
    r"\s?(?:(?:a|the)\stotal\sof\s)?(?:us\s)?\Z"
)
_TOTAL_BEFORE = re.compile(
    r"(?:(?<!in )\b(?:total|sum|count|number)\b[^.\n;:=\d]{0,60}?"
    r"(?:\bof|\bis|\bwould be|\bto|:|=)\s(?:exactly\s|only\s)?"
    r"|\b(?:so|thus|therefore|hence|conclusion)\b[^.\n;:\d]{0,60}?\s"
    r"|(?:\A|[.,;:\n]\s*(?:and\s)?)(?:altogether|in total|in all|overall)\b[^.\n;:\d]{0,60}?\s)\Z"
)
_TOTAL_AFTER = re.compile(
    r"[\s)]{0,2}(?:[a-z]+\s){0,3}(?:in\s(?:total|all)\b|altogether\b|overall\b|total\b)"
    r"|\s(?:[a-z]+\s){0,2}(?:in|including)\s(?:the\s)?(?:whole|entire|blank|missing|empty)\b"
)
_NAME_BEFORE = re.compile(
    r"\b(?:choice|choices|option|options|panel|figure|picture|image|number|no\.|#|row|column|step|labell?ed|marked|question)"
    r"(?:\s(?:with|as|by))?\s?\Z"
)
_LIST_JOIN = re.compile(r"\s?(?:,\s?(?:and|or)?|and|or|to|through|-|\u2013)\s?")
_EITHER = re.compile(r"\s?(?:\bor\b|\bto\b|/|-|\u2013|,\s?or\b)\s?(?:maybe\s|perhaps\s|possibly\s)?")
_PRONOUN_BEFORE = re.compile(
    r"\b(?:the|this|that|each|every|which|missing|blank|empty|last|first|right|another|no|any|correct|next)\s\Z"
)
_SHORTEST_LIST = 3


class _Seen(msgspec.Struct, frozen=True):
    """One number in the text, and its place."""

    value: int
    start: int
    end: int


def extract_number(reply: str, most: int, *, complete: bool = True) -> ExtractedAnswer:
    """Return the number that a reply states, concludes with, or names alone. It never guesses.

    Codes with an answer: explicit-statement, conclusion, lone-number. Codes without: empty, truncated, incomplete,
    refusal, no-number, conflict (several named, none stated), names-several ("5 or 6"), out-of-range, retracted.
    """
    visible = visible_part(reply)
    if not visible:
        return ExtractedAnswer(None, "truncated" if visible is None else "empty")
    plain = plain_text(visible).lower()
    seen = list(_numbers(plain))
    if bare := _BARE.fullmatch(plain):
        return _answer(_value(bare["digits"], bare["spoken"]), most, "explicit-statement", visible)
    read = _decide(plain, visible, seen, most)
    if read.reason == "lone-number" and not complete:
        return ExtractedAnswer(None, "incomplete", read.span)
    return read


def _decide(plain: str, visible: str, seen: list[_Seen], most: int) -> ExtractedAnswer:
    for reason, place, begins in _find_statements(plain, seen):
        span = visible[begins : seen[place].end].strip()
        if _is_either(plain, seen, place):
            return ExtractedAnswer(None, "names-several", span)
        if is_retracted(plain, _mention(seen[place])):
            return ExtractedAnswer(None, "retracted", span)
        return _answer(seen[place].value, most, reason, span)
    if refused := REFUSAL.search(plain):
        return ExtractedAnswer(None, "refusal", visible[slice(*refused.span())])
    counted = _without_names(plain, seen)
    values = {number.value for number in counted}
    if len(values) != 1:
        return ExtractedAnswer(None, "conflict" if values else "no-number")
    return _answer(counted[0].value, most, "lone-number", visible[counted[0].start : counted[0].end])


def _find_statements(plain: str, seen: list[_Seen]) -> Iterator[tuple[str, int, int]]:
    """Yield the deciding statements, best first: (reason code, number, beginning of its words)."""
    for place in reversed(range(len(seen))):
        since = seen[place - 4].end if place >= 4 else 0  # noqa: PLR2004 - a statement doesn't span many numbers
        begins = statement_begins(plain, _mention(seen[place]), since)
        if begins is not None and not _opens_sum(plain, seen, place):
            yield "explicit-statement", place, begins
    for place in reversed(range(len(seen))):
        if _concludes(plain, seen[place]) and not _opens_sum(plain, seen, place):
            yield "conclusion", place, seen[place].start


def _numbers(plain: str) -> Iterator[_Seen]:
    for match in last_places(_NUMBER, plain):
        before = plain[max(0, match.start() - 16) : match.start()]
        if match["spoken"] == "one" and _PRONOUN_BEFORE.search(before):
            continue
        if not _SIGN.search(before):
            yield _Seen(_value(match["digits"], match["spoken"]), match.start(), match.end())


def _value(digits: str | None, spoken: str | None) -> int:
    if digits:
        return int(digits.replace(",", ""))
    words = (spoken or "").lower().replace("-", " ").split()
    return 12 if words[-1] == "dozen" else sum(WORDS[word] for word in words)


def _mention(seen: _Seen) -> Mention:
    return Mention(
        written=str(seen.value),
        label=str(seen.value),
        start=seen.start,
        end=seen.end,
        bracketed=False,
        firm=True,
        begins_line=False,
    )


def _opens_sum(plain: str, seen: list[_Seen], place: int) -> bool:
    """Return whether this is the first number of "9 + 4 = 13" or "3 x 3", so that the answer comes after it."""
    if place + 1 == len(seen):
        return False
    between = plain[seen[place].end : seen[place + 1].start]
    return len(between) <= 24 and bool(re.fullmatch(r"[^.\n;]{0,14}?\s?(?:[+x\u00d7*]|plus|by|times)\s?", between))  # noqa: PLR2004 - characters: "9 grids plus 4"


def _concludes(plain: str, seen: _Seen) -> bool:
    before = plain[max(0, seen.start - 90) : seen.start]
    if _CALCULATED.search(before) or _TOTAL_AFTER.match(plain, seen.end, seen.end + 60):
        return not _GRID.search(before)
    return bool(_TOTAL_BEFORE.search(before)) and not _GRID.search(before)


def _is_either(plain: str, seen: list[_Seen], place: int) -> bool:
    """Return whether it is one of "5 or 6", "5-6"."""
    pairs = [(place - 1, place), (place, place + 1)]
    return any(
        seen[left].value != seen[right].value and _EITHER.fullmatch(plain, seen[left].end, seen[right].start)
        for left, right in pairs
        if left >= 0 and right < len(seen)
    )


def _without_names(plain: str, seen: list[_Seen]) -> list[_Seen]:
    """Leave out numbers that only name something: "choice 4", lists such as "1, 2, 3, and 4", the sides of "3 x 3"."""
    kept: list[_Seen] = []
    run: list[_Seen] = []
    for number in seen:
        if run and not _LIST_JOIN.fullmatch(plain, run[-1].end, number.start):
            kept += _drop_list(run)
            run = []
        run.append(number)
    kept += _drop_list(run)
    return [number for number in kept if not _is_name(plain, number)]


def _drop_list(run: list[_Seen]) -> list[_Seen]:
    return run if len(run) < _SHORTEST_LIST else []


def _is_name(plain: str, one: _Seen) -> bool:
    before = plain[max(0, one.start - 24) : one.start]
    after = plain[one.end : one.end + 6]
    side = _GRID.search(before) or re.match(r"\s?(?:[x\u00d7*]\s?\d|-?by\b)", after)
    return bool(side or _NAME_BEFORE.search(before))


def _answer(value: int, most: int, reason: str, span: str) -> ExtractedAnswer:
    if value > most:
        return ExtractedAnswer(None, "out-of-range", span)
    return ExtractedAnswer(str(value), reason, span)
