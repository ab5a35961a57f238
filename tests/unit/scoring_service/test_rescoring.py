"""The differences of another scorer's report: answers, verdicts and numbers, but no rounding of a library."""

import math

import msgspec

from scoring_service.jobs.rescore_submission import difference
from tests.unit.scoring_service.test_scoring import made
from tetrad.contracts.reports import MetricValue, Report


def with_first_metric(report: Report, metric: MetricValue) -> Report:
    return msgspec.structs.replace(report, metrics=[metric, *report.metrics[1:]])


def test_numbers_that_another_library_rounds_otherwise_are_no_change() -> None:
    report = made()
    metric = report.metrics[0]
    assert metric.value is not None
    assert metric.interval is not None
    interval = msgspec.structs.replace(metric.interval, lower=math.nextafter(metric.interval.lower, 1))
    rounded = msgspec.structs.replace(metric, value=math.nextafter(metric.value, 1), interval=interval)
    found = difference(report, with_first_metric(report, rounded))
    assert (found.questions, found.metrics) == ([], [])


def test_a_number_that_moved_is_a_change_even_where_the_value_stayed() -> None:
    report = made()
    metric = report.metrics[0]
    (change,) = difference(
        report, with_first_metric(report, msgspec.structs.replace(metric, items=metric.items + 1))
    ).metrics
    assert (change.name, change.before, change.after) == (metric.name, metric.value, metric.value)


def test_a_metric_that_came_or_went_is_a_change() -> None:
    report = made()
    fewer = msgspec.structs.replace(report, metrics=report.metrics[1:])
    assert [change.before for change in difference(fewer, report).metrics] == [None]
    assert [change.after for change in difference(report, fewer).metrics] == [None]
