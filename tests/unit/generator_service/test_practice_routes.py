"""Practice over HTTP: items, filters, solutions, feedback, regeneration."""

from typing import Any

import msgspec
import pytest
from litestar import Litestar
from litestar.testing import TestClient

from generator_service.settings import GeneratorSettings
from tests.png_contents import contents_of
from tetrad.contracts.answers import PracticeFeedback
from tetrad.internal.draws import KeyedItem, PackedItems
from tetrad.internal.packed_keys import unpack_items
from tetrad.internal.practice import ItemSolution, PracticeBatch

Client = TestClient[Litestar]
REQUEST = {"benchmark": "toy", "track": "toy", "setting": "full", "seed": "5"}


@pytest.fixture
def practice(settings: GeneratorSettings) -> dict[str, str]:
    return {"Authorization": f"Bearer {settings.practice_token}"}


def batch(client: Client, headers: dict[str, str], **change: Any) -> PracticeBatch:
    reply = client.post("/internal/practice/items", json=REQUEST | change, headers=headers)
    assert reply.status_code == 200, reply.text
    return msgspec.json.decode(reply.content, type=PracticeBatch)


def one(client: Client, headers: dict[str, str], path: str, index: int, **change: Any) -> Any:
    identity = msgspec.to_builtins(batch(client, headers).identity)
    body = {"identity": identity, "seed": "5", "index": index, "answers": []} | change
    return client.post(f"/internal/practice/{path}", json=body, headers=headers)


def solution(client: Client, headers: dict[str, str], index: int) -> ItemSolution:
    return msgspec.json.decode(one(client, headers, "solution", index).content, type=ItemSolution)


def test_pages_follow_on_and_item_n_never_changes(client: Client, practice: dict[str, str]) -> None:
    whole = batch(client, practice, limit=12)
    parts = [batch(client, practice, offset=offset, limit=4) for offset in (0, 4, 8)]
    assert [item for part in parts for item in part.items] == whole.items
    assert [part.next_offset for part in parts] == [4, 8, 12]


def test_filters_choose_indexes_and_never_change_items(client: Client, practice: dict[str, str]) -> None:
    whole = {item.index: item for item in batch(client, practice, limit=40).items}
    dark = batch(client, practice, limit=5, filters={"shade": "dark"})
    assert len(dark.items) == 5
    assert all(whole[item.index] == item for item in dark.items if item.index in whole)
    assert {solution(client, practice, item.index).scene["shade"] for item in dark.items} == {"dark"}
    rest = batch(client, practice, offset=dark.next_offset, limit=1, filters={"shade": "dark"})
    assert rest.items[0].index == dark.next_offset


def test_wrong_requests_are_refused_by_field(client: Client, practice: dict[str, str]) -> None:
    wrong: list[tuple[str, int, dict[str, Any]]] = [
        ("seed", 422, {"seed": "007"}),
        ("benchmark", 404, {"benchmark": "chess"}),
        ("version", 422, {"version": 9}),
        ("shade", 422, {"filters": {"shade": "pink"}}),
        ("hue", 422, {"filters": {"hue": "pink"}}),
        ("parameters.tint", 422, {"parameters": {"tint": "many"}}),
    ]
    for field, status, change in wrong:
        reply = client.post("/internal/practice/items", json=REQUEST | change, headers=practice)
        assert (reply.status_code, reply.json()["faults"][0]["field"]) == (status, field), reply.text
        assert reply.json()["faults"][0]["remedy"]


def test_parameters_in_a_query_s_text_are_read_by_their_type(client: Client, practice: dict[str, str]) -> None:
    given = batch(client, practice, parameters={"tint": "10", "loud": "true", "mode": "fancy"})
    assert given.identity.parameters == {"tint": 10, "loud": True, "mode": "fancy"}


def test_feedback_tells_right_from_wrong_and_opens_what_comes_next(client: Client, practice: dict[str, str]) -> None:
    keys = {name: key.label for name, key in solution(client, practice, 2).keys.items()}
    wrong = "1" if keys["name"] != "1" else "2"
    stages: list[tuple[list[dict[str, str]], list[str], list[str]]] = [
        ([], [], ["name"]),
        ([{"question": "name", "answer": keys["name"]}], ["correct"], ["half"]),
        ([{"question": "name", "answer": wrong}], ["incorrect"], ["shade"]),
        ([{"question": "name", "response": "hmm"}], ["unread"], ["shade"]),
        ([{"question": "name", "answer": "Z"}], ["unread"], ["shade"]),
        ([{"question": "name", "response": f"The answer is ({keys['name']})."}], ["correct"], ["half"]),
        ([{"question": "name", "response": f"The answer is ({keys['name']}).", "stop": "cut"}], ["unread"], ["shade"]),
        (
            [{"question": "name", "response": f"The answer is ({keys['name']}).", "stop": "length"}],
            ["correct"],
            ["half"],
        ),
        ([{"question": "name", "response": f"A.</think>The answer is ({keys['name']})."}], ["correct"], ["half"]),
    ]
    for answers, verdicts, opened in stages:
        reply = one(client, practice, "feedback", 2, answers=answers)
        feedback = msgspec.json.decode(reply.content, type=PracticeFeedback)
        assert [verdict.verdict for verdict in feedback.verdicts] == verdicts
        assert [question.id for question in feedback.open] == opened
        if answers and answers[0].get("stop") == "cut":
            assert feedback.verdicts[0].reason == "cut"
        marked = [verdict.begins_inside_thinking for verdict in feedback.verdicts]
        assert marked == ["</think>" in answer.get("response", "") for answer in answers]
    early = one(client, practice, "feedback", 2, answers=[{"question": "shade", "answer": "A"}])
    assert early.status_code == 409


def test_each_of_several_answers_to_one_question_gets_its_verdict_in_order(
    client: Client, practice: dict[str, str]
) -> None:
    keys = {name: key.label for name, key in solution(client, practice, 2).keys.items()}
    right = {"question": "name", "answer": keys["name"]}
    wrong = {"question": "name", "answer": "1" if keys["name"] != "1" else "2"}
    half = {"question": "half", "answer": keys["half"]}
    for answers, verdicts, opened in [
        ([right, wrong], ["correct", "incorrect"], ["shade"]),
        ([wrong, right], ["incorrect", "correct"], ["half"]),
        ([half, wrong, half, right], ["correct", "incorrect", "correct", "correct"], ["shade"]),
        ([right] * 50 + [wrong] * 50, ["correct"] * 50 + ["incorrect"] * 50, ["shade"]),
    ]:
        reply = one(client, practice, "feedback", 2, answers=answers)
        feedback = msgspec.json.decode(reply.content, type=PracticeFeedback)
        assert [verdict.question for verdict in feedback.verdicts] == [answer["question"] for answer in answers]
        assert [verdict.verdict for verdict in feedback.verdicts] == verdicts
        assert [question.id for question in feedback.open] == opened


def test_an_identity_of_another_instance_is_refused_by_field(client: Client, practice: dict[str, str]) -> None:
    identity = msgspec.to_builtins(batch(client, practice).identity)
    for field, change in {
        "identity.bank": {"bank": "f" * 64},
        "identity.parameters": {"parameters": {}},
        "version": {"version": 7},
        "benchmark": {"benchmark": "chess"},
    }.items():
        reply = one(client, practice, "solution", 0, identity=identity | change)
        assert reply.json()["faults"][0]["field"] == field


def test_no_more_items_are_regenerated_than_a_draw_can_have(
    client: Client, practice: dict[str, str], settings: GeneratorSettings
) -> None:
    headers = {"Authorization": f"Bearer {settings.keys_token}"}
    body = {"identity": msgspec.to_builtins(batch(client, practice).identity), "seed": "a" * 64, "answers": []}
    sizes = {
        size: client.post("/internal/keys/regenerate", json=body | {"size": size}, headers=headers)
        for size in (500, 501)
    }
    assert {size: reply.status_code for size, reply in sizes.items()} == {500: 200, 501: 422}
    fault = sizes[501].json()["faults"][0]
    assert (fault["field"], fault["value"], fault["remedy"]) == ("size", "501", "use 1 to 500")


def test_a_revealed_draw_is_regenerated_with_the_questions_its_answers_opened(
    client: Client, practice: dict[str, str], settings: GeneratorSettings
) -> None:
    headers = {"Authorization": f"Bearer {settings.keys_token}"}
    identity = msgspec.to_builtins(batch(client, practice).identity)
    body = {"identity": identity, "seed": "a" * 64, "size": 5, "answers": []}

    def regenerated(body: dict[str, object]) -> list[KeyedItem]:
        reply = client.post("/internal/keys/regenerate", json=body, headers=headers)
        return unpack_items(msgspec.json.decode(reply.content, type=PackedItems))

    empty = regenerated(body)
    assert [[keyed.question.id for keyed in item.questions] for item in empty] == [["name", "shade"]] * 5
    right = [{"item": item.item, "question": "name", "answer": item.questions[0].key.label} for item in empty]
    again = regenerated(body | {"answers": right})
    assert [[question.question.id for question in item.questions] for item in again] == [
        ["name", "half", "shade"]
    ] * 5, "an item left half-way through keeps its last question in the score"
    part = body | {"answers": [answer for answer in right if answer["item"] in {2, 3}], "first": 2, "count": 2}
    assert regenerated(part) == again[2:4]
    foreign = client.post("/internal/keys/regenerate", json=part | {"answers": right}, headers=headers)
    assert (foreign.status_code, foreign.json()["detail"]) == (409, "never opened: item 0, item 1, item 4")


def test_pictures_of_practice_items_are_pngs(client: Client, practice: dict[str, str]) -> None:
    assert one(client, practice, "pictures/2", 0).content.startswith(b"\x89PNG")
    assert one(client, practice, "pictures/other", 0).status_code == 404
    several = msgspec.msgpack.decode(one(client, practice, "pictures?name=1&name=2", 0).content)
    alone = {name: one(client, practice, f"pictures/{name}", 0).content for name in ("1", "2")}
    assert contents_of(several) == contents_of(alone)
    assert one(client, practice, "pictures?name=1&name=other", 0).status_code == 404


def test_all_benchmarks_are_listed_with_their_banks(client: Client, practice: dict[str, str]) -> None:
    listed = client.get("/internal/benchmarks", headers=practice).json()["benchmarks"]
    assert {"toy": "none"}.items() <= {info["card"]["name"]: info["bank"] for info in listed}.items()


def test_items_that_a_metric_leaves_out_are_not_counted(client: Client, practice: dict[str, str]) -> None:
    """The count is that of the items whose solutions say so, one by one."""
    size, where = 12, {"shade": ["dark"]}
    body = {"items": REQUEST, "size": size, "where": where}
    facets = [solution(client, practice, index).facets for index in range(size)]
    dark = sum(any(of_question.get("shade") == "dark" for of_question in item.values()) for item in facets)
    counted = {
        "dark": client.post("/internal/practice/count", json=body, headers=practice).json(),
        "all": client.post("/internal/practice/count", json=body | {"where": {}}, headers=practice).json(),
        "none": client.post("/internal/practice/count", json=body | {"where": {"shade": []}}, headers=practice).json(),
    }
    assert 0 < dark < size
    assert counted == {"dark": {"counted": dark}, "all": {"counted": size}, "none": {"counted": 0}}
    assert client.post("/internal/practice/count", json=body | {"size": 1001}, headers=practice).status_code == 422
