"""Replies that an earlier extractor took for an answer that they don't give, or left unread though they are clear."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tetrad.contracts.items import AnswerShape, Choice, Number, StateCaption, StateCaptionKey
from tetrad.extraction.answers import extract_answer
from tetrad.extraction.judging import judge_answer
from tetrad.solvers.carv import VALUES

FAULTS = [json.loads(line) for line in Path(__file__).with_name("faults.jsonl").read_text("utf-8").splitlines()]
SHAPES: dict[str, AnswerShape] = {
    "kiva/extrapolation-only/which": Choice(labels=("A", "B", "C", "D")),
    "marvel/avr-only/puzzle": Choice(labels=("1", "2", "3", "4")),
    "marvel/full/context-panels": Number(),
    "visanalog/end-to-end": Choice(labels=("A", "B", "C", "D")),
    "carv/symbolic/caption": StateCaption(properties=dict(VALUES)),
}
KEY = StateCaptionKey(values=dict(zip(VALUES, ("bowl", "two", "table", "red", "left"), strict=True)), needed=())
UNMENDED: dict[str, tuple[int, ...]] = {
    "enumeration-first-wins": (*range(30, 38),),
    "lone-option-of-unfinished-reply": (50, 52, 53),
    "number-with-bound": (*range(54, 59),),
    "number-word-wrong": (*range(59, 63),),
    "number-part-for-whole": (*range(63, 67),),
    "number-unread-cjk": (*range(67, 71),),
    "number-unread-clear": (*range(71, 75),),
    "language-unread": (*range(79, 86), 89, 91, 92),
    "digit-label-unread": (*range(93, 99),),
    "letter-with-text-unread": (99, 100),
    "yes-no-list-unread": (101, 102),
    "caption-hedge": (*range(103, 107),),
}
"""The lines of the file that are still read wrong, by kind. A mend takes its lines out."""


def give_faults() -> Iterator[Any]:
    """Yield each reply, marked if it is still read wrong. The mark is strict: with a mend it fails until it goes."""
    for number, fault in enumerate(FAULTS, start=1):
        marks = [pytest.mark.xfail(strict=True)] if number in UNMENDED.get(fault["kind"], ()) else []
        name = f"{fault['kind']}-{number}"
        yield pytest.param(fault["target"], fault["input"], fault["right"], marks=marks, id=name)


@pytest.mark.parametrize(("target", "reply", "right"), [*give_faults()])
def test_only_the_final_word_of_a_reply_is_read_and_it_is_read_if_it_is_clear(
    target: str, reply: str, right: str | None
) -> None:
    answer = extract_answer(SHAPES[target], None, reply).answer
    if target.startswith("carv"):  # a caption is right only if it states each value and no other
        assert (judge_answer(KEY, answer).verdict == "correct") == (right == "correct")
    else:
        assert answer == right


def test_each_mark_is_of_a_line_of_its_kind() -> None:
    assert all(FAULTS[number - 1]["kind"] == kind for kind, numbers in UNMENDED.items() for number in numbers)
