"""Chats with models that choose by vectors, on the real app: pictures go to the embedder on pixel statistics."""

import base64
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from litestar import Litestar
from litestar.testing import TestClient

from inference_gateway.app import create_app
from inference_gateway.pixel_statistics import DIMENSION, embed_pictures
from inference_gateway.settings import SHIPPED_MODELS, GatewaySettings
from tests.analogies import GIVEN, LABELS, Analogy, analogy, in_words
from tests.unit.inference_gateway.conftest import TOKEN
from tetrad.contracts.inference import ChatReply
from tetrad.extraction.choice import extract_choice
from tetrad.solvers.embedded.puzzles import PARTS, WAYS, Puzzle
from tetrad.solvers.embedded.trained import CONCAT, train

Client = TestClient[Litestar]
NUMBERS = range(12)


def entries() -> str:
    options = {way: f"way = '{way}'" for way in WAYS} | {
        "trained": "trained = 'concat.npz'",
        "misfit": "trained = 'misfit.npz'",
    }
    return "".join(
        f"[by-{name}]\nprovider = 'embeddings'\nkind = 'chat'\ntitle = 'T'\n"
        f"options = {{ model = 'pixel-statistics', {told} }}\n"
        for name, told in options.items()
    )


def vectors_of(asked: Analogy) -> Puzzle:
    """Return the puzzle with its vectors, by no part of the gateway's way from a request to them."""
    names = list(asked.pictures)
    addresses = [f"data:image/png;base64,{base64.b64encode(asked.pictures[name]).decode()}" for name in names]
    found = {name: np.array(one, np.float32) for name, one in zip(names, embed_pictures(addresses), strict=True)}
    given = {name: found[name] for name in GIVEN if name in found}
    return Puzzle(given=given, labels=LABELS, options=np.stack([found[label] for label in LABELS]))


@pytest.fixture(scope="module")
def asking(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    folder: Path = tmp_path_factory.mktemp("asking")
    learned = [(vectors_of(one), one.right) for one in map(analogy, range(100, 180))]
    train(learned[:60], learned[60:], CONCAT, "pixel-statistics").save(folder / "concat.npz")
    narrow = [
        (Puzzle(given={n: v[:7] for n, v in one.given.items()}, labels=LABELS, options=one.options[:, :7]), right)
        for one, right in learned
    ]
    train(narrow[:60], narrow[60:], CONCAT, "pixel-statistics").save(folder / "misfit.npz")
    models = folder / "models.toml"
    models.write_text(SHIPPED_MODELS.read_text() + entries())
    settings = GatewaySettings(tokens=TOKEN, models_file=str(models), cache_teams="*")
    with TestClient(create_app(settings)) as client:
        client.headers["Authorization"] = f"Bearer {TOKEN}"
        yield client


def ask(client: Client, model: str, messages: Any, **more: object) -> ChatReply:
    reply = client.post("/v1/chat/completions", json={"model": model, "messages": messages, **more})
    assert reply.status_code == 200, reply.text
    return msgspec.json.decode(reply.content, type=ChatReply)


def chosen(reply: ChatReply) -> str | None:
    """Return the option that the service extracts from a reply."""
    return extract_choice(reply.choices[0].message.content or "", LABELS).answer


@pytest.mark.parametrize("way", WAYS)
def test_a_way_chooses_in_a_chat_what_it_chooses_by_the_vectors(asking: Client, way: str) -> None:
    found = [chosen(ask(asking, f"by-{way}", analogy(number).messages())) for number in NUMBERS]
    assert found == [WAYS[way].choose(vectors_of(analogy(number))) for number in NUMBERS]


def test_arithmetic_on_the_shipped_embedder_solves_what_is_additive_and_a_part_does_not(client: Client) -> None:
    asked = [analogy(number) for number in range(30)]
    right = [chosen(ask(client, "pixel-arithmetic", one.messages())) == one.right for one in asked]
    assert sum(right) >= 27
    assert {chosen(ask(client, "pixel-arithmetic", one.messages())) for one in asked} == set(LABELS)


def test_a_trained_classifier_answers_as_it_does_on_vectors(asking: Client) -> None:
    asked = [analogy(number) for number in NUMBERS]
    found = [chosen(ask(asking, "by-trained", one.messages())) for one in asked]
    learned = [(vectors_of(one), one.right) for one in map(analogy, range(100, 180))]
    trained = train(learned[:60], learned[60:], CONCAT, "pixel-statistics")
    assert found == [trained.choose(vectors_of(one)) for one in asked]
    assert len(set(found)) > 1


@pytest.mark.parametrize("way", PARTS)
def test_a_part_answers_a_question_that_shows_no_more_and_none_that_lacks_it(asking: Client, way: str) -> None:
    shown = PARTS[way]
    enough, other = analogy(3, shown=shown), analogy(3, shown=[name for name in GIVEN if name not in shown])
    expected = WAYS[way].choose(vectors_of(analogy(3)))
    assert chosen(ask(asking, f"by-{way}", enough.messages())) == expected
    assert chosen(ask(asking, "by-arithmetic", enough.messages())) == expected
    assert chosen(ask(asking, f"by-{way}", other.messages())) is None
    assert chosen(ask(asking, "by-trained", enough.messages())) is None, "it was trained on all three"


def test_a_second_look_gets_the_same_answer_and_a_round_before_the_question_gets_none(asking: Client) -> None:
    asked = analogy(5)
    first = ask(asking, "by-arithmetic", asked.messages("reflect"))
    assert chosen(first) == asked.right
    said = first.choices[0].message.content or ""
    again = ask(asking, "by-arithmetic", asked.messages("reflect", [said]))
    assert chosen(again) == asked.right
    before = ask(asking, "by-arithmetic", asked.messages("code-first"))
    assert chosen(before) is None
    said = before.choices[0].message.content or ""
    assert chosen(ask(asking, "by-arithmetic", asked.messages("code-first", [said]))) == asked.right


LABEL_SETS = [("A", "B", "C", "D"), ("1", "2", "3", "4", "5", "6", "7", "8"), tuple("ABCDEFGHI"), ("a", "b", "c")]


@pytest.mark.parametrize(
    "messages",
    [
        in_words(1).messages(),
        analogy(1, shown=()).messages(),
        [{"role": "user", "content": "How many? Answer with a whole number."}],
        [{"role": "user", "content": 'Answer as {"caption": "..."}'}],
        [{"role": "user", "content": "Which?\n(A) a cat\n(B) a dog"}],
        [{"role": "system", "content": "(A)"}],
    ],
    ids=["options in words", "nothing given", "a number", "a caption", "no pictures", "no question"],
)
def test_what_can_t_be_answered_so_gets_a_reply_that_no_extractor_takes_for_an_answer(
    asking: Client, messages: Any
) -> None:
    reply = ask(asking, "by-arithmetic", messages)
    text = reply.choices[0].message.content or ""
    assert text.startswith("I can't answer this.")
    assert [extract_choice(text, labels).answer for labels in LABEL_SETS] == [None] * len(LABEL_SETS)
    assert reply.usage is not None
    assert reply.usage.prompt_tokens == 0


def test_a_classifier_of_other_vectors_is_refused_for_good_and_the_operator_is_named(asking: Client) -> None:
    asked = {"model": "by-misfit", "messages": analogy(1).messages()}
    reply = asking.post("/v1/chat/completions", json=asked)
    assert reply.status_code == 400, "a 5xx would be asked again and again"
    (fault,) = reply.json()["faults"]
    assert (fault["field"], fault["value"]) == ("model", "pixel-statistics")
    assert f"vectors of {DIMENSION} numbers, and the classifier was trained on 7" in fault["problem"]
    assert "operator" in fault["remedy"]


def test_what_was_measured_names_the_model_that_was_asked_the_way_and_the_file(asking: Client) -> None:
    plain, trained = (ask(asking, name, analogy(1).messages(), seed=4) for name in ("by-only-b", "by-trained"))
    assert plain.measured is not None
    assert trained.measured is not None
    assert (plain.measured.provider, plain.measured.served_by) == ("embeddings", "by-only-b")
    assert plain.measured.parameters == {"model": "pixel-statistics", "way": "only-b"}
    assert trained.measured.parameters["way"] == "trained concat"
    assert "file sha256:" in (trained.measured.configuration or "")
    assert plain.measured.seed == "honoured"
    assert len(plain.measured.pictures) == 7


def test_a_reply_can_be_streamed_and_one_that_is_kept_is_given_again(asking: Client) -> None:
    asked = {"model": "by-arithmetic", "messages": analogy(77).messages()}
    streamed = asking.post("/v1/chat/completions", json={**asked, "stream": True}).text
    chunks = [json.loads(line.removeprefix("data: ")) for line in streamed.splitlines() if line.startswith("data: {")]
    texts = [part["delta"].get("content") for one in chunks for part in one["choices"]]
    assert f"({analogy(77).right})" in texts
    assert streamed.endswith("data: [DONE]\n\n")
    first, second = (asking.post("/v1/chat/completions", json=asked) for _ in range(2))
    assert (first.headers.get("x-tetrad-cache"), second.headers.get("x-tetrad-cache")) == (None, "hit")
    assert first.content == second.content


def test_its_health_is_that_of_the_model_that_is_asked(asking: Client) -> None:
    assert asking.get("/v1/health/by-arithmetic").json()["ready"] is True
