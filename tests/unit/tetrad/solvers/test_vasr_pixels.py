"""VASR's solver of pixels on pictures that the test composes itself: two items, two animals, a striped place."""

import numpy as np
import pytest
from PIL import Image

from tetrad.solvers.pictures import PictureArray
from tetrad.solvers.vasr import SIDE, Frame, Grounds, Labelled, Seen, Templates, Verbs, look, read, solve

PLACE = np.broadcast_to((60 + np.arange(SIDE) // 4)[:, None, None], (SIDE, SIDE, 3)).astype(np.uint8)
FRAMES = {"thing": Frame(("item",), animals=True)}
VERBS = {"lifting": (200, 20, 200, 260), "pushing": (40, 260, 260, 260)}
"""Left and top of the item, then of the animal."""


def thing(seed: int) -> PictureArray:
    """Return a round blob of smooth colours, (160, 160, 4)."""
    coarse = np.random.default_rng(seed).integers(20, 236, (3, 3, 3), np.uint8)
    picture = np.zeros((160, 160, 4), np.uint8)
    picture[..., :3] = np.asarray(Image.fromarray(coarse).resize((160, 160), Image.Resampling.BICUBIC))
    rows, columns = np.mgrid[:160, :160] - 80
    picture[..., 3] = np.where(np.hypot(rows, columns) < 78, 255, 0)
    return picture


THINGS = {
    "item": {"kite": [thing(1)], "drum": [thing(7), thing(2)], "jug": [thing(3)]},
    "agent": {"fox": [thing(4)], "hen": [thing(5)]},
}
TEMPLATES = Templates(THINGS, [thing(6)], [(230, 190, 160)], [(44, 108, 196)], [(250, 250, 250)])
GROUNDS = Grounds(PLACE[None])


def shown(item: str, animal: str, verb: str, number: int) -> Seen:
    """Look at an item and an animal, each time elsewhere, of another size, turn and side."""
    rng = np.random.default_rng(number)
    canvas = Image.fromarray(PLACE)
    at = VERBS[verb]
    for role, name, left, top in (("item", item, *at[:2]), ("agent", animal, *at[2:])):
        side = int(rng.integers(140, 200))
        stamp = Image.fromarray(THINGS[role][name][-1]).rotate(int(rng.integers(360))).resize((side, side))
        canvas.paste(stamp, (left + int(rng.integers(-20, 20)), top + int(rng.integers(-10, 10))), stamp)
    pixels = np.asarray(canvas.convert("RGBA"))
    return look(pixels[:, ::-1] if number % 2 else pixels, GROUNDS, TEMPLATES)


@pytest.fixture(scope="module")
def verbs() -> Verbs:
    examples = [
        Labelled(shown("jug", "fox", verb, number), "thing", verb, mirrored=number % 2 == 1)
        for verb in VERBS
        for number in range(4)
    ]
    return Verbs(TEMPLATES, FRAMES, examples)


def answer(verbs: Verbs, *pictures: tuple[str, str, str]) -> int | None:
    seen = [shown(*picture, number) for number, picture in enumerate(pictures, 50)]
    return solve(read(seen, TEMPLATES, verbs, FRAMES))


def test_the_option_with_the_changed_item_and_with_all_else_of_b_is_taken(verbs: Verbs) -> None:
    given = ("kite", "fox", "lifting"), ("drum", "fox", "lifting"), ("kite", "hen", "pushing")
    wrong = ("jug", "hen", "pushing"), ("drum", "fox", "pushing"), ("jug", "fox", "lifting")
    assert answer(verbs, *given, *wrong[:2], ("drum", "hen", "pushing"), wrong[2]) == 2


def test_the_option_with_the_changed_verb_is_taken(verbs: Verbs) -> None:
    given = ("kite", "fox", "lifting"), ("kite", "fox", "pushing"), ("drum", "hen", "lifting")
    wrong = ("drum", "hen", "lifting"), ("jug", "fox", "pushing"), ("jug", "hen", "lifting")
    assert answer(verbs, *given, wrong[0], ("drum", "hen", "pushing"), *wrong[1:]) == 1


def test_options_that_show_the_same_are_left_open(verbs: Verbs) -> None:
    given = ("kite", "fox", "lifting"), ("drum", "fox", "lifting"), ("kite", "hen", "pushing")
    assert answer(verbs, *given, *[("drum", "hen", "pushing")] * 2) is None


def test_a_thing_is_told_by_its_colours_however_it_lies() -> None:
    for number, name in enumerate(THINGS["item"]):
        amounts = TEMPLATES.of_values("item", shown(name, "fox", "lifting", number).amounts)
        assert list(THINGS["item"])[int(amounts.argmax())] == name
        assert amounts.max() > 0.8 * amounts.sum()
