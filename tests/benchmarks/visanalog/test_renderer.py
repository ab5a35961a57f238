"""Pixels: every thing shows its mat's colour where the scene says that it lies, under every kind of program."""

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from generator_service.benchmarks.visanalog import BENCHMARK
from generator_service.benchmarks.visanalog.bank import VisAnalogBank, prepare
from generator_service.benchmarks.visanalog.composing import compose
from generator_service.benchmarks.visanalog.pictures import list_seen
from generator_service.benchmarks.visanalog.programs import PROGRAMS, programs_of
from generator_service.benchmarks.visanalog.renderer import draw_composed
from generator_service.benchmarks.visanalog.spec import COLOURS, COMPOSED, HUES, SPECIAL, WORDS
from generator_service.benchmarks.visanalog.transforming import transform_picture
from generator_service.drawing.bank import ObjectBank
from generator_service.drawing.lettering import SIGNS
from tetrad.streams import Stream


@pytest.fixture(scope="module")
def bank(builtin_bank: ObjectBank) -> VisAnalogBank:
    return prepare({"objects": builtin_bank})


@pytest.mark.parametrize("steps", [0, 1, 2, 3, 4, 5])
def test_mats_have_their_colour_where_they_are_said_to_lie(bank: VisAnalogBank, steps: int) -> None:
    picture = compose(bank.kinds, SPECIAL, Stream("tests/visanalog", steps), rims=True)
    drawn, numbers = draw_composed(bank, picture), programs_of(steps)
    for number in numbers[:: len(numbers) // 4 + 1]:
        hues = np.asarray(Image.fromarray(transform_picture(drawn, PROGRAMS[number])[..., :3]).convert("HSV"))
        for one in list_seen(picture.things, number):
            left, top, right, bottom = one["box"]
            across, down = (left + right) // 2, (top + bottom) // 2
            rim = [(top + 3, across), (bottom - 4, across), (down, left + 3), (down, right - 4)]
            wanted = HUES[COLOURS.index(one["color"])]
            near = sum(abs((int(hues[at][0]) - wanted + 128) % 256 - 128) <= 4 for at in rim)
            # Of a disc that is cut in half, or a thing that reaches to its mat's rim, one point may show no mat.
            assert near >= 3, (one, PROGRAMS[number])


def test_pictures_are_opaque_and_of_512_pixels(bank: VisAnalogBank) -> None:
    picture = compose(bank.kinds, (), Stream("tests/visanalog/opaque"), rims=False)
    drawn = draw_composed(bank, picture)
    assert drawn.shape == (512, 512, 4)
    assert drawn[..., 3].min() == 255
    assert not drawn.flags.writeable


def test_every_word_can_be_written_and_is_no_mirror_image_of_itself() -> None:
    assert all(character in SIGNS for word in WORDS for character in word)
    assert len(WORDS) == len(set(WORDS))


def test_the_source_says_what_it_lacks(builtin_bank: ObjectBank, bank_folder: Path) -> None:
    few = type(builtin_bank)(
        name="few",
        objects=tuple(one for one in builtin_bank.objects if one.kind < "d"),
        digest="0" * 64,
        read=builtin_bank.read,
        visibility=builtin_bank.visibility,
    )
    with pytest.raises(Exception, match=r"few has 7 kinds of objects .* mount a bank of more kinds"):
        prepare({"objects": few})
    assert BENCHMARK.kinds_of(COMPOSED) == ("objects",)
