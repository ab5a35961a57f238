"""Filters that spare patterns a search let through every text that the patterns match: derived from the patterns."""

import importlib
import pkgutil
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest

import tetrad.extraction
from tetrad.extraction import spoken_statements
from tetrad.extraction.anchored import Anchored
from tetrad.extraction.languages import LANGUAGES

parser: Any = importlib.import_module("re._parser")
ANY = "\0"
"""Stands for a character that a pattern leaves open."""
MOST_SPELLED = 64  # characters of a class; larger ones are open
LONGEST_BEGINNING = spoken_statements._LETTERS_COMPARED + 2
MOST_TURNS = 3  # of what repeats; more of them show nothing new to an anchor


def all_anchored() -> Iterator[tuple[str, Anchored]]:
    """Yield each anchored pattern of the package, with its name."""
    for module in pkgutil.walk_packages(tetrad.extraction.__path__, "tetrad.extraction."):
        for name, value in vars(importlib.import_module(module.name)).items():
            several = (
                tuple(value.values()) if isinstance(value, dict) else value if isinstance(value, tuple) else (value,)
            )
            for at, pattern in enumerate(several):
                if isinstance(pattern, Anchored):
                    yield f"{module.name.removeprefix('tetrad.extraction.')}.{name}.{at}", pattern


class Speller:
    """Spells what a pattern may match, as far as `keep` keeps it after each step; "\\0" stands for any character.

    Looks to either side count as if they held: they look at texts that may lie outside of the match.
    """

    def __init__(self, keep: Callable[[set[str]], set[str]], *, ignores_case: bool = False) -> None:
        self._keep = keep
        self._ignores_case = ignores_case
        self._adding: dict[str, Callable[[set[str], Any], set[str]]] = {
            "LITERAL": self._add_letter,
            "IN": lambda texts, value: {text + character for text in texts for character in characters_of(value)},
            "BRANCH": lambda texts, value: set[str]().union(*(self.write(texts, branch) for branch in value[1])),
            "SUBPATTERN": lambda texts, value: self.write(texts, value[3]),
            "MAX_REPEAT": lambda texts, value: self._repeat(texts, *value),
            "MIN_REPEAT": lambda texts, value: self._repeat(texts, *value),
            "POSSESSIVE_REPEAT": lambda texts, value: self._repeat(texts, *value),
            "AT": lambda texts, _: texts,
            "ASSERT": lambda texts, _: texts,
            "ASSERT_NOT": lambda texts, value: texts if value[1] else set(),  # "(?!)" matches nothing
        }

    def write(self, texts: set[str], parsed: Any) -> set[str]:
        for operation, value in parsed:
            texts = self._keep(self._adding.get(str(operation), leave_open)(texts, value))
        return texts

    def _add_letter(self, texts: set[str], value: int) -> set[str]:
        letter = chr(value).lower() if self._ignores_case else chr(value)
        return {text + letter for text in texts}

    def _repeat(self, texts: set[str], fewest: int, most: int, repeated: Any) -> set[str]:
        found = set(texts) if fewest == 0 else set[str]()
        for turn in range(1, min(int(most), max(fewest, MOST_TURNS)) + 1):
            texts = self.write(texts, repeated)
            found |= texts if turn >= fewest else set()
        return found


def spell(pattern: str, keep: Callable[[set[str]], set[str]], *, ignores_case: bool = False) -> set[str]:
    return Speller(keep, ignores_case=ignores_case).write({""}, parser.parse(pattern))


def leave_open(texts: set[str], _: object) -> set[str]:
    return {text + ANY for text in texts}


def characters_of(parsed_class: Any) -> set[str]:
    found = set[str]()
    for operation, value in parsed_class:
        if str(operation) == "LITERAL":
            found.add(chr(value))
        elif str(operation) == "RANGE" and value[1] - value[0] < MOST_SPELLED:
            found |= set(map(chr, range(value[0], value[1] + 1)))
        else:
            return {ANY}
    return found


def find_unanchored(pattern: str, anchors: Sequence[str], *, ignores_case: bool = False) -> set[str]:
    """Return the ends of texts that a pattern may match and that hold no anchor."""
    longest = max(map(len, anchors))

    def drop_anchored(texts: set[str]) -> set[str]:
        return {text[-longest:] for text in texts if not any(anchor in text for anchor in anchors)}

    return spell(pattern, drop_anchored, ignores_case=ignores_case)


ANCHORED = dict(all_anchored())


@pytest.mark.parametrize("name", ANCHORED)
def test_an_anchor_stands_in_every_match(name: str) -> None:
    anchored = ANCHORED[name]
    assert not find_unanchored(anchored.pattern, anchored.anchors, ignores_case=anchored._ignores_case)


@pytest.mark.parametrize(
    ("pattern", "anchors", "is_sound"),
    [
        (r"\bmade (?:an error|a mistake)\b", ("made a",), True),
        (r"\bmade (?:an error|the mistake)\b", ("made a",), False),
        (r"(?:total|sum|count)s? of", ("total", "sum", "count"), True),
        (r"(?:total|sum|count)s? of", ("total", "count"), False),
        (r"a(?:nswer)? is", ("answer",), False),
        (r"an[s5]wer", ("answer", "an5wer"), True),
        (r"an\wwer", ("answer",), False),
        (r"(?:no )+way", ("no way",), True),
        (r"(?:no )*way", ("no way",), False),
        (r"(?=answer)\w+", ("answer",), False),
        (r"answer", ("answers",), False),
    ],
)
def test_an_anchor_that_a_match_may_lack_is_found(pattern: str, anchors: tuple[str, ...], is_sound: bool) -> None:  # noqa: FBT001
    assert (not find_unanchored(pattern, anchors)) == is_sound


def test_anchors_are_looked_for_in_all_forms_of_a_letter() -> None:
    anchored = Anchored(r"kiss", "kiss", ignores_case=True)
    for text in ("KISS", "\u212aiss", "ki\u017fs", "k\u0130ss", "k\u0131ss"):
        assert anchored.search(text) or not re.search("kiss", text, re.IGNORECASE), text


SPACED = [code for code, language in LANGUAGES.items() if language.is_spaced]


@pytest.mark.parametrize("code", SPACED)
def test_the_filter_of_beginnings_misses_no_word_of_a_language(code: str) -> None:
    language = LANGUAGES[code]
    may_begin = re.compile(spoken_statements._find_beginnings(language))
    missed = [
        f"{kind}: {begun!r}"
        for kind, pattern in spoken_statements._find_words(language).items()
        for begun in spell(pattern, lambda texts: {text[:LONGEST_BEGINNING] for text in texts})
        if not may_begin.match(begun.replace(ANY, "q"))
    ]
    assert not missed


def test_a_filter_of_beginnings_that_lacks_a_word_is_found() -> None:
    pattern = spoken_statements._find_words(LANGUAGES["en"])["condition"]
    begun = spell(pattern, lambda texts: {text[:LONGEST_BEGINNING] for text in texts})
    assert {"if", "unless", "should"} <= begun
    assert [text for text in begun if not re.match(r"\b(?=i|o|w|h|s|p|a|d)", text)] == ["unless"]
