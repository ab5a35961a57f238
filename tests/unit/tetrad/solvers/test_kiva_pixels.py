"""The pixel solver on panels drawn here: every change, every question, every backdrop, both presentations."""

from collections.abc import Mapping, Sequence

import numpy as np
import pytest

from tests.unit.tetrad.solvers.panels import CHANGES, SIDE, Panel, flattened, pair, png, thing
from tetrad.contracts.inference import Message, TextPart
from tetrad.contracts.items import Choice, Option, Picture, Question
from tetrad.prompting import Wording, find_strategy
from tetrad.solvers import open_solver
from tetrad.solvers.kiva.words import covers, sentences

ASPECTS = ["How many there are.", "Its size.", "Its orientation.", "Its colour."]
OUT = ["Nothing changed.", "It doesn't apply."]
VALUES = {
    "color red": "It turned red.",
    "color green": "Now it is green.",
    "color blue": "It became blue.",
    "size 2x": "It is twice as large.",
    "size 1/2x": "It shrank to half of its size.",
    "number +1": "One more was added.",
    "number +2": "+2",
    "number -1": "There is 1 fewer.",
    "number -2": "Two were removed.",
    "rotation +90": "It was rotated by 90 degrees clockwise.",
    "rotation -90": "A quarter turn counterclockwise.",
    "rotation 180": "It was rotated by 180 degrees.",
    "reflection x": "It was mirrored top to bottom.",
    "reflection y": "It was flipped left to right.",
}
ASPECT_OF = {"color": 3, "size": 1, "number": 0, "rotation": 2, "reflection": 2, "none": 4}


def ask(options: Sequence[Option], pictures: Mapping[str, Panel]) -> str:
    question = Question(
        id="q",
        kind="any",
        text="Look closely.",
        shape=Choice(labels=tuple(option.label for option in options)),
        options=tuple(options),
        pictures=tuple(Picture(name=name, caption="A pair") for name in pictures),
        instruction="Answer with one label.",
    )
    shown = {name: png(picture) for name, picture in pictures.items()}
    return open_solver("pixel-solver").reply(find_strategy("direct").messages(question, shown, Wording()))


def worded(words: Sequence[str]) -> list[Option]:
    return [Option(label=str(place), text=text) for place, text in enumerate(words, start=1)]


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("side", [SIDE, 256])
def test_what_changed_is_told_from_the_given_pair(change: str, side: int) -> None:
    given = pair(*CHANGES[change](thing(side)))
    assert ask(worded([*ASPECTS, *OUT]), {"1": given}) == f"({ASPECT_OF[change.split(maxsplit=1)[0]] + 1})"


@pytest.mark.parametrize("change", VALUES)
def test_how_it_changed_is_told_among_all_values(change: str) -> None:
    given = pair(*CHANGES[change](thing()))
    assert ask(worded([*VALUES.values(), *OUT]), {"1": given}) == f"({list(VALUES).index(change) + 1})"


@pytest.mark.parametrize("backdrop", [0, 255, 90])
@pytest.mark.parametrize("change", VALUES)
def test_an_opaque_backdrop_changes_nothing(change: str, backdrop: int) -> None:
    given = pair(*(flattened(panel, backdrop) for panel in CHANGES[change](thing())))
    assert ask(worded([*VALUES.values(), *OUT]), {"1": given}) == f"({list(VALUES).index(change) + 1})"


def test_a_value_that_no_option_names_gets_the_option_that_names_none() -> None:
    given = pair(*CHANGES["color red"](thing()))
    assert ask(worded(["It turned blue.", "It turned green.", *OUT]), {"1": given}) == "(4)"


def extrapolation(domain: str, test: Panel) -> dict[str, Panel]:
    return {change: pair(*CHANGES[change](test)) for change in CHANGES if change.startswith(domain)}


@pytest.mark.parametrize("change", VALUES)
def test_the_option_with_the_same_change_is_found_on_a_new_object(change: str) -> None:
    test = thing(flipped=True, color=(60, 90, 170))
    offered = {**extrapolation(change.split(maxsplit=1)[0], test), "none": pair(test, test)}
    labels = dict(zip(offered, "ABCDEF", strict=False))
    pictures = {"1": pair(*CHANGES[change](thing()))} | {f"o{labels[name]}": offered[name] for name in offered}
    options = [Option(label=label, picture=f"o{label}") for label in labels.values()]
    assert ask([*options, Option(label="Z", text="None of them")], pictures) == f"({labels[change]})"


def test_none_of_them_is_chosen_where_no_picture_fits() -> None:
    pictures = {"1": pair(*CHANGES["color red"](thing())), "2": pair(*CHANGES["color blue"](thing()))}
    options = [Option(label="A", picture="2"), Option(label="B", text="None of them")]
    assert ask(options, pictures) == "(B)"


def test_no_guess_is_made_where_nothing_fits_and_no_option_says_so() -> None:
    pictures = {"1": pair(*CHANGES["color red"](thing())), "2": pair(*CHANGES["color blue"](thing()))}
    assert "can't tell" in ask([Option(label="A", picture="2")], pictures)


def test_a_given_pair_that_shows_no_known_change_is_answered_with_none_or_not_at_all() -> None:
    noise = np.random.default_rng(7).integers(0, 255, (SIDE, SIDE, 4), dtype=np.uint8)
    pictures = {"1": pair(thing(), noise), "2": pair(*CHANGES["color blue"](thing()))}
    assert "can't tell" in ask([Option(label="A", picture="2")], pictures)


def test_a_symmetric_given_object_is_read_together_with_the_options() -> None:
    """A bar upright in the middle: half a turn and top to bottom look alike; the options tell which is meant."""
    bar = np.zeros((SIDE, SIDE, 4), np.uint8)
    bar[20:60, 56:72] = (200, 40, 40, 255)
    bar[60:108, 56:72] = (40, 40, 200, 255)
    test = thing()
    pictures = {
        "1": pair(bar, bar[::-1]),
        "2": pair(*CHANGES["rotation +90"](test)),
        "3": pair(*CHANGES["reflection x"](test)),
    }
    assert ask([Option(label="A", picture="2"), Option(label="B", picture="3")], pictures) == "(B)"


# The composite presentation as the renderer of KiVA lays it out: the sheet's size, and where its pairs stand.
WIDTH, HEIGHT = 1696, 702
PLACES = [(588, 72), (28, 418), (588, 418), (1148, 418)]


def sheet(given: Panel, options: Sequence[Panel]) -> Panel:
    canvas = np.zeros((HEIGHT, WIDTH, 4), np.uint8)
    for (left, top), panels in zip(PLACES, [given, *options], strict=True):
        canvas[top : top + 256, left : left + 520] = panels
    return canvas


def wide_pair(change: str, panel: Panel) -> Panel:
    before, after = CHANGES[change](panel)
    return np.concatenate([before, np.zeros((256, 8, 4), np.uint8), after], axis=1)


def test_a_composite_sheet_answers_pictures_and_words() -> None:
    test = thing(256, flipped=True)
    changes = ["rotation +90", "rotation 180", "none"]
    picture = sheet(wide_pair("rotation 180", thing(256)), [wide_pair(change, test) for change in changes])
    marked = [Option(label=label, text=f"The pair marked ({label}).") for label in "ABC"]
    assert ask([*marked, Option(label="D", text="None of the three.")], {"1": picture}) == "(B)"
    assert ask(worded([*VALUES.values(), *OUT]), {"1": picture}) == f"({list(VALUES).index('rotation 180') + 1})"


@pytest.mark.parametrize("messages", [[Message(role="user", content="Hello?")], [Message(role="system", content="x")]])
def test_what_is_no_question_of_this_kind_is_said_to_be_none(messages: list[Message]) -> None:
    assert "can't tell" in open_solver("pixel-solver").reply(messages)
    blind = [Message(role="user", content=[TextPart(text="(A) yes\n(B) no")])]
    assert "can't tell" in open_solver("pixel-solver").reply(blind)


ORIENTED = {
    *(f"rotation {turn}" for turn in ("+45", "+90", "+135", "180", "-45", "-90", "-135")),
    *(f"reflection {mirror}" for mirror in ("x", "y", "both")),
}


@pytest.mark.parametrize(
    ("words", "changes"),
    [
        ("It was turned.", ORIENTED),
        ("It was mirrored.", ORIENTED),
        ("The scale.", {f"size {size}" for size in ("2x", "1/2x", "wider", "narrower", "taller", "shorter")}),
        ("The number of things.", {f"number {step}" for step in ("+1", "+2", "-1", "-2", "x2", "x3", "/2", "/3")}),
        ("It stayed as it was.", {"none"}),
        ("Something else.", set()),
        ("Twelve bananas.", set()),
        ("It was turned by 45 degrees anticlockwise.", {"rotation -45"}),
        ("Three eighths of a turn clockwise.", {"rotation +135"}),
        ("It was flipped both ways.", {"reflection both"}),
        ("It became half as wide and kept its height.", {"size narrower"}),
        ("It got taller, but not wider.", {"size taller"}),
        ("It became half as tall and kept its width.", {"size shorter"}),
        ("The number was multiplied by three.", {"number x3"}),
        ("Now there is one for every two.", {"number /2"}),
        ("It turned gray.", {"color grey"}),
        ("The shape is odd and tall.", {"size taller"}),
    ],
)
def test_words_cover_changes(words: str, changes: set[str]) -> None:
    [found] = sentences(words) or (frozenset[str](),)
    assert found == changes


def test_several_sentences_cover_several_changes_and_no_fewer() -> None:
    words = "It took on a red color. One more object was added."
    assert covers(words, frozenset({"color red", "number +1"}))
    assert not covers(words, frozenset({"color red"}))
    assert not covers(words, frozenset({"color red", "number +2"}))
    assert not covers("It took on a red color.", frozenset({"color red", "number +1"}))
    assert covers("Nothing changed.", frozenset())
    assert not covers("Nothing changed.", frozenset({"color red"}))
    assert not covers("None of these.", frozenset())
