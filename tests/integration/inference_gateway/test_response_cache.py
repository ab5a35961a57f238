"""The cache of replies: off by default, for the teams that are named, of complete replies alone."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.files import replace_text
from tests.integration.inference_gateway.conftest import (
    PRACTICE_TOKEN,
    Gateway,
    gateway_with,
    registry,
    signed_token,
    signing,
)
from tests.integration.inference_gateway.upstream import Upstream, beside_the_api, chat, chunk, replying, streaming

ASKED: dict[str, Any] = {"model": "far", "messages": [{"role": "user", "content": "Which?"}]}
JUDGE_TOKEN = "judge-token-of-the-gateway"
SEVERAL = {"TETRAD_GATEWAY_TOKENS": f"a-token-of-the-service,practice:{PRACTICE_TOKEN},judge:{JUDGE_TOKEN}"}


@pytest.fixture(scope="module")
def shared_caching(misbehaving: Upstream, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gateway]:
    folder, models = tmp_path_factory.mktemp("caching"), registry(misbehaving.url)
    with gateway_with(folder, models, **SEVERAL, TETRAD_GATEWAY_CACHE_TEAMS="*") as gateway:
        yield gateway


@pytest.fixture
def caching(
    shared_caching: Gateway, upstream: Upstream, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> Gateway:
    """Give the gateway that tests share; each asks a question of its own, so that it meets no kept reply of another."""
    upstream.reset()
    monkeypatch.setitem(ASKED, "messages", [{"role": "user", "content": request.node.name}])
    return shared_caching


def ask(client: httpx.Client, **changed: Any) -> httpx.Response:
    reply = client.post("/v1/chat/completions", json={**ASKED, **changed})
    assert reply.status_code == 200, reply.text
    return reply


def test_equal_requests_of_a_team_get_the_same_reply_and_are_asked_once(caching: Gateway, upstream: Upstream) -> None:
    kept = caching.log.read_text().count('"kept":true')
    with caching.http("a-token-of-the-service") as sealed, caching.http(PRACTICE_TOKEN) as practice:
        first, second = ask(sealed), ask(sealed)
        assert second.content == first.content
        assert (first.headers.get("x-tetrad-cache"), second.headers["x-tetrad-cache"]) == (None, "hit")
        assert len(upstream.asked) == 1
        for changed in ({"seed": 1}, {"n": 2}):
            ask(sealed, **changed)
        assert len(upstream.asked) == 3
        ask(practice)
        assert len(upstream.asked) == 4, "another purpose is another request"
        upstream.otherwise = streaming(chunk("ok"), chunk(None, "stop"))
        for calls in (5, 6):
            ask(sealed, stream=True)
            assert len(upstream.asked) == calls, "streams are not kept"
    assert caching.log.read_text().count('"kept":true') == kept + 1


def test_a_caller_can_ask_anew_and_can_keep_a_reply_out(caching: Gateway, upstream: Upstream) -> None:
    with caching.http(PRACTICE_TOKEN) as client:
        client.headers["Cache-Control"] = "no-store"
        ask(client)
        client.headers["Cache-Control"] = ""
        ask(client)
        client.headers["Cache-Control"] = "no-cache"
        ask(client)
        assert len(upstream.asked) == 3
        client.headers["Cache-Control"] = ""
        assert ask(client).headers["x-tetrad-cache"] == "hit"
        client.headers["Idempotency-Key"] = "a-new-call"
        ask(client)
        assert len(upstream.asked) == 4, "a new name is a new call"


@pytest.mark.parametrize("reason", ["length", "content_filter", None])
def test_only_complete_replies_are_kept(caching: Gateway, upstream: Upstream, reason: str | None) -> None:
    upstream.otherwise = replying(chat("half", reason))
    with caching.http(PRACTICE_TOKEN) as client:
        ask(client)
        ask(client)
    assert len(upstream.asked) == 2


def test_what_a_judge_is_told_is_never_kept(caching: Gateway, upstream: Upstream) -> None:
    with caching.http(JUDGE_TOKEN) as client:
        ask(client)
        ask(client)
    assert len(upstream.asked) == 2


def test_embeddings_are_kept_too_and_another_registry_answers_anew(caching: Gateway, upstream: Upstream) -> None:
    document = {"data": [{"index": 0, "embedding": [1.0, 0.0]}], "model": "words"}
    upstream.otherwise = replying(document)
    with caching.http(PRACTICE_TOKEN) as client:

        def embed() -> httpx.Response:
            return client.post("/v1/embeddings", json={"model": "words", "input": "a"})

        assert embed().content == embed().content
        assert len(upstream.asked) == 1
        served = client.get("/health/ready").json()["registry"]
        replace_text(caching.models, registry(upstream.url).replace('title = "Words"', 'title = "Other words"'))
        while client.get("/health/ready").json()["registry"] == served:
            pass
        embed()
        assert len(upstream.asked) == 2


def test_it_is_off_for_teams_that_are_not_named(gateway: Gateway, upstream: Upstream, tmp_path: Path) -> None:
    with gateway.http() as client:
        ask(client)
        ask(client)
    assert len(upstream.asked) == 2, "by default it is off"
    upstream.reset()
    upstream.otherwise = beside_the_api(replying(chat("ok")))
    settings = signing(upstream.url, REVOCATION_SECONDS="60", CACHE_TEAMS="lynx, puma")
    with gateway_with(tmp_path, registry(upstream.url), **settings) as named:
        for team, calls in (("lynx", 1), ("puma", 2), ("puma", 2), ("vole", 3), ("vole", 4)):
            with named.http(signed_token(f"gwt_{team}", team=team, team_id=team)) as client:
                while (reply := client.post("/v1/chat/completions", json=ASKED)).status_code == 503:
                    pass
            assert reply.status_code == 200, reply.text
            asked = [one for one in upstream.asked if one.path.endswith("completions")]
            assert len(asked) == calls, team
