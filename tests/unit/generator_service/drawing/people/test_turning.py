"""Things are turned as `canvas.rotate` turns them, which shares no code with it, and around their middle."""

import numpy as np
import pytest

from generator_service.drawing.canvas import Picture, place, rotate
from generator_service.drawing.people.turning import premultiply, turn_picture

SHAPES = [(40, 60), (50, 50), (8, 90)]  # even, as canvases are
APART = 3  # levels of 255: weights have 8 bits here and 14 there


def _thing(height: int, width: int) -> Picture:
    """Return a picture with smooth colours, clear in places and half clear in others, drawn up to its rim."""
    y, x = np.mgrid[:height, :width]
    rim = (x == 0) | (y == 0) | (x == width - 1) | (y == height - 1)
    alpha = np.where(rim, 255, (x * 5 + y * 3) % 256 * ((x // 9 + y // 9) % 2))
    return np.stack([x * 255 // width, y * 255 // height, (x + y) % 256, alpha], axis=-1).astype(np.uint8)


@pytest.mark.parametrize(("height", "width"), SHAPES)
@pytest.mark.parametrize("degrees", [1, 23, 45, 89, 135, 200, 301, 359])
def test_any_angle_is_turned_as_on_a_canvas(height: int, width: int, degrees: int) -> None:
    picture = _thing(height, width)
    side = int((height * height + width * width) ** 0.5) + 4
    side += side % 2
    found = turn_picture(premultiply(picture), degrees)
    expected = premultiply(rotate(place(side, picture, (side // 2, side // 2)), degrees))
    left, top = (round(side / 2 + begins) for begins in found.begins)
    whole = np.zeros_like(expected)
    whole[top : top + found.pixels.shape[0], left : left + found.pixels.shape[1]] = found.pixels
    assert np.abs(whole.astype(int) - expected).max() <= APART


@pytest.mark.parametrize(("height", "width"), [*SHAPES, (61, 33), (40, 33)])
def test_quarter_turns_are_exact(height: int, width: int) -> None:
    picture = premultiply(_thing(height, width))
    for turns in range(4):
        found = turn_picture(picture, 90 * turns)
        assert np.array_equal(found.pixels, np.rot90(picture, -turns))
        assert found.begins == (-found.pixels.shape[1] / 2, -found.pixels.shape[0] / 2)


def test_one_colour_stays_what_it_is() -> None:
    plain = np.full((40, 70, 4), (200, 100, 50, 255), np.uint8)
    inside = turn_picture(plain, 30).pixels
    solid = inside[..., 3] == 255
    assert solid.sum() > 0.9 * 40 * 70
    assert (inside[solid] == (200, 100, 50, 255)).all()


def test_a_place_goes_clockwise_around_the_middle() -> None:
    picture = np.zeros((41, 81, 4), np.uint8)
    picture[19:22, 76:79] = 255  # its middle is 37 right of the picture's
    found = turn_picture(picture, 60)
    rows, columns = np.nonzero(found.pixels[..., 3] > 100)
    x, y = columns.mean() + 0.5 + found.begins[0], rows.mean() + 0.5 + found.begins[1]
    assert abs(x - 37 * 0.5) < 0.6
    assert abs(y - 37 * 0.866) < 0.6


def test_a_picture_of_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="nothing is drawn"):
        turn_picture(np.zeros((9, 9, 4), np.uint8), 45)
