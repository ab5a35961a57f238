"""Tests of the answers that may be sealed, by the shape of the question."""

import msgspec
import pytest

from api.submissions.sealing import _find_misplacement
from api.submissions.uploads import Line
from tetrad.contracts.answers import Answer
from tetrad.contracts.items import AnswerShape, Choice, Number


def remedy(shape: AnswerShape, answer: str) -> str | None:
    line = Line(number=1, answer=Answer(item=0, question="q", answer=answer))
    fault = _find_misplacement(line, 1, {0: {"q": msgspec.json.encode(shape).decode()}})
    return None if fault is None else f"{fault.problem}: {fault.remedy}"


@pytest.mark.parametrize(
    ("shape", "answer", "fault"),
    [
        (Choice(labels=("A", "B")), "B", None),
        (Choice(labels=("A", "B")), "C", "is no option of this question: use one of A, B"),
        (Number(most=50), "13", None),
        (Number(most=50), "51", "is no answer to this question: use a whole number from 0 to 50, in digits"),
        (Number(most=50), "thirteen", "is no answer to this question: use a whole number from 0 to 50, in digits"),
    ],
)
def test_an_answer_fits_the_question_s_shape_or_is_refused_with_what_would(
    shape: AnswerShape, answer: str, fault: str | None
) -> None:
    assert remedy(shape, answer) == fault


def test_a_question_that_is_not_there_is_refused_with_those_that_are() -> None:
    line = Line(1, Answer(item=0, question="e2e", answer="A"))
    fault = _find_misplacement(line, 2, {0: {"end-to-end": "", "oracle": ""}})
    assert fault is not None
    assert (fault.field, fault.value) == ("question", "e2e")
    assert fault.problem == "item 0 has no such question, or it is not open yet"
    assert fault.remedy.startswith("use one of end-to-end, oracle; ")
    unseen = _find_misplacement(Line(1, Answer(item=1, question="e2e", answer="A")), 2, {})
    assert unseen is not None
    assert unseen.problem == "item 1 has no open question yet"
