"""Plain measures of whole pictures, on analogies of coloured squares, from the messages that a model gets."""

import numpy as np
import pytest

from generator_service.drawing.png import encode_png
from tetrad.contracts.items import Choice, Option, Picture, Question
from tetrad.prompting import Wording, find_strategy
from tetrad.solvers import open_solver
from tetrad.solvers.low_level import HUES, NO_ANALOGY, VALUES, WAYS, measure_hue
from tetrad.solvers.pictures import PictureArray

RED, GREEN, BLUE, YELLOW = (200, 30, 30), (30, 180, 60), (40, 60, 220), (230, 210, 40)
Colour = tuple[int, int, int]


def panel(left: Colour, right: Colour) -> PictureArray:
    """Return a square with a field on either side, transparent around them."""
    pixels = np.zeros((64, 64, 4), np.uint8)
    pixels[16:48, 4:28], pixels[16:48, 36:60] = (*left, 255), (*right, 255)
    return pixels


def reply(solver: str, given: list[PictureArray], options: list[PictureArray]) -> str:
    names = [str(place) for place in range(1, len(given) + len(options) + 1)]
    labels = "1234"[: len(options)]
    question = Question(
        id="which",
        kind="which",
        text="Which?",
        shape=Choice(labels=tuple(labels)),
        options=tuple(
            Option(label=label, picture=name) for label, name in zip(labels, names[len(given) :], strict=True)
        ),
        pictures=tuple(Picture(name=name, caption=f"picture {name}") for name in names),
        final=True,
    )
    shown = dict(zip(names, map(encode_png, [*given, *options]), strict=True))
    return open_solver(solver).reply(find_strategy("direct").messages(question, shown, Wording()))


GIVEN = [panel(RED, BLUE), panel(RED, GREEN), panel(YELLOW, BLUE)]
OPTIONS = [panel(RED, GREEN), panel(YELLOW, BLUE), panel(YELLOW, GREEN), panel(RED, BLUE)]
"""B + A' - A is the third option; B itself is the second, A' the first, A the last."""


@pytest.mark.parametrize(
    ("solver", "label"),
    [
        ("low-level-hue", "3"),
        ("low-level-pixels", "3"),
        ("low-level-hue-b", "2"),
        ("low-level-hue-a-prime", "1"),
        ("low-level-hue-a", "4"),
    ],
)
def test_the_option_nearest_to_what_is_wanted_is_taken(solver: str, label: str) -> None:
    assert reply(solver, GIVEN, OPTIONS) == f"({label})"


def test_edges_know_places_and_no_colours() -> None:
    small = panel(RED, BLUE)
    small[16:32] = 0
    assert reply("low-level-edges", [panel(RED, RED), small, panel(RED, BLUE)], [panel(BLUE, RED), small]) == "(2)"


def test_a_pair_may_be_one_picture_with_two_halves() -> None:
    def pair(before: PictureArray, after: PictureArray) -> PictureArray:
        return np.concatenate([before, np.zeros((64, 6, 4), np.uint8), after], axis=1)

    options = [pair(GIVEN[2], option) for option in OPTIONS]
    assert reply("low-level-hue", [pair(GIVEN[0], GIVEN[1])], options) == "(3)"


@pytest.mark.parametrize("solver", WAYS)
def test_what_is_no_analogy_of_pictures_is_said_to_be_none(solver: str) -> None:
    assert reply(solver, GIVEN[:2], OPTIONS) == NO_ANALOGY


def test_a_histogram_of_hue_leaves_out_what_is_grey_and_counts_what_is_dark_elsewhere() -> None:
    grey = panel((128, 128, 128), (128, 128, 128))
    assert measure_hue(grey).sum() == 0
    light, dark = measure_hue(panel(RED, RED)), measure_hue(panel((60, 9, 9), (60, 9, 9)))
    assert light.shape == (HUES * VALUES,)
    assert light.sum() == pytest.approx(2 * 24 * 32 / 64**2)
    assert [int(row.argmax()) // VALUES for row in (light, dark)] == [0, 0]
    assert light.argmax() != dark.argmax()
