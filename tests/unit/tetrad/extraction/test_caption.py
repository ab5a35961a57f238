"""Tests of the caption extractor: a table of phrasings, and properties."""

import json
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.tetrad.extraction.caption_replies import READ, UNREAD
from tests.unit.tetrad.extraction.composed_captions import composed
from tetrad.contracts.items import StateCaption, StateCaptionKey
from tetrad.extraction.answers import extract_answer, is_legal, legal_answers
from tetrad.extraction.captions.caption import extract_caption, values_of
from tetrad.extraction.captions.text import caption_text
from tetrad.extraction.judging import judge_answer
from tetrad.solvers.carv import VALUES, all_states

SHAPE = StateCaption(properties=dict(VALUES))
# Written in the manner of models before the reader was tried on them, each saying one state in full. Of those held out
# until the end about nineteen of twenty were read at the first try.
MODELS = [json.loads(line) for line in Path(__file__).with_name("model_captions.jsonl").read_text("utf-8").splitlines()]


def test_the_state_of_a_caption_is_read() -> None:
    assert [(reply, extract_caption(reply, SHAPE).answer) for reply, _ in READ] == READ


def test_what_states_nothing_is_unread_for_a_named_reason() -> None:
    read = [(reply, extract_caption(reply, SHAPE)) for reply, _ in UNREAD]
    assert [(reply, found.reason) for reply, found in read if found.answer is None] == UNREAD


def test_every_state_is_read_from_our_own_words_for_it() -> None:
    for state in all_states():
        written = ", ".join(state.values())
        for reply in (caption_text(state), f'{{"caption": "{caption_text(state).capitalize()}."}}', written):
            assert extract_caption(reply, SHAPE).answer == written


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
    assert extract_caption(reply, SHAPE).reason == reason


@pytest.mark.parametrize("text", ["mug, two, table, red, on", "?, two, table, blue/red, beside", "other, ?, ?, ?, ?"])
def test_a_state_in_short_is_an_answer_by_itself(text: str) -> None:
    assert is_legal(SHAPE, text)
    assert extract_answer(SHAPE, text, None).answer == text
    assert extract_answer(SHAPE, None, text).answer == text


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
    read = extract_caption(text, SHAPE)
    if read.answer is not None:
        assert is_legal(SHAPE, read.answer)
        assert extract_caption(read.answer, SHAPE).answer == read.answer


def test_captions_as_models_write_them_are_read() -> None:
    read = [(row["reply"], extract_caption(row["reply"], SHAPE).answer) for row in MODELS]
    assert read == [(row["reply"], row["state"]) for row in MODELS]


def test_every_state_is_read_from_sentences_composed_of_ordinary_pieces() -> None:
    wrong = [
        (caption, read)
        for caption, state in composed(1500, seed=7)
        if (read := extract_caption(caption, SHAPE).answer) != ", ".join(state.values())
    ]
    assert wrong == []


def test_a_property_that_differs_fails_by_its_name_and_no_other() -> None:
    for row in MODELS[::3]:
        read = extract_caption(row["reply"], SHAPE).answer
        said = dict(zip(VALUES, row["state"].split(", "), strict=True))
        for name, offered in VALUES.items():
            other = next(value for value in offered if value != said[name])
            judged = judge_answer(StateCaptionKey(values=said | {name: other}, needed=()), read)
            told = (judged.verdict, judged.outcome["failed"], judged.outcome["lenient"])
            assert told == ("incorrect", name, "incorrect"), row


@pytest.mark.parametrize(
    ("reply", "needed", "lenient", "failed"),
    [
        ("Two mugs on a table", (), "correct", "object_color"),
        ("Two mugs on a table", ("object_color",), "incorrect", "object_color"),
        ("Mugs under a red table", (), "incorrect", "spatial_relation"),
        ("Toilet paper on a red table", ("subject",), "incorrect", "subject subject_number"),
        ("Two mugs and a red table", ("subject",), "correct", "spatial_relation"),
        ("Two mugs next to a red table", (), "incorrect", "spatial_relation"),
        ("The table is red.", ("object_color",), "correct", "subject subject_number spatial_relation"),
        ("Two mugs on a red or blue table", (), "incorrect", "object_color"),
    ],
)
def test_what_is_left_open_is_forgiven_only_leniently_and_only_where_nothing_changed(
    reply: str, needed: tuple[str, ...], lenient: str, failed: str
) -> None:
    values = dict(zip(VALUES, ("mug", "two", "table", "red", "on"), strict=True))
    judged = judge_answer(StateCaptionKey(values=values, needed=needed), extract_caption(reply, SHAPE).answer)
    assert (judged.verdict, judged.outcome["lenient"], judged.outcome["failed"]) == ("incorrect", lenient, failed)


PIECES = (
    "two mugs ",
    "on the red ",
    "a pair of ",
    "not ",
    "from ",
    '{"caption": "',
    '"caption": {',
    "table is ",
    "( a ",
    "caption: ",
    "is on ",
    "\\boxed{",
    "two mugs on a red table. ",
    "x ",
    "becomes ",
    "because ",
    "on and ",
    "to the left or ",
    "[",
)


def _seconds(piece: str, kibibytes: int) -> float:
    text = piece * (kibibytes * 1024 // len(piece))
    begun = time.process_time()
    extract_caption(text, SHAPE)
    return time.process_time() - begun


@pytest.mark.parametrize("piece", PIECES)
def test_four_times_as_long_a_reply_takes_about_four_times_as_long(piece: str) -> None:
    assert _seconds(piece, 32) < 1.5
    assert _seconds(piece, 64) < 8 * min(_seconds(piece, 16) for _ in range(2)) + 0.05
