"""Options that a reply names by a number, a word, a place, or in a last line of a language of which little is read."""

import pytest

from tests.unit.tetrad.extraction.replies import LETTERS
from tetrad.extraction import extract_choice
from tetrad.extraction.answer_lines import ANSWER_WORDS
from tetrad.extraction.number import extract_number

DIGITS = ("1", "2", "3", "4")
NAMED: list[tuple[str, tuple[str, ...], str | None]] = [
    ("3 is the answer", DIGITS, "3"),
    ("3 is the answer.", DIGITS, "3"),
    ("3 is correct.", DIGITS, "3"),
    ("I think 3 is the best choice.", DIGITS, "3"),
    ("3 is larger than 2.", DIGITS, None),
    ("If 3 is the answer, it turns.", DIGITS, None),
    ("The answer is 4 (see panels 1 and 2).", DIGITS, "4"),
    ("Answer: 3 (of 4)", DIGITS, "3"),
    ("3 (of 4)", DIGITS, "3"),
    ("Choice 3 (the star)", DIGITS, "3"),
    ("The answer is 3 or 4 (see panel 1).", DIGITS, None),
    ("The answer is three.", DIGITS, "3"),
    ("three.", DIGITS, "3"),
    ("Option three", DIGITS, "3"),
    ("I choose option two.", DIGITS, "2"),
    ("The answer is not three.", DIGITS, None),
    ("The answer is three or four.", DIGITS, None),
    ("Answer: three", DIGITS, "3"),
    ("Answer: three stars", DIGITS, None),
    ("The third option.", DIGITS, "3"),
    ("I choose the second option.", DIGITS, "2"),
    ("The answer is the third choice.", DIGITS, "3"),
    ("The fourth option is correct.", DIGITS, "4"),
    ("the third choice", LETTERS, "C"),
    ("The fifth option", DIGITS, None),
    ("the third row", DIGITS, None),
    ("the first or the second choice", DIGITS, None),
    ('{"answer": 3.0}', DIGITS, "3"),
    ('{"answer": 3.5}', DIGITS, None),
    ("Answer: 3.0", DIGITS, "3"),
    ('{"1": 1.0, "2": 0.0}', DIGITS, None),
    ("C (pink)", LETTERS, "C"),
    ("**C (pink)**", LETTERS, "C"),
    ("(C) (pink)", LETTERS, "C"),
    ("C (pink).", LETTERS, "C"),
    ("Option C (pink)", LETTERS, "C"),
    ("C (or B)", LETTERS, None),
    ("A (pink) hat", LETTERS, None),
    ("A (pink)\nB (blue)\nC (red)", LETTERS, None),
    ("It turns.\n\nC (pink)", LETTERS, "C"),
    ("B (blue), C (red)", LETTERS, None),
    ("3번", DIGITS, "3"),
    ("3번입니다.", DIGITS, "3"),
    ("第3个", DIGITS, "3"),
    ("第3个选项", DIGITS, "3"),
    ("3番です。", DIGITS, "3"),
    ("Cです。", LETTERS, "C"),
    ("C입니다", LETTERS, "C"),
    ("选项C", LETTERS, "C"),
    ("選択肢C", LETTERS, "C"),
    ("Cではありません。", LETTERS, None),
    ("C吗\uff1f", LETTERS, None),
    ("Cですか\uff1f", LETTERS, None),
    ("C가 아닙니다", LETTERS, None),
    ("不是C", LETTERS, None),
    ("CかD", LETTERS, None),
    ("3번이 아닙니다", DIGITS, None),
    ("Svar: B", LETTERS, "B"),
    ("**Svar:** (B)", LETTERS, "B"),
    ("Kissan kääntyy.\nVastaus: B", LETTERS, "B"),
    ("Fel svar: B", LETTERS, None),
    ("Svar: inte B", LETTERS, None),
    ("Svar: B eller C", LETTERS, None),
    ("Svar: B?", LETTERS, None),
    ("Svar: B\nNej, C", LETTERS, None),
    ("Svar: B om den är spegelvänd", LETTERS, None),
    ("الإجابة: B", LETTERS, "B"),
    ("الإجابة ليست: B", LETTERS, None),
    ("उत्तर: B", LETTERS, "B"),
    ("Đáp án: B", LETTERS, "B"),
    ("Jawaban: B.", LETTERS, "B"),
    ("คำตอบ: B", LETTERS, "B"),
    ("Odpowiedź: 3", DIGITS, "3"),
    ("Bukan jawaban: B", LETTERS, None),
    ("Svar: B. Svar: C", LETTERS, None),
    ("Svar: C\nFel svar: B", LETTERS, None),
    ("\u9009\u7b2c3\u4e2a", DIGITS, "3"),
    ("\u7b54\u6848\u662f\u7b2c3\u4e2a\u3002", DIGITS, "3"),
    ("\uc815\ub2f5\uc740 3\ubc88\uc785\ub2c8\ub2e4.", DIGITS, "3"),
    ("\u7b54\u3048\u306f3\u756a\u3067\u3059\u3002", DIGITS, "3"),
    ("the 3rd option", DIGITS, "3"),
    ("three is the answer", DIGITS, "3"),
    ("Three is too many.", DIGITS, None),
]


LINES = {
    "{}: B": "B",
    "Thus.\n\n**{}:** (B).": "B",
    "xyz {}: B": None,
    "{} xyz: B": None,
    "{}: xyz B": None,
    "{}: B xyz": None,
    "{}: B xyz C": None,
    "{}: B?": None,
    "{}: B, C": None,
    "{}: B\nxyz: C": None,
    "{}: B\nXyz.": None,
}
"""Whatever word denies, doubts or corrects an answer stands where xyz does."""


@pytest.mark.parametrize("labels", [LETTERS, DIGITS], ids=["letters", "numbers"])
def test_an_option_is_read_however_it_is_named(labels: tuple[str, ...]) -> None:
    forms = {reply: answer for reply, offered, answer in NAMED if offered is labels}
    assert {reply: extract_choice(reply, labels).answer for reply in forms} == forms


def test_a_last_line_with_the_word_for_an_answer_is_read_only_if_nothing_else_stands_in_it() -> None:
    words = [word for words in ANSWER_WORDS.values() for word in words]
    read = {form: [extract_choice(form.format(word), LETTERS).answer for word in words] for form in LINES}
    assert read == {form: [answer] * len(words) for form, answer in LINES.items()}
    assert [extract_number(f"{word.capitalize()}: 9", 99).answer for word in words] == ["9"] * len(words)
