"""Which programs a picture tells apart: all of them on composed pictures, fewer where it is alike to itself."""

from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from generator_service.benchmark import PictureArray
from generator_service.benchmarks.visanalog.bank import prepare
from generator_service.benchmarks.visanalog.composing import compose
from generator_service.benchmarks.visanalog.identifiability import MARGIN, SMALL, compare_programs
from generator_service.benchmarks.visanalog.mining import JOB, programs_told
from generator_service.benchmarks.visanalog.programs import PROGRAMS, SIDE
from generator_service.benchmarks.visanalog.renderer import draw_composed
from generator_service.drawing.bank import ObjectBank
from generator_service.mining.catalogue import jobs
from tetrad.streams import Stream


@pytest.fixture(scope="module")
def blocks() -> PictureArray:
    coarse = np.random.default_rng(5).integers(0, 256, (16, 16, 4), dtype=np.uint8)
    picture = np.repeat(np.repeat(coarse, SIDE // 16, axis=0), SIDE // 16, axis=1)
    picture[..., 3] = 255
    return picture


def test_composed_pictures_tell_all_448_programs_apart_by_a_margin(builtin_bank: ObjectBank) -> None:
    bank = prepare({"objects": builtin_bank})
    for index in range(3):
        picture = compose(bank.kinds, (), Stream("tests/visanalog/told", index), rims=False)
        found = compare_programs(draw_composed(bank, picture))
        assert not found.alike()
        assert found.least() > MARGIN


def test_on_grey_448_programs_are_112(blocks: PictureArray) -> None:
    grey = blocks.copy()
    grey[..., :3] = grey[..., :1]
    found = compare_programs(grey)
    assert found.chroma == 0
    alike = found.alike()
    groups = {frozenset({number, *others}) for number, others in alike.items()}
    assert len(groups) == 112
    assert {len(group) for group in groups} == {4}
    assert all(len({PROGRAMS[number]._replace(hue=0).effect for number in group}) == 1 for group in groups)


def test_on_a_picture_that_is_its_own_mirror_image_a_flip_is_alike_to_nothing_done(blocks: PictureArray) -> None:
    mirrored = blocks.copy()
    mirrored[:, SIDE // 2 :] = mirrored[:, : SIDE // 2][:, ::-1]
    alike = compare_programs(mirrored).alike()
    flip = next(number for number, one in enumerate(PROGRAMS) if one.steps == ("flip",) and one.flip == "horizontal")
    assert flip in alike[0]
    assert not compare_programs(blocks).alike()


def test_sums_of_squares_are_exact_in_float64() -> None:
    assert 4 * 255**2 * SMALL * SMALL * 3 < 2**53


def test_the_job_makes_a_row_of_a_photograph_and_leaves_out_a_plain_one(blocks: PictureArray) -> None:
    def file(pixels: PictureArray) -> tuple[str, bytes]:
        body = BytesIO()
        Image.fromarray(pixels[..., :3]).save(body, "PNG")
        return "one.png", body.getvalue()

    row = programs_told(file(blocks[:, :300]))
    assert row is not None
    assert row["alike"] == {}
    assert row["chroma"] > 300
    assert programs_told(file(np.full_like(blocks, 128))) is None
    assert jobs()["visanalog"] == JOB
    assert Path(JOB.table("programs")).parts[0] == "visanalog"
