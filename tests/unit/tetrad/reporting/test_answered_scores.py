from generator_service.benchmarks.kiva import BENCHMARK
from tetrad.reporting.item_scores import AnsweredQuestion, answered_scores, headline_accuracy


def question(item: int, verdict: str, stage: str = "extrapolation", change: str = "yes") -> AnsweredQuestion:
    return AnsweredQuestion(item=item, verdict=verdict, facets={"stage": stage, "change": change}, outcome={})


def test_an_item_s_score_is_the_mean_over_the_questions_of_the_headline() -> None:
    metric = headline_accuracy(BENCHMARK.card)
    assert metric is not None
    scores = answered_scores(
        metric,
        [
            question(0, "correct"),
            question(0, "incorrect"),
            question(1, "unread"),
            question(1, "correct", stage="classification"),
            question(2, "correct", change="no"),
        ],
    )
    assert scores == {0: 0.5, 1: 0.0}
