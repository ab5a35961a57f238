"""The scores of items, from a report and its card: they add up to the headline, or there are none."""

from msgspec.structs import replace

from tests.integration.api.trio import card
from tetrad.contracts.items import DrawIdentity
from tetrad.contracts.metrics import Accuracy, GroupAccuracy
from tetrad.contracts.reports import MetricValue, QuestionResult, Report, Versions
from tetrad.reporting.item_scores import item_scores

DIGEST = "d" * 64


def result(item: int, question: str, verdict: str, **outcome: str) -> QuestionResult:
    stage = question.partition("-")[0]
    return QuestionResult(
        item=item,
        question=question,
        verdict=verdict,
        answer=None,
        key="A",
        reason="",
        facets={"stage": stage},
        outcome=outcome,
    )


def report(total: float, items: int, *questions: QuestionResult) -> Report:
    headline = MetricValue(
        name="which",
        facets={},
        value=total / items,
        interval=None,
        standard_error=None,
        items=items,
        questions=len(questions),
        total=total,
    )
    return Report(
        submission="sub_1",
        identity=DrawIdentity(benchmark="trio", version=1, bank=DIGEST, track="plain", setting="full", parameters={}),
        size=items,
        seed=DIGEST,
        commitment=DIGEST,
        scored_at="",
        versions=Versions(tetrad="1", benchmark=1, reader=1, scorer=1, bank=DIGEST),
        headline=headline,
        metrics=[],
        questions_asked=len(questions),
        unread=0,
        missing=0,
        answers_digest=DIGEST,
        questions=list(questions),
    )


WHOLE = report(
    1.5,
    3,
    result(0, "what-0", "incorrect"),
    result(0, "which-0", "correct"),
    result(1, "which-0", "correct"),
    result(1, "which-1", "unread"),
    result(2, "which-0", "missing"),
)


def test_repeats_are_averaged_and_other_stages_left_out() -> None:
    assert item_scores(WHOLE, card(1)) == {0: 1.0, 1: 0.5, 2: 0.0}


def test_items_of_one_cluster_are_one_unit_under_the_first_of_them() -> None:
    clustered = [replace(one, cluster="p") if one.item in {1, 2} else one for one in WHOLE.questions]
    found = replace(WHOLE, questions=clustered[::-1], headline=replace(WHOLE.headline, items=2, total=1 + 1 / 3))
    assert item_scores(found, card(1)) == {0: 1.0, 1: 1 / 3}
    assert item_scores(replace(found, questions=WHOLE.questions), card(1)) is None, "without clusters they don't add up"


def test_there_are_none_if_they_do_not_add_up_to_the_headline() -> None:
    assert item_scores(replace(WHOLE, headline=replace(WHOLE.headline, total=1.0)), card(1)) is None
    assert item_scores(replace(WHOLE, headline=replace(WHOLE.headline, items=2)), card(1)) is None


def test_there_are_none_of_aggregates_or_of_another_kind_of_metric() -> None:
    assert item_scores(replace(WHOLE, aggregates_only=True), card(1)) is None
    groups = (GroupAccuracy(name="which", help="", where={"stage": ("which",)}),)
    assert item_scores(WHOLE, replace(card(1), metrics=groups)) is None


def test_another_rule_counts_where_the_headline_says_so() -> None:
    lenient = (Accuracy(name="which", help="", rule="lenient"),)
    found = report(1.0, 2, result(0, "which-0", "incorrect", lenient="correct"), result(1, "which-0", "correct"))
    assert item_scores(found, replace(card(1), metrics=lenient)) == {0: 1.0, 1: 0.0}
