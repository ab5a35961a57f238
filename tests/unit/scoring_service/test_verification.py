"""A true report is confirmed; one with anything changed is not, and the finding names what."""

from collections.abc import Callable

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring_service.scoring import score
from scoring_service.verification import (
    MOST_FINDINGS,
    after_regeneration,
    before_regeneration,
    can_regenerate,
    regeneration_of,
    summarise,
)
from tests.integration.scoring import toy
from tests.unit.scoring_service.test_scoring import ANSWERS, SEED, made, wrong
from tetrad.commitments import commitment_of
from tetrad.contracts.benchmarks import BenchmarkInfo
from tetrad.contracts.items import ChoiceKey, KeyedQuestion
from tetrad.contracts.metrics import Distribution, Gap
from tetrad.contracts.reports import Finding, QuestionResult, Report
from tetrad.internal.draws import DrawKeys
from tetrad.reporting.digests import answers_digest

REPORT = made()
replace = msgspec.structs.replace


def verify(report: Report, info: BenchmarkInfo | None = toy.INFO) -> list[Finding]:
    findings = before_regeneration(report, info)
    if info is not None and can_regenerate(report, info):
        request = regeneration_of(report)
        keys = toy.keys_of(request.identity, request.seed, request.size, request.answers)
        findings += after_regeneration(report, keys.items, info.card)
    return summarise(findings)


def test_nothing_is_made_of_a_draw_that_was_not_committed_to_or_is_too_large_or_not_named_item_by_item() -> None:
    assert can_regenerate(REPORT, toy.INFO)
    larger = replace(REPORT, size=20_000, commitment=commitment_of(REPORT.identity, REPORT.seed, 20_000))
    smaller = replace(toy.INFO, card=replace(toy.CARD, largest_draw=REPORT.size - 1))
    for report, info, check in (
        (replace(REPORT, commitment="0" * 64), toy.INFO, "commitment"),
        (REPORT, smaller, "size"),
        (larger, toy.INFO, "size"),
        (replace(REPORT, questions=[one for one in REPORT.questions if one.item > 0]), toy.INFO, "items"),
    ):
        assert not can_regenerate(report, info)
        assert check in failures(report, info)


def failures(report: Report, info: BenchmarkInfo | None = toy.INFO) -> dict[str, tuple[str, str]]:
    return {one.where: (one.claimed, one.found) for one in verify(report, info) if not one.ok}


def with_question(place: int, **changes: object) -> Report:
    questions = list(REPORT.questions)
    questions[place] = replace(questions[place], **changes)
    return replace(REPORT, questions=questions)


def test_a_true_report_is_confirmed_check_by_check() -> None:
    findings = verify(REPORT)
    assert all(finding.ok for finding in findings)
    assert {finding.check: finding.claimed for finding in findings}["key"] == "8 claims"


def test_an_unread_answer_is_sent_to_regeneration_as_text_and_a_missing_one_not_at_all() -> None:
    sent = {(answer.item, answer.question): answer for answer in regeneration_of(REPORT).answers}
    assert set(sent) == {(answer.item, answer.question) for answer in ANSWERS}
    assert (sent[1, "what"].answer, sent[1, "what"].response) == (None, "")
    assert (sent[0, "how"].answer, sent[0, "how"].response) == (wrong(0, "how"), None)


def test_a_changed_key_is_named() -> None:
    found = failures(with_question(1, key=wrong(0, "how")))
    assert found == {"questions.0.how.key": (wrong(0, "how"), toy.key_of(SEED, 0, "how"))}


def test_a_changed_answer_shows_in_the_digest_and_the_verdict() -> None:
    found = failures(with_question(1, answer=toy.key_of(SEED, 0, "how")))
    assert found["questions.0.how.verdict"] == ("incorrect", "correct")
    assert "answers_digest" in found


def test_a_changed_answer_whose_digest_is_redone_still_gives_another_score() -> None:
    questions = list(REPORT.questions)
    questions[2] = replace(questions[2], answer=wrong(0, "which"), verdict="incorrect")
    forged = replace(REPORT, questions=questions, answers_digest=answers_digest(questions))
    found = failures(forged)
    assert "answers_digest" not in found
    assert {"headline.value", "metrics.which.value"} <= set(found)


def test_a_changed_reply_shows_in_the_digest() -> None:
    assert set(failures(with_question(0, reply_digest="0" * 64))) == {"answers_digest"}


def test_a_changed_verdict_is_named() -> None:
    found = failures(with_question(4, verdict="correct"))
    assert found["questions.1.which.verdict"] == ("correct", "unread")


def test_an_illegal_label_cannot_be_claimed_as_read() -> None:
    found = failures(with_question(4, answer="Z", verdict="incorrect"))
    assert found["questions.1.which.verdict"] == ("incorrect", "unread")


def test_a_changed_seed_shows_in_the_commitment_or_where_that_is_redone_in_the_keys() -> None:
    seed = "1" * 64
    assert set(failures(replace(REPORT, seed=seed))) == {"commitment"}
    redone = commitment_of(REPORT.identity, seed, REPORT.size)
    found = failures(replace(REPORT, seed=seed, commitment=redone))
    assert "commitment" not in found
    assert any(where.endswith(".key") for where in found)


def test_a_changed_score_is_named_with_both_numbers() -> None:
    found = failures(replace(REPORT, headline=replace(REPORT.headline, value=0.9)))
    assert found == {"headline.value": ("0.9", str(1 / 3))}
    metrics = [replace(REPORT.metrics[0], total=2.0), *REPORT.metrics[1:]]
    assert failures(replace(REPORT, metrics=metrics)) == {"metrics.which.total": ("2.0", "1.0")}


def test_a_changed_interval_is_named() -> None:
    interval = REPORT.headline.interval
    assert interval is not None
    narrow = replace(REPORT.headline, interval=replace(interval, lower=0.3))
    assert set(failures(replace(REPORT, headline=narrow))) == {"headline.interval.lower"}
    assert set(failures(replace(REPORT, headline=replace(narrow, interval=None)))) == {"headline.interval.lower"}


def test_another_metric_as_headline_is_named() -> None:
    found = failures(replace(REPORT, headline=REPORT.metrics[3]))
    assert found["headline.name"] == ("what", "which")


def test_metrics_left_out_and_metrics_made_up_are_named() -> None:
    made_up = replace(REPORT.metrics[0], name="luck", facets={"day": "good"})
    found = failures(replace(REPORT, metrics=[*REPORT.metrics[1:], made_up]))
    assert found["metrics.which"] == ("not listed", "listed")
    assert found["metrics.luck[day=good]"] == ("listed", "no such metric")


@pytest.mark.parametrize("size", [3, 5])
def test_a_changed_size_shows_in_the_commitment_and_the_items(size: int) -> None:
    redone = commitment_of(REPORT.identity, REPORT.seed, size)
    assert set(failures(replace(REPORT, size=size))) == {"commitment", "items"}
    assert set(failures(replace(REPORT, size=size, commitment=redone))) == {"items"}


def test_questions_left_out_are_named() -> None:
    found = failures(replace(REPORT, questions=[*REPORT.questions[:2], *REPORT.questions[3:]]))
    assert found["questions.0.which"] == ("not listed", "asked")
    assert found["questions_asked"] == ("8", "7")


def test_a_question_listed_twice_is_named() -> None:
    questions = [*REPORT.questions, REPORT.questions[2]]
    assert failures(replace(REPORT, questions=questions))["questions"] == ("9", "8")


@pytest.mark.parametrize("name", ["unread", "missing", "questions_asked"])
def test_changed_counts_are_named(name: str) -> None:
    assert set(failures(replace(REPORT, **{name: 7}))) == {name}


def test_changed_facets_are_named() -> None:
    assert set(failures(with_question(0, facets={"question": "what", "domain": "easy"}))) == {"questions.0.what.facets"}


def test_a_version_unknown_here_is_named_and_nothing_is_regenerated() -> None:
    found = failures(replace(REPORT, identity=replace(toy.IDENTITY, version=9)), None)
    assert found["identity.version"] == ("toy 9", "none")
    assert found["versions.benchmark"] == ("1", "9")


def test_another_object_bank_is_named_and_nothing_is_regenerated() -> None:
    info = replace(toy.INFO, bank="c" * 64)
    assert failures(REPORT, info) == {"identity.bank": (toy.BANK, "c" * 64)}


def test_versions_that_contradict_the_identity_are_named() -> None:
    changed = replace(REPORT, versions=replace(REPORT.versions, benchmark=2, bank="x"))
    assert set(failures(changed)) == {"versions.benchmark", "versions.bank"}


def test_findings_are_capped_with_failures_first() -> None:
    report = score("s", toy.keys_of(toy.IDENTITY, SEED, 300, []), [], toy.CARD, scored_at="now")
    findings = verify(replace(report, seed="1" * 64))
    assert len(findings) <= MOST_FINDINGS
    assert [finding.ok for finding in findings] == sorted(finding.ok for finding in findings)
    assert not findings[0].ok


NAMING = replace(
    toy.CARD,
    metrics=(
        *toy.CARD.metrics,
        Distribution(name="mistakes", help="", outcome="mistake"),
        Gap(name="gap", help="", where=toy.WHICH, less={"question": ("what",)}),
    ),
)
NAMING_INFO = BenchmarkInfo(card=NAMING, bank=toy.BANK)


def naming_keys() -> DrawKeys:
    """Return the toy's keys as they are once every wrong option has a name."""
    keys = toy.keys_of(toy.IDENTITY, SEED, 4, ANSWERS)
    return replace(
        keys,
        items=[replace(item, questions=[_naming(keyed) for keyed in item.questions]) for item in keys.items],
    )


def _naming(keyed: KeyedQuestion) -> KeyedQuestion:
    outcomes = {label: f"took {label}" for label in toy.LABELS if label != keyed.key.label}
    return replace(keyed, key=ChoiceKey(label=keyed.key.label, outcomes=outcomes))


def verify_naming(report: Report) -> dict[str, tuple[str, str]]:
    findings = before_regeneration(report, NAMING_INFO) + after_regeneration(report, naming_keys().items, NAMING)
    return {one.where: (one.claimed, one.found) for one in findings if not one.ok}


def test_a_report_without_the_mistakes_and_gaps_of_its_card_is_held_to_them() -> None:
    found = verify_naming(REPORT)
    assert found["questions.0.how.outcome"] == ("[]", f"[('mistake', 'took {wrong(0, 'how')}')]")
    assert found["metrics.gap"] == ("not listed", "listed")
    assert any(where.startswith("metrics.mistakes[") for where in found)


def test_a_report_with_mistakes_units_and_gaps_verifies_and_is_held_to_them() -> None:
    report = score("sub_1", naming_keys(), ANSWERS, NAMING, scored_at="now")
    assert verify_naming(report) == {}
    result = report.questions[1]
    assert result.outcome == {"mistake": f"took {result.answer}"}
    flattered = replace(result, outcome={"mistake": "nearly right"})
    assert "questions.0.how.outcome" in verify_naming(
        replace(report, questions=[report.questions[0], flattered, *report.questions[2:]])
    )
    headline = replace(report.headline, unit="count")
    assert set(verify_naming(replace(report, headline=headline))) == {"headline.unit"}
    assert [value.unit for value in report.metrics if value.name == "gap"] == ["difference"]


@given(st.data())
def test_no_single_change_of_a_question_passes(data: st.DataObject) -> None:
    place = data.draw(st.integers(0, len(REPORT.questions) - 1))
    result = REPORT.questions[place]
    changes: list[Callable[[], QuestionResult]] = [
        lambda: replace(result, answer="A" if result.answer != "A" else "B", verdict="incorrect"),
        lambda: replace(result, key="A" if result.key != "A" else "B"),
        lambda: replace(result, question=result.question + "x"),
        lambda: replace(result, item=result.item + 10),
        lambda: replace(result, verdict={"correct": "incorrect"}.get(result.verdict, "correct")),
    ]
    changed = data.draw(st.sampled_from(changes))()
    questions = [*REPORT.questions[:place], changed, *REPORT.questions[place + 1 :]]
    assert failures(replace(REPORT, questions=questions))
