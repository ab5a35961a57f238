"""Every verb of both clients has its place in the API's document, and errors say what to do."""

import asyncio
import inspect
import io
import json
import re
from collections.abc import Callable
from typing import Any

import httpx
import msgspec
import pytest

from api.openapi import DOCUMENT
from tetrad.client import AsyncClient, Client, ServiceError, TetradError, UnreachableError, UnreadableError
from tetrad.contracts.accounts import KeyRequest, ModelRequest
from tetrad.contracts.answers import Answer, PracticeAnswer
from tetrad.contracts.datasets import DatasetRequest
from tetrad.contracts.evaluations import EvaluationRequest
from tetrad.contracts.items import DrawIdentity
from tetrad.contracts.problems import Fault, Problem
from tetrad.contracts.reports import MetricValue, Report, Versions
from tetrad.contracts.submissions import Progress, Submission, SubmissionRequest
from tetrad.contracts.training import NextRows, PracticeReply

DIGEST = "d" * 64
PATHS: dict[str, dict[str, Any]] = json.loads(DOCUMENT.read_bytes())["paths"]
REPORT = Report(
    submission="sub_1",
    identity=DrawIdentity(benchmark="toy", version=1, bank=DIGEST, track="toy", setting="full", parameters={}),
    size=1,
    seed=DIGEST,
    commitment=DIGEST,
    scored_at="",
    versions=Versions(tetrad="1", benchmark=1, reader=1, scorer=1, bank=DIGEST),
    headline=MetricValue(
        name="m", facets={}, value=1, interval=None, standard_error=None, items=1, questions=1, total=1
    ),
    metrics=[],
    questions_asked=1,
    unread=0,
    missing=0,
    answers_digest=DIGEST,
    questions=[],
)
SUBMISSION = Submission(
    id="sub_1",
    team="t",
    model="m",
    identity=REPORT.identity,
    size=20,
    visibility="public",
    nonce="n",
    commitment=DIGEST,
    state="open",
    opened_at="",
    deadline_at="",
    progress=Progress(items=20, questions_opened=0, questions_answered=0, items_finished=0),
)
ARGUMENTS: dict[str, tuple[tuple[Any, ...], dict[str, Any]]] = {
    "register_team": (("a-team",), {"title": "A", "contact": "b"}),
    "team": ((), {}),
    "keys": ((), {}),
    "new_key": ((KeyRequest(name="ci"),), {}),
    "revoke_key": (("key_1",), {}),
    "models": ((), {}),
    "register_model": ((ModelRequest(name="m"),), {}),
    "versions": ((), {}),
    "benchmarks": ((), {}),
    "benchmark": (("toy",), {}),
    "practice": (("toy",), {"track": "toy", "seed": 3, "limit": 2}),
    "practice_item": (("item",), {}),
    "solution": (("item",), {}),
    "count_items": (("toy",), {"track": "toy", "size": 20}),
    "order_dataset": ((DatasetRequest(benchmark="toy", seed="1", count=10),), {"dry_run": True}),
    "dataset": (("dat_1",), {}),
    "datasets": ((), {"limit": 2}),
    "dataset_manifest": (("dat_1",), {}),
    "dataset_events": (("dat_1",), {}),
    "dataset_shard": (("dat_1", 0, io.BytesIO()), {}),
    "cancel_dataset": (("dat_1",), {}),
    "next_rows": (("toy", [NextRows(item="itm_1")]), {"pictures": "url"}),
    "judge": (("toy", [PracticeReply(item="itm_1", question="name", response="(1)")]), {}),
    "check": (("item", [PracticeAnswer(question="name", answer="1")]), {}),
    "picture": (("/v1/items/item/images/1",), {}),
    "practice_pictures": (("item", ["1", "2"]), {}),
    "submission_pictures": (("sub_1", [(3, "what-0-1")]), {}),
    "open_submission": ((SubmissionRequest(benchmark="toy", track="toy", setting="full", size=1, model="m"),), {}),
    "submission": (("sub_1",), {}),
    "submissions": ((), {"cursor": "c"}),
    "questions": (("sub_1",), {"cursor": "c", "limit": 3}),
    "seal": (("sub_1", [Answer(item=0, question="name", answer="1")]), {"dry_run": True}),
    "finish": (("sub_1",), {}),
    "events": (("sub_1",), {}),
    "report": (("sub_1",), {}),
    "report_text": (("sub_1", "csv"), {}),
    "upload": (("sub_1", b"item,question,answer\n", "csv"), {"dry_run": True}),
    "bundle": (("sub_1", io.BytesIO()), {}),
    "revealed_items": (("sub_1",), {"cursor": "c"}),
    "commitments": ((), {"after": 4, "limit": 5}),
    "verify": ((REPORT,), {}),
    "verification": (("ver_1",), {}),
    "leaderboard": (("toy",), {"track": "toy", "setting": "full"}),
    "evaluate": ((EvaluationRequest(benchmark="toy", models=["m"]),), {}),
    "evaluation": (("evl_1",), {}),
    "evaluations": ((), {"cursor": "c"}),
    "evaluation_queue": ((), {}),
    "pause_evaluation": (("evl_1",), {"hours": 2.0}),
    "resume_evaluation": (("evl_1",), {}),
    "cancel_evaluation": (("evl_1",), {}),
    "evaluation_result": (("evl_1",), {}),
    "model_calls": (("sub_1",), {"limit": 3}),
    "compare": (("sub_1", "sub_2"), {"margin": 0.1}),
    "compare_board": (("toy",), {"track": "toy"}),
}
STREAMS = {"follow", "follow_evaluation", "rows"}
"""Verbs that yield; tried in test_streams.py, and by the tests of evaluations."""
Handler = Callable[[httpx.Request], httpx.Response]


def verbs(kind: type) -> dict[str, Any]:
    return {name: verb for name, verb in vars(kind).items() if inspect.isfunction(verb) and not name.startswith("_")}


def synchronous(handler: Handler, key: str | None = "k") -> Client:
    return Client("", key, http=httpx.Client(base_url="http://service", transport=httpx.MockTransport(handler)))


def asynchronous(handler: Handler, key: str | None = "k") -> AsyncClient:
    http = httpx.AsyncClient(base_url="http://service", transport=httpx.MockTransport(handler))
    return AsyncClient("", key, http=http)


def use(kind: str, handler: Handler, act: Callable[[Any], Any], key: str | None = "k") -> Any:
    """Call something of one kind of client, and wait for it where it is asynchronous."""
    if kind == "sync":
        with synchronous(handler, key) as client:
            return act(client)

    async def run() -> Any:
        async with asynchronous(handler, key) as client:
            return await act(client)

    return asyncio.run(run())


def ask(kind: str, handler: Handler, verb: str, key: str | None = "k") -> Any:
    """Call one verb on one kind of client."""
    arguments, options = ARGUMENTS[verb]
    return use(kind, handler, lambda client: getattr(client, verb)(*arguments, **options), key)


class Recorder:
    """A service that keeps the last request and answers with a refusal, as every verb understands it."""

    request: httpx.Request

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.request = request
        return httpx.Response(418, json={"type": "x", "title": "Teapot", "status": 418, "detail": "short and stout"})


def refuse_with(problem: Problem, **headers: str) -> Handler:
    return lambda _: httpx.Response(problem.status, content=msgspec.json.encode(problem), headers=headers)


BOTH = pytest.mark.parametrize("kind", ["sync", "async"])


def test_every_verb_is_tried_here() -> None:
    assert ARGUMENTS.keys() == verbs(Client).keys() - {"close", *STREAMS}


@BOTH
@pytest.mark.parametrize("verb", ARGUMENTS)
def test_a_verb_calls_what_the_api_s_document_describes(kind: str, verb: str) -> None:
    service = Recorder()
    with pytest.raises(ServiceError, match="418 Teapot: short and stout"):
        ask(kind, service, verb)
    path = service.request.url.path
    found = [known for known in PATHS if re.fullmatch(re.sub(r"\{\w+\}", "[^/]+", known), path)]
    exact = [known for known in found if known == path] or found
    assert len(exact) == 1, path
    operation = PATHS[exact[0]][service.request.method.lower()]
    described = {parameter["name"] for parameter in operation.get("parameters", []) if parameter["in"] == "query"}
    if "benchmark}" not in exact[0]:
        assert set(service.request.url.params) <= described
    assert ("requestBody" in operation) == bool(service.request.content)


@BOTH
def test_a_key_goes_with_every_request_and_only_where_there_is_one(kind: str) -> None:
    service = Recorder()
    for key, sent in (("secret", "Bearer secret"), (None, None)):
        with pytest.raises(ServiceError):
            ask(kind, service, "team", key)
        assert service.request.headers.get("authorization") == sent


@BOTH
def test_what_the_service_says_becomes_a_struct(kind: str) -> None:
    body = {"id": "team_1", "name": "a", "title": "A", "created_at": "", "new_field": "is no error"}
    assert ask(kind, lambda _: httpx.Response(200, json=body), "team").name == "a"
    assert ask(kind, lambda _: httpx.Response(200, content=b"\x89PNG"), "picture") == b"\x89PNG"
    assert ask(kind, lambda _: httpx.Response(200, text="# Report"), "report_text") == "# Report"
    assert ask(kind, lambda _: httpx.Response(204), "revoke_key") is None


def test_a_revoked_key_is_told_where_the_service_tells_it() -> None:
    key = {"id": "key_1", "name": "ci", "prefix": "tk", "scopes": ["read"], "created_at": "", "revoked_at": "now"}
    revoked = ask("sync", lambda _: httpx.Response(200, json=key), "revoke_key")
    assert revoked.revoked_at == "now"


def test_names_from_outside_can_not_leave_their_segment() -> None:
    service = Recorder()
    with synchronous(service) as client:
        for call in (client.revoke_key, client.submission, client.benchmark):
            with pytest.raises(ServiceError):
                call("../teams?x=1#y")
            assert service.request.url.raw_path.endswith(b"/..%2Fteams%3Fx%3D1%23y")


@BOTH
def test_a_refusal_says_line_field_problem_and_remedy(kind: str) -> None:
    faults = [
        Fault(line=3, field="answer", value="Z", problem="is no label", remedy="use A to D"),
        Fault(field="size", problem="is too large", remedy="use 1 to 500"),
    ]
    problem = Problem(type="x", title="Unprocessable", status=422, detail="two things", faults=faults, faults_total=250)
    with pytest.raises(ServiceError) as refused:
        ask(kind, refuse_with(problem, **{"Retry-After": "7"}), "team")
    assert str(refused.value).splitlines() == [
        "422 Unprocessable: two things",
        "  line 3, answer 'Z': is no label; use A to D",
        "  size: is too large; use 1 to 500",
        "  and 248 more",
    ]
    assert refused.value.problem == problem
    assert refused.value.retry_after == 7


@pytest.mark.parametrize("wait", ["", "soon"])
def test_a_waiting_time_that_is_none_is_none(wait: str) -> None:
    problem = Problem(type="x", title="Busy", status=503, detail="later")
    with pytest.raises(ServiceError) as refused:
        ask("sync", refuse_with(problem, **{"Retry-After": wait}), "team")
    assert refused.value.retry_after is None


@BOTH
def test_a_proxy_s_error_page_is_quoted_and_cut(kind: str) -> None:
    with pytest.raises(ServiceError, match="502 Bad Gateway: <html>") as refused:
        ask(kind, lambda _: httpx.Response(502, text="<html>" + "x" * 9000), "team")
    assert len(str(refused.value)) < 600


@BOTH
@pytest.mark.parametrize(
    "reply", [httpx.Response(200, text="<html>"), httpx.Response(302), httpx.Response(200, json={})]
)
def test_an_answer_of_another_program_names_the_address(kind: str, reply: httpx.Response) -> None:
    with pytest.raises(UnreadableError, match=r"http://service/v1/teams/me: status \d+ .* is a Tetrad service"):
        ask(kind, lambda request: httpx.Response(reply.status_code, content=reply.content, request=request), "team")


async def ask_nobody() -> None:
    async with AsyncClient("http://127.0.0.1:9") as client:
        await client.team()


def test_a_service_that_is_down_is_named_by_its_address() -> None:
    with Client("http://127.0.0.1:9") as client, pytest.raises(UnreachableError, match=r"http://127\.0\.0\.1:9.*up\?"):
        client.team()
    with pytest.raises(UnreachableError, match=r"http://127\.0\.0\.1:9.*up\?"):
        asyncio.run(ask_nobody())


@pytest.mark.parametrize("kind", [Client, AsyncClient])
def test_an_address_that_is_none_is_refused_at_once(kind: type) -> None:
    with pytest.raises(UnreachableError, match="http://host:port"):
        kind("http://host:port")


def test_a_timeout_without_words_is_named_by_its_kind() -> None:
    def late(_: httpx.Request) -> httpx.Response:
        raise httpx.ReadTimeout("")

    with pytest.raises(UnreachableError, match="http://service: ReadTimeout; is the service up"):
        ask("sync", late, "team")


def test_all_errors_of_the_client_are_of_one_family() -> None:
    assert all(issubclass(kind, TetradError) for kind in (ServiceError, UnreachableError, UnreadableError))
