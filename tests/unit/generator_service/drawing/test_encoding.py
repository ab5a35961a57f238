"""PNG bytes hold the very pixels, with an alpha channel only where it says something."""

from io import BytesIO

import numpy as np
import pytest
from PIL import Image

from generator_service.drawing.encoding import encode_picture


@pytest.mark.parametrize(("alpha", "mode"), [(255, "RGB"), (254, "RGBA"), (0, "RGBA")])
def test_pixels_come_back_as_they_were(alpha: int, mode: str) -> None:
    picture = np.random.default_rng(1).integers(0, 256, (9, 7, 4), np.uint8)
    picture[..., 3] = 255
    picture[0, 0, 3] = alpha
    image = Image.open(BytesIO(encode_picture(picture)))
    assert image.mode == mode
    assert np.array_equal(np.asarray(image.convert("RGBA")), picture)
