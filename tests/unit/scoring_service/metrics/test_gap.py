"""The gap between two questions of an item, or one question in two settings: paired by item, averaged by cluster."""

import numpy as np
import pytest
from msgspec.structs import replace
from scipy.stats import ttest_rel

from scoring_service.metrics.gap import OneQuestionTwiceError, gap
from scoring_service.metrics.scored_questions import ScoredQuestion, ScoredQuestions
from tests.unit.scoring_service.metrics.judged import mark
from tetrad.contracts.benchmarks import ChanceLevel
from tetrad.contracts.metrics import Gap
from tetrad.contracts.reports import DIFFERENCE

METRIC = Gap(name="gap", help="", where={"question": ("told",)}, less={"question": ("untold",)})


def pair(item: int, told: bool | None, untold: bool | None, **more: str) -> list[ScoredQuestion]:  # noqa: FBT001 - as `mark`
    sides = {"told": told, "untold": untold}
    return [mark(item, verdict, kind=kind, **more) for kind, verdict in sides.items() if verdict is not None]


def test_a_worked_example() -> None:
    """Acc(told) - Acc(untold) of five pairs: 1, 0, 0, -1, 1; the first and the last item were asked one of the two."""
    pairs = [(None, True), (True, False), (True, True), (False, False), (False, True), (True, False), (True, None)]
    (value,) = gap(METRIC, ScoredQuestions.of([one for at, both in enumerate(pairs) for one in pair(at, *both)]))
    assert value.value == pytest.approx(0.2)
    assert (value.total, value.items, value.questions) == (1.0, 5, 10)
    assert (value.unit, value.lowest, value.highest) == (DIFFERENCE, -1.0, 1.0)
    assert value.standard_error == pytest.approx(0.374166, abs=1e-6)  # sqrt(2.8 / 4 / 5)
    assert value.interval is not None
    assert (value.interval.lower, value.interval.upper) == pytest.approx((-0.838850, 1.0), abs=1e-6)
    assert value.interval.method == "cluster-t"


def test_it_is_the_paired_t_test_and_the_sign_turns_with_the_sides() -> None:
    rng = np.random.default_rng(4)
    told = rng.random(120) < 0.7
    untold = np.where(rng.random(120) < 0.6, told, rng.random(120) < 0.4)
    scored = [one for at in range(120) for one in pair(at, bool(told[at]), bool(untold[at]))]
    expected = ttest_rel(told.astype(int), untold.astype(int))
    rng.shuffle(scored)
    (value,) = gap(METRIC, ScoredQuestions.of(scored))
    (turned,) = gap(replace(METRIC, where=METRIC.less, less=METRIC.where), ScoredQuestions.of(scored))
    bounds = expected.confidence_interval(0.95)
    assert value.interval is not None
    assert turned.interval is not None
    assert value.value == pytest.approx(told.mean() - untold.mean())
    assert (value.interval.lower, value.interval.upper) == pytest.approx((bounds.low, bounds.high))
    assert turned.value == pytest.approx(untold.mean() - told.mean())
    assert turned.interval.upper == pytest.approx(-value.interval.lower)


def test_repeats_average_within_their_item_and_items_within_their_cluster() -> None:
    scored = [
        *pair(0, told=True, untold=False, cluster="mug"),
        *pair(0, told=True, untold=True, cluster="mug"),  # item 0: 1 - 1/2
        *pair(1, told=False, untold=True, cluster="mug"),  # item 1: -1
        *pair(2, told=True, untold=False),  # item 2: 1
    ]
    (value,) = gap(METRIC, ScoredQuestions.of(scored))
    assert value.value == pytest.approx((-0.25 + 1) / 2)
    assert (value.items, value.questions) == (2, 8)


def test_groups_follow_the_overall_value_and_chance_is_the_difference_that_guessing_makes() -> None:
    scored = [*pair(0, told=True, untold=False, steps="2"), *pair(1, told=True, untold=True, steps="3")]
    levels = [
        ChanceLevel(where=METRIC.where, uniform=0.5, stated=0.5, source="paper"),
        ChanceLevel(where=METRIC.less, uniform=0.25, stated=0.33, source="paper"),
    ]
    values = gap(replace(METRIC, by=("steps",)), ScoredQuestions.of(scored, levels))
    assert [(value.facets, value.value) for value in values] == [({}, 0.5), ({"steps": "2"}, 1.0), ({"steps": "3"}, 0)]
    assert {(value.uniform_chance, round(value.stated_chance or 0, 2)) for value in values} == {(0.25, 0.17)}


def test_where_nothing_is_paired_there_is_no_value() -> None:
    for scored in ([], pair(0, told=True, untold=None), [*pair(0, True, None), *pair(1, None, untold=True)]):
        (value,) = gap(METRIC, ScoredQuestions.of(scored))
        assert (value.value, value.interval, value.items, value.questions) == (None, None, 0, 0)


def test_a_question_is_not_compared_with_itself() -> None:
    metric = replace(METRIC, less={"question": ("told", "untold")})
    with pytest.raises(OneQuestionTwiceError, match="gap 'gap': `where` and `less` select the same question"):
        gap(metric, ScoredQuestions.of(pair(0, told=True, untold=False)))
