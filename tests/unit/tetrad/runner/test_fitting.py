"""Replies that the service can't take as they are: what becomes of them, and that they are read as before."""

import pytest

from tetrad.contracts.answers import LARGEST_REPLY
from tetrad.extraction import extract_choice
from tetrad.runner.fitting import fit_reply

LONG = "Perhaps the answer is (A). Or not. " * 3000
LABELS = ("A", "B", "C")


@pytest.mark.parametrize(
    ("reply", "answer"),
    [
        (f"<think>{LONG}", None),
        (f"[THINK]{LONG}", None),
        (f"<mm:reasoning>{LONG}</mm:reasoning>The answer is (B).", "B"),
        (f"{LONG}</think>The answer is (B).", "B"),
        (f"<think>{LONG}</think>The answer is (B).", "B"),
        (f"<think>{LONG}</think>{'It grows. ' * 5000}The answer is (B).", "B"),
        (f"{'这是旋转。' * 9000}The answer is (C).", "C"),
        ("\U0001f600" * 40_000 + " The answer is (C).", "C"),
    ],
    ids=[
        "unclosed",
        "unclosed in brackets",
        "another tag",
        "not opened",
        "closed",
        "long answer",
        "three bytes",
        "four bytes",
    ],
)
def test_a_reply_that_is_too_long_is_read_as_the_whole_one_and_says_what_it_lacks(
    reply: str, answer: str | None
) -> None:
    fitted = fit_reply(reply)
    assert fitted.is_altered
    assert len(fitted.text.encode()) <= LARGEST_REPLY
    assert "characters left out" in fitted.text[:60]
    assert extract_choice(fitted.text, LABELS).answer == extract_choice(reply, LABELS).answer == answer


def test_what_can_not_be_stored_is_replaced_and_a_reply_that_fits_stays() -> None:
    assert fit_reply("so \0(B)\ud800") == ("so \ufffd(B)\ufffd", True)
    whole = "é" * (LARGEST_REPLY // 2)
    assert fit_reply(whole) == (whole, False)
