"""POST /v1/embeddings with the embedder on plain pixel statistics."""

import base64
import io

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from litestar import Litestar
from litestar.testing import TestClient
from PIL import Image

from inference_gateway.pixel_statistics import DIMENSION, embed_pixels
from tetrad.contracts.inference import EmbeddingReply

Client = TestClient[Litestar]


def address(color: tuple[int, int, int, int]) -> str:
    buffer = io.BytesIO()
    Image.new("RGBA", (20, 10), color).save(buffer, "PNG")
    return "data:image/png;base64," + base64.b64encode(buffer.getvalue()).decode()


def test_one_picture_or_several_are_embedded_in_order(client: Client) -> None:
    red, blue = address((250, 0, 0, 255)), address((0, 0, 250, 255))
    several = client.post("/v1/embeddings", json={"model": "pixel-statistics", "input": [red, blue]})
    one = client.post("/v1/embeddings", json={"model": "pixel-statistics", "input": blue})
    found = msgspec.json.decode(several.content, type=EmbeddingReply)
    assert [entry.index for entry in found.data] == [0, 1]
    assert found.data[1].embedding == msgspec.json.decode(one.content, type=EmbeddingReply).data[0].embedding
    assert found.usage is not None
    assert found.usage.total_tokens == 0


@pytest.mark.parametrize(
    ("change", "status", "field"),
    [
        ({"input": "a word"}, 400, "input[0]"),
        ({"input": []}, 422, "input"),
        ({"input": ["x"] * 257}, 422, "input"),
        ({"model": "random"}, 404, "model"),
        ({"encoding_format": "hex"}, 400, None),
        ({"dimensions": 5}, 400, "dimensions"),
    ],
)
def test_what_cannot_be_embedded_is_refused(
    client: Client, change: dict[str, object], status: int, field: str | None
) -> None:
    asked = {"model": "pixel-statistics", "input": address((1, 2, 3, 255)), **change}
    reply = client.post("/v1/embeddings", json=asked)
    assert reply.status_code == status
    assert field is None or reply.json()["faults"][0]["field"] == field


@given(st.integers(1, 40), st.integers(1, 40), st.binary(min_size=4, max_size=4))
def test_every_vector_has_the_dimension_and_length_one(height: int, width: int, color: bytes) -> None:
    picture = np.broadcast_to(np.frombuffer(color, np.uint8), (height, width, 4)).copy()
    vector = embed_pixels(picture)
    assert vector.shape == (DIMENSION,)
    assert np.linalg.norm(vector) == pytest.approx(1)


def test_near_pictures_are_nearer_than_far_ones() -> None:
    picture = np.zeros((32, 32, 4), np.uint8)
    picture[4:20, 4:20] = (200, 40, 40, 255)
    near, far = picture.copy(), picture.copy()
    near[4:20, 4:20, 0] = 205
    far[4:20, 4:20] = (20, 40, 200, 255)
    here = embed_pixels(picture)
    assert here @ embed_pixels(near) > 0.99
    assert here @ embed_pixels(far) < 0.9
