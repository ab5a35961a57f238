"""A model server with all its quirks, as a team meets it: a submission through the gateway, `tetrad ci`, an evaluation.

A run asks one question for each quirk, so that one run shows all replies. Each way counts the calls of the server.
"""

from collections import Counter
from collections.abc import Callable
from itertools import count
from pathlib import Path

import httpx
import msgspec
import pytest

from tests.e2e.conftest import CANARY, Run, Said, assert_absent
from tests.e2e.test_ci import recorded, written
from tests.e2e.test_evaluations import ended, evaluate, until_paused
from tests.instance import Instance
from tests.integration.inference_gateway.quirks import QUIRKS, Fault, Quirk, Seen
from tests.integration.inference_gateway.upstream import Handler, Upstream, chat, failing, replying
from tests.waiting import REPLY_SECONDS, wait_until
from tetrad.client import Client
from tetrad.contracts.evaluations import Thresholds
from tetrad.contracts.inference import NewGatewayToken
from tetrad.contracts.reports import Report

SERVER = [quirk for quirk in QUIRKS if quirk.model == "openai" and not quirk.is_stream]
REPLIES = [(quirk, quirk.seen) for quirk in SERVER if isinstance(quirk.seen, Seen)]
CALLS = sum(quirk.calls for quirk, _ in REPLIES)
KINDS = Counter(seen.kind for _, seen in REPLIES)
READ = {"complete", "length", "unknown"}
"""Ends of replies whose clear statement is read, although after the latter two more may have been to come."""
INCOMPLETE = KINDS["length"] + KINDS["unknown"]
UNREAD = len(REPLIES) - KINDS["complete"] - INCOMPLETE
NOT_COMPLETE = (UNREAD + INCOMPLETE) / len(REPLIES)
FAULTS = [(quirk, quirk.seen) for quirk in SERVER if isinstance(quirk.seen, Fault)]
PASSES = {"a limit in a 200", "Anthropic's error, at an OpenAI server"}
PASSING = [quirk for quirk, _ in FAULTS if quirk.name in PASSES]
REFUSALS = [(quirk, seen) for quirk, seen in FAULTS if seen.status == 400]
FINAL = [*((quirk, seen) for quirk, seen in FAULTS if seen.status == 502), *REFUSALS[::4]]  # ten in a row are held back
REASONS = {
    "upstream_garbled": "in a form that can't be read; tell the operator",
    "upstream_credentials": "the account of far at its provider is at fault",
    "upstream_request": "At most 1 image(s)",
}
LINE = ("--benchmark", "toy", "--setting", "shade-only", "--concurrency", "1")
GATE = 0.5  # of replies that are not complete, at most


def played(quirk: Quirk) -> list[Handler]:
    """Return what the server answers to the calls that a quirk takes, one after another."""
    return (quirk.answers * quirk.calls)[: quirk.calls]


ALL = [answer for quirk, _ in REPLIES for answer in played(quirk)]
PRACTICE = replying(chat("(A)"))


@pytest.fixture(autouse=True)
def _forgetful(far: Upstream) -> None:
    far.reset()


@pytest.fixture
def tokened(run: Run, instance: Instance, monkeypatch: pytest.MonkeyPatch) -> NewGatewayToken:
    """Give the team's token for the gateway's models, which stands in the environment, too."""
    monkeypatch.setenv("TETRAD_HOME", str(instance.data_directory.folder))
    made = run("admin", "gateway-token", "make", "far_model", "--model", "far", "--json")
    token = msgspec.json.decode(made.out, type=NewGatewayToken)
    monkeypatch.setenv("OPENAI_API_KEY", token.token)
    listed, headers = f"{token.url}/models", {"Authorization": f"Bearer {token.token}"}
    # It fetches the revoked tokens when it has begun.
    wait_until(lambda: httpx.get(listed, headers=headers, timeout=REPLY_SECONDS).is_success)
    return token


def fail_each(far: Upstream, command: Callable[[int], Said], status: int) -> str:
    """Meet a fault of each kind after the practice question; return what was told."""
    told = ""
    for quirk, _ in {seen.code: (quirk, seen) for quirk, seen in FINAL}.values():
        far.reset()
        far.answers, far.otherwise = [PRACTICE], quirk.answers[-1]
        failed = command(1)
        assert (failed.status, len(far.asked) - 1) == (status, quirk.calls), quirk.name
        told += failed.out + failed.err
    return told


def test_every_reply_reaches_the_report_through_the_gateway_and_no_key_is_anywhere(
    run: Run, tokened: NewGatewayToken, team: Client, instance: Instance, far: Upstream
) -> None:
    def submit(size: int) -> Said:
        return run("submit", *LINE, "--model", "far", "--base-url", tokened.url, "--json", "--size", str(size))

    far.answers = [failing(503, f"busy with {CANARY}"), PRACTICE, *ALL]
    done = submit(len(REPLIES))
    assert done.status == 0, done.err
    report = msgspec.json.decode(done.out, type=Report)
    assert (report.stops, report.questions_asked) == (KINDS, len(REPLIES)), "none leaves the denominator"
    assert (report.unread, report.incomplete) == (UNREAD, INCOMPLETE)
    assert (len(far.asked), far.answers) == (2 + CALLS, [])
    assert {one.body["model"] for one in far.asked} == {"its-name-there"}
    assert {one.headers["Authorization"] for one in far.asked} == {f"Bearer {CANARY}"}
    told = [done.out, done.err, str(team.events(report.submission)), fail_each(far, submit, 1)]
    with httpx.Client(base_url=instance.gateway_url, timeout=REPLY_SECONDS) as gateway:
        metrics = {"Authorization": f"Bearer {instance.secrets.metrics_token}"}
        told.append(gateway.get("/metrics", headers=metrics).raise_for_status().text)
        told.append(gateway.get("/v1/models", headers={"Authorization": f"Bearer {tokened.token}"}).text)
    assert 'gen_ai_request_model="far"' in told[-2]
    assert [text for text in told if CANARY in text] == []
    assert_absent(CANARY, instance.data_directory.folder)


def test_a_gate_of_ci_counts_what_is_not_complete_and_fails(
    run: Run, team: Client, far: Upstream, tmp_path: Path
) -> None:
    numbers = count()

    def decide(size: int) -> Said:
        """Begin a run of its own: one that failed would go on in its folder."""
        server = ("--base-url", f"{far.url}/v1", "--most-unread", str(GATE), "--out", str(next(numbers)))
        return run("ci", *LINE, "--model", "quirky", *server, "--size", str(size))

    far.answers = [PRACTICE, *ALL]
    said = decide(len(REPLIES))
    assert said.status == 1, said.err
    folder = tmp_path / "0"
    (gate,) = written(folder).gates
    assert (gate.name, gate.outcome, gate.numbers["share"]) == ("most-unread", "fail", NOT_COMPLETE)
    assert (gate.numbers["unread"], gate.numbers["incomplete"]) == (UNREAD, INCOMPLETE)
    assert team.report(written(folder).candidate.submissions[0]).stops == KINDS
    assert (len(far.asked), far.answers) == (1 + CALLS, [])
    _, *replies = [line for line in recorded(next(folder.glob("runs*/candidate"))) if line["line"] == "reply"]
    for (quirk, seen), line in zip(REPLIES, replies, strict=True):
        text, thought = seen.text or seen.refusal or "", "" if seen.text else seen.thought or ""
        assert (line["stop"], line["text"], line.get("thought", "")) == (seen.kind, text, thought), quirk.name
        assert (line.get("usage") is not None) == seen.has_usage, quirk.name
    fail_each(far, decide, 3)


def test_an_evaluation_tells_each_reply_and_pauses_at_each_fault(team: Client, far: Upstream) -> None:
    far.answers = [*ALL, *(answer for quirk in PASSING for answer in [*played(quirk), PRACTICE])]
    far.otherwise = FINAL[0][0].answers[-1]
    calls, size = len(far.answers), len(REPLIES) + len(PASSING) + 1
    gates = Thresholds(most_unread=GATE, least_accuracy=0.9)
    opened = evaluate(team, "far", setting="shade-only", size=size, concurrency=1, thresholds=gates)
    for fault, told in FINAL:
        if (fault, told) != FINAL[0]:
            far.otherwise = fault.answers[-1]
            team.resume_evaluation(opened.id)
        calls += fault.calls
        assert REASONS[told.code] in until_paused(team, opened).pause_reason
        assert len(far.asked) == calls, fault.name
    far.otherwise = PRACTICE
    team.resume_evaluation(opened.id)
    (run,) = team.evaluation_result(ended(team, opened).id).runs
    report, total = team.report(run.submission), run.total
    made = sorted(team.model_calls(run.submission).calls, key=lambda call: call.asked_at)
    questions = {question.item: question for question in report.questions}
    for (quirk, seen), call in zip(REPLIES, made, strict=False):
        thought = None if seen.text else seen.thought
        assert (call.stop, call.thought, call.upstream_attempts) == (seen.kind, thought, quirk.calls), quirk.name
        assert (call.prompt_tokens is not None, call.attempts) == (seen.has_usage, 1), quirk.name
        assert questions[call.item].answer == ("B" if seen.text and seen.kind in READ else None), quirk.name
    assert [call.attempts for call in made[len(REPLIES) :]] == [2, 2, 1]
    assert (total.questions, total.calls, total.cut) == (size, size, KINDS["cut"])
    assert total.refused == KINDS["refused"] + KINDS["blocked"]
    counted = [call for call in made if call.prompt_tokens is not None]
    assert (total.unread, report.incomplete) == (UNREAD, INCOMPLETE)
    assert (total.tokens.prompt, total.tokens.completion) == (5 * len(counted), 2 * len(counted))
    assert total.tokens.unreported == size - len(counted)
    assert 0 < (total.latency.p50 or 0) <= (total.latency.longest or 0)
    assert [group.facets for group in run.groups] == [{"stage": "shade"}]
    assert [(gate.gate, gate.verdict) for gate in run.gates] == [("least_accuracy", "fail"), ("most_unread", "fail")]
    assert run.gates[1].numbers["value"] == (UNREAD + INCOMPLETE) / size
