"""Pictures out of data: addresses: what is read, and what is refused before it costs memory."""

import base64
import io
import struct
import zlib

import numpy as np
import pytest
from PIL import Image

from tests.unit.tetrad.solvers.panels import png, thing
from tetrad.prompting import picture_address
from tetrad.solvers import pictures
from tetrad.solvers.pictures import PictureError, decode_address, open_address


def address(content: bytes, kind: str = "png") -> str:
    return f"data:image/{kind};base64,{base64.b64encode(content).decode()}"


def bomb(width: int, height: int) -> bytes:
    """A PNG of a few bytes that claims to be huge."""
    header = struct.pack(">IIBBBBB", width, height, 8, 6, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(b"")))
    body = (
        struct.pack(">I", len(held)) + kind + held + struct.pack(">I", zlib.crc32(kind + held)) for kind, held in chunks
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(body)


def test_a_png_comes_back_as_its_pixels() -> None:
    assert np.array_equal(decode_address(picture_address(png(thing())), "here"), thing())


@pytest.mark.parametrize("kind", ["jpeg", "webp"])
def test_other_formats_are_read_as_rgba(kind: str) -> None:
    buffer = io.BytesIO()
    Image.new("RGB", (5, 3), (255, 0, 0)).save(buffer, kind)
    decoded = decode_address(address(buffer.getvalue(), kind), "here")
    assert decoded.shape == (3, 5, 4)
    assert decoded[..., 3].min() == 255


@pytest.mark.parametrize(
    ("wrong", "problem"),
    [
        ("https://example.org/cat.png", "no data: address"),
        ("data:image/svg+xml;base64,AAAA", "no data: address"),
        ("data:image/png;base64,???", "no base64"),
        ("data:image/png;base64,h\u00e9", "no base64"),
        (address(b"GIF89a"), "no readable picture"),
        (address(bomb(3000, 3000)), "3000 x 3000"),
        (address(bomb(12000, 12000)), "picture"),
        (address(bomb(60000, 60000)), "picture"),
        (address(png(thing())[:-80]), "is damaged"),
    ],
)
def test_what_is_no_usable_picture_is_refused_by_place(wrong: str, problem: str) -> None:
    with pytest.raises(PictureError, match=problem) as refused:
        decode_address(wrong, "messages[0].content[1].image_url.url")
    assert str(refused.value).startswith("messages[0].content[1].image_url.url: ")
    assert len(refused.value.value) <= 60


def test_an_address_too_long_is_refused_before_it_is_decoded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pictures, "LARGEST_BYTES", 100)
    with pytest.raises(PictureError, match="too large"):
        open_address(picture_address(png(thing())), "here", largest_pixels=10**9)
