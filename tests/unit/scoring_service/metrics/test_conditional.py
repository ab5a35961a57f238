from scoring_service.metrics.conditional import conditional_accuracy
from scoring_service.metrics.scored_questions import ScoredQuestions
from tests.unit.scoring_service.metrics.judged import mark
from tetrad.contracts.metrics import ConditionalAccuracy

WHERE: dict[str, tuple[str, ...]] = {"question": ("which",)}
GIVEN: dict[str, tuple[str, ...]] = {"question": ("what", "how")}
AFTER_RIGHT = ConditionalAccuracy(name="after-right", help="", where=WHERE, given=GIVEN)
AFTER_WRONG = ConditionalAccuracy(name="after-wrong", help="", where=WHERE, given=GIVEN, given_correct=False)

MARKS = [
    *(mark(0, kind="what"), mark(0, kind="how"), mark(0)),  # both right, then right
    *(mark(1, kind="what"), mark(1, verdict=False, kind="how"), mark(1)),  # the second wrong, then right
    *(mark(2, verdict=None, kind="what"), mark(2, verdict=False)),  # unread, then wrong
    mark(3),  # never asked a given question
]


def test_after_right_takes_the_items_whose_given_questions_were_all_right() -> None:
    (value,) = conditional_accuracy(AFTER_RIGHT, ScoredQuestions.of(MARKS))
    assert (value.value, value.items) == (1.0, 1)


def test_after_wrong_takes_those_with_a_wrong_or_an_unread_one() -> None:
    (value,) = conditional_accuracy(AFTER_WRONG, ScoredQuestions.of(MARKS))
    assert (value.value, value.items) == (0.5, 2)


def test_items_never_asked_a_given_question_are_in_neither() -> None:
    assert (
        sum(conditional_accuracy(metric, ScoredQuestions.of(MARKS))[0].items for metric in (AFTER_RIGHT, AFTER_WRONG))
        == 3
    )


def test_an_item_that_went_no_further_has_nothing_to_count() -> None:
    (value,) = conditional_accuracy(AFTER_RIGHT, ScoredQuestions.of([mark(0, kind="what")]))
    assert (value.value, value.items) == (None, 0)


def test_within_a_repeat_each_repeat_goes_its_own_way() -> None:
    metric = ConditionalAccuracy(name="", help="", where=WHERE, given=GIVEN, within=("repeat",))
    scored = [
        *(mark(0, kind="what", repeat="1"), mark(0, repeat="1")),  # right, then right
        *(mark(0, verdict=False, kind="what", repeat="2"), mark(0, verdict=False, repeat="2")),
    ]
    assert conditional_accuracy(metric, ScoredQuestions.of(scored))[0].value == 1.0
    assert conditional_accuracy(AFTER_RIGHT, ScoredQuestions.of(scored))[0].value is None
