"""Each quirk of a model server, as a client of the gateway sees it, and the calls that it takes (quirks.py)."""

import base64
import gzip
import io
import json
import warnings
from collections.abc import Iterator
from functools import partial
from typing import Any, get_args

import pytest
from litestar import Litestar
from litestar.testing import TestClient
from PIL import Image

from inference_gateway.app import create_app
from inference_gateway.gates.attempts import RetryPolicy
from inference_gateway.providers import anthropic, gemini
from inference_gateway.settings import GatewaySettings
from tests.integration.inference_gateway.conftest import CANARY
from tests.integration.inference_gateway.quirks import ACCOUNT, QUIRKS, Fault, Quirk, Seen, claude
from tests.integration.inference_gateway.upstream import Upstream, replying
from tetrad.chat_replies import ENDS

TOKEN = "gateway-token-of-tests"
ENTRY = """
[{name}]
provider = "{provider}"
kind = "chat"
title = "{name}"
address = "{url}/{name}"
secret = {{ file = "{key}" }}
output_cap = 64
training = "never"
"""
PROVIDERS = {"openai": "openai", "claude": "anthropic", "gemini": "gemini"}


@pytest.fixture(scope="module")
def in_process(misbehaving: Upstream, tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient[Litestar]]:
    """Give a client of a gateway in this process that does not wait long before it tries again."""
    folder = tmp_path_factory.mktemp("quirks")
    (folder / "key").write_text(CANARY)
    models = [
        ENTRY.format(name=name, provider=provider, url=misbehaving.url, key=folder / "key")
        for name, provider in PROVIDERS.items()
    ]
    (folder / "models.toml").write_text("".join(models))
    settings = GatewaySettings(tokens=TOKEN, models_file=str(folder / "models.toml"), body_limit_mib=1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("inference_gateway.calls.RetryPolicy", partial(RetryPolicy, first_wait=0.01))
        app = create_app(settings)
    with TestClient(app) as client:
        client.headers["Authorization"] = f"Bearer {TOKEN}"
        yield client


def ask(client: TestClient[Litestar], **changed: Any) -> Any:
    asked = {"model": "openai", "messages": [{"role": "user", "content": "Which?"}], **changed}
    return client.post("/v1/chat/completions", json=asked)


def seen_of(document: Any) -> Seen | Fault:
    """Return what a client sees in a reply in one piece."""
    if "error" in document:
        fault = document["error"]
        return Fault(status=document["status"], code=fault["code"], words=fault["message"])
    (choice,) = document["choices"]
    message = choice["message"]
    return Seen(
        text=message["content"],
        finish=choice["finish_reason"],
        kind=choice["stop"]["kind"],
        refusal=message["refusal"],
        thought=message["reasoning_content"],
        has_usage=document["usage"] is not None,
    )


def seen_in(stream: str) -> Seen | Fault:
    """Return what a client sees in a streamed reply."""
    found: dict[str, list[str]] = {"content": [], "refusal": [], "reasoning_content": []}
    *events, last = [event for event in stream.split("\n\n") if event]
    if last != "data: [DONE]":
        name, _, data = last.partition("\n")
        assert name == "event: error"
        return seen_of(json.loads(data.removeprefix("data: ")) | {"status": 200})
    chunks = [json.loads(event.removeprefix("data: ")) for event in events]
    choices = [choice for chunk in chunks for choice in chunk["choices"]]
    for choice in choices:
        for name, texts in found.items():
            texts.append(choice["delta"].get(name, ""))
    return Seen(
        text="".join(found["content"]),
        finish=choices[-1]["finish_reason"],
        kind=choices[-1]["stop"]["kind"],
        refusal="".join(found["refusal"]) or None,
        thought="".join(found["reasoning_content"]) or None,
        has_usage=chunks[-1]["usage"] is not None,
    )


@pytest.mark.parametrize("quirk", QUIRKS, ids=[quirk.name for quirk in QUIRKS])
def test_each_quirk_is_seen_as_what_it_is_and_costs_no_call_too_many(
    in_process: TestClient[Litestar], upstream: Upstream, quirk: Quirk
) -> None:
    *upstream.answers, upstream.otherwise = quirk.answers
    streaming = {"stream": True, "stream_options": {"include_usage": True}} if quirk.is_stream else {}
    reply = ask(in_process, model=quirk.model, **streaming)
    is_streamed = quirk.is_stream and reply.status_code == 200
    seen = seen_in(reply.text) if is_streamed else seen_of(reply.json())
    if isinstance(quirk.seen, Fault):
        assert isinstance(seen, Fault)
        assert (seen.status, seen.code) == (quirk.seen.status, quirk.seen.code)
        assert quirk.seen.words in seen.words
    else:
        assert seen == quirk.seen
    assert len(upstream.asked) == quirk.calls
    assert ACCOUNT not in reply.text
    assert "ops@example.org" not in reply.text
    assert CANARY not in reply.text


@pytest.mark.parametrize(
    "neutral",
    [
        {"frequency_penalty": 0, "presence_penalty": 0.0, "store": False, "logprobs": False, "top_logprobs": 0},
        {"tools": None, "tool_choice": "none", "parallel_tool_calls": True, "logit_bias": {}, "metadata": {}},
        {"functions": None, "function_call": None, "audio": None, "service_tier": "auto", "modalities": ["text"]},
    ],
)
def test_fields_that_change_nothing_are_taken_and_not_sent(
    in_process: TestClient[Litestar], upstream: Upstream, neutral: dict[str, Any]
) -> None:
    assert ask(in_process, **neutral).status_code == 200
    assert set(upstream.asked[0].body) == {"model", "messages", "max_tokens"}


@pytest.mark.parametrize(
    ("field", "value"),
    [("frequency_penalty", 0.5), ("store", True), ("store", 0), ("logprobs", True), ("tools", [{}]), ("frequency", 0)],
)
def test_a_field_that_would_change_something_is_refused_by_name(
    in_process: TestClient[Litestar], upstream: Upstream, field: str, value: object
) -> None:
    reply = ask(in_process, **{field: value})
    assert (reply.status_code, reply.json()["error"]["param"]) == (400, field)
    assert upstream.asked == []


def test_a_message_of_a_client_s_package_is_taken_with_all_its_nulls(
    in_process: TestClient[Litestar], upstream: Upstream
) -> None:
    said: dict[str, Any] = {
        "role": "assistant",
        "content": None,
        "refusal": "No.",
        "tool_calls": [],
        "reasoning_content": "Hm.",
    }
    asked = {"role": "user", "content": "Which?", "name": None}
    assert ask(in_process, messages=[asked, {**said, "audio": None}, asked]).status_code == 200
    assert upstream.asked[0].body["messages"][1] == {"role": "assistant", "content": "", "refusal": "No."}


def test_a_picture_is_taken_as_clients_write_it_and_sent_as_providers_take_it(
    in_process: TestClient[Litestar], upstream: Upstream
) -> None:
    buffer = io.BytesIO()
    Image.new("RGB", (40, 40), (9, 9, 9)).save(buffer, "JPEG")
    packed = base64.encodebytes(buffer.getvalue()).decode()
    part = {"type": "image_url", "image_url": {"url": f"data:image/jpg;base64,{packed}"}}
    upstream.otherwise = replying(claude({"type": "text", "text": "ok"}))
    assert ask(in_process, model="claude", messages=[{"role": "user", "content": [part]}]).status_code == 200
    source = upstream.asked[0].body["messages"][0]["content"][0]["source"]
    assert source == {
        "type": "base64",
        "media_type": "image/jpeg",
        "data": base64.b64encode(buffer.getvalue()).decode(),
    }


BODY = json.dumps({"model": "openai", "messages": [{"role": "user", "content": "Which?"}]}).encode()


PACKED: dict[str, tuple[bytes, str, int, str]] = {
    "whole": (gzip.compress(BODY), "gzip", 200, ""),
    "at the bound": (gzip.compress(b" " * (2**20 - len(BODY)) + BODY), "GZIP", 200, ""),
    "over the bound": (gzip.compress(b" " * 2**20 + BODY), "gzip", 413, "more than 1048576 bytes unpacked"),
    "a bomb": (gzip.compress(b" " * 2**26, 1), "gzip", 413, "unpacked"),  # every worker of pytest-xdist makes it
    "cut": (gzip.compress(BODY)[:-4], "gzip", 400, "ends early"),
    "two members": (gzip.compress(BODY) * 2, "gzip", 400, "more than one gzip member"),
    "plain": (BODY, "gzip", 400, "is not gzip"),
    "another coding": (BODY, "br", 415, "use gzip or none"),
    "no coding": (BODY, "identity", 200, ""),
}


@pytest.mark.parametrize("name", PACKED)
def test_a_gzip_body_is_bounded_as_it_unpacks(in_process: TestClient[Litestar], upstream: Upstream, name: str) -> None:
    body, encoding, status, words = PACKED[name]
    headers = {"Content-Encoding": encoding, "Content-Type": "application/json"}
    reply = in_process.post("/v1/chat/completions", content=body, headers=headers)
    assert reply.status_code == status, reply.text
    assert words in reply.text
    assert len(upstream.asked) == (status == 200)


@pytest.mark.parametrize("token", ["", "Bearer somebody's-old-token", "Bearer tgw_1.x.y"])
def test_an_unknown_token_is_401_in_openai_s_form(in_process: TestClient[Litestar], token: str) -> None:
    reply = in_process.get("/v1/models", headers={"Authorization": token})
    assert (reply.status_code, reply.headers["WWW-Authenticate"]) == (401, "Bearer")
    error = reply.json()["error"]
    assert (error["type"], error["code"]) == ("authentication_error", "invalid_api_key")


def test_no_reason_of_the_official_packages_is_unknown() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of packages that are not ours
        # At the top, every worker of pytest-xdist would import them for two seconds.
        from anthropic.types import StopReason  # noqa: PLC0415 -- see above
        from google.genai.types import FinishReason  # noqa: PLC0415 -- same
        from openai.types.chat.chat_completion import Choice  # noqa: PLC0415 -- same

    assert set(get_args(StopReason)) <= set(anthropic.STOPS)
    not_public = {"ESCALATION", "PUP_LIMITED_DISABLED"}  # no page tells what they mean
    assert {reason.value for reason in FinishReason} - not_public <= set(gemini.STOPS)
    assert set(get_args(Choice.model_fields["finish_reason"].annotation)) <= set(ENDS)
