"""Extract the whole number that a reply gives as its answer: "nine", "3 x 3 = 9", "so there are 13 in all".

As with options, the last explicit statement decides; else the last conclusion or total; else the only number. Several
numbers without a statement are no answer: taking the first or the last would be a guess.
"""

import re
from collections.abc import Iterator
from itertools import pairwise

from tetrad.extraction.anchored import Anchored
from tetrad.extraction.answer_lines import answer_line_begins
from tetrad.extraction.choice import REFUSAL, ExtractedAnswer
from tetrad.extraction.mentions import Mention
from tetrad.extraction.numerals import (
    BOUND,
    COUNT,
    NAME,
    PART,
    Numeral,
    bare_numeral,
    find_numerals,
    is_foreign_word,
    write_digits,
)
from tetrad.extraction.statements import are_joined, is_negated, is_retracted, is_supposed, statement_begins
from tetrad.extraction.visible_text import plain_text, visible_part
from tetrad.late_regex import late_regex

__all__ = ["extract_number"]

# "3 x 3 matrix", "2 by 3": the shape of the whole, not its count.
_GRID = late_regex(r"\s?(?:[x\u00d7*]|-?by-?)\s?\Z")
_CALCULATED = late_regex(
    r"(?:[=\u2248]|\bequals|\bmakes|\bmaking|\bgives|\bgiving)"
    r"\s?(?:(?:a|the)\stotal\sof\s)?(?:us\s)?\Z"
)
_CALCULATED_ENDS = ("=", "\u2248", "s", "making", "giving", "of")  # the last letters before the number
_TOTAL_BEFORE = Anchored(
    r"(?:\u5171\u6709?|[\u603b\u7e3d]\u5171|[\u5408]?\u8ba1|\u5408\u8a08|\u5168\u90e8\u3067|\ucd1d|\ubaa8\ub450)\s?(?:\u6709|\u662f)?\s?\Z"
    r"|(?:(?<!in )\b(?:total|sum|count|number)\b[^.\n;:=\d]{0,60}?"
    r"(?:\bof|\bis|\bwould be|\bto|:|=)\s(?:exactly\s|only\s)?"
    r"|\b(?:so|thus|therefore|hence|conclusion)\b[^.\n;:\d]{0,60}?\s"
    r"|(?:\A|[.,;:\n]\s*(?:and\s)?)(?:altogether|in total|in all|overall)\b[^.\n;:\d]{0,60}?\s)\Z",
    *("total", "sum", "count", "number", "so", "thus", "therefore", "hence", "conclusion", "altogether", "all"),
    *("\u5171", "\u8ba1", "\u8a08", "\u5168\u90e8", "\ucd1d", "\ubaa8\ub450"),
)
_TOTAL_AFTER = late_regex(
    r"[\s)]{0,2}(?:[a-z]+\s){0,3}(?:in\s(?:total|all)\b|altogether\b|overall\b|total\b)"
    r"|\s(?:[a-z]+\s){0,2}(?:in|including)\s(?:the\s)?(?:whole|entire|blank|missing|empty)\b"
)
_LIST_JOIN = late_regex(r"\s?(?:,\s?(?:and|or)?|and|or|to|through|-|\u2013)\s?")
_EITHER = late_regex(
    "[\\s,]{0,2}[\u4e2a\u500b\u3064\uac1c]?\\s?(?:\\b(?:or|to|oder|bis|ou|o|u|\u0438\u043b\u0438|\u043b\u0438\u0431\u043e)\\b|/|-|\u2013|~|\u301c|\u6216\u8005?|\u5230|\u81f3|\u304b|\u307e\u305f\u306f"
    "|\ub610\ub294|\uc774\ub098|\ub098)\\s?(?:maybe\\s|perhaps\\s|possibly\\s)?"
)
_JOINS = late_regex(r"[^\W\d]|[/&]|,(?=\d)")  # "9 (3 x 3)" gives one number, and how it was found
_OPERATOR = late_regex(r"(?:\s\w{1,12}){0,2}\s?(?:\+|\bplus\b|\u2212|\bminus\b|\s-\s)\s?")
_LABEL_BEFORE = late_regex(r"[^\W\d]\s?:\s{0,3}\Z")
_SHORTEST_LIST = 3


def extract_number(reply: str, most: int, *, complete: bool = True) -> ExtractedAnswer:
    """Return the number that a reply states, concludes with, or names alone. It never guesses.

    Codes with an answer: explicit-statement, conclusion, lone-number. Codes without: empty, truncated, incomplete,
    refusal, no-number, conflict (several named, none stated), names-several ("5 or 6"), out-of-range, retracted.
    """
    visible = visible_part(reply)
    if not visible:
        return ExtractedAnswer(None, "truncated" if visible is None else "empty")
    plain = write_digits(plain_text(visible).lower())
    if (bare := bare_numeral(plain)) is not None:
        return _answer(bare, most, "explicit-statement", visible)
    seen = list(find_numerals(plain))
    read = _decide(plain, visible, seen, most)
    if read.reason == "lone-number" and not complete:
        return ExtractedAnswer(None, "incomplete", read.span)
    return read


def _decide(plain: str, visible: str, seen: list[Numeral], most: int) -> ExtractedAnswer:
    for reason, place, begins in _find_statements(plain, seen):
        span = visible[begins : seen[place].end].strip()
        if _is_either(plain, seen, place):
            return ExtractedAnswer(None, "names-several", span)
        if is_retracted(plain, _mention(seen[place])):
            return ExtractedAnswer(None, "retracted", span)
        return _answer(seen[place].value, most, reason, span)
    if refused := REFUSAL.search(plain):
        return ExtractedAnswer(None, "refusal", visible[slice(*refused.span())])
    return _lone(plain, visible, seen, most)


def _lone(plain: str, visible: str, seen: list[Numeral], most: int) -> ExtractedAnswer:
    counted = [number for number in _without_names(plain, seen) if not _is_foreign(plain, visible, number)]
    values = {number.value for number in counted}
    is_open = any(number.role == BOUND for number in seen) or _is_sum(plain, counted) or _are_labelled(plain, counted)
    if len(values) != 1 or is_open:
        return ExtractedAnswer(None, "conflict" if values else "no-number")
    mentions = [_mention(number) for number in counted]
    if any(is_supposed(plain, mention) or is_negated(plain, mention) for mention in mentions):
        return ExtractedAnswer(None, "no-number")
    return _answer(counted[0].value, most, "lone-number", visible[counted[0].start : counted[0].end])


def _find_statements(plain: str, seen: list[Numeral]) -> Iterator[tuple[str, int, int]]:
    """Yield the deciding statements, best first: (reason code, number, beginning of its words)."""
    for place in reversed(range(len(seen))):
        since = seen[place - 4].end if place >= 4 else 0  # noqa: PLR2004 - a statement doesn't span many numbers
        mention = _mention(seen[place])
        begins = statement_begins(plain, mention, since) if _may_answer(seen[place]) else None
        if begins is None and place + 1 == len(seen):
            begins = answer_line_begins(plain, mention)
        if begins is not None and not _opens_sum(plain, seen, place):
            yield "explicit-statement", place, begins
    for place in reversed(range(len(seen))):
        number = seen[place]
        if not (_may_answer(number) and _concludes(plain, number)) or _opens_sum(plain, seen, place):
            continue
        if not is_negated(plain, _mention(number)):
            yield "conclusion", place, number.start


def _mention(seen: Numeral) -> Mention:
    return Mention(
        written=str(seen.value),
        label=str(seen.value),
        start=seen.start,
        end=seen.end,
        bracketed=False,
        firm=True,
        begins_line=False,
    )


def _opens_sum(plain: str, seen: list[Numeral], place: int) -> bool:
    """Return whether this is the first number of "9 + 4 = 13" or "3 x 3", so that the answer comes after it."""
    if place + 1 == len(seen):
        return False
    between = plain[seen[place].end : seen[place + 1].start]
    return len(between) <= 24 and bool(re.fullmatch(r"[^.\n;]{0,14}?\s?(?:[+x\u00d7*]|plus|by|times)\s?", between))  # noqa: PLR2004 - characters: "9 grids plus 4"


def _concludes(plain: str, seen: Numeral) -> bool:
    before = plain[max(0, seen.start - 90) : seen.start]
    is_calculated = before.rstrip().endswith(_CALCULATED_ENDS) and _CALCULATED.search(before)
    if is_calculated or _TOTAL_AFTER.match(plain, seen.end, seen.end + 60):
        return not _GRID.search(before)
    return bool(_TOTAL_BEFORE.search(before)) and not _GRID.search(before)


def _is_either(plain: str, seen: list[Numeral], place: int) -> bool:
    """Return whether it is one of "5 or 6", "5-6"."""
    pairs = [(place - 1, place), (place, place + 1)]
    return any(
        seen[left].value != seen[right].value
        and (
            _EITHER.fullmatch(plain, seen[left].end, seen[right].start)
            or (_JOINS.search(plain, seen[left].end, seen[right].start) and _are_joined(plain, seen[left], seen[right]))
        )
        for left, right in pairs
        if left >= 0 and right < len(seen)
    )


def _are_joined(plain: str, left: Numeral, right: Numeral) -> bool:
    return are_joined(plain, _mention(left), _mention(right))


def _is_foreign(plain: str, visible: str, number: Numeral) -> bool:
    """Return whether a number was a word of another language than English. Only a statement makes a number of it."""
    return plain[number.start].isdigit() and is_foreign_word(visible[max(0, number.end - 16) : number.end].lower())


def _may_answer(number: Numeral) -> bool:
    return number.role not in {BOUND, PART}


def _is_sum(plain: str, seen: list[Numeral]) -> bool:
    """Return whether two neighbouring numbers are added, so that none of them is the result: "3 + 3 + 3"."""
    return any(_OPERATOR.fullmatch(plain, left.end, right.start) for left, right in pairwise(seen))


def _are_labelled(plain: str, seen: list[Numeral]) -> bool:
    """Return whether each of several numbers has a label of its own: "top: 3, bottom: 3"."""
    return sum(1 for number in seen if _LABEL_BEFORE.search(plain, max(0, number.start - 24), number.start)) > 1


def _without_names(plain: str, seen: list[Numeral]) -> list[Numeral]:
    """Leave out numbers that count no whole: "choice 4", "1, 2, 3, and 4", the sides of "3 x 3", "4 filled"."""
    kept: list[Numeral] = []
    run: list[Numeral] = []
    for number in seen:
        if run and not _LIST_JOIN.fullmatch(plain, run[-1].end, number.start):
            kept += _drop_list(run)
            run = []
        run.append(number)
    kept += _drop_list(run)
    return [number for number in kept if number.role in {COUNT, BOUND} and not _is_side(plain, number)]


def _drop_list(run: list[Numeral]) -> list[Numeral]:
    is_named = bool(run) and run[0].role == NAME  # "panels 1 and 2"
    return [] if is_named or len(run) >= _SHORTEST_LIST else run


def _is_side(plain: str, number: Numeral) -> bool:
    before = plain[max(0, number.start - 24) : number.start]
    after = plain[number.end : number.end + 6]
    return bool(_GRID.search(before) or re.match(r"\s?(?:[x\u00d7*]\s?\d|-?by\b)", after))


def _answer(value: int, most: int, reason: str, span: str) -> ExtractedAnswer:
    if value > most:
        return ExtractedAnswer(None, "out-of-range", span)
    return ExtractedAnswer(str(value), reason, span)
