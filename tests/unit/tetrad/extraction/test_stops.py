"""What a reply says in passing is an answer only if the model was done."""

import pytest

from tests.unit.tetrad.extraction.replies import LETTERS
from tetrad.contracts.inference import StopKind
from tetrad.contracts.items import Choice, Number
from tetrad.extraction.answers import extract_answer


@pytest.mark.parametrize("stop", ["length", "unknown", "cut", "blocked", "refused"])
def test_what_is_only_named_is_no_answer_of_a_reply_that_is_not_complete(stop: StopKind) -> None:
    shape = Choice(labels=LETTERS)
    assert extract_answer(shape, None, "The pattern goes on in (C).").answer == "C"
    assert extract_answer(shape, None, "The pattern goes on in (C).", stop="complete").answer == "C"
    assert extract_answer(shape, None, "The pattern goes on in (C).", stop=stop).answer is None
    assert extract_answer(Number(), None, "I see 9 panels", stop=stop).answer is None


@pytest.mark.parametrize("stop", ["length", "unknown"])
@pytest.mark.parametrize(
    ("reply", "answer"),
    [
        ("The answer is (C).", "C"),
        ("(C)", "C"),
        ("<answer>C</answer>", "C"),
        ("(C)\n\nThe hat turns, as it does in", None),
        ("The answer is (C). Let me check the second", None),
    ],
)
def test_words_after_a_statement_could_have_led_to_a_correction(stop: StopKind, reply: str, answer: str | None) -> None:
    assert extract_answer(Choice(labels=LETTERS), None, reply).answer == "C"
    assert extract_answer(Choice(labels=LETTERS), None, reply, stop=stop).answer == answer
