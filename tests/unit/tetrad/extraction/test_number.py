from typing import NoReturn

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rq.timeouts import JobTimeoutException

from tests.unit.tetrad.extraction.number_replies import NUMBER_REPLIES
from tests.unit.tetrad.extraction.stated_answers import twins_of
from tetrad.contracts.items import Choice, Number
from tetrad.extraction import EXTRACTORS, answers
from tetrad.extraction.answers import extract_answer, is_legal, legal_answers
from tetrad.extraction.choice import ExtractedAnswer
from tetrad.extraction.languages import LANGUAGES, NEVER
from tetrad.extraction.number import extract_number

MOST = 999_999
FEWEST_AFFIRMED = 3  # forms of a language


def test_a_reply_reads_as_a_person_reads_it() -> None:
    assert [(reply, extract_number(reply, MOST).answer) for reply, _ in NUMBER_REPLIES] == NUMBER_REPLIES


@pytest.mark.parametrize("language", [code for code in LANGUAGES if LANGUAGES[code].numbers != NEVER])
def test_a_number_in_words_is_read_where_it_is_stated_in_its_language(language: str) -> None:
    nine, eight = LANGUAGES[language].numbers.split("|")[7:5:-1]
    twins = list(twins_of(language, nine, eight))
    read = {twin.reply: extract_number(twin.reply, MOST).answer for twin in twins}
    assert sum(read[twin.reply] == "9" for twin in twins if twin.rule == "affirmed") >= FEWEST_AFFIRMED
    for twin in twins:
        if twin.rule not in {"affirmed", "looked at", "second option"}:
            assert read[twin.reply] in {None, "8" if twin.answer else None}, twin


@pytest.mark.parametrize(
    ("reply", "reason", "span"),
    [
        ("I weighed it. The answer is **9**.", "explicit-statement", "answer is **9"),
        ("4 + 9 = 13", "conclusion", "13"),
        ("There are 9 here.", "lone-number", "9"),
        ("4 above, 9 below", "conflict", ""),
        ("No idea.", "no-number", ""),
        ("The answer is 5 or 6.", "names-several", "answer is 5"),
        ("The answer is 1000000.", "out-of-range", "answer is 1000000"),
        ("The answer is 9. Wait, that can't be.", "retracted", "answer is 9"),
        ("I'm sorry, but I can't assist.", "refusal", "I'm sorry"),
        ("<think>so 9", "truncated", ""),
        (" \n", "empty", ""),
    ],
)
def test_the_reason_and_the_words_that_decided_are_reported(reply: str, reason: str, span: str) -> None:
    read = extract_number(reply, MOST)
    assert read.reason == reason
    assert span in read.span


@pytest.mark.parametrize(
    "reply", ["\u017fix", "The answer is \u017feven.", "f\u0131ve", "\u017fixty-\u017fix", "A do\u017een"]
)
def test_letters_that_only_look_alike_when_case_is_ignored_spell_no_number(reply: str) -> None:
    """The long s and the dotless i are s and i to a pattern that ignores case, and to nobody else."""
    assert extract_number(reply, MOST).answer is None


CHARACTERS = st.sampled_from(["\u017f", "\u0131", "\u0130", "\u212a", "\u0663", "\ud800", "\0", "-", " ", "1"])
PIECES = CHARACTERS | st.sampled_from(["six", "ty", "dozen"])


@given(st.lists(PIECES, max_size=12).map("".join))
def test_no_text_keeps_a_reply_from_being_read(reply: str) -> None:
    assert extract_number(reply, MOST).reason


def fail(*_: object, **__: object) -> NoReturn:
    raise KeyError("a defect")


def test_a_reply_that_a_reader_fails_at_is_unread_and_told_in_the_log(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(answers, "extract_number", fail)
    monkeypatch.setitem(EXTRACTORS, "statement", fail)
    for shape in (Number(most=9), Choice(labels=("A", "B"))):
        assert extract_answer(shape, None, "the answer is 5") == ExtractedAnswer(None, "reader-error")
    assert caplog.text.count("a reply could not be read") == 2
    assert "a defect" in caplog.text


def test_being_out_of_time_is_no_defect_of_the_reader(monkeypatch: pytest.MonkeyPatch) -> None:
    def too_late(*_: object, **__: object) -> NoReturn:
        raise JobTimeoutException

    monkeypatch.setattr(answers, "extract_number", too_late)
    with pytest.raises(JobTimeoutException):
        extract_answer(Number(most=9), None, "the answer is 5")


@given(st.integers(min_value=0, max_value=MOST), st.sampled_from(["{}", "Answer: {}", "There are {} panels.", "({})"]))
def test_every_number_in_digits_reads_as_itself(number: int, frame: str) -> None:
    assert extract_number(frame.format(number), MOST).answer == str(number)


@given(st.text(max_size=200))
def test_what_is_read_is_always_a_legal_answer(reply: str) -> None:
    read = extract_number(reply, MOST)
    assert read.answer is None or is_legal(Number(), read.answer)


@given(st.text(alphabet="abcdkmpqxyz .,:!?\n'", max_size=300))
def test_a_reply_that_names_no_number_has_no_answer(reply: str) -> None:
    assert extract_number(reply, MOST).answer is None


@pytest.mark.parametrize(
    ("answer", "legal"),
    [("9", True), ("0", True), ("09", False), ("-1", False), ("9.0", False), ("nine", False), ("\u0669", False),
     ("100", True), ("101", False), ("1" * 60, False), ("", False)],
)  # fmt: skip
def test_a_given_number_is_plain_digits_within_bounds(answer: str, legal: bool) -> None:  # noqa: FBT001
    shape = Number(most=100)
    assert is_legal(shape, answer) is legal
    read = extract_answer(shape, answer, None)
    assert (read.answer, read.reason) == ((answer, "given") if legal else (None, "not-an-option"))


def test_each_shape_reads_its_own_answers_and_says_which_are_legal() -> None:
    assert extract_answer(Number(), None, "There are nine.").answer == "9"
    assert extract_answer(Choice(labels=("1", "2")), None, "(2)").answer == "2"
    assert legal_answers(Number(most=50)) == "a whole number from 0 to 50, in digits"
    assert legal_answers(Choice(labels=("1", "2"))) == "one of 1, 2"
