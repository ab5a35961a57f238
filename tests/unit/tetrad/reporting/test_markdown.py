"""The report as a person reads it."""

import msgspec
import pytest

from tests.integration.scoring import toy
from tests.unit.scoring_service.test_scoring import made
from tetrad.contracts.metrics import Accuracy, AnswerDistribution, Distribution, Gap
from tetrad.contracts.reports import COEFFICIENT, COUNT, DIFFERENCE, SHARE, WEIGHT, IntervalValue, MetricValue
from tetrad.reporting.markdown import report_markdown
from tetrad.reporting.units import in_unit, percent

REPORT = made()
EMPTY = MetricValue(
    name="which", facets={}, value=None, interval=None, standard_error=None, items=0, questions=0, total=0.0
)


def test_the_headline_comes_first_with_its_interval_and_chance() -> None:
    lines = report_markdown(REPORT).splitlines()
    assert lines[0] == "# Report of sub_1"
    assert (
        lines[2] == "toy 1, track toy, setting full, plain true, steps 2; 4 items, a fresh context for each question."
    )
    # Wilson for 1 of 3: (1/3 + z^2/6 -+ ...) / (1 + z^2/3)
    assert lines[4] == "**which: 33.3%** (6.1% to 79.2%, 95% interval, wilson) over 3 items. Guessing gives 25.0%."
    assert lines[6] == "8 questions asked. Unread: 2 (25.0%). Missing: 2 (25.0%). Both count as wrong."


def test_every_metric_has_a_table_by_group() -> None:
    text = report_markdown(REPORT)
    assert "## which\n\n| group | score | interval | chance | items | questions |\n| --- |" in text
    assert "| domain color | 0.0% |" in text
    assert "| 25.0% (33.0% as the paper counts) |" in text
    assert "## inconsistency" in text
    assert "## inconsistency\n\nNo question asked or judged." in text


def test_all_that_verifying_needs_is_named() -> None:
    text = report_markdown(REPORT)
    for needed in (REPORT.commitment, REPORT.seed, REPORT.answers_digest, REPORT.identity.bank, "tetrad verify"):
        assert needed in text
    versions = REPORT.versions
    assert f"extractor {versions.reader}, scorer {versions.scorer}; scored at now" in text


def test_a_report_of_nothing_says_so() -> None:
    bare = msgspec.structs.replace(
        REPORT,
        identity=msgspec.structs.replace(REPORT.identity, parameters={}),
        headline=EMPTY,
        metrics=[EMPTY],
        questions_asked=0,
        unread=0,
        missing=0,
        questions=[],
    )
    text = report_markdown(bare)
    assert "setting full; 4 items, a fresh context for each question." in text
    assert "**which: no question asked or judged.**" in text
    assert "0 questions asked. Unread: 0. Missing: 0." in text


def test_a_value_without_interval_or_chance_is_written_without() -> None:
    value = msgspec.structs.replace(EMPTY, value=0.5)
    assert "**which: 50.0%** over 0 items.\n" in report_markdown(msgspec.structs.replace(REPORT, headline=value))


def test_shares_are_percentages_to_one_decimal() -> None:
    assert (percent(0.12345), percent(1), percent(None)) == ("12.3%", "100.0%", "-")


def test_facets_cannot_break_out_of_their_table() -> None:
    value = msgspec.structs.replace(EMPTY, facets={"domain": "a|b"}, value=0.5)
    assert "| domain a\\|b |" in report_markdown(msgspec.structs.replace(REPORT, metrics=[value]))


def test_the_report_says_how_questions_were_put() -> None:
    lines = report_markdown(msgspec.structs.replace(REPORT, conversation="joined")).splitlines()
    assert lines[2].endswith("; 4 items, one conversation for each item.")


@pytest.mark.parametrize(
    ("unit", "number", "written"),
    [
        (SHARE, 0.6833, "68.3%"),
        (DIFFERENCE, 0.0421, "+4.2 pp"),
        (DIFFERENCE, -0.5, "-50.0 pp"),
        (DIFFERENCE, 0.0, "+0.0 pp"),
        (COUNT, 1.0, "1"),
        (WEIGHT, -1.2345, "-1.23"),
        (COEFFICIENT, 0.4, "0.40"),
        ("of a later release", 0.4, "0.40"),
        (SHARE, None, "-"),
        (DIFFERENCE, None, "-"),
    ],
    ids=str,
)
def test_a_number_is_written_in_its_unit(unit: str, number: float | None, written: str) -> None:
    assert in_unit(number, unit) == written


def test_a_table_writes_each_value_interval_and_chance_in_the_value_s_unit() -> None:
    bounds = IntervalValue(lower=-0.1, upper=0.2, level=0.95, method="cluster-t")
    gap = msgspec.structs.replace(
        EMPTY, name="gap", value=0.05, interval=bounds, uniform_chance=0.25, stated_chance=0.25, unit=DIFFERENCE
    )
    weight = msgspec.structs.replace(EMPTY, name="weights", value=1.5, unit=WEIGHT)
    text = report_markdown(msgspec.structs.replace(REPORT, metrics=[gap, weight]))
    assert "## gap\n\n| group | score | interval | chance | items | questions |" in text
    assert "| all | +5.0 pp | -10.0 pp to +20.0 pp | +25.0 pp | 0 | 0 |" in text
    assert "| all | 1.50 | - | - | 0 | 0 |" in text


def test_a_metric_that_could_not_be_computed_says_so() -> None:
    failed = msgspec.structs.replace(EMPTY, name="side", reason="could not be computed (KeyError); see the log")
    text = report_markdown(msgspec.structs.replace(REPORT, metrics=[*REPORT.metrics, failed]))
    assert "## side\n\nCould not be computed (KeyError); see the log." in text


def page(metrics: list[MetricValue], *declared: Accuracy | AnswerDistribution | Distribution | Gap) -> str:
    card = msgspec.structs.replace(toy.CARD, metrics=declared)
    return report_markdown(msgspec.structs.replace(REPORT, metrics=metrics), card)


def test_each_metric_is_explained_in_the_card_s_words() -> None:
    value = msgspec.structs.replace(EMPTY, value=0.5)
    text = page([value], Accuracy(name="which", help="Is the right picture chosen?"))
    assert "## which\n\nIs the right picture chosen?\n\n| group | score |" in text


def test_a_metric_that_this_setting_cannot_have_is_left_out() -> None:
    gap = Gap(name="gap", help="", where={"question": ("which",)}, less={"question": ("never",)})
    text = page([msgspec.structs.replace(EMPTY, name="gap"), EMPTY], gap, Accuracy(name="which", help=""))
    assert "## gap" not in text
    assert "## which\n\nNo question asked or judged." in text


def test_only_mistakes_that_occurred_are_listed_as_shares_of_answers() -> None:
    mistakes = [
        msgspec.structs.replace(EMPTY, name="mistakes", facets={"mistake": name}, value=value, questions=4)
        for name, value in (("a step left out", 0.25), ("another amount", 0.0), ("two steps", 0.75))
    ]
    text = page(mistakes, Distribution(name="mistakes", help="", outcome="mistake"))
    assert "| group | share of these answers | interval | chance | items | questions |" in text
    assert "a step left out | 25.0%" in text
    assert "two steps | 75.0%" in text
    assert "another amount" not in text


@pytest.mark.parametrize(
    ("flag", "said"),
    [
        (0.0, "Steps 1: the answers are not biased towards a place."),
        (1.0, "Steps 1: the answers are biased towards a place: "),
    ],
)
def test_the_test_for_a_bias_towards_places_is_said_in_words(flag: float, said: str) -> None:
    share = msgspec.structs.replace(EMPTY, name="places", facets={"answer": "A"}, value=0.5)
    facets = {"steps": "1", "test": "position-biased"}
    test = msgspec.structs.replace(EMPTY, name="places", facets=facets, value=flag, unit=COUNT)
    text = page([share, test], AnswerDistribution(name="places", help=""))
    assert said in text
    assert "position-biased" not in text


def test_questions_that_never_opened_are_told_apart() -> None:
    text = report_markdown(REPORT, opened=6)
    assert "8 questions counted, 6 of them opened. Unread: 2 (25.0%). Missing: 2 (25.0%). Both count as wrong." in text
    assert "8 questions asked." in report_markdown(REPORT, opened=8)
