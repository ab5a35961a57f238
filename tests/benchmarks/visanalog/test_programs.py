"""The algebra of programs, held to pixels: 672 combinations are 448 transformations."""

from collections import Counter

import numpy as np
import pytest

from generator_service.benchmark import PictureArray
from generator_service.benchmarks.visanalog.programs import (
    EVERY,
    EXCHANGED,
    FLIP,
    HALF,
    IDENTITY,
    INDEX,
    LAYOUT_OF,
    MATRICES,
    MISTAKES,
    MORE_WRONG,
    PLACED,
    PROGRAMS,
    ROTATION,
    SIDE,
    STEPS,
    SWAP,
    TURN_WRONG,
    TWO_WRONG,
    ZOOM,
    Program,
    exchange_steps,
    neighbours,
    place_things,
    programs_of,
    wrong_parts,
)
from generator_service.benchmarks.visanalog.transforming import transform_picture


@pytest.fixture(scope="module")
def noise() -> PictureArray:
    """A picture in which no two places look alike; smooth enough to be cut and enlarged."""
    coarse = np.random.default_rng(7).integers(0, 256, (64, 64, 4), dtype=np.uint8)
    picture = np.repeat(np.repeat(coarse, 8, axis=0), 8, axis=1)
    picture[..., 3] = 255
    return picture


def applied(picture: PictureArray, steps: list[Program]) -> PictureArray:
    for step in steps:
        picture = transform_picture(picture, step)
    return picture


def single(program: Program) -> dict[str, Program]:
    """Return each step of a program as a program of its own."""
    return {step: IDENTITY.taking(step, program._asdict()[step]) for step in program.steps}


def test_672_combinations_are_448_programs_of_which_these_have_zero_to_five_steps() -> None:
    assert len(EVERY) == 672
    assert len(PROGRAMS) == len({one.effect for one in EVERY}) == 448
    assert [len(programs_of(steps)) for steps in range(6)] == [1, 15, 79, 173, 144, 36]
    assert PROGRAMS[0] == IDENTITY
    assert all(len(PLACED[INDEX[one.effect]].steps) <= len(one.steps) for one in EVERY)
    assert not any(one.rotation == 2 and one.flip for one in PROGRAMS)


def test_two_combinations_without_hue_give_the_same_pixels_just_where_the_algebra_says_so(noise: PictureArray) -> None:
    drawn = {one: transform_picture(noise, one).tobytes() for one in EVERY if not one.hue}
    by_pixels, by_effect = dict[bytes, Program](), dict[object, Program]()
    assert len(drawn) == 168
    for one, pixels in drawn.items():
        assert by_pixels.setdefault(pixels, one).effect == one.effect
        assert drawn[by_effect.setdefault(one.effect, one)] == pixels
    assert len(by_pixels) == 112


def test_hue_rotations_are_four_and_touch_no_place(noise: PictureArray) -> None:
    drawn = [transform_picture(noise, Program(hue=hue)) for hue in range(4)]
    assert len({pixels.tobytes() for pixels in drawn}) == 4
    value = noise[..., :3].max(axis=2).astype(int)
    for pixels in drawn[1:]:
        assert np.abs(pixels[..., :3].max(axis=2).astype(int) - value).max() <= 1, "V stays"
    red = np.full((SIDE, SIDE, 4), (240, 40, 40, 255), dtype=np.uint8)
    shown = [transform_picture(red, Program(hue=hue))[0, 0, :3].astype(int) for hue in range(4)]
    found = [int(shown[1].argmax()), int(shown[2].argmin()), int(shown[3].argmax())]
    assert found == [1, 0, 2], "lime, cyan, purple"


def test_a_zoom_keeps_the_middle_80_percent_in_whole_pixels() -> None:
    picture = np.zeros((SIDE, SIDE, 4), dtype=np.uint8)
    picture[51:461, 51:461] = 255
    assert transform_picture(picture, Program(zoom=True))[..., 0].min() == 255
    picture[52:460, 52:460] = 0
    assert transform_picture(picture, Program(zoom=True))[0, :, 0].min() > 100, "its outermost row is the box's"


def test_rotations_go_counter_clockwise_and_a_horizontal_flip_exchanges_left_and_right() -> None:
    picture = np.zeros((SIDE, SIDE, 4), dtype=np.uint8)
    picture[:HALF, HALF:] = 255  # upper right
    for program, tile in (
        (Program(rotation=1), (0, 0)),
        (Program(rotation=3), (1, 1)),
        (Program(flip="horizontal"), (0, 0)),
        (Program(flip="vertical"), (1, 1)),
        (Program(swap=(1, 2)), (1, 0)),
    ):
        made = transform_picture(picture, program)[..., 0].reshape(2, HALF, 2, HALF).mean(axis=(1, 3))
        assert np.argwhere(made == 255).tolist() == [list(tile)]


def test_steps_exchanged_are_what_pixels_say_and_are_named_just_where_order_matters(noise: PictureArray) -> None:
    still = [one for one in PROGRAMS if not one.hue]
    for one in [one for one in still if not one.zoom] + [one for one in still if one.zoom][::7]:
        parts = single(one)
        order = [step for step in STEPS if step in parts]
        others = {pixels.tobytes() for pixels in (transform_picture(noise, other) for other in exchange_steps(one))}
        expected = set()
        for first, second in ((ZOOM, SWAP), (SWAP, ROTATION), (SWAP, FLIP), (ROTATION, FLIP)):
            if first not in parts or second not in parts or order.index(second) != order.index(first) + 1:
                continue
            swapped = list(order)
            place = order.index(first)
            swapped[place : place + 2] = second, first
            expected.add(applied(noise, [parts[step] for step in swapped]).tobytes())
        assert others == expected - {transform_picture(noise, one).tobytes()}


def test_every_mistake_of_a_program_differs_from_it_and_is_known() -> None:
    kinds = Counter[str]()
    for number, program in enumerate(PROGRAMS):
        for name, other in neighbours(number):
            assert PLACED[other].effect != program.effect
            kinds[name] += 1
    assert kinds[EXCHANGED] > 100
    assert all(count > 30 for count in kinds.values())


@pytest.mark.parametrize("number", range(0, 640, 23))
def test_things_come_to_lie_where_their_pixels_do(number: int) -> None:
    """One thing in each quarter: near the corner, at the rim, in the middle."""
    program = PLACED[number]
    at, half = np.array([(-230.0, -230.0), (205, -53), (-53, 153), (153, 53)]), np.full((4, 2), 20.0)
    places, layout = place_things(at, half), LAYOUT_OF[number]
    for thing, (x, y) in enumerate(at.astype(int)):
        picture = np.zeros((SIDE, SIDE, 4), dtype=np.uint8)
        picture[HALF + y - 20 : HALF + y + 20, HALF + x - 20 : HALF + x + 20] = 255
        there = np.argwhere(transform_picture(picture, program)[..., 0] > 127)
        share = places.share[layout, thing]
        assert (len(there) == 0) == (share == 0)
        if len(there):
            middle = MATRICES[program.symmetry] @ places.centre[layout, thing] + HALF
            found = (there.min(axis=0) + there.max(axis=0) + 1) / 2
            assert np.abs(found[::-1] - middle).max() <= 1.5


def test_a_mistake_names_as_many_parts_as_are_wrong() -> None:
    """One program alone is taken instead of another: parts are zoom, swap, hue, and rotation and flip together."""
    for number in range(0, len(PROGRAMS), 7):
        here = PLACED[number]
        for other in range(0, len(PLACED), 5):
            there = PLACED[other]
            wrong = (here.zoom != there.zoom) + (here.swap != there.swap) + (here.hue != there.hue)
            turned = here.symmetry != there.symmetry
            if wrong + turned == 0:
                continue
            taken = np.zeros(len(PLACED), dtype=bool)
            taken[other] = True
            name = wrong_parts(number, taken)
            assert name in MISTAKES
            if wrong + turned > 2:
                assert name == MORE_WRONG
            elif wrong + turned == 2:
                assert name in TWO_WRONG.values()
            elif turned:
                assert name == TURN_WRONG
