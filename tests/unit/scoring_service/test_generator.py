"""The generator's client over httpx's transports: which failure means what."""

import json
from collections.abc import Callable

import httpx
import msgspec
import pytest

from scoring_service.generator import (
    CLOSING_SECONDS,
    ITEMS_A_RANGE,
    Generator,
    GeneratorConflictError,
    GeneratorError,
    GeneratorRefusalError,
    GeneratorTimeoutError,
    GeneratorUnavailableError,
    KeyedRanges,
    split_answers,
)
from tests.integration.scoring import toy
from tetrad.contracts.answers import SealedAnswer
from tetrad.contracts.benchmarks import BenchmarkList
from tetrad.internal.draws import PackedItems, RegenerateRequest
from tetrad.internal.packed_keys import pack_items

KEYS = toy.keys_of(toy.IDENTITY, "0" * 64, 1, [])
HEAD = msgspec.structs.replace(KEYS, items=[])
HELD = pack_items(KEYS.items)


def generator(answer: Callable[[httpx.Request], httpx.Response]) -> Generator:
    return Generator("http://generator", "secret-token", 5, httpx.MockTransport(answer))


def keys(request: httpx.Request, held: PackedItems = HELD) -> httpx.Response:
    """Answer as the generator does: the head of a reveal, then its items."""
    is_head = request.url.path == "/internal/keys/draws/sub_1"
    return httpx.Response(200, content=msgspec.json.encode(HEAD if is_head else held))


def ranges(client: Generator, *answers: SealedAnswer) -> KeyedRanges:
    return client.revealed_ranges("sub_1", 1, split_answers(1, answers))


def test_keys_are_asked_with_the_answers_and_the_token() -> None:
    seen: list[httpx.Request] = []

    def answer(request: httpx.Request) -> httpx.Response:
        seen.append(request)
        return keys(request)

    sealed = SealedAnswer(item=0, question="what", response="(A)")
    client = generator(answer)
    revealed = client.reveal("sub_1", [sealed])
    assert (revealed.identity, revealed.size, revealed.seed) == (KEYS.identity, 1, KEYS.seed)
    assert len(seen) == 1, "the keys are fetched when they are gone through"
    assert list(ranges(client, sealed)) == KEYS.items
    door = "/internal/keys/draws/sub_1"
    assert [(one.method, one.url.path) for one in seen] == [("POST", door), ("POST", f"{door}/ranges/0")]
    assert {one.headers["authorization"] for one in seen} == {"Bearer secret-token"}
    answers = [{"item": 0, "question": "what", "answer": None, "response": "(A)", "stop": None}]
    assert [json.loads(one.content) for one in seen] == [
        {"answers": answers, "by": ITEMS_A_RANGE},
        {"answers": answers},
    ]


def test_a_public_draw_is_regenerated_by_identity_and_seed() -> None:
    def answer(request: httpx.Request) -> httpx.Response:
        assert request.url.path == "/internal/keys/regenerate"
        assert json.loads(request.content)["seed"] == "0" * 64
        return keys(request)

    request = RegenerateRequest(identity=toy.IDENTITY, seed="0" * 64, size=1, answers=[])
    assert list(generator(answer).regenerate(request)) == KEYS.items


def test_keys_of_other_items_than_those_asked_for_are_an_alarm() -> None:
    client = generator(lambda request: keys(request, msgspec.structs.replace(HELD, items=[])))
    with pytest.raises(GeneratorConflictError, match="keys of other items"):
        list(ranges(client))
    with pytest.raises(GeneratorConflictError, match="keys of other items"):
        list(client.regenerate(RegenerateRequest(identity=toy.IDENTITY, seed="0" * 64, size=1, answers=[])))


def test_an_answer_that_is_not_read_is_of_another_release_and_waited_for() -> None:
    client = generator(lambda request: keys(request) if "ranges" not in request.url.path else httpx.Response(200))
    with pytest.raises(GeneratorUnavailableError, match=r"ranges/0: this release can't read the generator's answer$"):
        list(ranges(client))


def test_a_question_that_is_not_read_is_of_another_release_too() -> None:
    other = msgspec.structs.replace(HELD, kinds=[msgspec.Raw(b'{"question":1}')])
    with pytest.raises(GeneratorUnavailableError, match=r"ranges/0: this release can't read the generator's answer$"):
        list(ranges(generator(lambda request: keys(request, other))))


def test_an_item_of_a_question_that_did_not_come_with_it_is_an_alarm() -> None:
    client = generator(lambda request: keys(request, msgspec.structs.replace(HELD, kinds=[])))
    with pytest.raises(GeneratorConflictError, match=r"ranges/0: an item refers to a question that the reply lacks$"):
        list(ranges(client))


def test_a_card_is_found_by_name_and_version() -> None:
    body = msgspec.json.encode(BenchmarkList(benchmarks=[toy.INFO]))
    client = generator(lambda _: httpx.Response(200, content=body))
    assert client.find("toy", 1) == toy.INFO
    assert client.find("toy", 2) is None
    assert client.find("other", 1) is None
    client.close()


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        *((status, GeneratorUnavailableError) for status in (401, 403, 408, 429, 500, 502, 503)),
        *((status, GeneratorConflictError) for status in (404, 409)),
        *((status, GeneratorRefusalError) for status in (400, 413, 422)),
        (504, GeneratorTimeoutError),
    ],
)
def test_a_status_means_wait_alarm_or_defect(status: int, kind: type[GeneratorError]) -> None:
    with pytest.raises(kind, match=f"the generator answered {status}$") as caught:
        generator(lambda _: httpx.Response(status, text="the key is B")).reveal("sub_1", [])
    assert caught.value.status == status


def test_draws_are_closed_by_the_door_of_the_keys_with_little_patience() -> None:
    seen: list[httpx.Request] = []

    def answer(request: httpx.Request) -> httpx.Response:
        seen.append(request)
        return httpx.Response(200, json={"closed": 1})

    generator(answer).close_draws(["sub_1", "sub_2"])
    assert (seen[0].method, seen[0].url.path) == ("POST", "/internal/keys/close")
    assert json.loads(seen[0].content) == {"submissions": ["sub_1", "sub_2"]}
    assert seen[0].extensions["timeout"]["read"] == CLOSING_SECONDS


def test_an_answer_that_is_not_done_in_time_is_told_from_no_connection() -> None:
    def fail(_: httpx.Request) -> httpx.Response:
        raise httpx.ReadTimeout("slow")

    with pytest.raises(GeneratorTimeoutError, match=r"not done in 5 s$"):
        generator(fail).reveal("sub_1", [])


def test_a_range_that_is_not_done_in_time_says_so() -> None:
    def fail(request: httpx.Request) -> httpx.Response:
        if "ranges" in request.url.path:
            raise httpx.ReadTimeout("slow")
        return keys(request)

    with pytest.raises(GeneratorTimeoutError, match=r"ranges/0: not done in 5 s$"):
        list(ranges(generator(fail)))


def test_no_connection_means_wait() -> None:
    def fail(_: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("to 10.0.0.1 with password")

    with pytest.raises(GeneratorUnavailableError, match="ConnectError") as caught:
        generator(fail).reveal("sub_1", [])
    assert caught.value.status is None
    assert "password" not in str(caught.value)
