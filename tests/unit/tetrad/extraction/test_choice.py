import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.tetrad.extraction.boxed_replies import BOXED
from tests.unit.tetrad.extraction.phrasings import NEARBY, PHRASINGS, UNSEEN
from tests.unit.tetrad.extraction.replies import LETTERS, NUMBERS, REPLIES
from tetrad.extraction import extract_choice, first_mention

TEXTS = st.one_of(
    st.text(max_size=200),
    st.lists(
        st.sampled_from(
            [
                "the answer is",
                "(A)",
                "B",
                "not",
                "or",
                "and",
                "A",
                "\\boxed{C}",
                "\n",
                ". ",
                "is correct",
                "?",
                "**D**",
                "(E)",
            ]
        ),
        max_size=20,
    ).map(" ".join),
)


def test_a_reply_reads_as_a_person_reads_it() -> None:
    assert [(reply, labels, extract_choice(reply, labels).answer) for reply, labels, _ in REPLIES] == REPLIES


@pytest.mark.parametrize("kind", PHRASINGS)
def test_each_class_of_phrasings_reads_as_a_person_reads_it(kind: str) -> None:
    read = {reply: extract_choice(reply, LETTERS).answer for reply, _ in PHRASINGS[kind]}
    assert read == dict(PHRASINGS[kind])


def test_phrasings_that_were_written_after_the_rules_read_as_well() -> None:
    later = [*UNSEEN, *NEARBY]
    assert [(reply, extract_choice(reply, LETTERS).answer) for reply, _ in later] == later


def test_the_last_box_decides_unless_another_stands_beside_it() -> None:
    assert [(reply, extract_choice(reply, LETTERS).answer) for reply, _ in BOXED] == list(BOXED)


@pytest.mark.parametrize(
    ("reply", "reason", "span"),
    [
        ("I weighed it. The answer is **(C)**.", "explicit-statement", "answer is **(C)"),
        ("(C)\n\n(A) and (B) differ in color.", "leading-option", "(C)"),
        ("The pattern goes on in (C).", "lone-option", "(C)"),
        ("(C) grows, while (D) shrinks", "conflict", ""),
        ("No idea.", "no-option", ""),
        ("The answer is B or C.", "names-several", "answer is B"),
        ("The answer is (F).", "not-an-option", "answer is (F)"),
        ("The answer is (A). Wait, that can't be.", "retracted", "answer is (A)"),
        ("The answer is (A), but that is wrong.", "retracted", "answer is (A)"),
        ("I'm sorry, but I can't assist.", "refusal", "i'm sorry"),
        ("<think>so (A)", "truncated", ""),
        (" \n", "empty", ""),
    ],
)
def test_the_reason_and_the_words_that_decided_are_reported(reply: str, reason: str, span: str) -> None:
    read = extract_choice(reply, LETTERS)
    assert (read.reason, read.span.lower()) == (reason, span.lower())


def test_a_refusal_beats_an_option_named_in_passing() -> None:
    assert extract_choice("I cannot see the picture, (B) included", LETTERS).reason == "refusal"


def test_words_can_be_labels() -> None:
    assert extract_choice("The answer is yes.", ("yes", "no")).answer == "yes"
    assert extract_choice("Answer: No", ("yes", "no")).answer == "no"


def test_a_letter_of_the_puzzle_is_no_option() -> None:
    assert extract_choice("The change (C) is that of B to B'.", LETTERS).answer == "C"


def test_many_labels_are_told_from_the_words_a_and_i() -> None:
    labels = tuple("ABCDEFGHI")
    assert extract_choice("I think a turn is shown.", labels).answer is None
    assert extract_choice("I choose I.", labels).answer == "I"


@pytest.mark.parametrize("labels", [(), ("A", "a"), ("", "A")])
def test_labels_that_read_alike_are_refused(labels: tuple[str, ...]) -> None:
    with pytest.raises(ValueError, match="labels must be distinct"):
        extract_choice("A", labels)


@given(TEXTS, st.sampled_from([LETTERS, NUMBERS]))
def test_only_offered_labels_are_returned(reply: str, labels: tuple[str, ...]) -> None:
    assert extract_choice(reply, labels).answer in {None, *labels}


@given(TEXTS)
def test_whitespace_around_a_reply_does_not_matter(reply: str) -> None:
    assert extract_choice(f" \n{reply}\n\t ", LETTERS).answer == extract_choice(reply, LETTERS).answer


@given(st.text(alphabet="efghjkmnopqrstuvwxyzEFGHJKMN 67890.,:!?\n'", max_size=300))
def test_a_reply_that_names_no_option_has_no_answer(reply: str) -> None:
    assert extract_choice(reply, LETTERS).answer is None


@given(TEXTS)
def test_thinking_does_not_count(thought: str) -> None:
    assert extract_choice(f"<think>{thought}</think>Answer: (D)", LETTERS).answer == "D"


def test_a_hundred_thousand_short_replies_take_well_under_two_seconds() -> None:
    replies = ["(B)</s>", "B", "The answer is (C).", "Answer: D", "**A**"]
    begin = time.process_time()
    for _ in range(20_000):
        for reply in replies:
            extract_choice(reply, LETTERS)
    assert time.process_time() - begin < 1.5


def test_first_mention_takes_the_earliest_literal_whatever_is_said_of_it() -> None:
    assert first_mention("(A) is wrong; the answer is (C)", LETTERS).answer == "A"
    assert first_mention("The answer is C", LETTERS).reason == "no-option"
