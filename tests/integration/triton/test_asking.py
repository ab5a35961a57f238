"""Chat models that choose by the vectors of a real Triton's models, through the gateway's door."""

import base64
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.analogies import GIVEN, LABELS, Analogy, analogy
from tests.integration.inference_gateway.conftest import Gateway, gateway_with
from tests.integration.triton.conftest import models
from tests.triton import Triton
from tetrad.solvers.embedded.puzzles import WAYS, Puzzle
from tetrad.solvers.embedded.told import Told, told_by

WORDS = {"verb": ["hitting", "riding"], "agent": ["cat", "dog", "man"]}
ASKING = "".join(
    f'[{name}]\nprovider = "embeddings"\nkind = "chat"\ntitle = "T"\noptions = {{ {options} }}\n'
    for name, options in {
        "arithmetic": 'model = "lite2", way = "arithmetic"',
        "image-to-text": 'model = "towers", way = "image-to-text", words = "words.json"',
        "predicted": 'model = "towers", way = "predicted-situations", words = "words.json"',
    }.items()
)


@pytest.fixture(scope="module")
def asking(triton: Triton, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gateway]:
    folder: Path = tmp_path_factory.mktemp("asking")
    (folder / "words.json").write_text(json.dumps(WORDS))
    with gateway_with(folder, models(triton.address) + ASKING) as gateway:
        yield gateway
        for client in gateway.made:
            client.close()


def embedded(gateway: Gateway, model: str, inputs: list[str]) -> list[Any]:
    found = gateway.client().embeddings.create(model=model, input=inputs)
    return [np.array(one.embedding, np.float32) for one in found.data]


def puzzle_of(gateway: Gateway, model: str, asked: Analogy) -> Puzzle:
    pictures = [f"data:image/png;base64,{base64.b64encode(one).decode()}" for one in asked.pictures.values()]
    vectors = dict(zip(asked.pictures, embedded(gateway, model, pictures), strict=True))
    options = np.stack([vectors[label] for label in LABELS])
    return Puzzle(given={name: vectors[name] for name in GIVEN}, labels=LABELS, options=options)


def chosen(gateway: Gateway, model: str, asked: Analogy) -> tuple[str, Any]:
    reply = gateway.client().chat.completions.create(model=model, messages=asked.messages())
    return (reply.choices[0].message.content or "").strip("()"), reply.model_dump()["measured"]


def test_arithmetic_is_answered_by_the_server_s_vectors_and_names_its_configuration(asking: Gateway) -> None:
    asked = [analogy(number) for number in range(8)]
    answers = [chosen(asking, "arithmetic", one) for one in asked]
    assert [label for label, _ in answers] == [
        WAYS["arithmetic"].choose(puzzle_of(asking, "lite2", one)) for one in asked
    ]
    assert len({label for label, _ in answers}) > 1
    assert "triton 2.51.0; efficientnet_lite2 1; configuration sha256:" in answers[0][1]["configuration"]


@pytest.mark.parametrize(
    ("model", "choose"), [("image-to-text", Told.choose_by_caption), ("predicted", Told.choose_by_situation)]
)
def test_words_are_compared_with_pictures_in_the_space_of_two_towers(asking: Gateway, model: str, choose: Any) -> None:
    told = told_by(WORDS, lambda texts: embedded(asking, "towers", list(texts)))
    for number in range(6):
        asked = analogy(number)
        assert chosen(asking, model, asked)[0] == choose(told, puzzle_of(asking, "towers", asked))


def test_the_health_of_a_model_that_asks_is_that_of_the_server(asking: Gateway) -> None:
    with asking.http() as client:
        found = client.get("/v1/health/arithmetic").json()
    assert (found["id"], found["ready"]) == ("arithmetic", True)
    assert "efficientnet_lite2" in found["configuration"]
