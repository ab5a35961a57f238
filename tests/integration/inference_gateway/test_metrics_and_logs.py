"""One log line a call, the numbers that Prometheus reads, and the gateway's own share of the time."""

import json
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families

from tests.integration.inference_gateway.conftest import CANARY, METRICS_TOKEN, PRACTICE_TOKEN, Gateway, gateway_with
from tests.integration.inference_gateway.conftest import registry as models_at
from tests.integration.inference_gateway.upstream import Upstream, chat, chunk, failing, replying, sleeping, streaming
from tests.waiting import REPLY_SECONDS

SAID = "a prompt that nobody may find in a log"
ASKED: dict[str, Any] = {"model": "far", "messages": [{"role": "user", "content": SAID}]}
COMPLETIONS = "/v1/chat/completions"
CALL = {"gen_ai_operation_name": "chat", "gen_ai_provider_name": "openai", "gen_ai_request_model": "far"}
LEAST_WAIT = 0.25  # seconds before a second attempt
CLOCK = 0.002  # seconds: uvloop counts in milliseconds, and may wake up one early
UNKNOWN = "a-name-that-somebody-made-up"


@pytest.fixture
def own(upstream: Upstream, tmp_path: Path) -> Iterator[Gateway]:
    """A gateway of the test's own, whose numbers begin at 0."""
    with gateway_with(tmp_path, models_at(upstream.url)) as gateway:
        yield gateway


def lines(gateway: Gateway) -> list[dict[str, Any]]:
    """Return the log's lines of calls. A line is written just after its reply, so before the next request's reply."""
    assert httpx.get(f"{gateway.url}/health/live", timeout=REPLY_SECONDS).is_success
    found = [json.loads(line) for line in gateway.log.read_text().splitlines() if line.startswith("{")]
    return [line for line in found if line["event"] == "call"]


def numbers(gateway: Gateway) -> Callable[..., float]:
    """Return a function that finds a number by name and labels; 0 where there is none."""
    reply = httpx.get(
        f"{gateway.url}/metrics", headers={"Authorization": f"Bearer {METRICS_TOKEN}"}, timeout=REPLY_SECONDS
    )
    assert reply.headers["Content-Type"].startswith("text/plain; version=")
    found = [sample for family in text_string_to_metric_families(reply.text) for sample in family.samples]

    def number(name: str, labels: Mapping[str, str] = CALL, **more: str) -> float:
        wanted = {**labels, **more}.items()
        return sum(sample.value for sample in found if sample.name == name and wanted <= sample.labels.items())

    return number


def test_every_call_has_one_line_without_its_words_however_it_ended(
    own: Gateway, upstream: Upstream, picture: Callable[[int, int], str]
) -> None:
    content = [{"type": "text", "text": SAID}, {"type": "image_url", "image_url": {"url": picture(8, 8)}}]
    with own.http() as client:
        ended = [
            client.post(COMPLETIONS, json={**ASKED, "messages": [{"role": "user", "content": content}]}),
            client.post(COMPLETIONS, json={**ASKED, "model": UNKNOWN}),
            client.post(COMPLETIONS, json={**ASKED, "model": "learner"}),
            client.post(COMPLETIONS, json={**ASKED, "model": "blind", "seed": 1}),
            client.post(COMPLETIONS, json={**ASKED, "max_tokens": 65}),
            client.post(COMPLETIONS, json={**ASKED, "model": "dear"}),
            client.post("/v1/embeddings", json={"model": "pixel-statistics", "input": picture(4, 4)}),
        ]
        upstream.otherwise = failing(400, f"bad {SAID} {CANARY}", "bad_thing")
        ended.append(client.post(COMPLETIONS, json=ASKED))
        upstream.otherwise = failing(500)
        ended.append(client.post(COMPLETIONS, json=ASKED))
        usage = {"prompt_tokens": 5, "completion_tokens": 3, "total_tokens": 8}
        last = {"id": "x", "model": "upstream-model-2026", "choices": [], "usage": usage}
        upstream.otherwise = streaming(chunk("a "), chunk("b"), chunk(None, "length"), last)
        ended.append(client.post(COMPLETIONS, json={**ASKED, "stream": True}))
        upstream.otherwise = streaming(chunk("a "), end="break")
        ended.append(client.post(COMPLETIONS, json={**ASKED, "stream": True}))
        upstream.otherwise = None
        named = {"Idempotency-Key": "twice"}
        ended += [client.post(COMPLETIONS, json=ASKED, headers=named) for _ in range(2)]
    told = lines(own)
    errors = ["", "model_not_found", "403", "unsupported_value", "422", "ledger_away", "", "upstream_request"]
    assert [line["error"] for line in told] == [*errors, "upstream_unavailable", "", "upstream_cut", "", ""]
    assert len(told) == len(ended)
    first, stream, broken = told[0], told[9], told[10]
    for name, value in {
        "team": "service",
        "purpose": "sealed",
        "model": "far",
        "provider": "openai",
        "response_model": "upstream-model-2026",
        "served_by": "far",
        "attempts": 1,
        "stop": ["complete"],
        "prompt_tokens": 5,
        "completion_tokens": 2,
        "pictures": 1,
    }.items():
        assert first[name] == value, name
    assert (stream["stream"], stream["stop"], stream["completion_tokens"]) == (True, ["length"], 3)
    assert 0 < stream["first_ms"] <= stream["total_ms"]
    assert (broken["attempts"], broken["reason"]) == (1, "cut connection-broken")
    assert (told[7]["reason"], told[8]["attempts"]) == ("request 400", 3)
    assert (told[11].get("kept"), told[12]["kept"]) == (None, True)
    written = own.log.read_text()
    for secret in (SAID, CANARY, "base64", upstream.url):
        assert secret not in written


def test_numbers_have_the_names_of_the_conventions(own: Gateway, upstream: Upstream) -> None:
    upstream.answers = [failing(500), sleeping(0.3)]
    with own.http() as client:
        assert client.post(COMPLETIONS, json=ASKED).status_code == 200
        upstream.otherwise = failing(400)
        client.post(COMPLETIONS, json=ASKED)
        for name in (UNKNOWN, "another-made-up-name"):
            client.post(COMPLETIONS, json={**ASKED, "model": name})
        usage = {"prompt_tokens": 50, "completion_tokens": 30, "total_tokens": 80}
        last = {"id": "x", "model": "upstream-model-2026", "choices": [], "usage": usage}
        upstream.otherwise = streaming(chunk("a"), chunk(None, "length"), last)
        client.post(COMPLETIONS, json={**ASKED, "stream": True})
    number = numbers(own)
    seconds = "gen_ai_server_request_duration_seconds"
    assert number(f"{seconds}_count", error_type="") == 2
    assert number(f"{seconds}_count", error_type="upstream_request") == 1
    nobody = {"gen_ai_request_model": "_OTHER", "error_type": "model_not_found"}
    assert number(f"{seconds}_count", nobody) == 2, "callers' words make no series"
    headers = {"Authorization": f"Bearer {METRICS_TOKEN}"}
    assert UNKNOWN not in httpx.get(f"{own.url}/metrics", headers=headers, timeout=REPLY_SECONDS).text
    assert number("gen_ai_client_operation_duration_seconds_sum", error_type="") >= 0.3
    tokens = "gen_ai_client_token_usage_sum"
    answered = {"gen_ai_response_model": "upstream-model-2026"}
    assert number(tokens, gen_ai_token_type="input", **answered) == 5 + 50
    assert number(tokens, gen_ai_token_type="output", **answered) == 2 + 30
    assert number("gen_ai_server_time_to_first_token_seconds_count") == 1
    assert number("tetrad_gateway_attempts_total") == 4
    assert [number("tetrad_gateway_stops_total", stop=stop) for stop in ("complete", "length")] == [1, 1]
    assert number("tetrad_gateway_overhead_seconds_count") == 2
    assert number("tetrad_gateway_wait_seconds_sum") >= LEAST_WAIT - CLOCK, "it waited before another attempt"
    assert number("tetrad_resident_memory_bytes", {}) > 10**7
    assert [number(f"tetrad_gateway_{name}", {}) for name in ("registry_stale", "picture_bytes", "streams")] == [0] * 3


@pytest.mark.parametrize(("token", "status"), [(None, 401), (PRACTICE_TOKEN, 401), (METRICS_TOKEN, 200)])
def test_numbers_are_shown_to_their_own_token_alone(gateway: Gateway, token: str | None, status: int) -> None:
    headers = {} if token is None else {"Authorization": f"Bearer {token}"}
    assert httpx.get(f"{gateway.url}/metrics", headers=headers, timeout=REPLY_SECONDS).status_code == status
    with gateway.http(METRICS_TOKEN) as client:
        assert client.get("/v1/models").status_code == 401, "it opens nothing else"


def test_the_overhead_is_what_is_neither_the_upstream_s_nor_waiting(gateway: Gateway, upstream: Upstream) -> None:
    upstream.answers = [failing(500), sleeping(0.6), sleeping(0.6), replying({"data": [{"embedding": [1.0]}]})]
    with gateway.http() as client:
        for body, waited in ((ASKED, LEAST_WAIT), ({**ASKED, "n": 1}, 0.0)):
            begun = time.perf_counter()
            reply = client.post(COMPLETIONS, json=body)
            assert reply.status_code == 200
            overhead = float(reply.headers["x-tetrad-overhead-ms"]) / 1000
            assert 0 < overhead <= time.perf_counter() - begun - 0.6 - waited
        embedded = client.post("/v1/embeddings", json={"model": "words", "input": "a"})
        upstream.otherwise = streaming(chunk("a"), chunk(None, "stop"))
        streamed = client.post(COMPLETIONS, json={**ASKED, "stream": True})
    for reply in (embedded, streamed):
        assert float(reply.headers["x-tetrad-overhead-ms"]) > 0


def test_without_a_token_for_them_there_are_no_numbers(upstream: Upstream, tmp_path: Path) -> None:
    upstream.otherwise = replying(chat("ok"))
    with gateway_with(tmp_path, models_at(upstream.url), TETRAD_GATEWAY_METRICS_TOKEN="") as gateway:
        reply = httpx.get(f"{gateway.url}/metrics", headers={"Authorization": "Bearer x"}, timeout=REPLY_SECONDS)
        assert (reply.status_code, "TETRAD_GATEWAY_METRICS_TOKEN" in reply.text) == (404, True)
