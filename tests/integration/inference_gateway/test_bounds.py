"""Bounds of upstream calls, the registry that is read again, callers that go away, tokens that are revoked."""

import socket
import time
from pathlib import Path
from typing import Any

import httpx
import openai
import pytest

from tests.files import replace_text
from tests.integration.inference_gateway.conftest import (
    CANARY,
    LEDGER_TOKEN,
    LIST_TOKEN,
    Gateway,
    gateway_with,
    registry,
    signed_token,
    signing,
)
from tests.integration.inference_gateway.upstream import (
    Handler,
    Upstream,
    beside_the_api,
    chat,
    chunk,
    elsewhere,
    huge,
    replying,
    short,
    slow,
    streaming,
)
from tests.waiting import REPLY_SECONDS, wait_until

QUESTION: list[Any] = [{"role": "user", "content": "Which?"}]


@pytest.mark.parametrize(
    ("model", "behaviour", "expected"),
    [
        ("far", slow, (504, "did not answer in time")),
        *(
            (model, behaviour, (502, problem))
            for model in ("blind", "claude", "gemini")  # far's time-outs would end these replies first
            for behaviour, problem in (
                (huge, "more than the gateway reads"),
                (short, "broke off"),
                (elsewhere, "follows no redirects"),
            )
        ),
    ],
)
def test_an_upstream_that_misbehaves_is_told_and_bounded(
    gateway: Gateway, upstream: Upstream, model: str, behaviour: Handler, expected: tuple[int, str]
) -> None:
    status, problem = expected
    upstream.otherwise = behaviour
    begun = time.monotonic()
    with pytest.raises(openai.APIStatusError, match=problem) as failed:
        gateway.client(max_retries=0, timeout=60).chat.completions.create(model=model, messages=QUESTION)
    assert failed.value.status_code == status
    assert time.monotonic() - begun < 30
    assert not any("stolen" in one.path for one in upstream.asked), "no redirect is followed"


def test_a_reply_is_read_to_its_end_when_the_caller_goes_away(gateway: Gateway, upstream: Upstream) -> None:
    usage = {"prompt_tokens": 5, "completion_tokens": 4711, "total_tokens": 4716}
    events = [chunk(f"{at} ") for at in range(20)] + [chunk(None, "stop"), {"choices": [], "usage": usage}]
    upstream.otherwise = streaming(*events, pause=0.1)
    with (
        gateway.http() as http,
        http.stream(
            "POST", "/v1/chat/completions", json={"model": "far", "messages": QUESTION, "stream": True}
        ) as answer,
    ):
        next(answer.iter_lines())
    wait_until(lambda: '"drained"' in gateway.log.read_text())
    assert "4711" in gateway.log.read_text(), "its usage is known"


def test_a_registry_that_changes_is_read_again_and_a_broken_one_is_not_taken(
    upstream: Upstream, tmp_path: Path
) -> None:
    key = tmp_path / "key"
    key.write_text("first-key\n")
    models = registry(upstream.url).replace('{ variable = "CANARY_KEY" }', f'{{ file = "{key}" }}')
    with gateway_with(tmp_path, models) as gateway, gateway.client() as client:

        def names() -> set[str]:
            return {model.id for model in client.models.list()}

        assert "far" in names()
        replace_text(gateway.models, models.replace("[far]", "[farther]"))
        wait_until(lambda: "farther" in names())
        assert "far" not in names()
        broken = models.replace('training = "never"', 'training = "sometimes"', 1)
        replace_text(gateway.models, broken)
        ready = f"{gateway.url}/health/ready"
        wait_until(lambda: "stale" in httpx.get(ready, timeout=REPLY_SECONDS).json())
        assert "farther" in names(), "the old one is kept"
        line = next(at for at, text in enumerate(broken.splitlines(), start=1) if "sometimes" in text)
        assert f"models.toml, line {line}: [far] training: Invalid enum value" in gateway.log.read_text()
        replace_text(gateway.models, models)
        wait_until(lambda: "far" in names())
        assert "stale" not in httpx.get(ready, timeout=REPLY_SECONDS).json()
        client.chat.completions.create(model="far", messages=QUESTION)
        replace_text(key, "second-key\n")

        def key_sent() -> str:
            client.chat.completions.create(model="far", messages=QUESTION)
            return upstream.asked[-1].headers["Authorization"]

        wait_until(lambda: key_sent() == "Bearer second-key")
        assert upstream.asked[0].headers["Authorization"] == "Bearer first-key"


def test_signed_tokens_open_what_they_say_until_they_are_revoked(upstream: Upstream, tmp_path: Path) -> None:
    revoked: list[str] = []
    upstream.otherwise = beside_the_api(replying(chat("ok")), revoked)
    models = registry(upstream.url).replace('title = "Blind"', 'title = "Blind"\nteams = ["team-two"]')
    with gateway_with(tmp_path, models, **signing(upstream.url, REVOCATION_SECONDS="0.2")) as gateway:
        mine = gateway.client(signed_token("one", models=["constant", "learner"]))
        wait_until(lambda: bool(upstream.asked))
        asked = upstream.asked[0]
        assert asked.path == "/internal/v1/revoked-tokens"
        assert asked.headers["Authorization"] == f"Bearer {LEDGER_TOKEN}"
        assert [model.id for model in mine.models.list()] == ["constant", "learner"]
        assert mine.chat.completions.create(model="constant", messages=QUESTION)
        with pytest.raises(openai.NotFoundError, match="choose one of: constant, learner"):
            mine.chat.completions.create(model="far", messages=QUESTION)
        with pytest.raises(openai.PermissionDeniedError, match="can't be used for sealed calls"):
            mine.chat.completions.create(model="learner", messages=QUESTION)
        practice = gateway.client(signed_token("two", purpose="practice"))
        assert practice.chat.completions.create(model="learner", messages=QUESTION)
        assert "blind" not in {model.id for model in practice.models.list()}, "it is another team's"
        with gateway.http(LIST_TOKEN) as api:
            for team, is_there in (("team-one", False), ("team-two", True)):
                listed = api.get("/v1/models", params={"team": team}).json()["data"]
                assert ("blind" in {model["id"] for model in listed}) is is_there
            for path in ("chat/completions", "embeddings"):
                refused = api.post(f"/v1/{path}", json={"model": "constant", "messages": QUESTION})
                assert (refused.status_code, "only lists models" in refused.text) == (403, True)
        with gateway.http(signed_token("two")) as other:
            assert other.get("/v1/models", params={"team": "team-two"}).status_code == 403
        for bad in (signed_token("old", expires_at=1), mine.api_key[:-3] + "AAA"):
            with pytest.raises(openai.AuthenticationError, match="ask the operator"):
                gateway.client(bad).models.list()
        revoked.append("one")

        def is_refused() -> bool:
            try:
                mine.models.list()
            except openai.AuthenticationError as error:
                return "is revoked" in str(error)
            return False

        wait_until(is_refused)
        assert practice.models.list()
        for client in gateway.made:
            client.close()


def test_signed_tokens_do_not_pass_while_nobody_knows_which_are_revoked(upstream: Upstream, tmp_path: Path) -> None:
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        away = f"http://127.0.0.1:{nobody.getsockname()[1]}"
        with (
            gateway_with(tmp_path, registry(upstream.url), **signing(away)) as gateway,
            gateway.http(signed_token("one")) as http,
            gateway.http() as service,
        ):
            refused = http.get("/v1/models")
            assert (refused.status_code, refused.headers["Retry-After"]) == (503, "5")
            assert service.get("/v1/models").status_code == 200, "our own services' tokens are not revoked"


def test_a_priced_model_is_refused_where_nothing_can_be_booked(gateway: Gateway, upstream: Upstream) -> None:
    with pytest.raises(openai.InternalServerError, match="costs money and can't be booked now") as refused:
        gateway.client(max_retries=0).chat.completions.create(model="dear", messages=QUESTION)
    assert refused.value.status_code == 503
    assert "Retry-After" in refused.value.response.headers
    assert upstream.asked == []


def test_no_key_is_in_any_answer_or_log(gateway: Gateway, upstream: Upstream) -> None:
    told = []
    for behaviour in (huge, short, elsewhere):
        upstream.otherwise = behaviour
        with pytest.raises(openai.APIStatusError) as failed:
            gateway.client(max_retries=0).chat.completions.create(model="far", messages=QUESTION)
        told.append(failed.value.response.text)
    with gateway.http() as http:
        told += [http.get(path).text for path in ("/v1/models", "/schema/openapi.json", "/health/ready")]
    assert upstream.asked[0].headers["Authorization"] == f"Bearer {CANARY}", "it was sent, so it could have leaked"
    assert CANARY not in "".join(told) + gateway.log.read_text()
