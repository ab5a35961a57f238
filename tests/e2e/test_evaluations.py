"""Evaluations over HTTP: the service answers, with models of its gateway, and a team sees what it may see."""

import asyncio
import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from hashlib import sha256
from itertools import count

import httpx
import msgspec
import pytest
from aiohttp import web

from tests.instance import ROOT, Instance
from tests.integration.inference_gateway.upstream import Handler, Upstream, chat
from tetrad.client import Client, ServiceError
from tetrad.contracts.answers import Answer
from tetrad.contracts.evaluations import BaselinesStarted, Evaluation, EvaluationRequest, Thresholds

SECONDS = 60


@pytest.fixture(autouse=True)
def upstream(far: Upstream) -> Iterator[Upstream]:
    far.reset()
    yield far
    far.reset()


def evaluate(team: Client, *models: str, **change: object) -> Evaluation:
    asked = {"benchmark": "toy", "models": list(models), "size": 12, **change}
    return team.evaluate(msgspec.convert(asked, EvaluationRequest))


def ended(team: Client, evaluation: Evaluation) -> Evaluation:
    end = time.monotonic() + SECONDS
    for shown in team.follow_evaluation(evaluation.id, every_seconds=0.1):
        assert time.monotonic() < end, f"{shown.state} after {SECONDS} s: {shown.runs}"
    return shown


def until_answered(team: Client, evaluation: Evaluation, least: int) -> None:
    """Wait until so many questions are answered."""
    end = time.monotonic() + SECONDS
    while team.evaluation(evaluation.id).runs[0].progress.questions_answered < least:
        assert time.monotonic() < end, team.evaluation(evaluation.id)
        time.sleep(0.05)


def until_paused(team: Client, evaluation: Evaluation) -> Evaluation:
    end = time.monotonic() + SECONDS
    while (shown := team.evaluation(evaluation.id)).state != "paused":
        assert time.monotonic() < end, shown
        time.sleep(0.05)
    return shown


def slow(seconds: float) -> Handler:
    async def handle(_: web.Request) -> web.StreamResponse:
        await asyncio.sleep(seconds)
        return web.json_response(chat("(A)"))

    return handle


def refused(act: object, *arguments: object, **named: object) -> ServiceError:
    with pytest.raises(ServiceError) as caught:
        act(*arguments, **named)  # type: ignore[operator]
    return caught.value


def test_two_models_share_a_draw_that_nobody_else_answers(team: Client, instance: Instance) -> None:
    opened = evaluate(team, "random", "constant")
    assert (opened.draw, opened.expected.questions, len(opened.runs)) == ("shared", 2 * 12 * 3, 2)
    assert 0.1 < opened.expected.least_difference["paired"] < opened.expected.least_difference["unpaired"] < 1
    first, second = (run.submission for run in opened.runs)
    assert refused(team.questions, first).problem.status == 403
    assert refused(team.seal, first, [Answer(item=0, question="name", answer="A")]).problem.status == 403
    assert refused(team.finish, second).problem.status == 403
    done = ended(team, opened)
    assert (done.outcome, done.unranked, done.spent) == ("complete", "", 0)
    reports = [team.report(run.submission) for run in done.runs]
    assert reports[0].seed == reports[1].seed
    assert {one.commitment for one in reports} == {opened.commitment}
    assert [one.missing for one in reports] == [0, 0]
    shared = team.compare(first, second)
    keys = [{(one.item, one.question): one.key for one in report.questions} for report in reports]
    assert all(keys[0][place] == keys[1][place] for place in keys[0].keys() & keys[1].keys())
    assert (shared.pairing, shared.items_a) == ("paired", 12)
    assert shared.difference == pytest.approx(shared.score_b - shared.score_a)
    rows = {row.model: row for row in team.leaderboard("toy").rows if row.team == "evaluations"}
    assert {row.origin for row in rows.values()} == {"run by the service"}
    assert {row.cost for row in rows.values()} == {0.0}, "packaged models cost nothing, which is known"
    assert set(rows) == {"random@service", "constant@service"}
    log = [entry for entry in team.commitments(limit=1000).entries if entry.commitment == opened.commitment]
    assert {entry.submission for entry in log} == {first, second}


def test_no_report_before_the_last_model_is_done(team: Client, far: Upstream) -> None:
    may_end = threading.Event()

    async def handle(_: web.Request) -> web.StreamResponse:
        await asyncio.to_thread(may_end.wait)
        return web.json_response(chat("(A)"))

    far.otherwise = handle
    opened = evaluate(team, "constant", "far", concurrency=4)
    quick, late = (run.submission for run in opened.runs)
    end = time.monotonic() + SECONDS
    while team.submission(quick).state == "open":
        assert time.monotonic() < end
        time.sleep(0.05)
    time.sleep(1.5)  # scoring is notified of the first one, and looks at once
    states = [team.submission(name).state for name in (quick, late)]
    may_end.set()
    assert states == ["queued", "open"], "the first waits for the second, whose answer keys a reveal would tell"
    ended(team, opened)
    assert [team.submission(name).state for name in (quick, late)] == ["scored", "scored"]


def test_a_model_extracts_what_our_extractor_can_t_read_and_the_report_says_so(team: Client, far: Upstream) -> None:
    """Of six replies one is read, four are unread and name the second option, and one names none.

    One option in four is right, by a draw: forty that are named hold a right one in all but one run of 100,000.
    """

    async def handle(request: web.Request) -> web.StreamResponse:
        asked = await request.json()
        text = str(asked["messages"])
        if "between the marks" in text:
            assert asked["model"] == "its-dear-name"
            assert "image_url" not in text, "the extraction model sees no picture"
            return web.json_response(chat("B" if "the one after the first" in text.partition("<<<")[2] else "NONE"))
        replies = ("(A)", *["It is the one after the first."] * 4, "I can not tell.")
        return web.json_response(chat(replies[next(number) % len(replies)]))

    number, size = count(), 60
    far.otherwise = handle
    opened = evaluate(team, "far", setting="shade-only", size=size, concurrency=2, extraction_model="dear")
    assert [run.row for run in opened.runs] == ["far@service+dear"]
    done = ended(team, opened)
    (run,) = team.evaluation_result(opened.id).runs
    report = team.report(run.submission)
    by_model = [one for one in report.questions if one.reason == "extracted-by-a-model"]
    assert len(by_model) == run.extracted_by_model == report.extracted_by_model > 0
    assert {one.answer for one in by_model} == {"B"}
    assert {one.reply_digest for one in by_model} == {sha256(b"It is the one after the first.").hexdigest()}
    assert report.unread > 0
    right = sum(one.verdict == "correct" for one in report.questions)
    by_model_right = sum(one.verdict == "correct" for one in by_model)
    assert by_model_right > 0
    assert report.headline.value == pytest.approx(right / size)
    assert report.headline_without_model == pytest.approx((right - by_model_right) / size)
    assert run.headline_without_model == report.headline_without_model
    assert f"{len(by_model)} answers were extracted by a model" in team.report_text(run.submission, "markdown")
    calls = team.model_calls(run.submission).calls
    extractions = [call for call in calls if call.step == 1]
    assert len(extractions) == len(by_model) + report.unread
    assert {call.reply for call in extractions} == {"B", "NONE"}
    assert run.total.cost == len(extractions) * 25 == done.runs[0].cost
    verification = team.verify(report)
    while verification.state == "queued":
        time.sleep(0.1)
        verification = team.verification(verification.id)
    assert verification.confirmed, verification.findings


def test_a_pause_holds_and_a_resumed_one_asks_nothing_twice(team: Client, far: Upstream) -> None:
    far.otherwise = slow(0.1)
    opened = evaluate(team, "far", setting="shade-only", size=80, concurrency=2)
    until_answered(team, opened, 4)
    assert team.pause_evaluation(opened.id).state == "paused"
    time.sleep(3)
    asked = len(far.asked)
    time.sleep(1.0)
    assert len(far.asked) == asked < 80, "questions in flight are answered, and no other is asked"
    assert team.resume_evaluation(opened.id).state in {"queued", "running"}
    assert ended(team, opened).outcome == "complete"
    assert len(far.asked) == 80


def test_a_revealed_draw_is_answered_again_and_counts_on_no_board(team: Client) -> None:
    baseline = ended(team, evaluate(team, "constant")).runs[0].submission
    before = [(row.model, row.items) for row in team.leaderboard("toy").rows]
    opened = evaluate(team, "random", size=None, on=baseline, baseline=baseline, thresholds=Thresholds(allow_drop=0.5))
    assert opened.draw == "revealed"
    assert "revealed before" in opened.unranked
    ended(team, opened)
    assert [(row.model, row.items) for row in team.leaderboard("toy").rows] == before
    (run,) = team.evaluation_result(opened.id).runs
    assert run.comparison is not None
    assert (run.comparison.pairing, run.comparison.a) == ("paired", baseline)
    assert [gate.gate for gate in run.gates] == ["allow_drop"]
    assert team.submission(run.submission).unranked


def test_a_budget_is_never_passed_and_what_is_left_counts_as_wrong(team: Client, far: Upstream) -> None:
    """A call is reserved at up to 64 tokens of output and every byte of its prompt, and settled at 25 micro-dollars."""
    opened = evaluate(team, "dear", setting="shade-only", size=120, budget=2500, concurrency=2)
    assert opened.expected.cost is not None
    assert opened.expected.cost > 0
    done = ended(team, opened)
    assert done.outcome == "out-of-budget"
    end = time.monotonic() + SECONDS
    while (spent := team.evaluation(opened.id).spent) < len(far.asked) * 25 and time.monotonic() < end:
        time.sleep(0.1)  # the gateway books in the background
    assert spent == len(far.asked) * 25 <= 2500
    (run,) = team.evaluation_result(opened.id).runs
    assert run.total.cost == run.total.calls * 25
    assert run.total.missing == 120 - run.total.calls > 0


def test_a_budget_that_equals_the_cost_pauses_for_the_last_reservation_and_a_larger_one_completes(team: Client) -> None:
    size, cost = 80, 25
    opened = evaluate(team, "dear", setting="shade-only", size=size, budget=size * cost, concurrency=4)
    assert opened.expected.cost is not None
    assert opened.expected.budget is not None
    assert opened.expected.budget > opened.expected.cost
    shown = until_paused(team, opened)
    assert "the next call may cost are more than what is left" in shown.pause_reason
    (needed,) = re.findall(r"resume with a budget of (\d+) micro-dollars", shown.pause_reason)
    resumed = team.resume_evaluation(opened.id, budget=int(needed))
    assert (resumed.pause_reason, resumed.request.budget) == ("", int(needed))
    done = ended(team, opened)
    assert (done.outcome, team.submission(done.runs[0].submission).unranked) == ("complete", "")
    assert team.report(done.runs[0].submission).missing == 0


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"models": ["nobody"]}, "models"),
        ({"models": ["trained"]}, "models"),
        ({"models": ["random", "random"]}, "models"),
        ({"strategy": "guess"}, "strategy"),
        ({"tier": "quick"}, "size"),
        ({"concurrency": 64}, "concurrency"),
        ({"setting": "none"}, "setting"),
        ({"extraction_model": "nobody"}, "extraction_model"),
        ({"extraction_model": "trained"}, "extraction_model"),
    ],
)
def test_a_wrong_value_is_named(team: Client, change: dict[str, object], field: str) -> None:
    error = refused(evaluate, team, "random", **change) if "models" not in change else _refused(team, change)
    assert error.problem.status == 422
    assert [fault.field for fault in error.problem.faults] == [field]
    assert all(fault.remedy for fault in error.problem.faults)


def _refused(team: Client, change: dict[str, object]) -> ServiceError:
    with pytest.raises(ServiceError) as caught:
        team.evaluate(msgspec.convert({"benchmark": "toy", "size": 5, **change}, EvaluationRequest))
    return caught.value


def test_nobody_sees_another_team_s_evaluation(team: Client, instance: Instance) -> None:
    opened = evaluate(team, "constant", size=3)
    with instance.team("onlookers") as other:
        for act in (other.evaluation, other.cancel_evaluation, other.evaluation_result):
            assert refused(act, opened.id).problem.status == 404
        assert refused(other.model_calls, opened.runs[0].submission).problem.status == 404
        assert other.evaluations().evaluations == []
        assert other.evaluation_queue().waiting >= 0
    ended(team, opened)


def test_an_idempotency_key_opens_one_evaluation(team: Client) -> None:
    request = EvaluationRequest(benchmark="toy", models=["constant"], size=3)
    opened = [team.evaluate(request, idempotency_key="6a0c8a60-1f2b-4b60-9a8e-1f3f1d2b7c10") for _ in range(2)]
    assert opened[0].id == opened[1].id
    ended(team, opened[0])


def test_progress_comes_as_server_sent_events_until_it_is_done(team: Client, instance: Instance, far: Upstream) -> None:
    far.otherwise = slow(0.2)
    opened = evaluate(team, "far", setting="shade-only", size=12, concurrency=2)
    headers = dict(team._authorization)
    kinds: list[str] = []
    answered: list[int] = []
    with httpx.stream(
        "GET", f"{instance.url}/v1/evaluations/{opened.id}/events", headers=headers, timeout=SECONDS
    ) as reply:
        for line in reply.iter_lines():
            name, _, value = line.partition(": ")
            if name == "event":
                kinds.append(value)
            if name == "data":
                assert "correct" not in value.replace("correctness", "")
                shown = msgspec.json.decode(value, type=Evaluation)
                answered.append(shown.runs[0].progress.questions_answered)
    assert kinds[-1] == "done"
    assert set(kinds) == {"progress", "done"}
    assert answered == sorted(answered)
    assert answered[-1] == 12


def test_baselines_are_listed_and_never_ranked(team: Client, instance: Instance) -> None:
    """One command runs them at every place; 20 items would be enough for a rank.

    The tests of the document start baselines on this instance, too, of `constant` with two items.
    """
    wanted = {("baselines@service", "constant-2@service"), ("baselines@service", "random@service")}
    environment = {"TETRAD_URL": instance.url, "TETRAD_HOME": str(instance.data_directory.folder)}
    command = [sys.executable, "-m", "tetrad", "admin", "baselines", "--benchmark", "toy", "--size", "24", "--json"]
    command += ["--model", "constant-2", "--model", "random"]
    done = subprocess.run(command, cwd=ROOT, env=os.environ | environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    started = msgspec.json.decode(done.stdout, type=BaselinesStarted)
    card = next(info.card for info in team.benchmarks().benchmarks if info.card.name == "toy")
    assert len(started.evaluations) == sum(len(track.settings) for track in card.tracks)
    assert started.left_out == {}
    end = time.monotonic() + SECONDS
    while True:
        rows = [row for row in team.leaderboard("toy").rows if (row.team, row.model) in wanted]
        if len(rows) == len(wanted):
            break
        assert time.monotonic() < end, rows
        time.sleep(0.2)
    assert {row.origin for row in rows} == {"baseline, run by the service"}
    assert all(row.items >= 24 and row.rank_best is None for row in rows)
    assert not any(name.startswith("baselines@service/") for name in team.compare_board("toy").rows)


def test_arithmetic_on_embeddings_answers_vasr_with_the_service_s_own_model(team: Client) -> None:
    done = ended(team, evaluate(team, "pixel-arithmetic", benchmark="vasr", size=8))
    assert (done.outcome, done.spent) == ("complete", 0)
    report = team.report(done.runs[0].submission)
    assert (report.unread, report.missing) == (0, 0)
    assert len({one.answer for one in report.questions}) > 1
    assert [row.model for row in team.leaderboard("vasr").rows if row.team == "evaluations"] == [
        "pixel-arithmetic@service"
    ]


def test_a_model_that_can_t_answer_a_benchmark_ends_with_no_answers_and_asks_once(team: Client) -> None:
    """An error would pause the evaluation for days, and all other models of it."""
    done = ended(team, evaluate(team, "pixel-arithmetic", "constant"))
    assert done.outcome == "complete"
    blind, constant = (team.report(run.submission) for run in done.runs)
    assert blind.unread == blind.questions_asked > 0
    assert constant.unread == 0
    assert done.runs[0].retries == 0
