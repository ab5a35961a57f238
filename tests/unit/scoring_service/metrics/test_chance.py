from scoring_service.metrics.chance import UNKNOWN, Levels, level_of
from scoring_service.metrics.scored_questions import scored_question_of
from tests.integration.scoring import toy
from tetrad.contracts.benchmarks import ChanceLevel
from tetrad.contracts.reports import QuestionResult

LEVELS = [
    ChanceLevel(where={"question": ("what",)}, uniform=0.2, stated=0.25, source="paper"),
    ChanceLevel(where={}, uniform=0.5, stated=0.5, source="paper"),
]


def test_the_first_level_that_fits_is_taken() -> None:
    assert level_of({"question": "what"}, LEVELS) == Levels(0.2, 0.25)
    assert level_of({"question": "how"}, LEVELS) == Levels(0.5, 0.5)


def test_facets_of_no_level_have_none() -> None:
    assert level_of({"question": "how"}, LEVELS[:1]) == UNKNOWN


def test_a_mark_takes_its_choice_by_what_the_option_means() -> None:
    keyed = toy.questions_of("0" * 64, 1)[0]
    named = type(keyed)(
        question=keyed.question, key=keyed.key, facets=keyed.facets, cluster="c", option_values={"A": "red"}
    )
    result = QuestionResult(
        item=1, question="what", verdict="correct", answer="A", key="A", reason="", facets=keyed.facets
    )
    mark = scored_question_of(named, result)
    assert (mark.choice, mark.correct, mark.cluster) == ("red", True, "c")
    assert scored_question_of(keyed, result).choice == "A"
