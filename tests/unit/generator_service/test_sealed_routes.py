"""Sealed draws over HTTP: the gate, the doors, the reveal."""

from pathlib import Path
from typing import Any

import msgspec
import pytest
from litestar import Litestar
from litestar.testing import TestClient

from generator_service.app import create_app
from generator_service.draws import Draw, sealed_seed
from generator_service.finding import find_benchmarks
from generator_service.sealing.sealed_draws import NOT_OPEN
from generator_service.settings import GeneratorSettings
from tests.png_contents import contents_of
from tetrad import __version__
from tetrad.commitments import commitment_of
from tetrad.contracts.problems import Problem
from tetrad.internal.draws import AskedItems, DrawKeys, KeyedItem, PackedItems, SealedDraw
from tetrad.internal.packed_keys import unpack_items

Client = TestClient[Litestar]
DRAW = {
    "submission": "sub_1",
    "nonce": "n",
    "benchmark": "toy",
    "track": "toy",
    "setting": "full",
    "parameters": {"tint": 5},
    "size": 20,
}


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


@pytest.fixture
def sealed(settings: GeneratorSettings) -> dict[str, str]:
    return bearer(settings.sealed_token)


@pytest.fixture
def keys(settings: GeneratorSettings) -> dict[str, str]:
    return bearer(settings.keys_token)


@pytest.fixture
def draw(client: Client, sealed: dict[str, str]) -> SealedDraw:
    reply = client.post("/internal/sealed/draws", json=DRAW, headers=sealed)
    assert reply.status_code == 201, reply.text
    return msgspec.json.decode(reply.content, type=SealedDraw)


@pytest.fixture
def right(settings: GeneratorSettings, draw: SealedDraw) -> list[str]:
    """The right answer to each item's `name`; only who holds the seed secret knows them."""
    [toy] = [benchmark for benchmark in find_benchmarks([Path(settings.benchmark_folders)]) if benchmark.name == "toy"]
    cells = Draw(toy, draw.identity, sealed_seed(settings.seed_secret.encode(), "sub_1", "n"))
    shades = toy.card.filters["shade"]
    return [str(shades.index(cells.cell(index)["shade"]) + 1) for index in range(draw.size)]


def ask(client: Client, headers: dict[str, str], item: int, **answers: str) -> Any:
    body = [{"item": item, "question": name, "answer": answer} for name, answer in answers.items()]
    return client.post(
        "/internal/sealed/draws/sub_1/questions",
        json={"items": [{"item": item, "answers": body}]},
        headers=headers,
    )


def asked(reply: Any) -> list[str]:
    assert reply.status_code == 200, reply.text
    return [question.id for question in msgspec.json.decode(reply.content, type=AskedItems).items[0].questions]


def reveal(client: Client, headers: dict[str, str], answers: list[dict[str, object]]) -> Any:
    return client.post("/internal/keys/draws/sub_1", json={"answers": answers}, headers=headers)


def test_the_commitment_covers_seed_identity_and_size(
    client: Client, draw: SealedDraw, settings: GeneratorSettings, keys: dict[str, str]
) -> None:
    seed = sealed_seed(settings.seed_secret.encode(), "sub_1", "n")
    assert draw.commitment == commitment_of(draw.identity, seed, 20)
    assert draw.identity.parameters == {"tint": 5, "mode": "plain", "loud": False}
    revealed = msgspec.json.decode(reveal(client, keys, []).content, type=DrawKeys)
    assert (revealed.seed, revealed.commitment) == (seed, draw.commitment)
    assert len(revealed.items) == 20


def keyed(reply: Any) -> list[KeyedItem]:
    return unpack_items(msgspec.json.decode(reply.content, type=PackedItems))


def keys_of_range(client: Client, headers: dict[str, str], number: int, answers: list[dict[str, object]]) -> Any:
    return client.post(f"/internal/keys/draws/sub_1/ranges/{number}", json={"answers": answers}, headers=headers)


def test_keys_come_by_ranges_as_they_do_at_once(
    client: Client, draw: SealedDraw, keys: dict[str, str], right: list[str]
) -> None:
    answers: list[dict[str, object]] = [
        {"item": item, "question": "name", "answer": label} for item, label in enumerate(right) if item % 3
    ]
    before = keys_of_range(client, keys, 0, answers[:5])
    assert before.status_code == 404
    assert "was not revealed" in before.json()["detail"]
    reply = client.post("/internal/keys/draws/sub_1", json={"answers": answers, "by": 8}, headers=keys)
    head = msgspec.json.decode(reply.content, type=DrawKeys)
    assert (head.items, head.size, head.commitment) == ([], 20, draw.commitment)
    parts = [
        keys_of_range(client, keys, number, [answer for answer in answers if int(str(answer["item"])) // 8 == number])
        for number in range(3)
    ]
    whole = msgspec.json.decode(reveal(client, keys, answers).content, type=DrawKeys)
    assert [item for part in parts for item in keyed(part)] == whole.items
    assert whole.seed == head.seed
    assert [keys_of_range(client, keys, number, []).status_code for number in (3, -1)] == [404, 404]


def test_a_range_is_given_for_just_the_answers_that_the_reveal_froze(
    client: Client, draw: SealedDraw, keys: dict[str, str], right: list[str]
) -> None:
    answers: list[dict[str, object]] = [{"item": item, "question": "name", "answer": right[item]} for item in (0, 9)]
    assert (
        client.post("/internal/keys/draws/sub_1", json={"answers": answers, "by": 8}, headers=keys).status_code == 200
    )
    for number, others in ((0, []), (0, answers), (0, [answers[0] | {"answer": "9"}]), (1, answers[:1]), (2, answers)):
        refused = keys_of_range(client, keys, number, others)
        assert refused.status_code == 409, (number, others)
        assert "revealed with other answers" in refused.json()["detail"]
    assert [keys_of_range(client, keys, number, [answer]).status_code for number, answer in enumerate(answers)] == [
        200,
        200,
    ]


def test_a_reveal_by_ranges_closes_the_draw_and_refuses_answers_to_no_item_before(
    client: Client, draw: SealedDraw, keys: dict[str, str], sealed: dict[str, str]
) -> None:
    beyond = {"answers": [{"item": 20, "question": "name", "answer": "1"}], "by": 8}
    refused = client.post("/internal/keys/draws/sub_1", json=beyond, headers=keys)
    assert (refused.status_code, refused.json()["detail"]) == (409, "never opened: item 20")
    assert ask(client, sealed, 0, name="1").status_code == 200, "a refused reveal closes nothing"
    other = {"answers": [{"item": 0, "question": "name", "answer": "2"}], "by": 8}
    assert client.post("/internal/keys/draws/sub_1", json=other, headers=keys).status_code == 409
    assert ask(client, sealed, 0, name="1").status_code == 200
    gated: dict[str, Any] = {"answers": [{"item": 0, "question": "name", "answer": "1"}], "by": 8}
    assert client.post("/internal/keys/draws/sub_1", json=gated, headers=keys).status_code == 200
    assert ask(client, sealed, 0, name="1").status_code == 409
    assert client.post("/internal/keys/draws/sub_1", json=gated | {"by": 0}, headers=keys).status_code == 400


def test_sealing_again_gives_the_same_draw_and_another_draw_is_refused(
    client: Client, draw: SealedDraw, sealed: dict[str, str]
) -> None:
    again = client.post("/internal/sealed/draws", json=DRAW, headers=sealed)
    assert msgspec.json.decode(again.content, type=SealedDraw) == draw
    for change in ({"nonce": "m"}, {"size": 21}, {"setting": "shade-only"}):
        assert client.post("/internal/sealed/draws", json=DRAW | change, headers=sealed).status_code == 409


def test_a_right_answer_opens_the_next_question_and_a_wrong_or_unread_one_does_not(
    client: Client, draw: SealedDraw, sealed: dict[str, str]
) -> None:
    assert asked(ask(client, sealed, 0)) == ["name"]
    outcomes = {item: asked(ask(client, sealed, item, name=str(item % 4 + 1))) for item in range(20)}
    assert {tuple(opened) for opened in outcomes.values()} == {("name", "half"), ("name", "shade")}
    unread = client.post(
        "/internal/sealed/draws/sub_1/questions",
        json={"items": [{"item": 0, "answers": [{"item": 0, "question": "name", "response": "no idea"}]}]},
        headers=sealed,
    )
    assert unread.status_code == 409  # item 0 was gated on "1" already: another answer never counts


def test_each_answer_is_recorded_before_what_it_opens_is_worked_out(
    client: Client, draw: SealedDraw, sealed: dict[str, str], right: list[str]
) -> None:
    """Whatever becomes of the request: a refused one could else be sent again with another label."""
    outcomes = set()
    for index in range(20):
        label = str(index % 4 + 1)
        first = ask(client, sealed, index, name=label, half="1")
        outcomes.add((label == right[index], first.status_code, first.json().get("detail")))
        for other in "1234".replace(label, ""):
            again = ask(client, sealed, index, name=other, half="1")
            assert again.status_code == 409
            assert "another answer has opened questions before" in again.json()["detail"]
        opened = ["name", "half", "shade"] if label == right[index] else ["name", "shade"]
        assert asked(ask(client, sealed, index)) == opened
    assert outcomes == {(True, 200, None), (False, 409, NOT_OPEN)}


def test_an_answer_to_a_question_that_is_not_open_is_refused_in_the_same_words_and_never_recorded(
    client: Client, draw: SealedDraw, sealed: dict[str, str]
) -> None:
    refused = [ask(client, sealed, 4, shade=label) for label in "ABCDX"]
    refused += [ask(client, sealed, 4, half="1"), ask(client, sealed, 4, nonsense="1")]
    assert {(reply.status_code, reply.json()["detail"]) for reply in refused} == {(409, NOT_OPEN)}
    assert asked(ask(client, sealed, 4)) == ["name"]
    assert asked(ask(client, sealed, 4, name="2"))[:1] == ["name"]


def test_the_reveal_needs_the_answers_that_were_gated_on_and_freezes_them(
    client: Client, draw: SealedDraw, sealed: dict[str, str], keys: dict[str, str]
) -> None:
    ask(client, sealed, 5, name="1")
    given = {"item": 5, "question": "name", "answer": "1"}
    assert reveal(client, keys, [given | {"answer": "2"}]).status_code == 409
    assert reveal(client, keys, []).status_code == 409
    first = reveal(client, keys, [given])
    assert first.status_code == 200
    assert reveal(client, keys, [given]).content == first.content
    more = reveal(client, keys, [given, {"item": 6, "question": "name", "answer": "1"}])
    assert more.status_code == 409
    assert ask(client, sealed, 7, name="1").status_code == 409  # closed
    assert reveal(client, keys, [given, {"item": 99, "question": "name", "answer": "1"}]).status_code == 409


def test_each_door_opens_only_for_its_own_token(client: Client, draw: SealedDraw, settings: GeneratorSettings) -> None:
    doors = {
        "/internal/sealed/draws": settings.sealed_token,
        "/internal/sealed/draws/sub_1/questions": settings.sealed_token,
        "/internal/keys/draws/sub_1": settings.keys_token,
        "/internal/keys/regenerate": settings.keys_token,
    }
    tokens = {settings.practice_token, settings.sealed_token, settings.keys_token}
    for path, right in doors.items():
        for token in tokens - {right}:
            assert client.post(path, json={}, headers=bearer(token)).status_code == 403
        assert client.post(path, json={}).status_code == 401
        assert client.post(path, json={}, headers={"Authorization": "Basic eA=="}).status_code == 401


def test_pictures_come_together_as_they_do_alone(client: Client, draw: SealedDraw, sealed: dict[str, str]) -> None:
    place = "/internal/sealed/draws/sub_1/items/0/pictures"

    def together(*names: str) -> Any:
        return client.get(place, params=[("name", name) for name in names], headers=sealed)

    def alone(name: str) -> bytes:
        return client.get(f"{place}/{name}", headers=sealed).content

    assert contents_of(msgspec.msgpack.decode(together("1").content)) == contents_of({"1": alone("1")})
    closed = together("1", "2")
    assert (closed.status_code, closed.json()["detail"]) == (404, "this item has no picture '2'")
    ask(client, sealed, 0, name="1")
    if "half" in asked(ask(client, sealed, 0)):
        ask(client, sealed, 0, half="1")
    found = together("4", "1", "2")
    assert found.headers["content-type"] == "application/vnd.msgpack"
    pictures = {name: alone(name) for name in ("4", "1", "2")}
    assert contents_of(msgspec.msgpack.decode(found.content)) == contents_of(pictures)
    assert together("1", "9").status_code == 404
    assert together().status_code == 422


def test_only_pictures_of_questions_that_have_opened_are_rendered(
    client: Client, draw: SealedDraw, sealed: dict[str, str], keys: dict[str, str]
) -> None:
    def status(item: int, name: str, submission: str = "sub_1") -> int:
        place = f"/internal/sealed/draws/{submission}/items/{item}/pictures/{name}"
        return client.get(place, headers=sealed).status_code

    good = client.get("/internal/sealed/draws/sub_1/items/0/pictures/1", headers=sealed)
    assert good.headers["content-type"] == "image/png"
    assert good.content.startswith(b"\x89PNG")
    assert [status(0, name) for name in ("2", "5", "9", "1.png")] == [404] * 4
    assert (status(20, "1"), status(0, "1", "sub_2")) == (404, 404)
    ask(client, sealed, 0, name="1")
    if "half" in asked(ask(client, sealed, 0)):
        assert status(0, "2") == 404
        ask(client, sealed, 0, half="1")
    assert [status(0, name) for name in "123456"] == [200] * 5 + [404]
    assert status(1, "2") == 404
    given: list[dict[str, object]] = [{"item": 0, "question": question, "answer": "1"} for question in ("name", "half")]
    assert 200 in {reveal(client, keys, given[:many]).status_code for many in (1, 2)}
    assert status(1, "2") == 200


def test_what_is_not_on_the_card_is_refused_by_field(client: Client, sealed: dict[str, str]) -> None:
    wrong: dict[str, Any] = {
        "benchmark": "chess",
        "track": "toys",
        "setting": "fullest",
        "size": 501,
        "parameters.tint": {"tint": 3},
        "parameters.mode": {"mode": "odd"},
        "parameters.loud": {"loud": "perhaps"},
        "parameters.speed": {"speed": 1},
    }
    for field, value in wrong.items():
        change = {"parameters": value} if "." in field else {field: value}
        reply = client.post("/internal/sealed/draws", json=DRAW | {"submission": "sub_9"} | change, headers=sealed)
        assert reply.status_code == (404 if field == "benchmark" else 422)
        assert [fault["field"] for fault in reply.json()["faults"]] == [field]


def test_health_says_live_and_ready_without_a_token(client: Client) -> None:
    assert client.get("/health/live").json() == {"status": "live"}
    assert client.get("/health/ready").json() == {"status": "ready", "version": __version__}


def test_settings_come_from_the_environment_by_name(
    monkeypatch: pytest.MonkeyPatch, settings: GeneratorSettings
) -> None:
    for field in settings.__struct_fields__:
        monkeypatch.setenv(f"TETRAD_GENERATOR_{field.upper()}", str(getattr(settings, field)))
    with TestClient(create_app()) as client:
        assert client.get("/health/ready").status_code == 200


def test_answers_that_can_t_be_read_are_refused_by_place(client: Client, keys: dict[str, str]) -> None:
    problems = {
        b"{": "Input data was truncated",
        b'{"answers": [{"item": "1"}]}': "Expected `int`, got `str` - at `$.answers[0].item`",
        b'{"answers": [{"question": "\xff"}]}': "utf-8",
    }
    for path in ("draws/sub_1", "draws/sub_1/ranges/0", "regenerate"):
        for body, problem in problems.items():
            reply = client.post(f"/internal/keys/{path}", content=body, headers=keys)
            assert reply.status_code == 400
            said = msgspec.json.decode(reply.content, type=Problem)
            assert (said.faults[0].field, problem in said.detail) == ("body", True), (path, body)
