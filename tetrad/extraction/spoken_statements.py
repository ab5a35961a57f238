"""Find what the words around an option say of it, by the table of languages: stated, denied, supposed, taken back.

A language is tried only in a reply that holds one of its marks. The places of its words are found once for a text;
after that each option is looked at in a short window.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import groupby, pairwise
from operator import itemgetter
from typing import NamedTuple

import msgspec

from tetrad.extraction.languages import LANGUAGES, NEVER, Language
from tetrad.extraction.mentions import Mention
from tetrad.late_regex import late_regex

__all__ = [
    "Statement",
    "are_joined_by_words",
    "clause_begins",
    "find_statement",
    "has_condition",
    "is_asked",
    "is_conditional",
    "is_denied",
    "is_lesser",
    "takes_back",
]

_WINDOW = 160  # characters before a mention
_AFTER = 90
_NEAR = 32
_LONGEST_LOOK = 24
_LONGEST_CONDITION = 60
_MOST_JOINED = 4  # lines and abbreviations of one sentence
_MOST_LANGUAGES = 2  # besides English
_MOST_TRIED = 4  # words before an option from which a statement of it may begin
_SENTENCE_MARKS = ".!?;\n"
_CLAUSE_MARKS = _SENTENCE_MARKS + ",:(\u2013\u2014"
_ONLY = (
    r"(?:(?:only|but|and|nur|aber|solo|s\u00f3lo|solamente|pero|seulement|uniquement|mais|s\u00f3|apenas|somente|mas|ma|soltanto"
    r"|\u0442\u043e\u043b\u044c\u043a\u043e|\u043d\u043e|\u043b\u0438\u0448\u044c|\u4f46|\u4ec5|\u4f46\u662f|\u305f\u3060\u3057|\ub2e8|\ub2e4\ub9cc)[\s,]{0,2}){0,2}"
)
_BOUNDARY = late_regex(rf"[.!?\n,;(\u2013\u2014\-]\s{{0,16}}{_ONLY}\Z")
_THAT = (" dass ", " daß ", " que ", " che ", " \u0447\u0442\u043e ")
# Before a full stop or a line's end that ends no sentence: "Ans. (B)", "If it is mirrored:\n(B)".
_GOES_ON = late_regex(
    r"(?<!\w)(?:ans|opt|sol|fig|nr|resp|r\u00e9p|rep|ant|\u043e\u0442\u0432|\u0440\u0438\u0441|e\.g|i\.e|z\.b|d\.h|cf|vs|approx|ca)\.\Z"
    r"|[,:][ ]{0,4}\n{1,3}\Z"
)
_ASKED = late_regex(r"(?:(?! [\-\u2013\u2014] (?:do|does|is|are|would|can|want|need|any|let)\b)[^.!?;\n]){0,90}\?")
_LONGEST_QUESTION = 91  # characters after an option, as in that pattern
_WORD = late_regex(r"\w+")
# A blank between words, but not one in a class of characters.
_BLANK = late_regex(r"\[(?:\\.|[^\]])*\]|\\.| \??")
_BLANKS = {" ": "[ ]{1,4}", " ?": "[ ]{0,4}"}  # marks of emphasis may have stood beside it
_LETTERS = late_regex(r"(?:[^\W\d_]|')+")
_PIECE = late_regex(r"\\.|\[(?:\\.|[^\]])*\]|[^\\\[]")  # of a pattern: an escape, a class, a character
_QUANTIFIERS = ("?", "*", "+", "{")
_LETTERS_COMPARED = 4
_KINDS = ("opening", "concluding", "but", "negated", "lesser", "takes_back", "condition", "condition_ends")


_FIELDS = {kind: (kind,) for kind in _KINDS} | {
    "opening": ("answer", "right", "option", "choosing"),
    "concluding": ("answer", "therefore", "instead", "takes_back"),
}
"""The fields of a language that hold the words of each kind."""


class Statement(NamedTuple):
    """A statement of an option: its place, and from where on a word may deny it or make it a lesser one."""

    begins: int
    ends: int
    clause: int


class _Patterns(msgspec.Struct, frozen=True, kw_only=True):
    """The patterns of one language, each for a place beside an option.

    any_word: any word whose places are looked up. words: the words of each of `_KINDS`.
    """

    any_word: re.Pattern[str]
    words: Sequence[tuple[str, re.Pattern[str]]]
    before: re.Pattern[str]
    concluded: re.Pattern[str]
    sentence_ends: re.Pattern[str]
    chosen_after: re.Pattern[str]
    negated_after: re.Pattern[str]
    noun_lesser: re.Pattern[str]
    before_condition: re.Pattern[str]
    looking: re.Pattern[str]
    conceded: re.Pattern[str]
    join: re.Pattern[str]
    asked: re.Pattern[str] | None


class _Speech:
    """A text in one language: where its words stand, and whether it is likelier in no other but English."""

    def __init__(self, text: str, patterns: _Patterns, *, is_likeliest: bool) -> None:
        self.patterns = patterns
        self._begins: dict[str, list[int]] = {kind: [] for kind in _KINDS}
        self._ends: dict[str, list[int]] = {kind: [] for kind in _KINDS}
        for place in [found.start() for found in patterns.any_word.finditer(text)]:
            for kind, words in patterns.words:
                if found := words.match(text, place):
                    self._begins[kind].append(place)
                    self._ends[kind].append(found.end())
        self.taken_back_at = self._last_taken_back(text)
        # "Se" is "if" in Portuguese and Italian, and in Spanish it is none.
        self.holds_conditions = is_likeliest and bool(self._begins["condition"] or self._begins["condition_ends"])

    def places(self, kind: str, begin: int, end: int) -> Iterator[tuple[int, int]]:
        """Yield where words of a kind begin and end that begin in this part of the text, in order."""
        begins = self._begins[kind]
        for index in range(bisect_left(begins, begin), bisect_left(begins, end)):
            yield begins[index], self._ends[kind][index]

    def last_places(self, kind: str, begin: int, end: int) -> Iterator[tuple[int, int]]:
        """Yield the last such places, the last one first."""
        begins = self._begins[kind]
        until = bisect_left(begins, end)
        for index in range(until - 1, max(bisect_left(begins, begin), until - _MOST_TRIED) - 1, -1):
            yield begins[index], self._ends[kind][index]

    def _last_taken_back(self, text: str) -> int:
        for place in reversed(self._begins["takes_back"]):
            if _BOUNDARY.search(text, max(0, place - _NEAR), place):
                return place
        return -1


def find_statement(text: str, mention: Mention, since: int) -> Statement | None:
    """Return the statement that words around an option make of it in the languages of the table, or None."""
    for speech in _speeches(text):
        if (found := _find_statement(speech, text, mention, since)) is not None:
            return found
    return None


def _find_statement(speech: _Speech, text: str, mention: Mention, since: int) -> Statement | None:
    opens = max(since, mention.start - _WINDOW)
    if mention.firm and (before := [*_find_before(speech, text, mention, opens)]):
        return max(before)  # of "the answer isn't B, it's C" the last words
    if chosen := speech.patterns.chosen_after.match(text, mention.end, mention.end + _AFTER):
        return Statement(mention.start, chosen.end(), clause_begins(text, mention.start))
    return None


def _find_before(speech: _Speech, text: str, mention: Mention, opens: int) -> Iterator[Statement]:
    """Yield the statements that words before an option make of it, at most one of each kind of words."""
    patterns = speech.patterns
    for place, _ in speech.last_places("opening", opens, mention.start):
        if patterns.before.match(text, place, mention.start):
            yield Statement(place, mention.end, clause_begins(text, place))
            break
    if not patterns.sentence_ends.match(text, mention.end):
        return
    for place, _ in speech.last_places("concluding", opens, mention.start):
        if said := patterns.concluded.match(text, place, mention.start):
            after = said.end("instead")
            yield Statement(place, mention.end, after if after >= 0 else clause_begins(text, place))
            return


def is_asked(text: str, end: int) -> bool:
    """Return whether the sentence around a place is a question."""
    if text.find("?", end, end + _LONGEST_QUESTION) >= 0 and _ASKED.match(text, end):
        return True
    if text.isascii():
        return False
    return any(
        speech.patterns.asked is not None and speech.patterns.asked.match(text, end, end + _AFTER)
        for speech in _speeches(text)
    )


def is_conditional(text: str, begins: int, ends: int) -> bool:
    """Return whether what a text says from one place to another depends on a condition: "if mirrored, it is B"."""
    return any(
        not any(_is_none(each.patterns, text, condition, begins) for each in _speeches(text))
        for condition in _conditions(text, begins, ends)
    )


def has_condition(text: str, begins: int, ends: int) -> bool:
    """Return whether words of a condition stand in a sentence before a place or right after it, whatever they make."""
    return any(True for _ in _conditions(text, begins, ends))


class _Condition(NamedTuple):
    """Words of a condition, and whether they end its clause: "if" begins it."""

    begins: int
    ends: int
    is_last: bool


def _conditions(text: str, begins: int, ends: int) -> Iterator[_Condition]:
    """Yield the words of conditions before a statement, in it, or right after it."""
    conditional = [speech for speech in _speeches(text) if speech.holds_conditions]
    sentence = _sentence_begins(text, begins) if conditional else 0
    for speech in conditional:
        opens = max((end for _, end in speech.places("but", sentence, begins)), default=sentence)
        for kind in ("condition", "condition_ends"):
            is_last = kind == "condition_ends"
            yield from (_Condition(*place, is_last) for place in speech.places(kind, opens, ends))
            for place, end in speech.places(kind, ends, ends + _AFTER):
                if speech.patterns.before_condition.fullmatch(text, ends, place):
                    yield _Condition(place, end, is_last)
                    break


def _is_none(patterns: _Patterns, text: str, condition: _Condition, begins: int) -> bool:
    """Return whether words of a condition make none of it: "if I had to guess", "if we compare them", "even if".

    begins: the place of the statement, which is no part of a condition before it.
    """
    if patterns.conceded.search(text, max(0, condition.begins - _NEAR), condition.begins):
        return True
    opens, ends = condition.ends, condition.ends + _LONGEST_CONDITION
    if condition.is_last:
        opens, ends = max(clause_begins(text, opens), opens - _LONGEST_LOOK), opens
    else:
        ends = min([ends, *(place for mark in _CLAUSE_MARKS if (place := text.find(mark, opens, ends)) >= 0)])
    if opens < begins:
        ends = min(ends, begins)
    return patterns.looking.search(text, opens, ends) is not None


def is_denied(text: str, clause: int, mention: Mention) -> bool:
    """Return whether a word between the begin of a clause and the option, or right after it, denies it."""
    for speech in _speeches(text):
        if speech.patterns.negated_after.match(text, mention.end, mention.end + _AFTER):
            return True
        if any(True for _ in speech.places("negated", clause, mention.start)):
            return True
        before = speech.last_places("negated", mention.start - _NEAR, mention.start)
        if any(text[end : mention.start].strip(" ([\n") == ":" for _, end in before):
            return True
    return False


def is_lesser(text: str, statement: Statement, mention: Mention) -> bool:
    """Return whether a statement is of an answer that is wrong, second or earlier: "worst option: B"."""
    inside = max(statement.begins, statement.clause)
    return any(
        any(end >= inside for _, end in speech.places("lesser", max(statement.clause, inside - _NEAR), inside + 1))
        or speech.patterns.noun_lesser.match(text, inside, mention.start)
        for speech in _speeches(text)
    )


def takes_back(text: str, end: int) -> bool:
    """Return whether words after a place take back what stands before it."""
    return any(speech.taken_back_at >= end for speech in _speeches(text))


def are_joined_by_words(text: str, left: Mention, right: Mention) -> bool:
    """Return whether nothing but words such as "or" stands between two options."""
    return any(speech.patterns.join.fullmatch(text, left.end, right.start) for speech in _speeches(text))


def clause_begins(text: str, place: int) -> int:
    """Return where the clause of a place begins: "I don't think that the answer is B" is one, with a comma or not."""
    begins = _begin_after(text, place, _CLAUSE_MARKS)
    if text.startswith(_THAT, begins) and text[begins - 1 : begins] == ",":
        return _begin_after(text, begins - 1, _CLAUSE_MARKS)
    return begins


def _sentence_begins(text: str, place: int) -> int:
    """Return where the sentence of a place begins, if it does so near it."""
    opens = max(0, place - _WINDOW)
    begins = _begin_after(text, place, _SENTENCE_MARKS)
    for _ in range(_MOST_JOINED):
        if begins <= opens or not _GOES_ON.search(text, max(0, begins - _NEAR), begins):
            break
        begins = _begin_after(text, begins - 1, _SENTENCE_MARKS)
    return max(begins, opens)


def _begin_after(text: str, place: int, marks: str) -> int:
    opens = max(0, place - _WINDOW)
    return max([opens, *[text.rfind(mark, opens, place) + 1 for mark in marks]])


@lru_cache(maxsize=4)
def _speeches(text: str) -> Sequence[_Speech]:
    """Return a text in English, and in the languages that most of its marks are of."""
    table = _ASCII_MARKS if text.isascii() else _MARKS
    counts = {code: len([mark for mark in marks if mark in text]) for code, marks in table.items()}
    others = sorted((code for code, count in counts.items() if count), key=counts.__getitem__, reverse=True)
    most = max(counts.values())
    return [
        _Speech(text, _compile(code), is_likeliest=code == "en" or counts[code] == most)
        for code in ("en", *others[:_MOST_LANGUAGES])
    ]


_MARKS = {code: language.marks.split("|") for code, language in LANGUAGES.items() if code != "en"}
_ASCII_MARKS = {code: [mark for mark in marks if mark.isascii()] for code, marks in _MARKS.items()}


def _find_beginnings(language: Language) -> str:
    """Return a pattern that tells most words of a text from those that are looked up, by up to four letters.

    It lets through every word with which a match of the language's patterns begins.
    """
    patterns = "|".join(getattr(language, name) for names in _FIELDS.values() for name in names)
    beginnings = _first_letters(patterns)
    if "" in beginnings or not language.is_spaced:
        return ""
    by_first = groupby(sorted(beginnings), key=itemgetter(0))
    words = [f"{first}(?:{'|'.join(letters[1:] for letters in begun)})" for first, begun in by_first]
    return rf"\b(?={'|'.join(words)})".replace(" ", r"\b")


def _first_letters(pattern: str) -> set[str]:
    """Return up to four letters with which each match of a pattern begins: "" is any, and a space ends a word.

    Of "(?:i )?take|no(?=,)" these are "i ", "take" and "no".
    """
    branches = _split_branches(pattern)
    if len(branches) > 1:
        return set[str]().union(*map(_first_letters, branches))
    if pattern.startswith("("):
        return _first_letters_of_group(pattern)
    letters = _LETTERS.match(pattern)
    begun, rest = (letters[0], pattern[letters.end() :]) if letters else ("", pattern)
    if rest.startswith(_QUANTIFIERS):
        return {begun[:-1][:_LETTERS_COMPARED]}
    is_word = begun[-1:].isalpha() and rest.startswith(" ") and not rest.startswith(" ?")
    return {f"{begun} "[:_LETTERS_COMPARED] if is_word else begun[:_LETTERS_COMPARED]}


def _first_letters_of_group(pattern: str) -> set[str]:
    """Return the same of a pattern that begins with a group. A look to either side is taken to hold."""
    end = next(end for end, _, depth in _scan(pattern) if not depth)
    group, rest = pattern[:end], pattern[end:]
    if group == NEVER:
        return set()
    if not group.startswith("(?:"):
        return _first_letters(rest)
    is_optional, rest = rest.startswith("?"), rest.removeprefix("?")
    if rest.startswith(_QUANTIFIERS):
        return {""}
    branches = _split_branches(group[3:-1]) + [""] * is_optional
    return set[str]().union(*(_first_letters(branch + rest) for branch in branches))


def _split_branches(pattern: str) -> list[str]:
    """Return the alternatives of a pattern."""
    ends = [end for end, piece, depth in _scan(pattern) if piece == "|" and not depth]
    return [pattern[begin : end - 1] for begin, end in pairwise([0, *ends, len(pattern) + 1])]


def _scan(pattern: str) -> Iterator[tuple[int, str, int]]:
    """Yield the pieces of a pattern: where each ends, its text, and how many groups are open after it."""
    depth = 0
    for piece in _PIECE.finditer(pattern):
        depth += (piece[0] == "(") - (piece[0] == ")")
        yield piece.end(), piece[0], depth


@lru_cache(maxsize=len(LANGUAGES))
def _compile(code: str) -> _Patterns:
    """Compile a language when a reply is first written in it."""
    language = LANGUAGES[code]
    words = _find_words(language)
    fill = rf"[\s:=>\-\u2192(\[|\"]{{0,16}}(?:{_pattern(language, 'fill')}[\s:,(\[\"]{{0,4}}){{0,5}}\Z"
    copula = rf"(?:{_pattern(language, 'copula')}|\s{{0,4}}[:=]|\s[\-\u2013\u2014]\s)"
    option = _pattern(language, "option")
    named = rf"(?:{_pattern(language, 'answer', 'right')}|{option}{_pattern(language, 'that')})"
    taken_back = rf"{_pattern(language, 'therefore')}|(?P<instead>{_pattern(language, 'instead', 'takes_back')})"
    because = _pattern(language, "because")
    negated = _pattern(language, "negated")
    return _Patterns(
        any_word=late_regex(rf"{_find_beginnings(language)}(?={'|'.join(words.values())})"),
        words=[
            (kind, late_regex(words[kind]))
            for kind in _KINDS
            if any(getattr(language, name) != NEVER for name in _FIELDS[kind])
        ],
        before=late_regex(
            rf"{named}[^.\n()!?;:]{{0,60}}?{copula}{fill}"
            rf"|(?:{option}[ ]{{0,4}}{copula}|{_pattern(language, 'choosing')}){fill.replace(chr(92) + 's', ' ')}"
        ),
        concluded=late_regex(
            rf"(?:{_pattern(language, 'answer')}[\s:]{{0,4}}|(?:{taken_back})[\s,:.;!\u2013\u2014\-]{{0,5}})"
            rf"(?:{_pattern(language, 'instead')}[\s,:]{{1,3}})?(?:{_pattern(language, 'copula')})?{fill}"
        ),
        sentence_ends=late_regex(
            rf"[)\]}} ]{{0,4}}(?:{_part(language, 'ending')})(?:[.!](?!\w)|\n|\Z|[)\]]|,?\s?(?:{because}|{negated}))"
        ),
        chosen_after=late_regex(rf"[\s,)\]]{{0,3}}(?:{_part(language, 'is_right')})"),
        negated_after=late_regex(rf"[)\]]?[ ]{{0,3}}(?:{_part(language, 'negated_after')})"),
        noun_lesser=late_regex(rf"\w{{1,16}}?[ ]{{0,4}}{_pattern(language, 'lesser')}"),
        before_condition=late_regex(rf"[)\]]?(?:(?!{because})[^.!?;\n,:]){{0,40}}[\s,(]{{0,3}}{_ONLY}"),
        looking=late_regex(_part(language, "looking")),
        conceded=late_regex(rf"{_pattern(language, 'conceded')}[ ]{{1,4}}\Z"),
        join=late_regex(
            rf"[\s,;/&+|)\]}}]{{0,6}}(?:{_pattern(language, 'joins')}[\s,]{{0,3}}){{1,3}}"
            rf"(?:{_pattern(language, 'copula')}\s{{0,3}})?(?:{_pattern(language, 'fill')}\s{{0,3}}){{0,3}}[(\[]?"
        ),
        asked=None if language.asks == NEVER else late_regex(rf"[^.!?;\n]{{0,24}}?(?:{language.asks})"),
    )


def _find_words(language: Language) -> dict[str, str]:
    """Return the pattern of the words of each of `_KINDS`."""
    words = {kind: _pattern(language, *names) for kind, names in _FIELDS.items()}
    return words | {"lesser": rf"{words['lesser']}(?:\s{{0,3}}\w{{1,16}})?[\s:\-]{{0,3}}"}


def _pattern(language: Language, *names: str) -> str:
    """Return the pattern of the words of some fields: whole words where the language sets spaces."""
    pattern = "|".join(_part(language, name) for name in names)
    return rf"(?<!\w)(?:{pattern})(?:(?<=')|(?!\w))" if language.is_spaced else f"(?:{pattern})"


def _part(language: Language, name: str) -> str:
    return _BLANK.sub(lambda found: _BLANKS.get(found[0], found[0]), getattr(language, name))
