"""POST /v1/chat/completions and GET /v1/models, as a client of OpenAI's shape sees them."""

import base64
import io

import msgspec
import pytest
from litestar import Litestar
from litestar.testing import TestClient
from PIL import Image

from tests.unit.inference_gateway.conftest import OTHER
from tetrad.contracts.inference import ChatReply, GatewayModels
from tetrad.contracts.problems import Problem

QUESTION = "Which?\n(A) a\n(B) b\n(C) c"
Client = TestClient[Litestar]


def png(side: int = 8) -> str:
    buffer = io.BytesIO()
    Image.new("RGBA", (side, side), (10, 20, 30, 255)).save(buffer, "PNG")
    return "data:image/png;base64," + base64.b64encode(buffer.getvalue()).decode()


def body(model: str = "constant", *pictures: str, **more: object) -> dict[str, object]:
    parts: list[dict[str, object]] = [{"type": "image_url", "image_url": {"url": url}} for url in pictures]
    return {
        "model": model,
        "messages": [{"role": "user", "content": [*parts, {"type": "text", "text": QUESTION}]}],
        **more,
    }


def problem(client: Client, content: object, path: str = "/v1/chat/completions") -> Problem:
    reply = client.post(path, json=content)
    assert reply.headers["content-type"] == "application/problem+json"
    return msgspec.json.decode(reply.content, type=Problem)


def answer(client: Client, content: object) -> str:
    reply = client.post("/v1/chat/completions", json=content)
    assert reply.status_code == 200, reply.text
    return msgspec.json.decode(reply.content, type=ChatReply).choices[0].message.content


def test_a_chat_is_answered_in_openai_s_shape(client: Client) -> None:
    reply = client.post("/v1/chat/completions", json=body("constant", png()))
    found = msgspec.json.decode(reply.content, type=ChatReply)
    assert (found.object, found.model, found.choices[0].finish_reason) == ("chat.completion", "constant", "stop")
    assert found.choices[0].message.content == "(A)"
    assert found.usage is not None
    assert (found.usage.prompt_tokens, found.usage.total_tokens) == (7, 8)
    assert found.id.startswith("chatcmpl_")
    assert "set-cookie" not in reply.headers


def test_plain_text_content_and_every_accepted_field_are_fine(client: Client) -> None:
    asked = {"messages": [{"role": "system", "content": "Hi"}, {"role": "user", "content": QUESTION}]}
    knobs = {"temperature": 0, "max_tokens": 5, "seed": 4, "n": 1, "stream": False, "user": "u"}
    assert answer(client, {"model": "text-only", **asked, **knobs}) == "(A)"


def test_the_random_model_honours_the_seed(client: Client) -> None:
    replies = [answer(client, body("random", png(), seed=seed)) for seed in range(20)]
    assert set(replies) == {"(A)", "(B)", "(C)"}
    assert replies == [answer(client, body("random", png(), seed=seed)) for seed in range(20)]


def test_the_models_are_listed_with_kind_and_provider(client: Client) -> None:
    found = msgspec.json.decode(client.get("/v1/models").content, type=GatewayModels)
    kinds = {model.id: (model.kind, model.provider) for model in found.data}
    assert kinds == {
        **dict.fromkeys(["random", "text-only", "pixel-solver", "low-level-hue"], ("chat", "in-process")),
        **dict.fromkeys(["constant", "constant-2", "constant-3", "constant-4"], ("chat", "in-process")),
        "pixel-statistics": ("embedding", "in-process"),
        "pixel-arithmetic": ("chat", "embeddings"),
    }


def test_an_unknown_model_is_refused_with_the_known_ones(client: Client) -> None:
    refused = problem(client, body("gpt-17"))
    assert (refused.status, refused.faults[0].field, refused.faults[0].value) == (404, "model", "gpt-17")
    assert (
        "constant, constant-2, constant-3, constant-4, low-level-hue, pixel-arithmetic, pixel-solver, random, text-only"
        in refused.faults[0].remedy
    )
    assert problem(client, body("pixel-statistics")).status == 404


@pytest.mark.parametrize("url", ["https://example.org/a.png", "http://127.0.0.1/a.png", "file:///etc/passwd"])
def test_no_address_is_fetched(client: Client, url: str) -> None:
    refused = problem(client, body("constant", png(), url))
    assert refused.status == 422
    assert refused.faults[0].field == "messages[0].content[1].image_url.url"
    assert "nothing is fetched here" in refused.faults[0].remedy


def test_a_decompression_bomb_is_refused_by_its_header(client: Client) -> None:
    buffer = io.BytesIO()
    Image.new("1", (5000, 5000)).save(buffer, "PNG")
    bomb = "data:image/png;base64," + base64.b64encode(buffer.getvalue()).decode()
    refused = problem(client, body("constant", bomb))
    assert (refused.status, "5000 x 5000" in refused.detail) == (422, True)


def test_a_picture_too_large_for_a_solver_to_decode_is_refused_by_place(client: Client) -> None:
    refused = problem(client, body("pixel-solver", png(3000)))
    assert (refused.status, refused.faults[0].field) == (422, "messages[0].content[0].image_url.url")


def test_too_many_pictures_are_refused(client: Client) -> None:
    assert "at most 64" in problem(client, body("constant", *[png()] * 65)).detail


def test_a_body_over_the_limit_is_refused(client: Client) -> None:
    assert problem(client, body("constant", "x" * 2**20)).status == 413


@pytest.mark.parametrize(
    "change",
    [
        {"stream": "yes"},
        {"n": 2},
        {"stop": "a"},
        {"reasoning_effort": "low"},
        {"temperature": 3},
        {"messages": []},
        {"tools": [{}]},
        {"model": None},
    ],
)
def test_what_is_not_honoured_is_refused(client: Client, change: dict[str, object]) -> None:
    assert problem(client, {**body(), **change}).status == 400


def test_the_models_need_a_token(client: Client) -> None:
    for path, method in (("/v1/models", "GET"), ("/v1/chat/completions", "POST"), ("/v1/embeddings", "POST")):
        assert client.request(method, path, headers={"Authorization": ""}).status_code == 401
        assert client.request(method, path, headers={"Authorization": "Bearer wrong"}).status_code == 401
    assert client.get("/v1/models", headers={"Authorization": f"Bearer {OTHER}"}).status_code == 200


def test_health_and_the_openapi_document_are_open_and_refer_to_no_other_host(client: Client) -> None:
    client.headers["Authorization"] = ""
    assert client.get("/health/live").json() == {"status": "live"}
    assert client.get("/health/ready").json()["status"] == "ready"
    document = client.get("/schema/openapi.json")
    assert "/v1/chat/completions" in document.json()["paths"]
    assert "cdn" not in client.get("/schema").text
