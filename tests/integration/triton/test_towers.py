"""Embeddings and labels by a real Triton, through the gateway's door and gates."""

import base64
from typing import Any

import numpy as np
import openai
import pytest
import tritonclient.grpc as triton_grpc
from PIL import Image
from sklearn.datasets import load_sample_image

from deploy.triton.configuration import Tensor
from inference_gateway.providers.triton.pixels import square
from tests.integration.inference_gateway.conftest import Gateway, gateway_with
from tests.integration.triton.conftest import address_of, models, plain
from tests.triton import Triton, telltale


@pytest.fixture(scope="module")
def palace() -> str:
    return address_of(load_sample_image("china.jpg"))


def asked_directly(triton: Triton, model: str, picture: str, side: int) -> Any:
    """Return what tritonclient alone gets for a picture's middle."""
    pixels = square(picture, "input", side, "crop")[None]
    sent = triton_grpc.InferInput("pixels", list(pixels.shape), "UINT8")
    sent.set_data_from_numpy(pixels)
    with triton_grpc.InferenceServerClient(f"127.0.0.1:{triton.grpc}") as client:
        found = client.infer(model, [sent]).as_numpy("embedding")[0]
    return found / np.linalg.norm(found)


def test_pictures_are_embedded_as_tritonclient_alone_embeds_them(gateway: Gateway, triton: Triton, palace: str) -> None:
    embeddings = gateway.client().embeddings
    packed = embeddings.create(model="lite2", input=[palace, plain((250, 0, 0))])  # the package asks for base64
    listed = embeddings.create(model="lite2", input=palace, encoding_format="float")
    vector = np.array(packed.data[0].embedding)
    assert vector.shape == (1280,)
    assert np.linalg.norm(vector) == pytest.approx(1, abs=1e-5)
    assert np.allclose(vector, listed.data[0].embedding, atol=1e-5)
    assert np.allclose(vector, asked_directly(triton, "efficientnet_lite2", palace, 260), atol=1e-4)
    assert not np.allclose(vector, packed.data[1].embedding, atol=0.01), "another picture has another vector"


def test_more_pictures_than_a_batch_holds_come_back_in_order(gateway: Gateway) -> None:
    pictures = [plain((at * 12, 255 - at * 12, 40)) for at in range(20)]
    embeddings = gateway.client().embeddings
    together = embeddings.create(model="lite2", input=pictures)
    for at in (0, 7, 19):
        alone = embeddings.create(model="lite2", input=pictures[at]).data[0].embedding
        assert np.allclose(alone, together.data[at].embedding, atol=1e-4)
    assert not np.allclose(together.data[0].embedding, together.data[19].embedding, atol=0.01)


def test_a_transparent_picture_is_embedded_as_it_looks_on_white(gateway: Gateway) -> None:
    clear = np.zeros((32, 32, 4), np.uint8)
    embeddings = gateway.client().embeddings
    found = [
        embeddings.create(model="lite2", input=one).data[0].embedding for one in (address_of(clear), plain((255,) * 3))
    ]
    assert np.allclose(found[0], found[1], atol=1e-5)


def test_pictures_and_texts_go_to_their_own_towers(gateway: Gateway) -> None:
    pictures, words = [plain((9, 9, 200)), plain((200, 9, 9))], ["a blue square", "ein rotes Quadrat: größer"]
    embeddings = gateway.client().embeddings
    mixed = embeddings.create(model="towers", input=[words[0], pictures[0], words[1], pictures[1]])
    apart = embeddings.create(model="towers", input=[*words, *pictures])
    vectors = [one.embedding for one in mixed.data]
    assert np.allclose(
        [vectors[0], vectors[2], vectors[1], vectors[3]], [one.embedding for one in apart.data], atol=1e-5
    )
    assert len({len(vector) for vector in vectors}) == 1
    assert not np.allclose(vectors[0], vectors[2], atol=1e-3), "the text counts"


def test_what_was_measured_names_the_server_and_the_configuration(gateway: Gateway) -> None:
    reply = gateway.client().embeddings.create(model="towers", input=["a", plain((1, 2, 3))]).model_dump()
    measured = reply["measured"]
    assert measured["provider"] == "triton"
    assert measured["parameters"] == {"normalise": True}
    assert measured["configuration"].startswith("triton 2.51.0; picture_tower 1; configuration sha256:")
    assert "triton 2.51.0; text_tower 1; configuration sha256:" in measured["configuration"]


@pytest.mark.parametrize(
    ("model", "given", "field"),
    [
        ("lite2", "a text", r"input\[0\]"),
        ("lite2", "data:image/png;base64,AAAA", r"input\[0\]"),
        ("towers", ["fine", "data:image/png;base64,!"], r"input\[1\]"),
    ],
)
def test_what_a_tower_does_not_take_is_refused_by_name(gateway: Gateway, model: str, given: Any, field: str) -> None:
    with pytest.raises(openai.APIStatusError, match=field) as refused:
        gateway.client(max_retries=0).embeddings.create(model=model, input=given)
    assert refused.value.status_code in {400, 422}


def test_a_damaged_picture_is_told_by_its_place(gateway: Gateway) -> None:
    whole = base64.b64decode(plain((5, 6, 7), 300).partition(",")[2])
    noise = np.random.default_rng(1).integers(0, 255, (300, 300, 3), np.uint8)
    whole = base64.b64decode(address_of(noise).partition(",")[2])
    cut = "data:image/png;base64," + base64.b64encode(whole[: len(whole) // 2]).decode()
    with pytest.raises(openai.UnprocessableEntityError, match=r"input\[1\].*is damaged"):
        gateway.client(max_retries=0).embeddings.create(model="lite2", input=[plain((1, 1, 1)), cut])


def show(*pictures: str, text: str = "What is it?") -> list[Any]:
    parts = [{"type": "image_url", "image_url": {"url": one}} for one in pictures]
    return [{"role": "user", "content": [{"type": "text", "text": text}, *parts]}]


def test_labels_name_what_a_photograph_shows(gateway: Gateway, palace: str) -> None:
    reply = gateway.client().chat.completions.create(model="labels", messages=show(palace))
    lines = (reply.choices[0].message.content or "").splitlines()
    assert lines[0].rpartition(" ")[0] == "palace"
    scores = [float(line.rpartition(" ")[2]) for line in lines]
    assert len(lines) == 3
    assert sorted(scores, reverse=True) == scores
    assert 0.2 < scores[0] <= 1
    assert reply.choices[0].finish_reason == "stop"
    two = gateway.client().chat.completions.create(model="labels", messages=show(palace, plain((0, 0, 0))))
    assert len((two.choices[0].message.content or "").splitlines()) == 6


def test_labels_are_streamed_in_one_piece(gateway: Gateway, palace: str) -> None:
    with gateway.client().chat.completions.create(model="labels", messages=show(palace), stream=True) as chunks:
        texts = [chunk.choices[0].delta.content for chunk in chunks if chunk.choices]
    assert "palace" in (texts[0] or "")


def test_a_question_without_a_picture_and_a_parameter_of_chats_are_refused_by_labels(gateway: Gateway) -> None:
    client = gateway.client(max_retries=0)
    with pytest.raises(openai.BadRequestError, match="shows no picture"):
        client.chat.completions.create(model="labels", messages=[{"role": "user", "content": "Which?"}])
    with pytest.raises(openai.BadRequestError, match="temperature"):
        client.chat.completions.create(model="labels", messages=show(plain((1, 1, 1))), temperature=1)


def test_numbers_that_are_none_are_no_answer(gateway: Gateway, triton: Triton, tmp_path: Any) -> None:
    pixels = Tensor(name="pixels", type="UINT8", shape=[8, 8, 3])
    telltale(triton, "hollow", [pixels], [Tensor(name="embedding", type="FP32", shape=[4])], most=4, fault="nan")
    entry = models(triton.address).replace("efficientnet_lite2", "hollow")
    with gateway_with(tmp_path, entry) as other:
        with pytest.raises(openai.APIStatusError, match="can't be read") as refused:
            other.client(max_retries=0).embeddings.create(model="lite2", input=plain((1, 1, 1)))
        assert refused.value.status_code == 502
        for client in other.made:
            client.close()


@pytest.mark.parametrize("fit", ["stretch", "crop", "pad"])
def test_a_picture_becomes_a_square(fit: Any) -> None:
    wide = np.zeros((10, 30, 3), np.uint8)
    wide[:, 10:20] = (0, 200, 0)
    made = square(address_of(wide), "input", 30, fit)
    assert made.shape == (30, 30, 3)
    middle, corner, side = tuple(made[15, 15]), tuple(made[0, 0]), tuple(made[15, 1])
    assert middle == (0, 200, 0)
    assert corner == {"stretch": (0, 0, 0), "crop": (0, 200, 0), "pad": (255, 255, 255)}[fit]
    assert side == {"stretch": (0, 0, 0), "crop": (0, 200, 0), "pad": (0, 0, 0)}[fit]
    Image.fromarray(made).verify()
