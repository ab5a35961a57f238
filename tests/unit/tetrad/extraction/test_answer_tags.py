"""What a reply puts into tags named for the answer is its answer, whatever the name and the brackets."""

import pytest

from tests.unit.tetrad.extraction.replies import LETTERS
from tetrad.extraction import extract_choice
from tetrad.extraction.number import extract_number

NAMES = "answer final conclusion solution output result verdict decision final_answer prediction choice caption label"
STYLES = (
    ("<{}>", "</{}>"),
    ("<{}>\n", "\n</{}>"),
    ("[{}]", "[/{}]"),
    ("&lt;{}&gt;", "&lt;/{}&gt;"),
    ("<|begin_of_{}|>", "<|end_of_{}|>"),
    ("<|{}_start|>", "<|{}_end|>"),
    ("<|START_{}|>", "<|END_{}|>"),
)
FORMS = (
    ("{opens}B{closes}", "B"),
    ("{opens}(B){closes}<|im_end|>", "B"),
    ("<reasoning>The answer is A.</reasoning>{opens}B{closes}", "B"),
    ("Compare (A) and (C).\n{opens}B{closes}", "B"),
    ("{opens}The correct option is (B), since (A) is mirrored.{closes}", "B"),
    ("{opens}B", "B"),
    ("{opens}B{closes}\nBecause (A) is mirrored and (C) grows.", "B"),
    ("{opens}A{closes}\nWait, that's wrong.\n{opens}B{closes}", "B"),
    ("{opens}B{closes}{opens}B{closes}", "B"),
    ("{opens}A{closes}{opens}B{closes}", None),
    ("{opens}A{closes} or {opens}B{closes}, I am unsure.", None),
    ("{opens}A or B{closes}", None),
    ("{opens}(A) is wrong.{closes}", None),
    ("{opens}{closes}", None),
)


@pytest.mark.parametrize(("form", "answer"), FORMS)
def test_the_answer_is_inside(form: str, answer: str | None) -> None:
    replies = [
        form.format(opens=opens.format(change(name)), closes=closes.format(change(name)))
        for name in NAMES.split()
        for opens, closes in STYLES
        for change in (str, str.upper)
    ]
    assert [(reply, read) for reply in replies if (read := extract_choice(reply, LETTERS).answer) != answer] == []


@pytest.mark.parametrize(
    ("reply", "answer"),
    [
        ("I put my answer in <answer> tags. The answer is B.", "B"),
        ("The answer is (B). I put it in <answer> tags.", "B"),
        ("I am to give <answer>B</answer>. The answer is (C).", "C"),
        ("<response>(A) grows. <answer>B</answer></response>", "B"),
    ],
)
def test_tags_that_are_only_named_hold_nothing(reply: str, answer: str) -> None:
    assert extract_choice(reply, LETTERS).answer == answer


def test_numbers_are_read_inside_too() -> None:
    assert extract_number("There are 3 rows of 3.\n<CONCLUSION>9</CONCLUSION>", 99).answer == "9"
    assert extract_number("<result>9</result> in 3 rows of 3", 99).answer == "9"
