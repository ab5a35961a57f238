"""Lists of options, the verdicts on each, and conclusions that name an option without the word "answer"."""

import pytest

from tests.unit.tetrad.extraction.replies import LETTERS
from tetrad.extraction import extract_choice

DIGITS = ("1", "2", "3", "4")
LISTS: list[tuple[str, str | None]] = [
    ("(A) flips; (B) grows; (C) turns. Only C fits.", "C"),
    ("A flips, B grows, C turns. Only C matches the example.", "C"),
    ("(A) is a flip, (B) is a resize", None),
    ("A is a flip, B is a resize.", None),
    ("(A) flips and (B) grows.", None),
    ("(A) flips, while (B) grows.", None),
    ("A: flip; B: resize; C: turn", None),
    ("A - flip, B - resize, C - turn", None),
    ("A = flip, B = resize", None),
    ("1. flip\n2. grow\n3. turn", None),
    ("(1) flip / (2) grow / (3) turn", None),
    ("A x / B ok / C x", "B"),
    ("A: x, B: ok, C: x", "B"),
    ("A ✗ B ✓ C ✗ D ✗", "B"),
    ("A: nein, B: ja, C: nein", "B"),
    ("A: falsch\nB: richtig\nC: falsch", "B"),
    ("A: non, B: oui, C: non", "B"),
    ("A : faux, B : vrai, C : faux", "B"),
    ("A: no\nB: sí\nC: no", "B"),
    ("A: incorrecto, B: correcto, C: incorrecto", "B"),
    ("A: não, B: sim, C: não", "B"),
    ("A: errado, B: certo, C: errado", "B"),
    ("A: no, B: sì, C: no", "B"),
    ("A: sbagliato, B: giusto, C: sbagliato", "B"),
    ("A: нет, B: да, C: нет", "B"),
    ("A: неверно, B: верно, C: неверно", "B"),
    ("A\uff1a错\uff0cB\uff1a对\uff0cC\uff1a错", "B"),
    ("A\uff1a不是\uff0cB\uff1a是\uff0cC\uff1a不是", "B"),
    ("A\uff1aいいえ、B\uff1aはい、C\uff1aいいえ", "B"),
    ("A: 아니요, B: 예, C: 아니요", "B"),
    ("A: ja, B: ja, C: nein", None),
    ("A: falsch, B: falsch, C: falsch", None),
    ("A\uff1a对\uff0cB\uff1a对\uff0cC\uff1a错", None),
    ("A: ✗\nB: ✓\nC: ✗\nD: ✗", "B"),
    ("(A) ❌ (B) ✅ (C) ❌", "B"),
    ("A ❌\nB ✅\nC ❌", "B"),
    ("| A | no |\n| B | yes |\n| C | no |", "B"),
    ("- **A**: No\n- **B**: Yes\n- **C**: No", "B"),
    ("A) no\nB) yes\nC) no", "B"),
    ("(A) yes, (B) no, (C) no", "A"),
    ("A: yes, B: maybe, C: no", None),
    ('{"A": false, "B": true}', "B"),
    ('{"A": true, "B": true}', None),
    ('{"A": "no", "B": "yes"}', "B"),
    ('{"A": 0, "B": 1}', None),
    ('{"A": 0.7, "B": 0.3}', None),
    ("A: 70%, B: 30%", None),
    ("A 0.1 B 0.9", None),
    ("A: 3/10\nB: 9/10", None),
    ("Option A: incorrect\nOption B: incorrect\nOption C: correct", "C"),
    ("A is wrong, B is right, C is wrong", "B"),
    ("(A) does not match, (B) matches, (C) does not match", "B"),
    ("(A) doesn't fit. (B) fits. (C) doesn't fit.", "B"),
    ("A: no, it is mirrored\nB: yes, it turns alike\nC: no, it grows", "B"),
    ("Mirrored:\nA: yes\nB: no", None),
    ("Does the size change? (A) yes, (B) no, (C) yes", None),
    ("Which one matches?\nA: no\nB: yes", None),
    ("A: no change, B: yes", None),
    ("(1) no (2) yes (3) no", "2"),
    ("If only (C) fits, it is a turn.", None),
    ("(A) flips, (B) grows. Only (C) doesn't fit.", None),
    ("(1) grows (2) shrinks. Answer (3)", "3"),
    ("(A) grows (B) shrinks (C) turns", None),
    ("(A), unlike (B), turns.", "A"),
    ("(A) turns like (B).", "A"),
    ("(A) The picture turned, and (B) and (C) did not.", "A"),
    ("A, B, C", None),
    ("(A) (B) (C)", None),
    ("A) flips B) grows C) turns", None),
    ("Only A fits.", "A"),
    ("Only option B matches the rule.", "B"),
    ("Only (A) and (B) fit.", None),
    ("a) no b) yes c) no", "B"),
    ("A: No.\nB: No.\nC: Yes.\nD: No.", "C"),
    ("A:no;B:yes;C:no", "B"),
    ("(A) doesn't match, (B) doesn't match, (C) matches, (D) doesn't match", "C"),
    ("A: no\nB: yes\n\nActually, both fit.", None),
    ("A: 10%\nB: 80%\nC: 10%", None),
    ("{'A': 'flip', 'B': 'turn'}", None),
    ('{"A": {"match": false}, "B": {"match": true}}', None),
]
CONCLUSIONS: list[tuple[str, str | None]] = [
    ("(B) The object turns. Therefore, the transformation in (C) matches that of the top pair.", "C"),
    ("(B)\nThus, the transformation (a turn by 90 degrees) in (C) matches the one on top.", "C"),
    ("(B)\nHence the change in (C), which turns the object, is the same as the one above.", "C"),
    ("(B)\nSo (C), where the object turns, matches the top pair.", "C"),
    ("(B)\nTherefore, the pair that shows a turn, (C), follows the same rule as the example.", "C"),
    ("(B)\nIn conclusion, the picture in (C) undergoes the same transformation as the top picture.", "C"),
    ("(B)\nTherefore, the transformation in (C) does not match that of the top pair.", "B"),
    ("(B)\nTherefore, neither (A) nor (C) matches the top pair.", "B"),
    ("(B)\nThe transformation in (C) is the same as that of the top pair, but the size differs.", "B"),
    ("(B)\nTherefore, the transformation in (C) is the opposite of that of the top pair.", "B"),
    ("The top turns. Therefore, the transformation in (C) matches that of the top pair. (A) grows.", "C"),
    ("(A) grows. (B) shrinks. (C) turns. Thus the change in (C) is consistent with the top.", "C"),
    ("(A) grows. (B) shrinks. Thus the change in (A) and (B) is consistent with the top.", None),
    ("(B)\nTherefore, (C) and (D) match the top pair.", "B"),
    ("(B)\nThis means the transformation shown in (C) corresponds to the given one.", "C"),
    ("(B)\n\nTherefore, the transformation in (B) matches that of the top pair.", "B"),
    ("Therefore, the change in (C) matches the top pair. Wait, that's wrong.", None),
]


@pytest.mark.parametrize("forms", [LISTS, CONCLUSIONS], ids=["lists", "conclusions"])
def test_a_list_is_read_by_its_verdicts_and_its_conclusion(forms: list[tuple[str, str | None]]) -> None:
    read = {
        reply: extract_choice(reply, DIGITS if reply.lstrip("(")[0].isdigit() else LETTERS).answer for reply, _ in forms
    }
    assert read == dict(forms)


@pytest.mark.parametrize(
    "reply",
    [
        "Let us check (B) first.",
        "Let me look at option B.",
        "We should consider (B) next.",
        "What about (B)?",
        "Could it be (B) that turns?",
        "Let's start with option B. The object turns by 90 degrees",
        "The example turns. Pair (B) shows",
        "The example turns. In (B) the",
    ],
)
def test_an_option_that_is_only_to_be_looked_at_is_no_answer(reply: str) -> None:
    assert extract_choice(reply, LETTERS).answer is None
