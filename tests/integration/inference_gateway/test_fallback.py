"""Another entry answers where a model's own address fails: the same release alone, where a score is at stake."""

import socket
from collections.abc import Iterator
from textwrap import dedent
from typing import Any

import httpx
import pytest

from tests.integration.inference_gateway.conftest import PRACTICE_TOKEN, SERVICE_TOKEN, Gateway, gateway_with
from tests.integration.inference_gateway.upstream import Upstream, chunk, failing, replying, streaming

ASKED: dict[str, Any] = {"messages": [{"role": "user", "content": "Which?"}]}


def models(away: str, here: str) -> str:
    """Return models whose own address answers nobody, and those that may answer in their place."""

    def entry(name: str, kind: str, address: str, more: str = "") -> str:
        return dedent(f"""
            [{name}]
            provider = "openai"
            kind = "{kind}"
            title = "{name}"
            address = "{address}/v1"
            training = "never"
            modalities = ["text"]
            timeouts = {{ connect = 1, read = 5, total = 5 }}
            {more}
            """)

    return "".join(
        [
            entry("first", "chat", away, 'release = "m-1"\nfallback = ["other", "same"]'),
            entry("same", "chat", here, 'upstream = "same-there"\nrelease = "m-1"'),
            entry("other", "chat", here, 'upstream = "other-there"\nunsupported = ["seed"]'),
            entry("alone", "chat", away, 'fallback = ["other"]'),
            entry("vectors", "embedding", away, 'release = "v-1"\nfallback = ["others", "likes"]'),
            entry("likes", "embedding", here, 'upstream = "likes-there"\nrelease = "v-1"'),
            entry("others", "embedding", here, 'upstream = "others-there"'),
        ]
    )


@pytest.fixture(scope="module")
def falling(misbehaving: Upstream, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gateway]:
    with socket.socket() as nobody:  # bound and not listening: connections are refused
        nobody.bind(("127.0.0.1", 0))
        away = f"http://127.0.0.1:{nobody.getsockname()[1]}"
        with gateway_with(tmp_path_factory.mktemp("falling"), models(away, misbehaving.url)) as gateway:
            yield gateway


def ask(gateway: Gateway, token: str, **changed: Any) -> httpx.Response:
    with gateway.http(token) as client:
        return client.post("/v1/chat/completions", json={"model": "first", **ASKED, **changed})


def test_where_a_score_is_at_stake_the_same_release_answers(falling: Gateway, upstream: Upstream) -> None:
    reply = ask(falling, SERVICE_TOKEN).json()
    assert (reply["model"], reply["measured"]["served_by"], reply["measured"]["attempts"]) == ("first", "same", 2)
    assert [one.body["model"] for one in upstream.asked] == ["same-there"]
    refused = ask(falling, SERVICE_TOKEN, model="alone")
    assert (refused.status_code, len(upstream.asked)) == (502, 1), "no other model takes its place"


def test_practice_may_be_answered_by_another_model(falling: Gateway, upstream: Upstream) -> None:
    reply = ask(falling, PRACTICE_TOKEN, model="alone").json()
    assert reply["measured"]["served_by"] == "other"
    upstream.answers = [failing(500)]
    assert ask(falling, PRACTICE_TOKEN).json()["measured"]["served_by"] == "same", "the next, in the file's order"
    assert [one.body["model"] for one in upstream.asked] == ["other-there", "other-there", "same-there"]


def test_a_model_that_cannot_be_asked_this_is_passed_over(falling: Gateway, upstream: Upstream) -> None:
    reply = ask(falling, PRACTICE_TOKEN, seed=1).json()
    assert reply["measured"]["served_by"] == "same"
    assert [one.body["model"] for one in upstream.asked] == ["same-there"]


def test_a_stream_falls_back_before_its_first_piece(falling: Gateway, upstream: Upstream) -> None:

    upstream.otherwise = streaming(chunk("ok"), chunk(None, "stop"))
    text = ask(falling, SERVICE_TOKEN, stream=True).text
    assert '"served_by":"same"' in text
    assert text.endswith("data: [DONE]\n\n")


def test_embeddings_fall_back_to_the_same_release_whatever_they_are_for(falling: Gateway, upstream: Upstream) -> None:
    upstream.otherwise = replying({"data": [{"index": 0, "embedding": [1.0, 0.0]}], "model": "v"})
    with falling.http(PRACTICE_TOKEN) as client:
        reply = client.post("/v1/embeddings", json={"model": "vectors", "input": "a"}).json()
    assert reply["measured"]["served_by"] == "likes", "vectors of two models never compare"
    assert [one.body["model"] for one in upstream.asked] == ["likes-there"]
