"""A Triton that is full, away, stopped, frozen or wrong, as the gateway's callers see it."""

import asyncio
import signal
import threading
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import openai
import pytest

from deploy.triton.configuration import Queue, Tensor
from deploy.triton.models import analogist, write
from inference_gateway.gates import Failure
from inference_gateway.providers import ProviderError, UnsupportedError
from inference_gateway.providers.triton import TritonServers, make_opener
from inference_gateway.upstream_http import Endpoint, Timeouts, UpstreamHttp
from tests.integration.inference_gateway.conftest import Gateway, gateway_with
from tests.integration.triton.conftest import models
from tests.ports import free_port
from tests.triton import Triton, serving, telltale
from tests.waiting import REPLY_SECONDS, wait_until
from tetrad.contracts.inference import ChatRequest, Message

QUESTION: list[Any] = [{"role": "user", "content": "(A) or (B)?"}]
ASKED = ChatRequest(model="x", messages=[Message(role="user", content="(A) or (B)?")])
TALK = [Tensor(name="text", type="BYTES", shape=[1])], [Tensor(name="reply", type="BYTES", shape=[1])]


def failure(address: str, name: str, *, read: float = 10.0, **options: Any) -> ProviderError:
    """Ask a model by the provider itself, and return the error."""

    async def ask() -> None:
        servers = TritonServers()
        times = Timeouts(connect=2, read=read, total=read)
        endpoint = Endpoint(address=address, name=name, http=UpstreamHttp(), timeouts=times)
        try:
            await make_opener(servers)(endpoint).open_chat(options).chat(ASKED)
        finally:
            await servers.close()

    with pytest.raises(ProviderError) as failed:
        asyncio.run(ask())
    return failed.value


@pytest.fixture(scope="module")
def crowded(triton: Triton) -> str:
    """A model that works on one request, lets one wait, and refuses a third."""
    model = analogist("crowded", delay=0.3)
    write(triton.repository, model, "wheel", queue=Queue(most=1, seconds=30, gather=0))
    triton.load("crowded")
    return model.name


def test_a_full_queue_limits_our_rate_and_is_no_fault_of_the_server(triton: Triton, crowded: str) -> None:
    with ThreadPoolExecutor(8) as pool:
        errors = list(pool.map(lambda _: outcome(triton.address, crowded), range(8)))
    found = Counter(None if error is None else (error.kind, error.failure, error.billed) for error in errors)
    assert found[None] >= 1, "those that found a place were answered"
    assert found["rate-limited", Failure.RATE_LIMITED, False] >= 1
    assert set(found) == {None, ("rate-limited", Failure.RATE_LIMITED, False)}


def outcome(address: str, name: str) -> ProviderError | None:
    try:
        return failure(address, name)
    except pytest.fail.Exception:
        return None


def test_callers_of_a_full_model_wait_and_are_all_answered(triton: Triton, crowded: str, tmp_path: Path) -> None:
    entry = models(triton.address).replace("[analogist]", '[analogist]\nupstream = "crowded"', 1)
    with (
        gateway_with(tmp_path, entry, TETRAD_GATEWAY_ATTEMPTS="10", TETRAD_GATEWAY_WAIT_SECONDS="60") as gateway,
        ThreadPoolExecutor(6) as pool,
    ):
        client = gateway.client(max_retries=0, timeout=90)

        def ask(_: int) -> Any:
            return client.chat.completions.create(model="analogist", messages=QUESTION).model_dump()

        replies = list(pool.map(ask, range(6)))
        client.close()
    assert {reply["choices"][0]["message"]["content"] for reply in replies} == {"The answer is (A)."}
    assert max(reply["measured"]["attempts"] for reply in replies) > 1, "one was refused and tried again"


def test_a_request_that_waits_too_long_in_the_queue_is_refused_there(triton: Triton) -> None:
    model = analogist("impatient", delay=0.5)
    write(triton.repository, model, "wheel", queue=Queue(most=100, seconds=0.3, gather=0))
    triton.load("impatient")
    with ThreadPoolExecutor(4) as pool:
        errors = [error for error in pool.map(lambda _: outcome(triton.address, "impatient"), range(4)) if error]
    assert {error.kind for error in errors} == {"rate-limited"}


def ready(gateway: Gateway, model: str) -> Any:
    with gateway.http() as http:
        return http.get(f"/v1/health/{model}").json()


def test_health_says_which_model_can_be_asked_and_why_not(gateway: Gateway, triton: Triton) -> None:
    found = ready(gateway, "towers")
    assert found["ready"] is True
    assert "picture_tower 1; configuration sha256:" in found["configuration"]
    triton.unload("text_tower")
    try:
        assert ready(gateway, "towers") == {
            "id": "towers",
            "ready": False,
            "detail": "the server has not loaded text_tower",
            "configuration": None,
        }
        with pytest.raises(openai.APIStatusError) as failed:
            gateway.client(max_retries=0).embeddings.create(model="towers", input="a text")
        assert failed.value.status_code == 502
    finally:
        triton.load("text_tower")
    wait_until(lambda: ready(gateway, "towers")["ready"])
    assert gateway.client().embeddings.create(model="towers", input="a text").data
    with gateway.http() as http:
        assert http.get("/v1/health/no-such-model").status_code == 404
    with httpx.Client(base_url=gateway.url, timeout=REPLY_SECONDS) as anybody:
        assert anybody.get("/v1/health/towers").status_code == 401


def test_a_changed_configuration_has_another_digest(gateway: Gateway, triton: Triton) -> None:
    before = ready(gateway, "analogist")["configuration"]
    write(triton.repository, analogist(delay=0.001), "wheel")
    triton.load("analogist")
    try:
        assert ready(gateway, "analogist")["configuration"] != before
    finally:
        write(triton.repository, analogist(), "wheel")
        triton.load("analogist")
    assert ready(gateway, "analogist")["configuration"] == before


@pytest.mark.parametrize(
    ("name", "options", "kind"),
    [
        ("no_such_model", {}, "unavailable"),
        ("analogist", {"tensors": {"text": "prompt"}}, None),
        ("analogist", {"tensors": {"reply": "words"}}, "request"),
    ],
)
def test_what_the_registry_says_wrong_of_a_model_is_told(
    triton: Triton, name: str, options: Any, kind: str | None
) -> None:
    if kind is None:
        with pytest.raises(UnsupportedError, match="served model"):
            failure(triton.address, name, **options)
        return
    error = failure(triton.address, name, **options)
    assert error.kind in {kind, "unknown-model"}, error
    assert error.failure in {Failure.REJECTED, Failure.SERVER}


def test_a_model_that_fails_is_a_fault_of_the_server(triton: Triton) -> None:
    telltale(triton, "failing", *TALK, reply="reply", fault="error")
    error = failure(triton.address, "failing")
    assert (error.kind, error.failure, error.words) == ("unavailable", Failure.SERVER, "")


def test_a_slow_model_is_a_timeout(triton: Triton) -> None:
    telltale(triton, "slow", *TALK, reply="reply", fault="pause", seconds="1.5")
    error = failure(triton.address, "slow", read=0.4)
    assert (error.kind, error.failure, error.billed) == ("timeout", Failure.TIMEOUT, True)


def test_a_server_that_is_away_is_no_connection(triton: Triton) -> None:
    error = failure(f"grpc://127.0.0.1:{free_port()}", "analogist")
    assert (error.kind, error.code, error.failure) == ("unavailable", "no-connection", Failure.CONNECTION)


@pytest.fixture
def own(tmp_path: Path, triton: Triton) -> Iterator[Triton]:
    """A server of one test, with models that pause."""
    repository = tmp_path / "models"
    write(repository, analogist(), "wheel")
    with serving(repository) as server:
        telltale(server, "pausing", *TALK, reply="reply", fault="pause", seconds="1.5")
        yield server


def entries(server: Triton, keepalive: str = "") -> str:
    text = f"""
[pausing]
provider = "triton"
kind = "chat"
title = "Pausing"
address = "{server.address}"
timeouts = {{ connect = 1, read = 20, total = 20 }}
[pausing.options]
tensors = {{ images = "", max_tokens = "", finish_reason = "", prompt_tokens = "", completion_tokens = "" }}
"""
    return models(server.address) + text + keepalive


class Asking(threading.Thread):
    """A call in flight."""

    def __init__(self, gateway: Gateway, model: str, began: Path) -> None:
        super().__init__()
        self.gateway, self.model = gateway, model
        self.answer: httpx.Response | None = None
        began.unlink(missing_ok=True)
        self.start()
        wait_until(began.exists)

    def run(self) -> None:
        with self.gateway.http() as http:
            self.answer = http.post("/v1/chat/completions", json={"model": self.model, "messages": QUESTION})

    def answered(self) -> httpx.Response:
        self.join(30)
        assert self.answer is not None
        return self.answer


def test_a_server_told_to_stop_answers_what_is_in_flight_and_a_new_one_goes_on(own: Triton, tmp_path: Path) -> None:
    with gateway_with(tmp_path, entries(own), TETRAD_GATEWAY_ATTEMPTS="1") as gateway:
        call = Asking(gateway, "pausing", own.repository / "pausing" / "began")
        own.process.send_signal(signal.SIGTERM)
        assert call.answered().status_code == 200, call.answered().text
        own.process.wait(20)
        with gateway.http() as http:
            body = {"model": "analogist", "messages": QUESTION}
            away = http.post("/v1/chat/completions", json=body)
            assert (away.status_code, away.json()["error"]["code"]) == (502, "upstream_unavailable")
            assert ready(gateway, "analogist")["ready"] is False
            with serving(own.repository, own.grpc):
                wait_until(lambda: ready(gateway, "analogist")["ready"])
                assert http.post("/v1/chat/completions", json=body).status_code == 200, "it finds the new server"


def test_a_server_that_is_killed_in_flight_cuts_the_reply(own: Triton, tmp_path: Path) -> None:
    with gateway_with(tmp_path, entries(own), TETRAD_GATEWAY_ATTEMPTS="1") as gateway:
        call = Asking(gateway, "pausing", own.repository / "pausing" / "began")
        own.stop(signal.SIGKILL)
        answer = call.answered()
        assert (answer.status_code, answer.json()["error"]["code"]) == (502, "upstream_cut")


def test_a_frozen_server_is_noticed_by_keepalive_and_not_by_the_timeout(own: Triton, tmp_path: Path) -> None:
    keepalive = "keepalive = { every = 1, patience = 1 }\n"
    with gateway_with(tmp_path, entries(own, keepalive), TETRAD_GATEWAY_ATTEMPTS="1") as gateway:
        call = Asking(gateway, "pausing", own.repository / "pausing" / "began")
        own.process.send_signal(signal.SIGSTOP)
        begun = time.monotonic()
        assert call.answered().json()["error"]["code"] == "upstream_cut"
        assert time.monotonic() - begun < 15, "its time-out is 20 s"


def test_a_gateway_told_to_stop_answers_what_is_in_flight(own: Triton, tmp_path: Path) -> None:
    with gateway_with(tmp_path, entries(own)) as gateway:
        call = Asking(gateway, "pausing", own.repository / "pausing" / "began")
    assert call.answered().status_code == 200
