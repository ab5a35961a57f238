"""Values are checked where they are made; a side metric that fails leaves the others standing."""

import logging
import math
from collections import Counter
from collections.abc import Sequence

import numpy as np
import pytest
from msgspec.structs import replace

from scoring_service import metrics
from scoring_service.metrics import KINDS, Kind, UndeclaredUnitError, values_of
from scoring_service.metrics.scored_questions import ScoredQuestions
from scoring_service.metrics.values import (
    DIFFERENCE,
    SHARE,
    WEIGHT,
    Scale,
    ValueOutOfRangeError,
    metric_value,
    sum_exactly,
    value_without_interval,
)
from scoring_service.scoring import HeadlineUnitError, score
from tests.integration.scoring import toy
from tests.unit.scoring_service.metrics.judged import mark
from tests.unit.scoring_service.test_scoring import ANSWERS, SEED
from tetrad.contracts.benchmarks import Card
from tetrad.contracts.metrics import Accuracy, Gap, GroupAccuracy
from tetrad.contracts.reports import MetricValue, Report

SCORED = [mark(0), mark(1, verdict=False)]
SIDE = GroupAccuracy(name="side", help="", where={})


def giving(*means: float, scale: Scale = SHARE) -> Kind:
    """Return a kind of metric whose values are what is given, checked as every kind's are."""

    def compute(metric: GroupAccuracy, scored: ScoredQuestions) -> list[MetricValue]:
        return [metric_value(metric.name, {}, means, questions=len(scored), independent=False, scale=scale)]

    return Kind(compute, (scale,))


def planted(monkeypatch: pytest.MonkeyPatch, kind: Kind, of: type = GroupAccuracy) -> None:
    monkeypatch.setattr(metrics, "KINDS", {**KINDS, of: kind})


@pytest.mark.parametrize(
    ("scale", "means", "number"),
    [
        (SHARE, [0.5, -0.25], "-0.25"),
        (SHARE, [1.5], "1.5"),
        (SHARE, [float("nan")], "nan"),
        (DIFFERENCE, [-1.01], "-1.01"),
        (WEIGHT, [float("inf")], "inf"),
    ],
    ids=str,
)
def test_a_value_out_of_range_is_refused_where_it_is_made_by_metric_and_number(
    monkeypatch: pytest.MonkeyPatch, scale: Scale, means: Sequence[float], number: str
) -> None:
    planted(monkeypatch, giving(*means, scale=scale))
    with pytest.raises(ValueOutOfRangeError, match=f"metric 'side': {number} is not a {scale.unit} in"):
        values_of(SIDE, ScoredQuestions.of(SCORED))


def test_a_value_made_past_the_check_is_caught_when_it_is_handed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    def compute(metric: GroupAccuracy, _scored: ScoredQuestions) -> list[MetricValue]:
        sound = value_without_interval(metric.name, {"domain": "x"}, 0.5, SHARE, items=1, questions=1, total=0.5)
        return [replace(sound, value=2.0)]

    planted(monkeypatch, Kind(compute))
    with pytest.raises(ValueOutOfRangeError, match=r"metric 'side', domain x: 2.0 is not a share in 0..1"):
        values_of(SIDE, ScoredQuestions.of(SCORED))


def test_a_kind_gives_only_the_units_that_it_declares(monkeypatch: pytest.MonkeyPatch) -> None:
    planted(monkeypatch, Kind(giving(0.5, scale=DIFFERENCE).compute))
    with pytest.raises(UndeclaredUnitError, match="metric 'side': a value is a difference in"):
        values_of(SIDE, ScoredQuestions.of(SCORED))


def test_means_are_summed_without_a_rounding_error() -> None:
    rng = np.random.default_rng(3)
    few = rng.choice([0.0, 1.0, 1 / 3, 2 / 3, 0.1, -1 / 7], 5000)
    for numbers in (few, rng.uniform(-1, 1, 500), np.array([]), np.array([1e-300, 1.0, -1.0])):
        made_of = numbers.tolist()
        assert sum_exactly(Counter(made_of).items()) == math.fsum(made_of)


@pytest.mark.parametrize("means", [[1.0, 0.0, 1.0, 1.0], [0.5, 1 / 3, 1.0, 0.0, 1 / 3], [0.25]])
def test_the_standard_error_is_that_of_the_means(means: list[float]) -> None:
    value = metric_value("side", {}, means, questions=9, independent=False)
    assert (value.items, value.total) == (len(means), math.fsum(means))
    expected = np.std(means, ddof=1) / math.sqrt(len(means)) if len(means) > 1 else None
    assert value.standard_error == (None if expected is None else pytest.approx(expected, rel=1e-12))


def made(card: Card) -> Report:
    return score("sub_1", toy.keys_of(toy.IDENTITY, SEED, 4, ANSWERS), ANSWERS, card, scored_at="now")


WITH_SIDE = replace(toy.CARD, metrics=(SIDE, *toy.CARD.metrics))


@pytest.mark.parametrize("fault", [ZeroDivisionError("A is right"), KeyError("A"), RuntimeError("A"), ImportError("A")])
def test_a_side_metric_that_fails_is_a_value_with_a_reason_and_an_alarm(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, fault: Exception
) -> None:
    def compute(_metric: GroupAccuracy, _scored: ScoredQuestions) -> list[MetricValue]:
        raise fault

    planted(monkeypatch, Kind(compute))
    with caplog.at_level(logging.ERROR):
        report = made(WITH_SIDE)
    sound = made(toy.CARD)
    side, *others = report.metrics
    assert (side.name, side.facets, side.value, side.items) == ("side", {}, None, 0)
    assert side.reason == f"could not be computed ({type(fault).__name__}); the operator's log has the details"
    assert (others, report.headline) == (sound.metrics, sound.headline)
    [alarm] = [record for record in caplog.records if record.levelno >= logging.ERROR]
    assert alarm.getMessage().startswith("alarm:")
    assert (alarm.__dict__["metric"], alarm.__dict__["submission"]) == ("side", "sub_1")
    assert alarm.exc_info is not None


def test_a_side_metric_out_of_its_range_is_no_value_either(monkeypatch: pytest.MonkeyPatch) -> None:
    planted(monkeypatch, giving(-0.5))
    side = made(WITH_SIDE).metrics[0]
    assert (side.value, side.reason.split(";")[0]) == (None, "could not be computed (ValueOutOfRangeError)")


def test_where_the_headline_s_own_metric_fails_scoring_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    def compute(_metric: Accuracy, _scored: ScoredQuestions) -> list[MetricValue]:
        raise ZeroDivisionError

    planted(monkeypatch, Kind(compute), Accuracy)
    with pytest.raises(ZeroDivisionError):
        made(toy.CARD)


class OutOfTimeError(Exception):
    """As a job's time-out is: no defect of a metric."""


def test_a_job_that_is_out_of_time_is_no_metric_that_failed(monkeypatch: pytest.MonkeyPatch) -> None:
    def compute(_metric: GroupAccuracy, _scored: ScoredQuestions) -> list[MetricValue]:
        raise OutOfTimeError

    planted(monkeypatch, Kind(compute))
    with pytest.raises(OutOfTimeError):
        made(WITH_SIDE)


def test_a_board_ranks_by_a_share() -> None:
    gap = Gap(name="which", help="", where={"question": ("which",)}, less={"question": ("what",)})
    card = replace(toy.CARD, metrics=(gap, *toy.CARD.metrics[1:]))
    said = "headline 'which' of toy is a difference: boards rank by a share; .*; the difference is then shown beside it"
    with pytest.raises(HeadlineUnitError, match=said):
        made(card)
