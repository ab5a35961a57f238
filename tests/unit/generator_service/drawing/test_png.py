from io import BytesIO

import numpy as np
import pytest
from PIL import Image

from generator_service.drawing.canvas import Picture
from generator_service.drawing.png import encode_png


def picture(shade: tuple[int, int, int, int]) -> Picture:
    pixels = np.full((40, 50, 4), 255, np.uint8)
    pixels[3, 4] = shade
    return pixels


@pytest.mark.parametrize(
    ("shade", "mode"),
    [((9, 9, 9, 255), "L"), ((9, 8, 9, 255), "RGBA"), ((9, 9, 9, 254), "RGBA"), ((0, 0, 0, 255), "L")],
)
def test_pixels_come_back_whatever_the_channels(shade: tuple[int, int, int, int], mode: str) -> None:
    pixels = picture(shade)
    with Image.open(BytesIO(encode_png(pixels))) as image:
        assert image.mode == mode
        assert np.array_equal(np.asarray(image.convert("RGBA")), pixels)
