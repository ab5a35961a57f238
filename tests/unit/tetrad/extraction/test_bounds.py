"""Bounds on the cost of reading any reply, counted in characters and places, not in seconds."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.tetrad.extraction.replies import LETTERS
from tetrad.contracts.items import AnswerShape, Choice, Number
from tetrad.extraction import (
    answer_tags,
    choice,
    extract_choice,
    mentions,
    number,
    numerals,
    quoted_options,
    spelled_labels,
    spoken_statements,
    statements,
    thinking,
    visible_text,
)
from tetrad.extraction.answers import extract_answer
from tetrad.extraction.languages import LANGUAGES
from tetrad.extraction.number import extract_number
from tetrad.extraction.visible_text import LONGEST_READ, MOST_PLACES, visible_part

LONGEST_REPLY = 32 * 1024
FILLER = "The picture turns and grows. "
UNITS = ("A,", "(A)", "A: ", "1,", "9 ", "(1)(2)", "the answer is A ", "\\boxed{", "<b>", "\n", "1,111,", "a dozen ")
# Each is searched in all that is read; the others only in a short window beside one place.
WHOLE_TEXT = (
    *statements._OTHER_TOO,
    choice.REFUSAL,
    *(spoken_statements._compile(code).any_word for code in LANGUAGES),
    quoted_options._STATED,
    visible_text._DECORATION,
    visible_text._QUOTED,
    answer_tags._TAG,
    answer_tags._JOIN,
    thinking._TAG,
    thinking._FIRST_TAG,
    thinking._BEFORE,
    numerals._NUMBER,
    spelled_labels._BY_PLACE,
    spelled_labels._IN_WORDS,
    spelled_labels._DECIMAL,
    mentions.option_labels(LETTERS).pattern,
    mentions.option_labels(("1", "2")).pattern,
)


def long(unit: str) -> str:
    return (unit * LONGEST_REPLY)[:LONGEST_REPLY]


@given(st.text(max_size=20), st.sampled_from(UNITS), st.text(max_size=20))
def test_a_reader_sees_a_bounded_end_of_a_reply(before: str, unit: str, after: str) -> None:
    visible = visible_part(before + long(unit) + after)
    assert visible is None or len(visible) <= LONGEST_READ


@pytest.mark.parametrize("pattern", WHOLE_TEXT)
def test_a_pattern_searched_in_a_whole_reply_repeats_nothing_without_end(pattern: re.Pattern[str]) -> None:
    outside_classes = re.sub(r"\\.|\[(?:\\.|[^\]])*\]", "x", pattern.pattern)
    assert not re.search(r"[*+]|\{\d*,\}", outside_classes)


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize(
    ("module", "shape"), [(choice, Choice(labels=LETTERS)), (choice, Choice(labels=("1", "2"))), (number, Number())]
)
def test_a_bounded_number_of_places_is_looked_at(
    unit: str, module: object, shape: AnswerShape, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked: list[int] = []

    def counted(text: str, mention: mentions.Mention, since: int) -> None:
        looked.append(mention.start)
        assert len(text) <= LONGEST_READ
        assert since <= mention.start

    monkeypatch.setattr(module, "statement_begins", counted)
    extract_answer(shape, None, f"{long(unit)} no")
    assert len(looked) <= MOST_PLACES


def test_what_a_long_reply_states_in_its_end_is_read() -> None:
    assert extract_choice(long(FILLER) + "The answer is (B).", LETTERS).answer == "B"
    assert extract_number(long(FILLER) + "The answer is 7.", 100).answer == "7"


def test_what_stands_before_that_is_not_read() -> None:
    assert extract_choice("The answer is (B)." + long(FILLER), LETTERS).reason == "no-option"
    assert extract_number("The answer is 7." + long(FILLER), 100).reason == "no-number"


def test_where_a_long_reply_is_cut_nothing_opens_it() -> None:
    opening = "(B) is what the model names, and it turns the picture. "
    filler = FILLER * 1000
    begin = LONGEST_READ - 1 - len(opening)
    assert extract_choice(opening + filler[:begin].strip(), LETTERS).reason == "leading-option"
    assert (
        extract_choice(FILLER + opening + filler[-begin:].rstrip().rjust(begin, "."), LETTERS).reason == "lone-option"
    )


def test_thinking_does_not_count_towards_the_bound_and_stays_thinking() -> None:
    assert extract_choice(f"<think>{long(FILLER)}</think>(B) is right", LETTERS).answer == "B"
    assert extract_choice(f"<think>{long(FILLER)} so (B)", LETTERS).reason == "truncated"


@pytest.mark.parametrize("gap", ["\n" * 5000, " \n" * 2000, "\n" + " " * 10])
def test_an_answer_is_taken_back_after_any_number_of_empty_lines(gap: str) -> None:
    assert extract_choice(f"The answer is (A){gap}wait", LETTERS).reason == "retracted"


@pytest.mark.parametrize("gap", ["\n" * 40, " " * 40, "\u00a0" * 40, "(" * 40])
def test_no_costly_pattern_is_tried_where_only_blanks_and_brackets_stand_before(
    gap: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried: list[int] = []

    class Counted:
        def search(self, _: str, begin: int, end: int) -> None:
            tried.append(end - begin)

    monkeypatch.setattr(statements, "_STATED_BEFORE", Counted())
    extract_choice(f"{gap}B" * 100, LETTERS)
    assert tried == []
    extract_choice(f"{gap}is B", LETTERS)
    assert tried, "it is tried after a word with which a statement may end"


@pytest.mark.parametrize("line", ["12,\n", "ans. ", "x:\n\n"])
def test_a_sentence_of_many_lines_is_looked_at_a_few_times(line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[int] = []
    begin_after = spoken_statements._begin_after

    def counted(text: str, place: int, marks: str) -> int:
        looked.append(place)
        return begin_after(text, place, marks)

    monkeypatch.setattr(spoken_statements, "_begin_after", counted)
    spoken_statements._sentence_begins(line * 1000, 1000 * len(line))
    assert 1 < len(looked) <= spoken_statements._MOST_JOINED + 1
