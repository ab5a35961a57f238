"""PNG bytes hold the very pixels, with an alpha channel only where it says something."""

from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from generator_service.drawing.canvas import encode_png
from generator_service.drawing.encoding import encode_picture
from generator_service.drawing.stage.stage_bank import load_stage
from generator_service.drawing.stage.stage_maker import RoomName


@pytest.mark.parametrize(("alpha", "mode"), [(255, "RGB"), (254, "RGBA"), (0, "RGBA")])
@pytest.mark.parametrize("shape", [(9, 7), (1, 1), (1, 40), (40, 1)])
def test_pixels_come_back_as_they_were(alpha: int, mode: str, shape: tuple[int, int]) -> None:
    picture = np.random.default_rng(1).integers(0, 256, (*shape, 4), np.uint8)
    picture[..., 3] = 255
    picture[0, 0] = (1, 2, 3, alpha)
    content = encode_picture(picture)
    Image.open(BytesIO(content)).verify()
    image = Image.open(BytesIO(content))
    assert image.mode == mode
    assert np.array_equal(np.asarray(image.convert("RGBA")), picture)


def test_a_room_takes_no_more_bytes_than_with_an_alpha_channel(bank_folder: Path) -> None:
    picture = load_stage(bank_folder).picture(RoomName("chair", "wood", 0, 1), [], (0, 0))
    content = encode_picture(picture)
    assert np.array_equal(np.asarray(Image.open(BytesIO(content)).convert("RGBA")), picture)
    assert len(content) < 1.25 * len(encode_png(picture))


def test_grey_pictures_are_left_to_the_general_encoder() -> None:
    picture = np.full((8, 8, 4), 255, np.uint8)
    assert encode_picture(picture) == encode_png(picture)
