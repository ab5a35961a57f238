"""Every detail that may be asked is answered by whoever reads the choices' descriptions, and not without them."""

import pytest

from generator_service.benchmarks.marvel.describing import panel_words
from generator_service.benchmarks.marvel.detail_solver import CannotTellError, choose_answer
from generator_service.benchmarks.marvel.details import fine_question
from generator_service.benchmarks.marvel.pictures import labels_of
from generator_service.benchmarks.marvel.spec import FINE_KINDS, PLAIN, VARIANTS, Puzzle
from tests.benchmarks.marvel.items import puzzles
from tetrad.streams import Stream

EACH = 12


def described(one: Puzzle, variant: str) -> dict[str, str]:
    return {label: panel_words(one, panel) for label, panel in zip(labels_of(variant), one.choices, strict=True)}


@pytest.mark.parametrize("variant", VARIANTS)
def test_descriptions_answer_every_detail(variant: str) -> None:
    kinds = set()
    for one in puzzles(EACH):
        for number in range(4):
            fine = fine_question(one, variant, Stream("tests/marvel/detail", one.look.seed, number))
            assert choose_answer(fine.text, fine.answers, described(one, variant)) == fine.answers[fine.right]
            kinds.add(fine.kind)
    assert kinds == set(FINE_KINDS)


def test_without_descriptions_nothing_is_told() -> None:
    guessed = 0
    asked = [(one, fine_question(one, PLAIN, Stream("tests/marvel/blind", one.look.seed))) for one in puzzles(EACH)]
    for one, fine in asked:
        nothing = dict.fromkeys(described(one, PLAIN), "")
        try:
            guessed += choose_answer(fine.text, fine.answers, nothing) == fine.answers[fine.right]
        except (CannotTellError, ValueError, IndexError):
            continue
    assert guessed < 0.2 * len(asked), "only what is missing from an empty description is told by it"
