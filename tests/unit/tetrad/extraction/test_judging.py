"""Verdicts by key: captions strictly and leniently, and which property failed."""

import pytest

from tetrad.contracts.items import ChoiceKey, NumberKey, StateCaptionKey
from tetrad.extraction.judging import judge_answer
from tetrad.solvers.carv import VALUES

KEY = StateCaptionKey(
    values=dict(zip(VALUES, ("mug", "two", "chair", "red", "left"), strict=True)),
    needed=("subject_number", "spatial_relation"),
)


@pytest.mark.parametrize(
    ("answer", "strict", "lenient", "failed"),
    [
        ("mug, two, chair, red, left", "correct", "correct", None),
        ("mug, two, chair, ?, left", "incorrect", "correct", "object_color"),
        ("?, two, ?, ?, left", "incorrect", "correct", "subject object object_color"),
        ("mug, ?, chair, red, left", "incorrect", "incorrect", "subject_number"),
        ("mug, two, chair, red, ?", "incorrect", "incorrect", "spatial_relation"),
        ("mug, two, chair, blue, left", "incorrect", "incorrect", "object_color"),
        ("mug, two, chair, blue/red, left", "incorrect", "incorrect", "object_color"),
        ("other, one, table, blue, on", "incorrect", "incorrect", " ".join(VALUES)),
        ("mug, two, chair, red, beside", "incorrect", "incorrect", "spatial_relation"),
    ],
)
def test_strict_wants_everything_and_lenient_no_contradiction(
    answer: str, strict: str, lenient: str, failed: str | None
) -> None:
    judged = judge_answer(KEY, answer)
    assert (judged.verdict, judged.outcome["lenient"], judged.outcome.get("failed")) == (strict, lenient, failed)


def test_beside_leaves_a_side_open_and_contradicts_on() -> None:
    beside = "mug, two, chair, red, beside"
    for side, lenient in (("right", "correct"), ("on", "incorrect")):
        key = StateCaptionKey(values=KEY.values | {"spatial_relation": side}, needed=("subject",))
        assert judge_answer(key, beside).outcome["lenient"] == lenient


@pytest.mark.parametrize(("key", "right", "wrong"), [(ChoiceKey(label="B"), "B", "C"), (NumberKey(number=7), "7", "8")])
def test_options_and_numbers_are_right_if_they_are_the_key(key: ChoiceKey | NumberKey, right: str, wrong: str) -> None:
    verdicts = [judge_answer(key, answer).verdict for answer in (right, wrong, None)]
    assert verdicts == ["correct", "incorrect", "unread"]
