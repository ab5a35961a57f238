"""Find the numbers in a text, in digits or in words, and what each one is: a count, a bound, a part or a name.

It stands alone because it is a grammar of its own: what a number means is decided by the words beside it.
"""

import re
from collections.abc import Iterator

import msgspec

from tetrad.extraction.anchored import Anchored
from tetrad.extraction.languages import LANGUAGES, NEVER, Language
from tetrad.extraction.visible_text import last_places
from tetrad.late_regex import late_regex

__all__ = [
    "BOUND",
    "COUNT",
    "NAME",
    "ONES",
    "PART",
    "Numeral",
    "bare_numeral",
    "find_numerals",
    "is_foreign_word",
    "write_digits",
]

COUNT, BOUND, PART, NAME = "count", "bound", "part", "name"

ONES = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
_TEENS = ("thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen")
_SMALL = ("zero", *ONES, "ten", "eleven", "twelve", *_TEENS)
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_WORDS = {word: value for value, word in enumerate(_SMALL)} | {
    word: 10 * value for value, word in enumerate(_TENS, start=2)
}
_LONGEST_FIRST = "|".join(sorted(_SMALL, key=len, reverse=True))
_BELOW_100 = rf"(?:(?:{'|'.join(_TENS)})(?:[\s-](?:{'|'.join(ONES)}))?|{_LONGEST_FIRST})"
_SPOKEN = (
    rf"(?:(?:half\s)?a\s|half\s|(?:{_LONGEST_FIRST})\s)?dozen"
    rf"|(?:a\s|{_BELOW_100}\s)?(?:hundred|thousand)(?:\s(?:and\s)?{_BELOW_100})?|{_BELOW_100}"
)
# Letters of words. Chinese, Japanese and Korean set no space around a number.
_IDEOGRAPHS = r"\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
_LETTER = rf"[^\W{_IDEOGRAPHS}]"
_NUMBER = late_regex(
    rf"(?<!{_LETTER})(?<!(?<![{_IDEOGRAPHS}])[.,])(?<!['/])(?:(?P<digits>\d{{1,3}}(?:,\d{{3}}){{1,9}}|\d{{1,9}})(?:\.0{{1,9}})?|(?P<spoken>{_SPOKEN}))"
    rf"(?!{_LETTER}|['%\u00b0]|[./]\d|,\d|\sand\sa\s(?:half|quarter|third)\b|\s?[\u00bc-\u00be])"
)  # for lower-case text; ignoring case would take the long s of "\u017fix" for an s
_COUNTER = "(?:[\u4e2a\u500b\u3064\u679a\u5f20\u5f35\u5e45]|\uac1c|\uc7a5)"  # things, sheets, pictures
_BARE = late_regex(
    rf"[\s*`\"'$#({{\[]{{0,8}}(?:{_NUMBER.pattern})\s?{_COUNTER}?(?:\u3067\u3059|\uc785\ub2c8\ub2e4|\uc774\ub2e4|\u3060)?"
    r"[\s*`\"'$)}\].]{0,8}"
)
# Chinese numerals below ten, alone before a counter. One is left out: it is an article too.
_HAN = str.maketrans("\u4e8c\u4e24\u5169\u4e09\u56db\u4e94\u516d\u4e03\u516b\u4e5d", "2223456789")
_HAN_NUMERAL = "[\u4e8c\u4e24\u5169\u4e09\u56db\u4e94\u516d\u4e03\u516b\u4e5d]"
_BEFORE_COUNTER = late_regex(
    rf"(?<![\u4e00\u4e8c\u4e24\u5169\u4e09\u56db\u4e94\u516d\u4e03\u516b\u4e5d\u5341\u767e\u7b2c]){_HAN_NUMERAL}(?=\s?{_COUNTER}|\W{{0,3}}\Z)"
)
_SPELLED = {
    word: value for language in LANGUAGES.values() for value, word in enumerate(language.numbers.split("|"), start=2)
}
_SPELLED.pop(NEVER)


def _stated_word(language: Language) -> Anchored:
    """Return the pattern of a number in words that ends a statement of an answer in its language."""
    if language.is_spaced:
        is_said = rf"(?:\s(?:{language.copula})|\s?[:=]|\s[\u2013\u2014-])?"
        corrected = rf"(?:{language.takes_back}|{language.instead})[\s,:.;!\u2013\u2014-]{{0,5}}"
        corrected += rf"(?:(?:{language.therefore}|{language.copula})(?!\w))?"
        said = rf"(?<!\w)(?:(?:{language.answer})(?:\s\w{{1,16}}){{0,2}}{is_said}|{corrected})\s{{0,4}}(?<!\w)"
        ends = r"\s{0,2}(?:[.!,;)\n]|\Z)"
    else:
        said = rf"(?:{language.answer})\s?(?:{language.copula}|:)\s?"
        ends = rf"\s?(?:{_COUNTER}\s?)?(?:{language.ending})\s{{0,2}}(?:[.!\n]|\Z)"
    return Anchored(rf"{said}(?P<word>{language.numbers})(?={ends})", *language.numbers.split("|"))


_STATED_WORDS = {language.marks: _stated_word(language) for language in LANGUAGES.values() if language.numbers != NEVER}
_SIGN = late_regex(r"(?:^|[\s(=:])[-\u2212]\Z")
_PRONOUN_BEFORE = late_regex(
    r"\b(?:the|this|that|each|every|which|missing|blank|empty|last|first|right|another|no|any|correct|next)\s\Z"
)
_DENIED_BEFORE = late_regex(
    r"(?:n't|\bnot|\bnever|\bnor|\bneither|\binstead\sof|\brather\sthan|\bnicht|\bno\ses|\bn\u00e3o\s\u00e9|\bnon\s\u00e8|\bpas|\bne|\u043d\u0435"
    r"|\u4e0d\u662f|\u5e76\u975e|\u4e26\u975e|\u4e0d)\s?(?:exactly\s|just\s|simply\s)?\Z"
)
# The last letters before the number in that pattern.
_LAST_DENYING = (
    "n't|not|never|or|neither|of|than|nicht|es|\u00e9|\u00e8|pas|ne|\u043d\u0435|\u662f|\u975e|\u4e0d|ly|just"
)
_DENIED_ENDS = tuple(_LAST_DENYING.split("|"))
_DENIED_AFTER = late_regex(
    rf"\s?{_COUNTER}?(?:\uac00|\uc774|\ub294|\uc740)?\s?(?:\uc544\ub2c8|\uc544\ub2d9|\u3067\u306f\u306a|\u3058\u3083\u306a|\u3067\u306f\u3042\u308a\u307e\u305b\u3093)"
    r"|[ ](?:[^\W\d]\w{0,15}\s)?(?:is|are|would\sbe)(?:n't|\snot|\s(?:wrong|incorrect))\b"
)
_FILLED = r"(?:filled|blank|empty|missing|unfilled|shaded|unshaded|vacant|unknown|non-blank|non-empty)"
_BOUND_BEFORE = late_regex(
    r"(?:\b(?:at\s(?:least|most)|(?:more|less|fewer|greater|higher|lower|smaller|larger|other)\sthan|up\sto|over|under|above|below|beyond"
    r"|m(?:inimum|aximum)(?:\sof)?|as\s(?:many|few|much|little)\sas|in\sexcess\sof|upwards\sof|exceed(?:s|ing)?|nearly|almost|between"
    r"|mindestens|h\u00f6chstens|mehr\sals|weniger\sals|au\s(?:moins|plus)|plus\sde|moins\sde|al\smenos|m\u00e1s\sde|menos\sde"
    r"|pelo\smenos|mais\sde|almeno|pi\u00f9\sdi|meno\sdi|\u043d\u0435\s(?:\u043c\u0435\u043d\u0435\u0435|\u0431\u043e\u043b\u0435\u0435)|\u0431\u043e\u043b\u0435\u0435|\u043c\u0435\u043d\u0435\u0435"
    r"|\u043a\u0430\u043a\s\u043c(?:\u0438\u043d|\u0430\u043a\u0441)\u0438\u043c\u0443\u043c|\u043d\u0435\s(?:\u043c\u0435\u043d\u044c\u0448\u0435|\u0431\u043e\u043b\u044c\u0448\u0435))"
    r"|(?<!\w)[<>]=?|[\u2264\u2265~\u2248]|\u81f3\u5c11|\u81f3\u591a|\u6700\u591a|\u6700\u5c11|\u8d85\u8fc7|\u8d85\u904e|\u591a\u4e8e|\u591a\u65bc|\u5c11\u4e8e|\u5c11\u65bc|\u4e0d\u5230"
    r"|\u5c11\u306a\u304f\u3068\u3082|\u6700\u5927|\u6700\u4f4e|\uc801\uc5b4\ub3c4|\ucd5c\uc18c|\ucd5c\ub300)\s{0,3}\Z"
)
_BOUND_AFTER = late_regex(
    rf"\s?\+(?!\s?\d)|\s?{_COUNTER}?(?:\u4ee5\u4e0a|\u4ee5\u4e0b|\u672a\u6e80|\s?\uc774\uc0c1|\s?\uc774\ud558|\s?\ubbf8\ub9cc|\s?\ucd08\uacfc)"
    r"|\s(?:\w{1,16}\s)?(?:or\s(?:more|fewer|less|higher|lower)|oder\s(?:mehr|weniger)|o\s(?:m\u00e1s|menos|pi\u00f9|meno)|ou\s(?:plus|moins|mais|menos)|and\s(?:up|more)|at\s(?:least|most)|minimum|maximum)\b"
    rf"|\s(?:\w{{1,16}}\s)?\(?(?:plus|without|excluding|not\s(?:counting|including)|besides|and)\s(?:the|a|one)\s{_FILLED}\b"
    r"|\s(?:out\s)?of\s(?:the\s)?\d|[^.!?\n]{0,60}\?"
)
_LINES = r"(?:rows?|columns?|lines?|groups?|layers?|sides?|corners?|sets?|stages?|steps?|pairs?)"
_PLACE = rf"(?:first|second|third|fourth|fifth|top|middle|bottom|last|upper|lower|left|right|outer|inner)\s{_LINES}"
_PART_BEFORE = late_regex(
    rf"(?:\b(?:rows|columns|lines|groups|sets)\s(?:of|with)\s|\b{_LINES}\s\w{{1,6}}\s?(?:[:=]|has|have|contains?|shows?|holds?)\s?(?:\w{{1,12}}\s)?"
    rf"|\b(?:each|every|per)\s(?:\w{{1,12}}\s){{1,3}}(?:has|have|contains?|shows?|holds?|of|is|:)\s?(?:exactly\s|only\s)?"
    rf"|\b(?:{_PLACE}|{_FILLED}(?:\s(?:panels?|cells?|grids?|ones))?)\s?(?::|has|have|contains?|shows?|holds?|is|are)\s?(?:exactly\s|only\s)?"
    rf"|\b(?:in|on)\s(?:the\s)?{_PLACE},?\s(?:there\s(?:is|are)|(?:i|we|you)\s(?:see|count|have))\s(?:exactly\s|only\s)?"
    rf"|\bnumber\sof\s(?:{_LINES}|(?:filled|unfilled)\s\w{{1,12}})\s(?:is|:|=)\s?)\Z"
)
_PART_AFTER = late_regex(
    rf"\s?(?:-\s?)?(?:(?:\w{{1,12}}\s){{0,2}}{_LINES}\b|{_FILLED}\b|(?:\w{{1,12}}\s){{0,2}}(?:is|are|was|were)\s(?:\w{{1,12}}ly\s|left\s)?{_FILLED}\b"
    rf"|(?:\w{{1,12}}\s){{0,2}}(?:(?:in|on|for|at)\s(?:the\s)?(?:each|every|{_PLACE}|{_LINES}\s\w)|per|each|apiece)\b"
    r"|[\u884c\u5217\u6bb5]|\uc904|\ud589|\uc5f4)"
)
_NAME_BEFORE = late_regex(
    r"(?:\b(?:choice|option|panel|figure|picture|image|number|no\.|row|column|step|cell|grid|label|question)s?"
    r"|\b(?:labell?ed|marked|numbered)(?:\s(?:with|as|by))?|#|\u7b2c)\s?\Z"
)
_NAME_AFTER = late_regex("\\s?(?:\u756a|\ubc88|[\u53f7\u865f])")
_WINDOW = 48
_MOST_NUMBERS = 128  # the last of a reply; the model chooses the text, so this bounds the cost
_NEAR = 8
_SAYS = late_regex(r"[^\W\d]|[#+<>?~\u2248\u2264\u2265]")  # letters and marks; a row of numbers has none


class Numeral(msgspec.Struct, frozen=True):
    """One number in a text, its place, and what it is."""

    value: int
    start: int
    end: int
    role: str = COUNT


def write_digits(plain: str) -> str:
    """Return a text, as long as it was, with digits for the numerals of other languages than English.

    Single Chinese ones count before a counter. A word counts only where it ends a statement of an answer in its own
    language: "la r\u00e9ponse est neuf", not "le chapeau est neuf".
    """
    for marks, pattern in _STATED_WORDS.items():
        if pattern.may_match(plain) and any(mark in plain for mark in marks.split("|")):
            plain = pattern.sub(_write_digit, plain)
    return plain if plain.isascii() else _BEFORE_COUNTER.sub(lambda found: found[0].translate(_HAN), plain)


def is_foreign_word(text: str) -> bool:
    """Return whether a text in lower case ends with a number in words of another language than English."""
    return text.endswith(tuple(_SPELLED))


def _write_digit(found: re.Match[str]) -> str:
    word = found["word"]
    return found[0][: -len(word)] + str(_SPELLED[word]).rjust(len(word))


def bare_numeral(plain: str) -> int | None:
    """Return the number that is all of a text, but for marks around it and a counter after it."""
    found = _BARE.fullmatch(plain)
    return None if found is None else _value(found["digits"], found["spoken"])


def find_numerals(plain: str) -> Iterator[Numeral]:
    """Yield the last numbers of plain text in lower case, in order, without those that it denies: "not 8"."""
    marker = 0
    for match in list(last_places(_NUMBER, plain))[-_MOST_NUMBERS:]:
        opens = max(0, match.start() - _WINDOW)
        before = plain[opens : match.start()]
        if (match["spoken"] == "one" and _PRONOUN_BEFORE.search(before[-12:])) or _SIGN.search(before[-3:]):
            continue
        value = _value(match["digits"], match["spoken"])
        if value == marker + 1 and _is_marker(plain, match):
            marker = value
            continue
        if not (_is_denied_before(before) or _DENIED_AFTER.match(plain, match.end(), match.end() + _WINDOW)):
            yield Numeral(value, match.start(), match.end(), _role(plain, before, match.end()))


def _is_denied_before(before: str) -> bool:
    return before.rstrip().endswith(_DENIED_ENDS) and _DENIED_BEFORE.search(before[-24:]) is not None


def _is_marker(plain: str, match: re.Match[str]) -> bool:
    """Return whether a number only counts the items of a list: "1. There are 9 panels"."""
    opens = plain.rfind("\n", 0, match.start()) + 1
    is_first = not plain[opens : match.start()].strip(" #>*-") and match["digits"] is not None
    after = plain[match.end() : match.end() + 3]
    return is_first and after[:2] in {". ", ") "} and after[2:].strip() != ""


def _role(plain: str, before: str, end: int) -> str:
    if not _SAYS.search(before[-_NEAR:]) and not _SAYS.search(plain, end, end + _NEAR):
        return COUNT
    if _BOUND_BEFORE.search(before[-24:]) or _BOUND_AFTER.match(plain, end, end + 2 * _WINDOW):
        return BOUND
    if _PART_BEFORE.search(before) or _PART_AFTER.match(plain, end, end + _WINDOW):
        return PART
    return NAME if _NAME_BEFORE.search(before[-20:]) or _NAME_AFTER.match(plain, end) else COUNT


def _value(digits: str | None, spoken: str | None) -> int:
    if digits:
        return int(digits.replace(",", ""))
    words = (spoken or "").replace("-", " ").split()
    if words[-1] == "dozen":
        return 6 if words[0] == "half" else 12 * _WORDS.get(words[0], 1)
    total = 0
    for word in words:
        if word in {"hundred", "thousand"}:
            total = max(total, 1) * (100 if word == "hundred" else 1000)
        else:
            total += _WORDS.get(word, 0)
    return total
