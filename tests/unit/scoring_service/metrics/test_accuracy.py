import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from scoring_service.metrics.accuracy import accuracy
from scoring_service.metrics.scored_questions import ScoredQuestion, ScoredQuestions
from tests.unit.scoring_service.metrics.judged import mark
from tetrad.contracts.benchmarks import ChanceLevel
from tetrad.contracts.metrics import Accuracy

LEVELS = [
    ChanceLevel(where={"options": ("4",)}, uniform=0.25, stated=0.33, source="paper"),
    ChanceLevel(where={"options": ("2",)}, uniform=0.5, stated=0.5, source="paper"),
]
ALL = Accuracy(name="all", help="")


def test_independent_questions_get_their_share_and_wilsons_interval() -> None:
    (value,) = accuracy(ALL, ScoredQuestions.of([mark(0), mark(1), mark(2), mark(3, verdict=False)]))
    assert (value.value, value.total, value.items, value.questions) == (0.75, 3.0, 4, 4)
    # s.e. = sqrt(((1/4)^2 * 3 + (3/4)^2) / 3 / 4) = sqrt(0.75 / 12) = 0.25
    assert value.standard_error == pytest.approx(0.25)
    assert value.interval is not None
    # Wilson, z = 1.959964: centre (0.75 + 3.841459/8) / (1 + 3.841459/4) = 0.627522,
    # reach 1.959964 * sqrt(0.1875/4 + 3.841459/64) / 1.960365 = 0.326879
    assert (value.interval.lower, value.interval.upper) == pytest.approx((0.300642, 0.954413), abs=1e-5)
    assert value.interval.method == "wilson"


def test_repeats_average_within_their_trial_first() -> None:
    first = [mark(0), mark(0), mark(0), mark(0, verdict=False)]  # 3/4
    second = [mark(1, verdict=False)]  # 0
    (value,) = accuracy(ALL, ScoredQuestions.of(first + second))
    assert (value.value, value.total, value.items, value.questions) == (0.375, 0.75, 2, 5)  # not 3/5
    assert value.standard_error == pytest.approx(0.375)  # sqrt(2 * 0.375^2 / 1 / 2)
    assert value.interval is not None
    assert value.interval.method == "cluster-wilson"


def test_items_of_one_cluster_count_once() -> None:
    (value,) = accuracy(
        ALL, ScoredQuestions.of([mark(0, cluster="mug"), mark(1, verdict=False, cluster="mug"), mark(2, cluster="key")])
    )
    assert (value.value, value.items) == (0.75, 2)


def test_unread_and_missing_count_as_wrong() -> None:
    (value,) = accuracy(ALL, ScoredQuestions.of([mark(0), mark(1, verdict=None)]))
    assert value.value == 0.5


def test_only_the_selected_questions_count() -> None:
    metric = Accuracy(name="a", help="", where={"question": ("which",), "change": ("yes", "maybe")})
    scored = [mark(0, change="yes"), mark(1, verdict=False, change="no"), mark(2, verdict=False), mark(3, kind="what")]
    assert accuracy(metric, ScoredQuestions.of(scored))[0].questions == 1


def test_groups_follow_the_overall_value_in_order_and_skip_what_lacks_the_facet() -> None:
    metric = Accuracy(name="a", help="", by=("domain", "size"))
    scored = [mark(0, domain="b", size="1"), mark(1, verdict=False, domain="a", size="1"), mark(2, domain="a")]
    values = accuracy(metric, ScoredQuestions.of(scored))
    assert [value.facets for value in values] == [{}, {"domain": "a", "size": "1"}, {"domain": "b", "size": "1"}]
    assert [value.value for value in values] == [pytest.approx(2 / 3), 0.0, 1.0]


def test_where_nothing_was_asked_there_is_no_value() -> None:
    (value,) = accuracy(Accuracy(name="a", help="", where={"x": ("y",)}), ScoredQuestions.of([mark(0)]))
    assert (value.value, value.interval, value.standard_error, value.items, value.total) == (None, None, None, 0, 0.0)
    assert (value.uniform_chance, value.stated_chance) == (None, None)


def test_chance_is_averaged_as_the_value_is() -> None:
    scored = [mark(0, options="4"), mark(0, options="2"), mark(1, options="2")]
    (value,) = accuracy(ALL, ScoredQuestions.of(scored, LEVELS))
    assert value.uniform_chance == pytest.approx((0.375 + 0.5) / 2)
    assert value.stated_chance == pytest.approx((0.415 + 0.5) / 2)


def test_a_question_without_a_chance_level_leaves_the_group_without() -> None:
    (value,) = accuracy(ALL, ScoredQuestions.of([mark(0, options="4"), mark(1)], LEVELS))
    assert value.uniform_chance is None


@given(st.lists(st.tuples(st.integers(0, 5), st.booleans()), min_size=1, max_size=40), st.randoms())
def test_a_value_is_a_share_inside_its_interval_whatever_the_order(rows, random) -> None:  # type: ignore[no-untyped-def] # noqa: ANN001
    scored = [mark(item, verdict=verdict) for item, verdict in rows]
    (value,) = accuracy(ALL, ScoredQuestions.of(scored))
    assert value.value is not None
    assert value.interval is not None
    assert 0 <= value.interval.lower <= value.value + 1e-9 <= value.interval.upper + 2e-9
    assert value.value == pytest.approx(value.total / value.items)
    random.shuffle(scored)
    assert accuracy(ALL, ScoredQuestions.of(scored))[0].value == pytest.approx(value.value)


def judged(item: int, verdict: bool | None = True, **outcome: str) -> ScoredQuestion:  # noqa: FBT001, FBT002 - as `mark`
    return replace(mark(item, verdict), outcome=outcome)


JUDGE = Accuracy(name="judge", help="", by=("question",), rule="judge", optional=True)


def test_a_verdict_that_nobody_gave_has_no_value_instead_of_nought() -> None:
    values = accuracy(JUDGE, ScoredQuestions.of([judged(0), judged(1, verdict=False), judged(2, verdict=None)]))
    assert [(value.value, value.items) for value in values] == [(None, 0)]


def test_where_there_is_a_judge_what_it_did_not_judge_is_left_out_and_what_is_missing_is_wrong() -> None:
    scored = [
        judged(0, judge="correct"),
        judged(1, verdict=False, judge="correct"),
        judged(2, judge="incorrect"),
        judged(3, judge="unread"),  # the judge's own reply made no sense
        judged(4),  # an answer in short, of which a judge is not asked
        judged(5, verdict=None),  # nothing came
    ]
    assert accuracy(JUDGE, ScoredQuestions.of(scored))[0].value == 2 / 4


def test_a_rule_of_the_reader_counts_what_is_unread_as_wrong() -> None:
    lenient = Accuracy(name="lenient", help="", rule="lenient")
    assert (
        accuracy(lenient, ScoredQuestions.of([judged(0, lenient="correct"), judged(1, verdict=None)]))[0].value == 0.5
    )
    assert accuracy(lenient, ScoredQuestions.of([judged(0, verdict=None)]))[0].value == 0
