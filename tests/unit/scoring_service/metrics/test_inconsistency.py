import pytest

from scoring_service.metrics.inconsistency import inconsistency
from scoring_service.metrics.scored_questions import ScoredQuestions
from tests.unit.scoring_service.metrics.judged import mark
from tetrad.contracts.metrics import Inconsistency

ALL = Inconsistency(name="inconsistency", help="", by=("domain",))


def chosen(item: int, *choices: str, kind: str = "which", cluster: str = "") -> list:  # type: ignore[type-arg]
    return [mark(item, choice=choice, kind=kind, cluster=cluster) for choice in choices]


def test_it_is_the_share_of_repeats_off_the_modal_choice() -> None:
    value = inconsistency(ALL, ScoredQuestions.of([*chosen(0, "red", "red", "blue"), *chosen(1, "red", "red", "red")]))[
        0
    ]
    assert value.value == pytest.approx(1 / 6)  # (1/3 + 0) / 2
    assert (value.items, value.questions) == (2, 6)
    assert value.interval is not None
    assert value.interval.method == "cluster-wilson"


def test_what_was_not_read_is_not_compared() -> None:
    value = inconsistency(
        ALL, ScoredQuestions.of([*chosen(0, "red", "red"), mark(0, verdict=None), mark(1, verdict=None), mark(1)])
    )[0]
    assert (value.value, value.items, value.questions) == (0.0, 1, 2)


def test_a_question_asked_once_tells_nothing() -> None:
    value = inconsistency(ALL, ScoredQuestions.of(chosen(0, "red")))[0]
    assert (value.value, value.items) == (None, 0)


def test_questions_of_different_kinds_are_compared_each_with_its_own() -> None:
    value = inconsistency(ALL, ScoredQuestions.of([*chosen(0, "red", "red"), *chosen(0, "up", "down", kind="what")]))[0]
    assert (value.value, value.items) == (0.25, 1)  # (0 + 1/2) / 2 in the one cluster


def test_no_chance_level_is_claimed() -> None:
    assert inconsistency(ALL, ScoredQuestions.of(chosen(0, "red", "red")))[0].uniform_chance is None
