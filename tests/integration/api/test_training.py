"""Rows, verdicts by the thousand, and NeMo Gym's routes: the same words and verdicts as one at a time, and the wall."""

import base64
import gzip
import json
import re
from collections.abc import Callable, Sequence
from itertools import product
from typing import Any

import pytest
from msgspec import json as fast_json
from msgspec.structs import replace

from api.routes import training
from api.settings import ApiSettings
from tests.instance import ROOT
from tests.integration.api.assembled import client_of
from tests.integration.api.conftest import Client
from tests.integration.api.team import OPENED, Team
from tests.integration.api.trio import item_of, key_of, picture_of
from tests.integration.real_generator import seed_of
from tests.misbehaving import misbehaving
from tetrad.contracts.rows import Row
from tetrad.rows.png_content import png_content

ROWS = "/v1/benchmarks/trio/rows"
VERDICTS = "/v1/benchmarks/trio/verdicts"
ENVIRONMENT = "/v1/environments/trio"
IMAGES = re.compile(r"data:image/png;base64,([A-Za-z0-9+/=]+)")
REPLIES = ("The answer is (A).", "(B)", "I think C is right.", "no idea", "", "Answer: A, or perhaps B?", "<think>A")


def rows_of(client: Client, query: str = "seed=7&answers=yes") -> list[Row]:
    reply = client.get(f"{ROWS}?{query}")
    assert reply.status_code == 200, reply.text
    assert reply.headers["Content-Type"] == "application/x-ndjson"
    return [fast_json.decode(line, type=Row) for line in reply.content.splitlines()]


def lines_of(replies: list[dict[str, Any]]) -> bytes:
    return b"".join(fast_json.encode(reply) + b"\n" for reply in replies)


def judged(client: Client, replies: list[dict[str, Any]]) -> list[dict[str, Any]]:
    reply = client.post(VERDICTS, content=lines_of(replies))
    assert reply.status_code == 200, reply.text
    return [json.loads(line) for line in reply.content.splitlines()]


def test_a_row_shows_what_a_page_of_items_does(client: Client) -> None:
    rows = rows_of(client, "seed=7&limit=40&answers=yes&offset=3&parity=even")
    page = client.get("/v1/benchmarks/trio/items?seed=7&limit=40&offset=3&parity=even").json()["items"]
    assert [row.item for row in rows] == [item["id"] for item in page]
    for row, item in zip(rows, page, strict=True):
        question = item["questions"][0]
        assert (row.text, row.question) == (question["text"], question["id"])
        assert [(one.label, one.text) for one in row.options] == [
            (one["label"], one["text"]) for one in question["options"]
        ]
        assert [one.name for one in row.pictures] == [one["name"] for one in question["pictures"]]
        assert row.answer == key_of("7", row.index, row.question)
        shown = [png_content(picture.png()) for picture in row.pictures]
        assert shown == [picture_of("7", row.index, picture.name) for picture in row.pictures]


def test_rows_without_answers_tell_none_and_pictures_can_be_addresses(client: Client) -> None:
    row = rows_of(client, "seed=7&limit=1&pictures=url")[0]
    told = (row.answer, row.answer_text, row.answer_index, row.key, row.facets, row.explanation, row.scene)
    assert told == (None,) * 7
    assert row.mistakes == ()
    address = row.pictures[0].image or ""
    assert address.startswith("http://127.0.0.1:8000/v1/items/itm_")
    shown = client.get(address.partition(":8000")[2]).content
    assert png_content(shown) == picture_of("7", 0, row.pictures[0].name)
    assert rows_of(client, "seed=7&limit=1&pictures=none")[0].pictures[0].image is None


def test_the_parts_of_a_stream_join_without_a_seam(client: Client, team: Team) -> None:
    whole = client.get(f"{ROWS}?seed=7&limit=100&pictures=url").content.splitlines()
    inline = rows_of(client, "seed=7&limit=100")
    assert [row.index for row in inline] == list(range(100))
    assert [json.loads(line)["id"] for line in whole] == [row.id for row in inline]
    refused = client.get(f"{ROWS}?seed=7&limit=101")
    assert (refused.status_code, "send a key" in refused.text) == (401, True)
    many = client.get(f"{ROWS}?seed=7&limit=130&pictures=none", headers=team.headers)
    assert len(many.content.splitlines()) == 130
    assert many.headers["Tetrad-Seed"] == "7"


@pytest.mark.parametrize("form", ["responses", "chat", "verl"])
def test_every_form_shows_all_pictures_and_the_words_of_the_prompt(client: Client, form: str) -> None:
    row = rows_of(client, "seed=7&limit=1")[0]
    made = client.get(f"{ROWS}?seed=7&limit=1&form={form}").text
    shown = [png_content(base64.b64decode(image)) for image in IMAGES.findall(made)]
    assert shown == [png_content(picture.png()) for picture in row.pictures]
    assert row.text in made
    refused = client.get(f"{ROWS}?form={form}&pictures=none")
    assert refused.json()["faults"][0]["remedy"] == "use pictures=inline or pictures=url, or form=rows"


def test_a_batch_says_what_one_at_a_time_does(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(training, "JUDGED_TOGETHER", 50)  # several parts, cut within items
    rows = rows_of(client, "seed=7&limit=30&answers=yes")
    stops = [None, "length", "cut"]
    replies = [
        {"item": row.item, "question": row.question, "response": text, "stop": stop}
        for row, (text, stop) in product(rows, product(REPLIES, stops))
    ][:600]
    batch = judged(client, replies)
    for row in rows[:10]:
        own = [(reply, found) for reply, found in zip(replies, batch, strict=True) if reply["item"] == row.item]
        answers = [{name: value for name, value in reply.items() if name != "item"} for reply, _ in own]
        single = client.post(f"/v1/items/{row.item}/answers", json={"answers": answers}).json()["verdicts"]
        for verdict, (_, found) in zip(single, own, strict=True):
            assert {name: found[name] for name in verdict} == verdict
            assert found["reward"] == float(verdict["verdict"] == "correct")
            assert found["unread"] == float(verdict["verdict"] == "unread")
    assert {found["verdict"] for found in batch} == {"correct", "incorrect", "unread"}
    packed = client.post(VERDICTS, content=gzip.compress(lines_of(replies)), headers={"Content-Encoding": "gzip"})
    assert [json.loads(line) for line in packed.content.splitlines()] == batch


def test_a_conversation_goes_on_with_the_answers_in_the_request(client: Client) -> None:
    row = rows_of(client, "seed=7&limit=1&setting=dialogue&answers=yes")[0]
    said = {"question": row.question, "response": f"It must be ({row.answer})."}
    reply = client.post(f"{ROWS}?answers=yes", content=lines_of([{"item": row.item, "answers": [said]}]))
    assert reply.status_code == 200, reply.text
    following = fast_json.decode(reply.content.splitlines()[0], type=Row)
    assert following.question == "how-0"
    assert [turn.role for turn in following.prompt] == ["system", "user", "assistant", "user"]
    assert following.prompt[2].content[0].text == said["response"]
    wrong = judged(client, [{"item": row.item, "question": "what-0", "answer": "A" if row.answer != "A" else "B"}])
    right = {"item": row.item, "question": "how-0", "answer": following.answer, "earlier": [said]}
    found = judged(client, [{**said, "item": row.item}, right])
    assert (wrong[0]["stage_reward"], [one["stage_reward"] for one in found]) == (0, [1 / 3, 2 / 3])
    assert found[0]["opened"] == ["how-0"]
    early = client.post(VERDICTS, content=lines_of([{**said, "item": row.item}, {**right, "earlier": []}]))
    assert early.status_code == 409
    assert [(fault["line"], fault["value"]) for fault in early.json()["faults"]] == [(2, "how-0")]
    assert "send in `earlier` the replies that open it" in early.text


def test_nemo_gym_s_routes_echo_what_they_got_and_judge_the_visible_text(client: Client) -> None:
    row = rows_of(client, "seed=7&limit=1&answers=yes")[0]
    opened = client.post(f"{ENVIRONMENT}/seed_session", json={"item": row.item, "of_the_trainer": 1}).json()
    assert opened["question"] == row.question
    assert json.dumps(opened).count("data:image/png;base64,") == len(row.pictures) > 0
    assert client.post(f"{ENVIRONMENT}/seed_session", json={}).json()["item"] is None
    params = {"input": [{"role": "user", "content": "x"}], "temperature": 0.5}

    def verdict(response: dict[str, Any]) -> dict[str, Any]:
        sent = {"item": row.item, "question": row.question, "responses_create_params": params, "response": response}
        reply = client.post(f"{ENVIRONMENT}/verify", json=sent)
        assert reply.status_code == 200, reply.text
        found: dict[str, Any] = reply.json()
        assert (found["responses_create_params"], found["response"]) == (params, response)
        return found

    def message(*parts: dict[str, Any], **more: Any) -> dict[str, Any]:
        thought = {"type": "reasoning", "summary": [], "content": [{"type": "reasoning_text", "text": "(Z)"}]}
        return {"output": [thought, {"type": "message", "content": list(parts)}], **more}

    text = {"type": "output_text", "text": f"The answer is ({row.answer})."}
    assert (verdict(message(text))["reward"], verdict(message(text))["unread"]) == (1.0, 0.0)
    unread = verdict(message({"type": "output_text", "text": "hm"}))
    assert (unread["reward"], unread["unread"], unread["verdict"]) == (0.0, 1.0, "unread")
    assert verdict(message({"type": "refusal", "refusal": f"({row.answer})"}))["reason"] == "refused"
    blocked = verdict(message(text, incomplete_details={"reason": "content_filter"}))
    assert (blocked["verdict"], blocked["reason"]) == ("unread", "blocked")
    completion = {"choices": [{"finish_reason": "stop", "message": {"content": f"({row.answer})"}}]}
    assert verdict(completion)["reward"] == 1.0
    for lacking in ({"item": row.item}, {"item": row.item, "question": row.question, "response": {"id": "x"}}):
        refused = client.post(f"{ENVIRONMENT}/verify", json=lacking)
        assert (refused.status_code, bool(refused.json()["faults"][0]["remedy"])) == (422, True)


def test_a_failure_of_ours_is_never_a_reward_of_nothing(settings: ApiSettings) -> None:
    with misbehaving(settings.generator_url) as proxy, client_of(replace(settings, generator_url=proxy.url)) as client:
        row = rows_of(client, "seed=7&limit=1&answers=yes")[0]
        proxy.behave(change=lambda path, body: b"{" if "verdicts" in path else body)
        response = {"output": [{"type": "message", "content": "(A)"}]}
        sent = {"item": row.item, "question": row.question, "response": response}
        assert client.post(f"{ENVIRONMENT}/verify", json=sent).status_code >= 500


def test_wrong_lines_are_named_and_nothing_is_judged(client: Client) -> None:
    row = rows_of(client, "seed=7&limit=1")[0]
    good = {"item": row.item, "question": row.question, "response": "(A)"}
    body = lines_of([good, {**good, "answer": "A"}, {**good, "colour": 1}]) + b"{\n\n" + lines_of([good])
    refused = client.post(VERDICTS, content=body)
    assert refused.status_code == 422
    assert [fault["line"] for fault in refused.json()["faults"]] == [2, 3, 4]
    assert all(fault["remedy"] for fault in refused.json()["faults"])
    assert client.post(VERDICTS, content=b"").status_code == 422
    assert client.post(VERDICTS, content=lines_of([good] * 1001)).status_code == 401
    long = {**good, "response": "é" * 20_000}
    assert client.post(VERDICTS, content=lines_of([long])).json()["faults"][0]["field"] == "response"


DOORS: dict[str, Callable[[str], dict[str, Any]]] = {
    "GET /v1/items/{item}": lambda _: {},
    "GET /v1/items/{item}/solution": lambda _: {},
    "GET /v1/items/{item}/images": lambda _: {"params": {"pictures": "what-0-1.png"}},
    "GET /v1/items/{item}/images/{name}": lambda _: {},
    "POST /v1/items/{item}/answers": lambda _: {"json": {"answers": []}},
    "POST /v1/benchmarks/{benchmark}/rows": lambda item: {"content": lines_of([{"item": item}])},
    "POST /v1/benchmarks/{benchmark}/verdicts": lambda item: {"content": lines_of([reply_to(item)])},
    "POST /v1/environments/{benchmark}/verify": lambda item: {"json": {**reply_to(item), "response": {"output": []}}},
    "POST /v1/environments/{benchmark}/seed_session": lambda item: {"json": {"item": item}},
}
"""Every operation that takes the id of a practice item, and what is sent with it."""
DATASET_DOORS = (
    "GET /v1/datasets/{dataset}",
    "GET /v1/datasets/{dataset}/manifest",
    "GET /v1/datasets/{dataset}/shards/{number}",
    "GET /v1/datasets/{dataset}/events",
    "POST /v1/datasets/{dataset}/cancel",
)


def reply_to(item: str) -> dict[str, Any]:
    return {"item": item, "question": "what-0", "response": "(A)"}


def test_every_operation_that_takes_a_practice_item_or_a_data_set_is_tried_below() -> None:
    document = json.loads((ROOT / "openapi" / "api.json").read_text())
    tagged = {
        f"{method.upper()} {path}"
        for path, operations in document["paths"].items()
        for method, operation in operations.items()
        if {"practice", "datasets"} & set(operation["tags"])
    }
    without_id = {"GET /v1/datasets", "POST /v1/datasets"}
    assert {door for door in tagged if not door.startswith("GET /v1/benchmarks")} - without_id == {
        *DOORS,
        *DATASET_DOORS,
    }


def asked_with(client: Client, name: str, headers: dict[str, str], canaries: Sequence[str] = ()) -> list[Any]:
    """Return what every one of them says of an id that is neither a practice item's nor a data set's."""
    found = []
    for door in (*DOORS, *DATASET_DOORS):
        method, _, path = door.partition(" ")
        url = path.format(item=name, name="what-0-1.png", benchmark="trio", dataset=name, number=0)
        sent = DOORS[door](name) if door in DOORS else {}
        reply = client.request(method, url, headers=headers, **sent)
        found.append((reply.status_code, reply.json()["detail"].replace(name[:80], "ID")))
        assert not [canary for canary in canaries if canary in f"{reply.headers}{reply.text}"]
    return found


def test_nothing_of_an_open_draw_resolves_for_anybody(client: Client, team: Team) -> None:
    submission = team.open()
    opened, question = team.get(f"/v1/submissions/{submission}").json(), team.questions(submission)[0]
    shown = question["question"]
    names = [submission, f"{submission}-0", shown["id"], shown["pictures"][0]["name"], opened["commitment"]]
    names += [opened["nonce"].replace(" ", "-"), rows_of(client, "seed=7&limit=1")[0].item[:-1]]
    seed = seed_of(submission, opened["nonce"])
    words_of_items = [item_of(seed, index, OPENED[submission]).scene.word for index in range(opened["size"])]
    for headers in ({}, team.headers, Team.registered(client, "another").headers):
        words = asked_with(client, "itm_nothing", headers)
        assert set(words[: len(DOORS)]) == {(404, "there is no practice item 'ID'")}
        ((status, _),) = set(words[len(DOORS) :])
        assert status == (404 if headers else 401)
        assert [asked_with(client, name, headers, [seed, *words_of_items]) for name in names] == [words] * len(names)
