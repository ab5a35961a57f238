"""Who answers MARVEL: the rule solver on rebuilt scenes, and those that guess or see less."""

from generator_service.benchmarks.marvel.question import COARSE_KINDS
from generator_service.benchmarks.marvel.spec import (
    CELLS,
    CHOICES,
    DESCRIBED,
    FULL,
    LENGTHS,
    SEQUENCE,
    SETTINGS,
    Puzzle,
    panels_in_context,
)
from tests.proof.cases import Case
from tests.shown.declared import always_one_place, guessing, partial_sight, surely
from tests.shown.holding import AT_MOST
from tests.shown.models import SECRET, WORDS, Model
from tests.shown.rebuilding import blind, first_option, independent
from tetrad.contracts.items import DrawIdentity


def _usual_length() -> int:
    patterns = [pattern for pattern, configuration in CELLS if configuration == SEQUENCE]
    shares = {
        length: sum((length in LENGTHS[pattern]) / len(LENGTHS[pattern]) for pattern in patterns)
        for length in range(4, 9)
    }
    return max(shares, key=shares.__getitem__)


USUAL_LENGTH = _usual_length()


def _usual_counts(case: Case, _: DrawIdentity) -> str:
    """Give the configuration's most frequent counts."""
    puzzle: Puzzle = case.scene.puzzle
    context = USUAL_LENGTH if puzzle.configuration == SEQUENCE else panels_in_context(puzzle)
    counts = dict(zip(COARSE_KINDS, (context, CHOICES, context + CHOICES), strict=True))
    asked = case.keyed.question.kind
    return str(counts[asked]) if asked in counts else first_option(case.keyed.question)


MODELS = (
    Model(name="independent solver", sees=SECRET, reply=independent("marvel"), declared=surely(1), ways=SETTINGS),
    Model(name="panel-texts", sees=WORDS, solver="panel-texts", declared=surely(1), settings=(DESCRIBED,)),
    Model(name="random", sees=WORDS, solver="random", declared=guessing),
    Model(name="constant", sees=WORDS, solver="constant", declared=always_one_place),
    Model(name="text-only", sees=WORDS, solver="text-only", declared=always_one_place),
    Model(
        name="options-only",
        sees=SECRET,
        reply=blind("marvel", "options-only"),
        declared=partial_sight("options-only", AT_MOST),
    ),
    Model(
        name="constant-counts",
        sees="the configuration",
        reply=_usual_counts,
        declared=partial_sight("constant-counts"),
        whole=True,
        settings=(FULL,),
    ),
)
