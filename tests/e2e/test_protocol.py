"""The protocol over the real services: gating without leaks, the log, the board, verification elsewhere."""

from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from typing import Any

import httpx
import msgspec
import pytest

from tests.answering import answer_all, open_questions, open_submission, wait_scored
from tests.instance import Instance
from tetrad.cli.team.verify import wait_for
from tetrad.client import Client, ServiceError
from tetrad.commitments import commitment_of, first_broken
from tetrad.contracts.answers import Answer, PracticeAnswer
from tetrad.contracts.log import LogEntry
from tetrad.contracts.reports import Report


@pytest.fixture(scope="module")
def scored(team: Client) -> Report:
    submission = open_submission(team, "first-option")
    answer_all(team, submission.id)
    return wait_scored(team, submission.id)


def test_a_sixth_benchmark_in_one_folder_is_served_answered_scored_and_ranked(
    instance: Instance, team: Client, scored: Report
) -> None:
    assert "toy" in {info.card.name for info in team.benchmarks().benchmarks}
    item = team.practice("toy", track="toy", setting="full", seed=3, limit=1).items[0]
    keys = team.solution(item.id).keys
    right = [PracticeAnswer(question="name", answer=keys["name"].label)]
    assert [verdict.verdict for verdict in team.check(item.id, right).verdicts] == ["correct"]
    assert team.picture(item.questions[0].pictures[0].url or "").startswith(b"\x89PNG")
    assert scored.headline.name == "shade"
    assert scored.headline.items == 24
    row = next(row for row in team.leaderboard("toy", track="toy", setting="full").rows if row.model == "first-option")
    assert (row.score, row.items, row.rank_best) == (scored.headline.value, 24, 1)
    assert row.interval is not None
    assert row.interval.lower <= (row.score or 0) <= row.interval.upper


def test_a_right_solver_scores_full_marks_once_the_seed_is_known(team: Client, scored: Report) -> None:
    page = team.practice("toy", track="toy", setting="full", seed=scored.seed, limit=24)
    assert [item.identity for item in page.items] == [scored.identity] * 24
    keys = {(item.index, name): key.label for item in page.items for name, key in team.solution(item.id).keys.items()}
    assert all(keys[result.item, result.question] == result.key for result in scored.questions)


@pytest.mark.parametrize("dry", [True, False], ids=["dry", "real"])
def test_no_request_can_answer_a_question_that_was_not_open_before_it(team: Client, *, dry: bool) -> None:
    """Every right and wrong combination, one by one and 50 at once, gives the same replies."""
    submission = open_submission(team, "prober", size=40)
    assert {one.question.id for one in open_questions(team, submission.id)} == {"name"}
    replies = Counter(
        _reply(team, submission.id, item, (name, half, shade), dry=dry)
        for item, (name, half, shade) in enumerate(product("1234", "12", "ABCD"))
    )
    assert list(replies) == [(422, ("half", "shade"))]
    with ThreadPoolExecutor(50) as pool:
        combinations = list(product("1234", "12", "A"))
        jobs = [
            pool.submit(_reply, team, submission.id, 39, combinations[place % len(combinations)], dry=dry)
            for place in range(50)
        ]
        assert {job.result() for job in jobs} == {(422, ("half", "shade"))}


def test_answers_one_by_one_give_the_same_replies_whatever_is_right(team: Client) -> None:
    submission = open_submission(team, "one-by-one", size=40)
    names = list(open_questions(team, submission.id))
    outcomes: set[object] = set()
    for one in names:
        label = str(one.item % 4 + 1)
        sealed = team.seal(submission.id, [Answer(item=one.item, question="name", answer=label)])
        outcomes.add((sealed.accepted, sealed.unchanged, sealed.state))
        for late in ("half", "shade"):
            with pytest.raises(ServiceError) as refused:
                team.seal(submission.id, [Answer(item=one.item, question=late, answer=one.question.options[0].label)])
            outcomes.add(refused.value.problem.status)
    assert outcomes == {(1, 0, "open"), 422}
    opened = Counter(one.question.id for one in open_questions(team, submission.id))
    assert set(opened) == {"half", "shade"}, "some were right, some wrong, and only asking again tells"


def test_fifty_different_answers_at_once_seal_exactly_one(team: Client) -> None:
    submission = open_submission(team, "racer", size=2)
    list(open_questions(team, submission.id))

    def send(place: int) -> int:
        try:
            team.seal(submission.id, [Answer(item=0, question="name", answer=str(place % 4 + 1))])
        except ServiceError as error:
            return error.problem.status
        return 200

    with ThreadPoolExecutor(50) as pool:
        statuses = Counter(pool.map(send, range(52)))
    assert set(statuses) == {200, 409}
    assert statuses[200] == 13, "the same again is fine, a different one is refused"


def test_the_log_holds_every_commitment_before_its_answers_and_is_whole(team: Client, scored: Report) -> None:
    entries: list[LogEntry] = []
    while page := team.commitments(after=len(entries)).entries:
        entries += page
    assert first_broken(entries) is None
    entry = next(one for one in entries if one.submission == scored.submission)
    assert entry.commitment == commitment_of(scored.identity, scored.seed, scored.size)
    cut = [one for one in entries if one is not entries[len(entries) // 2]]
    assert first_broken(cut) is not None


def test_abandoned_items_stay_in_the_score(team: Client) -> None:
    submission = open_submission(team, "quitter", size=20)
    for one in open_questions(team, submission.id):
        team.seal(submission.id, [Answer(item=one.item, question="name", answer="1")])
    team.finish(submission.id)
    report = wait_scored(team, submission.id)
    assert report.headline.items == 20
    assert report.headline.value == 0
    assert report.missing >= 20


def test_a_submission_never_fetched_leaves_no_trace_but_its_line_in_the_log(team: Client) -> None:
    submission = open_submission(team, "shy", size=5)
    with pytest.raises(ServiceError) as refused:
        team.report(submission.id)
    assert refused.value.problem.status in {404, 409}


def test_private_submissions_are_neither_ranked_nor_readable_by_others(instance: Instance, team: Client) -> None:
    submission = open_submission(team, "hidden", visibility="private", size=30)
    answer_all(team, submission.id)
    wait_scored(team, submission.id)
    assert "hidden" not in {row.model for row in team.leaderboard("toy", track="toy", setting="full").rows}
    with instance.team("others") as other, pytest.raises(ServiceError) as refused:
        other.report(submission.id)
    assert refused.value.problem.status == 404


def test_a_scored_submission_shows_its_items_keys_and_answers(team: Client, scored: Report) -> None:
    page = team.revealed_items(scored.submission, limit=24)
    assert page.seed == scored.seed
    assert len(page.items) == 24
    verdicts = {(result.item, result.question): result.verdict for result in scored.questions}
    assert {(item.item, one.question.id): one.verdict for item in page.items for one in item.questions} == verdicts


@pytest.fixture(scope="module")
def second(source_instance: Instance) -> Iterator[Client]:
    """A second instance, with a secret and a database of its own."""
    with source_instance.client() as client:
        yield client


@pytest.fixture(scope="module")
def kiva(team: Client) -> Report:
    submission = open_submission(team, "kiva-first", benchmark="kiva", track="kiva", size=12)
    answer_all(team, submission.id)
    return wait_scored(team, submission.id)


def test_a_true_report_is_confirmed_by_a_second_instance(second: Client, scored: Report, kiva: Report) -> None:
    for report in (scored, kiva):
        verdict = wait_for(second, second.verify(report))
        assert [finding for finding in verdict.findings if not finding.ok] == []
        assert verdict.confirmed


def test_a_report_that_does_not_fit_its_own_size_is_refused_at_once(second: Client, scored: Report) -> None:
    with pytest.raises(ServiceError, match="different items, but its size is"):
        second.verify(msgspec.structs.replace(scored, size=scored.size + 1))


@pytest.mark.parametrize("tampered", ["key", "answer", "seed", "score", "version"])
def test_a_tampered_report_is_refused_and_the_place_named(second: Client, scored: Report, tampered: str) -> None:
    verdict = wait_for(second, second.verify(_tampered(scored, tampered)))
    assert verdict.confirmed is False
    wrong = [finding for finding in verdict.findings if not finding.ok]
    assert any(_names(tampered) in f"{finding.check} {finding.where}" for finding in wrong), wrong


def _tampered(report: Report, what: str) -> Report:
    first, *rest = report.questions
    other = next(label for label in "1234" if label not in {first.key, first.answer})
    changes: dict[str, dict[str, Any]] = {
        "key": {"questions": [msgspec.structs.replace(first, key=other), *rest]},
        "answer": {"questions": [msgspec.structs.replace(first, answer=other), *rest]},
        "seed": {"seed": report.seed[::-1]},
        "score": {"headline": msgspec.structs.replace(report.headline, value=0.99)},
        "version": {"identity": msgspec.structs.replace(report.identity, version=7)},
    }
    return msgspec.structs.replace(report, **changes[what])


def _names(tampered: str) -> str:
    return {"score": "headline", "seed": "commitment"}.get(tampered, tampered)


def _reply(team: Client, submission: str, item: int, labels: tuple[str, str, str], *, dry: bool) -> tuple[int, Any]:
    answers = [
        Answer(item=item % 40, question=question, answer=label)
        for question, label in zip(("name", "half", "shade"), labels, strict=True)
    ]
    try:
        receipt = team.seal(submission, answers, dry_run=dry)
    except ServiceError as error:
        return error.problem.status, tuple(
            sorted((fault.value or "").rpartition("/")[2] for fault in error.problem.faults)
        )
    return 200, receipt.accepted


def test_pictures_of_practice_items_are_cached_for_ever_and_sealed_ones_never(instance: Instance, team: Client) -> None:
    item = team.practice("toy", track="toy", setting="full", seed=3, limit=1).items[0]
    with httpx.Client(base_url=instance.url) as browser:
        url = item.questions[0].pictures[0].url or ""
        reply = browser.get(url)
        assert "immutable" in reply.headers["cache-control"]
        assert browser.get(url, headers={"If-None-Match": reply.headers["etag"]}).status_code == 304
        submission = open_submission(team, "pictures", size=2)
        sealed = next(open_questions(team, submission.id)).question.pictures[0].url or ""
        own = browser.get(sealed, headers=team._authorization)
        assert own.headers["cache-control"].startswith("private")
        assert browser.get(sealed).status_code in {401, 404}


@pytest.mark.parametrize("filters", ["value={}90", "track=kiva-compositionality&domain=color{}size"])
def test_a_plus_typed_into_an_address_chooses_the_items_that_were_meant(instance: Instance, filters: str) -> None:
    with httpx.Client(base_url=instance.url) as browser:
        pages = [
            browser.get(f"/v1/benchmarks/kiva/items?{filters.format(plus)}&seed=5&limit=2").json()
            for plus in ("+", "%2B")
        ]
        assert pages[0] == pages[1]
        assert len(pages[0]["items"]) == 2
        assert filters.rpartition("&")[2].format("%2B") in pages[0]["next"]
        following = browser.get(pages[0]["next"]).json()
        assert following["items"][0]["index"] > pages[0]["items"][1]["index"]
