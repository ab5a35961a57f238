"""Responders: a solver here, any program, any server with OpenAI's chat endpoint."""

import builtins
import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx
import msgspec
import pytest
from litestar import Litestar, Request, Response, post
from litestar.testing import TestClient

from inference_gateway.app import create_app
from inference_gateway.settings import GatewaySettings
from tests.unit.tetrad.solvers.panels import CHANGES, pair, png, thing
from tetrad.contracts.items import Choice, Option, Picture, Question
from tetrad.contracts.submissions import EarlierTurn
from tetrad.prompting import Wording, find_strategy
from tetrad.runner import (
    ModelReply,
    Prompt,
    RefusedError,
    ReplyError,
    TokenUsage,
    command_responder,
    http_responder,
    solver_responder,
)
from tetrad.runner.inspect_models import reply_of

TOKEN = "gateway-token-of-tests"
RETRY_INFO = '[{"error": {"details": [{"@type": "x.googleapis.com/google.rpc.RetryInfo", "retryDelay": "34.5s"}]}}]'


def prompt(**pictures: bytes) -> Prompt:
    question = Question(
        id="what-1",
        kind="what",
        text="What changed?",
        shape=Choice(labels=("1", "2", "3")),
        options=(
            Option(label="1", text="Its size."),
            Option(label="2", text="Its color."),
            Option(label="3", picture="given"),
        ),
        pictures=tuple(Picture(name=name, caption=f"About {name}") for name in pictures),
        instruction="One number.",
    )
    messages = find_strategy("direct").messages(question, {"given": b"", **pictures}, Wording())
    return Prompt(question=question, pictures=pictures, messages=messages)


def recolored() -> Prompt:
    """Words only, so that the given pair is context."""
    asked = prompt(given=png(pair(*CHANGES["color red"](thing()))))
    question = msgspec.structs.replace(asked.question, options=asked.question.options[:2])
    messages = find_strategy("direct").messages(question, asked.pictures, Wording())
    return Prompt(question=question, pictures=asked.pictures, messages=messages)


def program(folder: Path, source: str) -> list[str]:
    file = folder / "model.py"
    file.write_text(source)
    return [sys.executable, str(file)]


def test_a_solver_replies_in_this_process() -> None:
    assert solver_responder("pixel-solver")(recolored()) == "(2)"
    assert solver_responder("random", seed=3)(recolored()) in {"(1)", "(2)"}


def test_an_unknown_solver_or_a_damaged_picture_is_a_refusal() -> None:
    with pytest.raises(RefusedError, match="psychic"):
        solver_responder("psychic")
    with pytest.raises(RefusedError, match="no readable picture"):
        solver_responder("pixel-solver")(
            Prompt(
                question=recolored().question,
                pictures={},
                messages=find_strategy("direct").messages(recolored().question, {"given": b"no png"}, Wording()),
            )
        )


def test_without_numpy_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = builtins.__import__

    def without(name: str, *rest: object) -> object:
        if name.startswith("tetrad.solvers"):
            raise ImportError(name)
        return plain(name, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(RefusedError, match=r"tetrad\[solvers\]"):
        solver_responder("random")


ECHO = """
import json, pathlib, sys
asked = json.load(sys.stdin)
asked["bytes"] = [len(pathlib.Path(p["path"]).read_bytes()) for p in asked["pictures"]]
print(json.dumps(asked))
"""


def test_a_command_gets_the_question_and_its_pictures_as_files(tmp_path: Path) -> None:
    respond = command_responder(program(tmp_path, ECHO))
    heard = json.loads(respond(prompt(**{"given": b"12345", "../evil": b"1"})))
    assert heard["text"] == "What changed?"
    assert heard["options"] == [
        {"label": "1", "text": "Its size.", "picture": None},
        {"label": "2", "text": "Its color.", "picture": None},
        {"label": "3", "text": None, "picture": "given"},
    ]
    assert [picture["name"] for picture in heard["pictures"]] == ["given", "../evil"]
    assert heard["pictures"][0]["caption"] == "About given"
    assert [Path(picture["path"]).name for picture in heard["pictures"]] == ["1.png", "2.png"]
    assert heard["bytes"] == [5, 1]
    assert not Path(heard["pictures"][0]["path"]).exists()


def test_a_command_gets_the_earlier_turns_in_the_form_of_the_question(tmp_path: Path) -> None:
    before = msgspec.structs.replace(prompt(given=b"1").question, id="how-1", text="How?", options=())
    earlier = [
        EarlierTurn(question=before, response="It grew."),
        EarlierTurn(question=prompt(given=b"1", new=b"22").question, answer="2"),
    ]
    asked = msgspec.structs.replace(
        prompt(given=b"1").question, options=(), pictures=(Picture(name="new", caption=""),)
    )
    pictures = {"given": b"1", "new": b"22"}
    heard = json.loads(
        command_responder(program(tmp_path, ECHO))(
            Prompt(question=asked, pictures=pictures, messages=[], earlier=earlier)
        )
    )
    first, second = heard["earlier"]
    assert (first["id"], first["text"], first["response"], first["answer"]) == ("how-1", "How?", "It grew.", None)
    assert (second["text"], second["response"], second["answer"]) == ("What changed?", None, "2")
    assert second["options"][1] == {"label": "2", "text": "Its color.", "picture": None}
    assert [one["name"] for one in heard["pictures"]] == ["new"]
    assert [one["name"] for one in first["pictures"]] == ["given"]
    assert second["pictures"][0] == first["pictures"][0], "a picture is one file, whichever turn shows it"
    assert second["pictures"][1]["path"] == heard["pictures"][0]["path"]
    assert heard["bytes"] == [2]


def test_a_command_s_question_in_a_fresh_context_has_no_earlier_turns(tmp_path: Path) -> None:
    assert json.loads(command_responder(program(tmp_path, ECHO))(prompt(given=b"1")))["earlier"] == []


@pytest.mark.parametrize(
    ("source", "problem"),
    [
        ("import sys; sys.exit('no GPU')", "status 1: no GPU"),
        ("import os; os._exit(3)", "status 3: nothing on standard error"),
        ("import time; time.sleep(30)", "no reply within 0.3 s"),
    ],
)
def test_a_failing_command_says_why(tmp_path: Path, source: str, problem: str) -> None:
    with pytest.raises(ReplyError, match=problem) as failed:
        command_responder(program(tmp_path, source), timeout_seconds=0.3 if "sleep" in source else 30)(prompt())
    assert not isinstance(failed.value, RefusedError)


@pytest.mark.parametrize("argv", [[], ["no-such-program-here"]])
def test_a_command_that_is_not_there_is_refused_at_once(argv: list[str]) -> None:
    with pytest.raises(RefusedError, match="no such program"):
        command_responder(argv)


def test_a_command_that_cannot_be_started_is_a_refusal(tmp_path: Path) -> None:
    file = tmp_path / "model"
    file.write_text("#!/no/such/interpreter\n")
    file.chmod(0o755)
    with pytest.raises(RefusedError, match="can't be started"):
        command_responder([str(file)])(prompt())


@pytest.fixture
def gateway() -> Iterator[httpx.Client]:
    with TestClient(create_app(GatewaySettings(tokens=TOKEN))) as client:
        yield client


def test_the_gateway_replies_over_http(gateway: httpx.Client) -> None:
    respond = http_responder("/v1/", "pixel-solver", key=TOKEN, http=gateway, temperature=0.0, max_tokens=9, seed=1)
    assert respond(recolored()) == ModelReply(text="(2)", stop="complete", usage=TokenUsage(input=44, output=1))


@pytest.mark.parametrize(
    ("choice", "expected"),
    [({"finish_reason": "stop", "stop": {"kind": "cut"}}, "cut"), ({}, None)],  # quirks.py has the servers' own reasons
)
def test_how_a_gateway_s_reply_ended_is_told(choice: dict[str, object], expected: str | None) -> None:
    with serving(lambda: Response({"choices": [{"message": {"content": "a"}, **choice}]})) as http:
        reply = http_responder("", "m", http=http)(prompt())
    assert (reply.text, reply.stop) == ("a", expected)


@pytest.mark.parametrize(
    ("reason", "text", "kind"),
    [
        ("stop", "a", "complete"),
        ("stop", " ", "empty"),
        ("max_tokens", "", "length-before-text"),
        ("tool_calls", "a", "cut"),
        ("unknown", "a", "unknown"),
    ],
)
def test_how_a_reply_of_inspect_ended_is_told_by_the_same_table(reason: str, text: str, kind: str) -> None:
    reply = reply_of(SimpleNamespace(usage=None, stop_reason=reason, completion=text))
    assert (reply.stop, reply.usage) == (kind, None)


def test_a_repeated_request_has_the_same_name_and_another_question_another() -> None:
    names: list[str] = []

    @post("/chat/completions", status_code=200)
    async def chat(request: Request[Any, Any, Any]) -> Response[object]:
        await request.body()
        names.append(request.headers["Idempotency-Key"])
        return Response({"choices": [{"message": {"content": "a"}}]})

    one = prompt()
    other = Prompt(question=msgspec.structs.replace(one.question, id="what-2"), pictures={}, messages=one.messages)
    with TestClient(Litestar([chat])) as http:
        ask = http_responder("", "m", http=http)
        for asked in (one, one, other, replace(one, item=2)):
            ask(asked)
        http_responder("", "m", http=http)(one)
    assert names[0] == names[1]
    assert len(set(names)) == 4, "another question, the same of another item, and another run have their own names"


@pytest.mark.parametrize(
    ("model", "key", "status"), [("gpt-17", TOKEN, 404), ("random", "wrong", 401), ("x", None, 401)]
)
def test_a_refusing_server_is_not_worth_asking_again(
    gateway: httpx.Client, model: str, key: str | None, status: int
) -> None:
    with pytest.raises(RefusedError, match=f"{status}: "):
        http_responder("/v1", model, key=key, http=gateway)(recolored())


def serving(answer: Callable[[], Response[object]]) -> httpx.Client:
    @post("/chat/completions", status_code=200)
    async def chat(request: Request[Any, Any, Any]) -> Response[object]:
        await request.body()
        return answer()

    return TestClient(Litestar([chat]))


def test_a_gateway_whose_provider_refuses_its_key_is_not_worth_asking_again() -> None:
    problem = {"status": 502, "error": {"code": "upstream_credentials", "message": "tell the operator"}}
    with serving(lambda: Response(problem, status_code=502)) as http, pytest.raises(RefusedError, match="operator"):
        http_responder("", "m", http=http)(recolored())


@pytest.mark.parametrize(
    ("content", "status", "header", "wait"),
    [
        ("slow down", 429, "7", 7.0),
        ("slow down", 429, "1.5", 1.5),
        ("slow down", 429, "1m30.5s", 90.5),
        (RETRY_INFO, 429, "", 34.5),
        ("broken", 503, "soon", None),
        ("<html>", 200, "", None),
        ('{"choices": []}', 200, "", None),
    ],
)
def test_a_busy_or_muddled_server_is_worth_asking_again(
    content: str, status: int, header: str, wait: float | None
) -> None:
    def answer() -> Response[object]:
        return Response(content.encode(), status_code=status, headers={"Retry-After": header})

    with serving(answer) as http, pytest.raises(ReplyError) as failed:
        http_responder("", "m", http=http)(prompt())
    assert not isinstance(failed.value, RefusedError)
    assert failed.value.wait_seconds == wait


def test_a_reply_without_text_is_an_empty_reply() -> None:
    with serving(lambda: Response({"choices": [{"message": {"content": None}}]})) as http:
        assert http_responder("", "m", http=http)(prompt()) == ModelReply(text="")


def test_a_server_that_is_not_there_is_worth_asking_again() -> None:
    with pytest.raises(ReplyError, match="no reply"):
        http_responder("http://127.0.0.1:9/v1", "m", timeout_seconds=1)(prompt())
