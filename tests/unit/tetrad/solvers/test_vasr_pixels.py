"""VASR's solver of pixels on pictures that the test composes itself: two items, two animals, a striped place."""

from collections.abc import Callable
from itertools import product

import numpy as np
import pytest
from PIL import Image

from tetrad.solvers.pictures import PictureArray
from tetrad.solvers.vasr import SIDE, Grounds, Role, Shown, agents, find_things, solve

ITEMS, ANIMALS = ("kite", "drum", "jug"), ("fox", "hen")


def thing(seed: int) -> PictureArray:
    """Return a blob of four colours, (160, 160, 4)."""
    rng = np.random.default_rng(seed)
    coarse = rng.integers(20, 236, (4, 4, 3), np.uint8)
    picture = np.zeros((160, 160, 4), np.uint8)
    picture[..., :3] = np.asarray(Image.fromarray(coarse).resize((160, 160), Image.Resampling.BICUBIC))
    rows, columns = np.mgrid[:160, :160] - 80
    picture[..., 3] = np.where(np.hypot(rows, columns * (1 + seed % 3 / 4)) < 78, 255, 0)
    return picture


THINGS = {name: thing(number) for number, name in enumerate((*ITEMS, *ANIMALS))}
PLACE = np.broadcast_to((60 + np.arange(SIDE) // 4)[:, None, None], (SIDE, SIDE, 3)).astype(np.uint8)
ROLES = {
    "item": Role({name: THINGS[name] for name in ITEMS}),
    "agent": Role({name: THINGS[name] for name in ANIMALS}, (15, 345)),
}


def scene(item: str, animal: str | None, number: int) -> PictureArray:
    """Lay an item and an animal, or a grey somebody, on the place: each time elsewhere, of another size and side."""
    rng = np.random.default_rng(100 + number)
    canvas = Image.fromarray(PLACE)
    for left, name in ((20, item), (270, animal)):
        side = int(rng.integers(130, 200))
        picture = np.full((160, 160, 4), (90, 140, 90, 255), np.uint8) if name is None else THINGS[name]
        stamp = Image.fromarray(picture[:, :: 1 if rng.random() < 0.5 else -1]).resize((side, side))
        if name == animal and name is not None:
            stamp = stamp.rotate(12, expand=True)
        canvas.paste(stamp, (left, int(rng.integers(20, 260))), stamp)
    pixels = np.asarray(canvas.convert("RGBA"))
    return pixels[:, ::-1] if number % 2 else pixels


@pytest.fixture(scope="module")
def found() -> Callable[..., int | None]:
    """Return what answers A, A', B and options, each an item and an agent, of which each is searched once."""
    grounds, shown = Grounds(PLACE[None]), list(product(ITEMS, (*ANIMALS, None)))
    pictures = [scene(item, animal, number) for number, (item, animal) in enumerate(shown)]
    seen = [Shown(picture, grounds.in_front(picture)) for picture in pictures]
    things = {role: find_things(seen, of) for role, of in ROLES.items()}
    things["agent"] = agents(things["agent"])

    def answered(*wanted: tuple[str, str | None]) -> int | None:
        places = [shown.index(one) for one in wanted]
        return solve({role: [each[place] for place in places] for role, each in things.items()})

    return answered


@pytest.mark.parametrize("right", range(4))
def test_the_option_with_the_change_and_with_all_else_of_b_is_taken(
    found: Callable[..., int | None], right: int
) -> None:
    options = list(product(("drum", "jug"), ("hen", None)))
    options[0], options[right] = options[right], options[0]
    assert found(("kite", "fox"), ("drum", "fox"), ("kite", "hen"), *options) == right


def test_another_change_has_another_answer(found: Callable[..., int | None]) -> None:
    options = list(product(("drum", "jug"), ("hen", None)))
    assert found(("kite", "fox"), ("jug", "fox"), ("kite", None), *options) == 3
    assert found(("kite", "fox"), ("kite", "hen"), ("drum", "fox"), *options) == 0


def test_what_depends_on_people_or_on_the_verb_is_left_open(found: Callable[..., int | None]) -> None:
    twice = [("drum", None), ("drum", None), ("jug", None), ("jug", None)]
    assert found(("kite", "fox"), ("drum", "fox"), ("kite", None), *twice) is None
    options = list(product(("drum", "jug"), ("hen", None)))
    assert found(("kite", "fox"), ("kite", "fox"), ("drum", "hen"), *options) is None
