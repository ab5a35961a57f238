"""Every route that asks a model, with every model of the registry: none is reached without the gates' leave."""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from litestar import Litestar
from litestar.testing import TestClient

from inference_gateway import app as module
from inference_gateway.gates import Call, GateSettings, Permit, Reason, Refused
from inference_gateway.gates.local import LocalGates
from inference_gateway.settings import GatewaySettings
from tests.analogies import analogy
from tests.integration.inference_gateway.conftest import CANARY, PRACTICE_TOKEN, SERVICE_TOKEN, registry
from tests.integration.inference_gateway.upstream import Upstream

MESSAGES = [{"role": "user", "content": "Which?\n(A) a\n(B) b"}]
PIXEL = (
    "data:image/png;base64,"
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
BODIES: dict[str, list[dict[str, Any]]] = {
    "/v1/chat/completions": [{"messages": MESSAGES}, {"messages": MESSAGES, "stream": True}],
    "/v1/embeddings": [{"input": "a"}, {"input": ["a"], "encoding_format": "base64"}, {"input": [PIXEL]}],
}
"""A body or several of every route that asks a model: a new route has to be named here."""


TRITON = """
[talk]
provider = "triton"
kind = "chat"
title = "On a Triton that is not there: what passes the gates is 502"
address = "grpc://127.0.0.1:9"

[tower]
provider = "triton"
kind = "embedding"
title = "As above"
address = "grpc://127.0.0.1:9"
options = { picture = {}, text = {} }
"""
ASKING = """
[eye]
provider = "openai"
kind = "embedding"
title = "Pictures"
address = "{url}/v1"
modalities = ["image"]
training = "never"

[asks-the-eye]
provider = "embeddings"
kind = "chat"
title = "Asks the model above"
options = {{ model = "eye", way = "arithmetic" }}
"""


class Shut(LocalGates):
    """Gates that let nothing pass but calls of the models in `open_to`, and say what knocked."""

    def __init__(self) -> None:
        super().__init__(GateSettings())
        self.knocked: list[Call] = []
        self.open_to: set[str] = set()

    @asynccontextmanager
    async def admit(self, call: Call) -> AsyncIterator[Permit]:
        self.knocked.append(call)
        if call.model not in self.open_to:
            raise Refused(Reason.BUDGET, "budget", call.team, "is spent", "ask for more")
        async with super().admit(call) as permit:
            yield permit


@pytest.fixture(scope="module")
def gates() -> Shut:
    return Shut()


@pytest.fixture(scope="module")
def client(
    misbehaving: Upstream, gates: Shut, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[TestClient[Litestar]]:
    file: Path = tmp_path_factory.mktemp("shut") / "models.toml"
    file.write_text(registry(misbehaving.url) + TRITON + ASKING.format(url=misbehaving.url))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CANARY_KEY", CANARY)
        patch.setattr(module, "_gates", lambda _: gates)
        tokens = f"{SERVICE_TOKEN},practice:{PRACTICE_TOKEN}"
        with TestClient(module.create_app(GatewaySettings(tokens=tokens, models_file=str(file)))) as client:
            client.headers["Authorization"] = f"Bearer {PRACTICE_TOKEN}"
            yield client


def test_every_route_that_asks_a_model_is_known_here(client: TestClient[Litestar]) -> None:
    asking = {
        route.path
        for route in client.app.routes
        if route.path.startswith("/v1/") and {"POST", "PUT", "PATCH"} & set(getattr(route, "methods", ()))
    }
    assert asking == set(BODIES)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_no_route_reaches_any_model_past_the_gates(
    client: TestClient[Litestar], gates: Shut, misbehaving: Upstream, data: st.DataObject
) -> None:
    models = [one["id"] for one in client.get("/v1/models").json()["data"]]
    path, body = data.draw(st.sampled_from([(path, body) for path, bodies in BODIES.items() for body in bodies]))
    model = data.draw(st.sampled_from(models))
    headers = data.draw(st.sampled_from([{}, {"Idempotency-Key": "a-key"}]))
    misbehaving.reset()
    gates.knocked.clear()
    reply = client.post(path, json={"model": model, **body}, headers=headers)
    assert 400 <= reply.status_code < 500, reply.text
    if reply.status_code == 402:
        assert gates.knocked
    assert misbehaving.asked == []


@pytest.mark.parametrize("path", BODIES)
def test_what_fits_a_model_comes_as_far_as_the_gates(client: TestClient[Litestar], gates: Shut, path: str) -> None:
    listed = client.get("/v1/models").json()["data"]
    kind = "chat" if path.endswith("completions") else "embedding"
    for model in (one["id"] for one in listed if one["kind"] == kind):
        gates.knocked.clear()
        replies = [client.post(path, json={"model": model, **body}) for body in BODIES[path]]
        assert 402 in {reply.status_code for reply in replies}, (model, replies[0].text)
        assert {call.model for call in gates.knocked} == {model}


@pytest.mark.parametrize("more", [{}, {"stream": True}], ids=["whole", "streamed"])
def test_what_a_chat_model_asks_knocks_at_the_gates_itself(
    client: TestClient[Litestar], gates: Shut, misbehaving: Upstream, more: dict[str, Any]
) -> None:
    misbehaving.reset()
    gates.knocked.clear()
    gates.open_to = {"asks-the-eye"}
    try:
        body = {"model": "asks-the-eye", "messages": analogy(1).messages(), **more}
        reply = client.post("/v1/chat/completions", json=body)
    finally:
        gates.open_to = set()
    assert (reply.status_code, "is spent" in reply.json()["detail"]) == (402, True)
    assert [call.model for call in gates.knocked] == ["asks-the-eye", "eye"]
    assert misbehaving.asked == []
