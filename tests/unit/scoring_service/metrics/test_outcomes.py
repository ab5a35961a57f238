"""Metrics over what else was found of answers: other rules, stages, a judge's agreement, failure weights."""

import math

import numpy as np
import pytest
from msgspec.structs import replace

from scoring_service.metrics.accuracy import accuracy
from scoring_service.metrics.agreement import agreement, kappa_of
from scoring_service.metrics.distribution import distribution
from scoring_service.metrics.failure_weights import failure_weights, weights_of
from scoring_service.metrics.scored_questions import ScoredQuestion, ScoredQuestions
from tests.unit.scoring_service.metrics.judged import mark
from tetrad.contracts.metrics import Accuracy, Agreement, Distribution, FailureWeights


def found(item: int, verdict: bool, outcome: dict[str, str] | None = None, **facets: str) -> ScoredQuestion:  # noqa: FBT001
    return replace(mark(item, verdict), outcome=outcome or {}, facets=facets)


def test_accuracy_by_another_rule_counts_that_rule_s_verdicts() -> None:
    scored = [
        found(0, True, {"lenient": "correct"}),
        found(1, False, {"lenient": "correct"}),
        found(2, False, {"lenient": "incorrect"}),
        found(3, False),
    ]
    strict, lenient = (
        accuracy(Accuracy(name="a", help="", rule=rule), ScoredQuestions.of(scored))[0].value
        for rule in ("", "lenient")
    )
    assert (strict, lenient) == (0.25, 0.5)


def test_a_distribution_shares_out_the_answers_that_have_the_outcome() -> None:
    stages = ["none", "perception", "perception", "composition"]
    scored = [found(at, True, {"stage": stage}, atomic=str(2 + at % 2)) for at, stage in enumerate(stages)]
    values = distribution(
        Distribution(name="d", help="", outcome="stage", by=("atomic",)), ScoredQuestions.of([*scored, found(9, True)])
    )
    shares = {(value.facets.get("atomic", "all"), value.facets["stage"]): value.value for value in values}
    assert shares["all", "perception"] == 0.5
    assert shares["2", "none"] == shares["2", "perception"] == 0.5
    assert shares["2", "composition"] == 0
    assert {value.items for value in values if "atomic" not in value.facets} == {4}


def test_a_distribution_of_nothing_is_empty() -> None:
    assert distribution(Distribution(name="d", help="", outcome="stage"), ScoredQuestions.of([found(0, True)])) == []


def test_agreement_counts_what_both_judged_and_kappa_what_is_beyond_chance() -> None:
    # Cohen's textbook table: 20 and 15 agree, 5 and 10 do not: 0.7 observed, 0.5 expected, kappa 0.4.
    cells = [(True, "correct", 20), (True, "incorrect", 5), (False, "correct", 10), (False, "incorrect", 15)]
    scored = [found(0, own, {"judge": other}) for own, other, count in cells for _ in range(count)]
    scored = [replace(one, item=at, cluster=str(at)) for at, one in enumerate(scored)]
    metric = Agreement(name="j", help="", rule="judge")
    agreed, kappa = agreement(
        metric, ScoredQuestions.of([*scored, found(99, True, {"judge": "unread"}), found(98, True)])
    )
    assert (agreed.value, agreed.items) == (0.7, 50)
    assert kappa.facets == {"statistic": "kappa"}
    assert kappa.value == pytest.approx(0.4)


def test_kappa_has_no_value_where_chance_always_agrees_or_nothing_was_judged() -> None:
    assert kappa_of([(True, True)] * 5) is None
    assert kappa_of([]) is None
    agreed, kappa = agreement(Agreement(name="j", help="", rule="judge"), ScoredQuestions.of([found(0, True)]))
    assert (agreed.value, agreed.items, kappa.value) == (None, 0, None)


METRIC = FailureWeights(name="w", help="", facets=("first", "second"), values=("a b", "a c", "b c"))


def test_what_makes_items_fail_has_a_weight_above_zero() -> None:
    rng = np.random.default_rng(5)
    chance = {"a b": 0.8, "a c": 0.3, "b c": 0.3}
    scored = []
    for item in range(600):
        first, second = rng.choice(list(chance), 2).tolist()
        scored.append(found(item, rng.random() > max(chance[first], chance[second]), first=first, second=second))
    values = failure_weights(METRIC, ScoredQuestions.of(scored))
    weights = {value.facets["combination"]: value.value for value in values}
    assert weights["a b"] is not None
    assert weights["a b"] > 1
    assert all(weight is not None and weight < 0.5 for name, weight in weights.items() if name != "a b")
    assert sum(value.items for value in values) > 600, "an item with two combinations counts for both"


def test_weights_are_those_of_the_penalised_likelihood() -> None:
    """By its first-order condition: the gradient of sum(log loss) + |w|^2 / 2 is zero at the weights found."""
    rng = np.random.default_rng(3)
    rows = rng.integers(0, 2, (200, 3))
    failed = rng.random(200) < 1 / (1 + np.exp(-(rows @ np.array([2.0, -1.0, 0.0]) - 0.3)))
    weights = np.array(weights_of(rows.tolist(), failed.tolist()), float)

    def slope(intercept: float) -> float:
        return float((1 / (1 + np.exp(-(rows @ weights + intercept))) - failed).sum())

    low, high = -5.0, 5.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if slope(middle) < 0 else (low, middle)
    residual = 1 / (1 + np.exp(-(rows @ weights + low))) - failed
    assert np.allclose(rows.T @ residual + weights, 0, atol=0.02)


def test_nothing_is_told_where_all_fail_or_a_combination_never_comes() -> None:
    all_fail = [found(at, False, first="a b", second="a c") for at in range(5)]
    assert [value.value for value in failure_weights(METRIC, ScoredQuestions.of(all_fail))] == [None, None, None]
    mixed = [found(at, at % 2 == 0, first="a b" if at % 3 else "a c", second="a c") for at in range(12)]
    by_name = {value.facets["combination"]: value for value in failure_weights(METRIC, ScoredQuestions.of(mixed))}
    assert by_name["b c"].value is None
    assert by_name["b c"].items == 0
    assert by_name["a b"].value is not None
    assert math.isfinite(by_name["a b"].value)
    assert [value.items for value in failure_weights(METRIC, ScoredQuestions.of([found(0, True)]))] == [0, 0, 0]
