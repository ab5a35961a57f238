"""What captions read as: a table of phrasings, and properties of the reader."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.tetrad.reading.caption_replies import READ, UNREAD
from tetrad.contracts.items import StateCaption
from tetrad.reading.answers import is_legal, legal_answers, read_answer
from tetrad.reading.caption import read_caption, values_of
from tetrad.reading.caption_text import caption_text
from tetrad.solvers.caption_states import VALUES, all_states

SHAPE = StateCaption(properties=dict(VALUES))


def test_there_are_enough_phrasings() -> None:
    assert len({reply for reply, _ in [*READ, *UNREAD]}) >= 150


@pytest.mark.parametrize(("reply", "state"), READ, ids=range(len(READ)))
def test_the_state_of_a_caption_is_read(reply: str, state: str) -> None:
    assert read_caption(reply, SHAPE).answer == state


@pytest.mark.parametrize(("reply", "reason"), UNREAD, ids=range(len(UNREAD)))
def test_what_states_nothing_is_unread_for_a_named_reason(reply: str, reason: str) -> None:
    read = read_caption(reply, SHAPE)
    assert (read.answer, read.reason) == (None, reason)


def test_every_state_is_read_from_our_own_words_for_it() -> None:
    for state in all_states():
        written = ", ".join(state.values())
        for reply in (caption_text(state), f'{{"caption": "{caption_text(state).capitalize()}."}}', written):
            assert read_caption(reply, SHAPE).answer == written


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ('{"caption": "two mugs on a red table"}', "json-caption"),
        ("Caption: two mugs on a red table", "labelled-caption"),
        ("I think so. Two mugs on a red table.", "sentence"),
        ("Two mugs on a red table", "whole-text"),
        ("mug, two, table, red, on", "short-form"),
    ],
)
def test_where_the_caption_was_found_is_said(reply: str, reason: str) -> None:
    assert read_caption(reply, SHAPE).reason == reason


@pytest.mark.parametrize("text", ["mug, two, table, red, on", "?, two, table, blue/red, beside", "other, ?, ?, ?, ?"])
def test_a_state_in_short_is_an_answer_by_itself(text: str) -> None:
    assert is_legal(SHAPE, text)
    assert read_answer(SHAPE, text, None).answer == text
    assert read_answer(SHAPE, None, text).answer == text


@pytest.mark.parametrize("text", ["", "mug", "?, ?, ?, ?, ?", "mug, two, table, red", "spoon, two, table, red, on"])
def test_what_is_no_state_in_short_is_refused_with_an_example(text: str) -> None:
    assert not is_legal(SHAPE, text)
    assert "'toilet paper, two, chair, blue, right'" in legal_answers(SHAPE)


def test_values_come_back_by_property() -> None:
    read = values_of("mug, ?, table, blue/red, on", tuple(VALUES))
    assert read["object_color"] == {"red", "blue"}
    assert read["subject_number"] == frozenset()


@settings(max_examples=30, deadline=None)
@given(st.text(max_size=200))
def test_any_text_is_read_without_an_error_and_once_read_stays_so(text: str) -> None:
    read = read_caption(text, SHAPE)
    if read.answer is not None:
        assert is_legal(SHAPE, read.answer)
        assert read_caption(read.answer, SHAPE).answer == read.answer


@pytest.mark.parametrize(
    "piece", ["two mugs ", "on the red ", "a pair of ", "not ", "from ", '{"caption": "', "table is "]
)
def test_long_replies_take_no_long_time(piece: str) -> None:
    begun = time.process_time()
    read_caption(piece * (32 * 1024 // len(piece)), SHAPE)
    assert time.process_time() - begun < 3
