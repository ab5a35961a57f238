import msgspec
import pytest

from generator_service.benchmarks.kiva import BENCHMARK
from tetrad.reporting.item_scores import AnsweredQuestion, NoItemScoresError, item_scores, shared_scores

CARD = BENCHMARK.card


def question(item: int, verdict: str, stage: str = "extrapolation", change: str = "yes") -> AnsweredQuestion:
    return AnsweredQuestion(item=item, verdict=verdict, facets={"stage": stage, "change": change}, outcome={})


def test_an_item_s_score_is_the_mean_over_the_questions_of_the_headline() -> None:
    scores = item_scores(
        CARD,
        [
            question(0, "correct"),
            question(0, "incorrect"),
            question(1, "unread"),
            question(1, "correct", stage="classification"),
            question(2, "correct", change="no"),
        ],
    )
    assert scores == {0: 0.5, 1: 0.0}


def test_items_are_compared_where_both_have_a_score() -> None:
    assert shared_scores({2: 1.0, 0: 0.0, 1: 0.5}, {0: 1.0, 2: 0.0, 5: 1.0}) == ([0, 2], [0.0, 1.0], [1.0, 0.0])


def test_a_headline_that_is_no_accuracy_has_no_item_scores() -> None:
    other = msgspec.structs.replace(
        CARD, headline=msgspec.structs.replace(CARD.headline, metric="extrapolation-after-wrong-words")
    )
    with pytest.raises(NoItemScoresError, match="no accuracy"):
        item_scores(other, [])
