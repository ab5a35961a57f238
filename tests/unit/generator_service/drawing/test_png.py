"""The PNG writer, read back by Pillow."""

from io import BytesIO

import numpy as np
import pytest
from PIL import Image

from generator_service.drawing.canvas import Picture
from generator_service.drawing.png import encode_png


@pytest.mark.parametrize(("height", "width"), [(1, 1), (1, 9), (9, 1), (256, 520), (7, 5)])
def test_a_picture_reads_back_as_it_was(height: int, width: int) -> None:
    drawn: Picture = np.random.default_rng(height).integers(0, 256, (height, width, 4), np.uint8)
    drawn[0, 0, 3] = 7
    with Image.open(BytesIO(encode_png(drawn))) as read:
        read.load()
        assert read.mode == "RGBA"
        assert (np.asarray(read) == drawn).all()


def test_a_view_of_a_larger_picture_is_written_as_what_it_shows() -> None:
    part: Picture = np.random.default_rng(0).integers(0, 256, (240, 120, 4), np.uint8)[20:200:2, 30:90]
    assert not part.flags.c_contiguous
    assert (np.asarray(Image.open(BytesIO(encode_png(part)))) == part).all()


@pytest.mark.parametrize(
    ("shade", "mode"),
    [((9, 9, 9, 255), "L"), ((9, 8, 9, 255), "RGB"), ((9, 9, 9, 254), "RGBA"), ((0, 0, 0, 255), "L")],
)
def test_no_channel_is_written_that_says_nothing(shade: tuple[int, int, int, int], mode: str) -> None:
    pixels = np.full((40, 50, 4), 255, np.uint8)
    pixels[3, 4] = shade
    with Image.open(BytesIO(encode_png(pixels))) as image:
        assert image.mode == mode
        assert np.array_equal(np.asarray(image.convert("RGBA")), pixels)
