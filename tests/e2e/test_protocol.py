"""The protocol over the real services: gating without leaks, the log, the board, verification elsewhere."""

from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from typing import Any

import msgspec
import pytest

from tests.answering import answer_all, open_questions, open_submission, wait_scored
from tests.instance import Instance
from tetrad.cli.team.verify import wait_for
from tetrad.client import Client, ServiceError
from tetrad.contracts.answers import Answer, PracticeAnswer
from tetrad.contracts.reports import Report

OWN_BOARD = {"tint": 10}
"""Where no other test's guesser is, which might be the luckier one."""


@pytest.fixture(scope="module")
def scored(team: Client) -> Report:
    submission = open_submission(team, "first-option", parameters=OWN_BOARD)
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
    board = team.leaderboard("toy", track="toy", setting="full", **OWN_BOARD)
    row = next(row for row in board.rows if row.model == "first-option")
    assert (row.score, row.items, row.rank_best) == (scored.headline.value, 24, 1)
    assert row.interval is not None
    assert row.interval.lower <= (row.score or 0) <= row.interval.upper


def test_a_right_solver_scores_full_marks_once_the_seed_is_known(team: Client, scored: Report) -> None:
    page = team.practice("toy", track="toy", setting="full", seed=scored.seed, limit=24, parameters=OWN_BOARD)
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
