"""The described setting: a solver that reads nothing but the words solves every puzzle."""

import pytest

from generator_service.benchmarks.marvel import BENCHMARK
from generator_service.benchmarks.marvel.spec import VARIANTS
from tests.benchmarks.marvel.items import scenes
from tetrad.contracts.inference import Message
from tetrad.contracts.items import KeyedQuestion
from tetrad.extraction.answers import extract_answer
from tetrad.extraction.judging import judge_answer
from tetrad.prompting import Wording, find_strategy
from tetrad.solvers import open_solver
from tetrad.solvers.marvel import NOTHING_DESCRIBED

SOLVER = open_solver("panel-texts")
UNSEEN = b"no picture: the solver never looks"


def is_solved(keyed: KeyedQuestion) -> bool:
    question = keyed.question
    shown = {picture.name: UNSEEN for picture in question.pictures}
    reply = SOLVER.reply(find_strategy("direct").messages(question, shown, Wording()))
    return judge_answer(keyed.key, extract_answer(question.shape, None, reply).answer).verdict == "correct"


@pytest.mark.parametrize(("variant", "each"), [(VARIANTS[0], 16), *((variant, 4) for variant in VARIANTS[1:])])
def test_the_words_of_the_described_setting_suffice_in_every_cell(variant: str, each: int) -> None:
    missed = [
        (scene.puzzle.family, scene.puzzle.configuration, scene.puzzle.look.shape)
        for scene in scenes("described", {"variant": variant}, each)
        for keyed in BENCHMARK.questions(scene)
        if not is_solved(keyed)
    ]
    assert missed == []


def test_without_descriptions_the_solver_says_that_it_sees_none() -> None:
    [scene, *_] = scenes("avr-only", {})
    [keyed] = BENCHMARK.questions(scene)
    assert SOLVER.reply([Message(role="user", content=keyed.question.text)]) == NOTHING_DESCRIBED
    strange = "Context panel 1: A cow.\nContext panel 2: A cow.\nChoice 1: A cow.\nChoice 2: A horse."
    assert SOLVER.reply([Message(role="user", content=strange)]) == NOTHING_DESCRIBED
