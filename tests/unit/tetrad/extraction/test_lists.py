"""Lists of options, the verdicts on each, and conclusions that name an option without the word "answer"."""

import pytest

from tests.unit.tetrad.extraction.replies import LETTERS
from tetrad.extraction import extract_choice

DIGITS = ("1", "2", "3", "4")
LISTS: list[tuple[str, str | None]] = [
    ("(A) flips, (B) grows, (C) turns. Only (C) fits.", "C"),
    ("(A) flips; (B) grows; (C) turns. Only C fits.", "C"),
    ("A flips, B grows, C turns. Only C matches the example.", "C"),
    ("(A) is a flip, (B) is a resize", None),
    ("(A) is a flip, (B) is a resize, and (C) is a turn.", None),
    ("A is a flip, B is a resize.", None),
    ("(A) flips and (B) grows.", None),
    ("(A) flips, while (B) grows.", None),
    ("A: flip; B: resize; C: turn", None),
    ("A - flip, B - resize, C - turn", None),
    ("A = flip, B = resize", None),
    ("A. flip\nB. resize\nC. turn", None),
    ("1. flip\n2. grow\n3. turn", None),
    ("(1) flip / (2) grow / (3) turn", None),
    ("A x / B ok / C x", "B"),
    ("A: x, B: ok, C: x", "B"),
    ("A ✗ B ✓ C ✗ D ✗", "B"),
    ("A: ✗\nB: ✓\nC: ✗\nD: ✗", "B"),
    ("(A) ❌ (B) ✅ (C) ❌", "B"),
    ("A ❌\nB ✅\nC ❌", "B"),
    ("| A | no |\n| B | yes |\n| C | no |", "B"),
    ("- **A**: No\n- **B**: Yes\n- **C**: No", "B"),
    ("A) no\nB) yes\nC) no", "B"),
    ("(A) no, (B) no, (C) no", None),
    ("(A) yes, (B) yes, (C) no", None),
    ("(A) yes, (B) no, (C) no", "A"),
    ("A: yes, B: maybe, C: no", None),
    ('{"A": false, "B": true}', "B"),
    ('{"A": true, "B": true}', None),
    ('{"A": false, "B": false, "C": true, "D": false}', "C"),
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
    ("Is it mirrored?\nA: yes\nB: no\nC: no", None),
    ("Mirrored:\nA: yes\nB: no", None),
    ("Does the size change? (A) yes, (B) no, (C) yes", None),
    ("Which one matches?\nA: no\nB: yes", None),
    ("A: right, B: left, C: up", None),
    ("A: no change, B: yes", None),
    ("(1) no (2) yes (3) no", "2"),
    ("1: no\n2: yes\n3: no\n4: no", "2"),
    ("(A) no, (B) no, (C) yes. Wait, that's wrong.", None),
    ("(A) flips, (B) grows, (C) turns. Not only (C) fits.", None),
    ("If only (C) fits, it is a turn.", None),
    ("(A) flips, (B) grows. Only (C) doesn't fit.", None),
    ("(A) flips, (B) grows, (C) turns. So the answer is (B).", "B"),
    ("(1) grows (2) shrinks. Answer (3)", "3"),
    ("(1) grows (2) shrinks. The answer (3)", "3"),
    ("(A) grows (B) shrinks (C) turns", None),
    ("(A) since the object in (B) grows.", "A"),
    ("(A), unlike (B), turns.", "A"),
    ("(A) turns like (B).", "A"),
    ("(A) The picture turned, and (B) and (C) did not.", "A"),
    ("(C) flips, (A) grows and (B) turns.", "C"),
    ("A, B, C", None),
    ("(A) (B) (C)", None),
    ("A) flips B) grows C) turns", None),
    ("Only A fits.", "A"),
    ("Only option B matches the rule.", "B"),
    ("Of the four, only (D) shows the same change.", "D"),
    ("Only the transformation in (B) is the same.", "B"),
    ("Only (A) and (B) fit.", None),
    ("Only (B) or (C) fits.", None),
]
CONCLUSIONS: list[tuple[str, str | None]] = [
    ("(B)\n\nThe object on top turns. Therefore, the transformation in (C) matches that of the top pair.", "C"),
    ("(B) The object turns. Therefore, the transformation in (C) matches that of the top pair.", "C"),
    ("(B)\nThus, the transformation (a turn by 90 degrees) in (C) matches the one on top.", "C"),
    ("(B)\nThus, the transformation in (C) (a turn by 90 degrees) is the same as in the example.", "C"),
    ("(B)\nHence the change in (C), which turns the object, is the same as the one above.", "C"),
    ("(B)\nSo (C), where the object turns, matches the top pair.", "C"),
    ("(B)\nTherefore, (C) matches the transformation on the top.", "C"),
    ("(B)\nTherefore, the pair that shows a turn, (C), follows the same rule as the example.", "C"),
    ("(B)\nIn conclusion, the picture in (C) undergoes the same transformation as the top picture.", "C"),
    ("(B)\nTherefore, the transformation in (C) does not match that of the top pair.", "B"),
    ("(B)\nTherefore, the transformation in (C) would match that of the top pair only if it turned.", "B"),
    ("(B)\nTherefore, neither (A) nor (C) matches the top pair.", "B"),
    ("(B)\nTherefore, unlike (A), the transformation in (B) matches that of the top pair.", "B"),
    ("(B)\nThe transformation in (C) is the same as that of the top pair, but the size differs.", "B"),
    ("(B)\nTherefore, the transformation in (C) is the opposite of that of the top pair.", "B"),
    ("The top turns. Therefore, the transformation in (C) matches that of the top pair. (A) grows.", "C"),
    ("(A) grows. (B) shrinks. (C) turns. Thus the change in (C) is consistent with the top.", "C"),
    ("(A) grows. (B) shrinks. Thus the change in (A) and (B) is consistent with the top.", None),
    ("(B)\nTherefore, (C) and (D) match the top pair.", "B"),
    ("(B)\nThis means the transformation shown in (C) corresponds to the given one.", "C"),
    ("(B)\n\nTherefore, the transformation in (B) matches that of the top pair.", "B"),
    ("(B)\nSo, is the transformation in (C) the same as in the top pair?", "B"),
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
