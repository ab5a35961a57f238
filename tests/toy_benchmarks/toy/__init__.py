"""A sixth benchmark, in one folder: which of four shades is the same as the one shown?

It is here to show that nothing outside its folder needs to know a benchmark. It asks `name` first and, if the
answer read is right, `half`; then `shade`, whatever was right: the same kind of gate as KiVA's.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from generator_service.benchmark import Benchmark, ExtractedAnswers, Parameters, PictureArray, Stratum, Streams
from tetrad.contracts.benchmarks import Card, ChanceLevel, Credit, Headline, Parameter, Setting, Track
from tetrad.contracts.items import Choice, ChoiceKey, KeyedQuestion, Option, Picture, Question
from tetrad.contracts.metrics import Accuracy, ConditionalAccuracy
from tetrad.contracts.wire import Facets

SHADES = {"dark": 40, "dim": 100, "light": 180, "bright": 240}
SIDE = 16


@dataclass(frozen=True)
class Scene:
    shade: str
    order: tuple[str, ...]
    setting: str
    label: str


def strata(_track: str, _setting: str, _parameters: Parameters) -> list[Stratum]:
    return [Stratum(facets={"shade": shade}, weight=1) for shade in SHADES]


def sample(_bank: Any, _track: str, setting: str, _parameters: Parameters, cell: Facets, streams: Streams) -> Scene:
    order = streams("places").shuffled(tuple(SHADES))
    return Scene(cell["shade"], order, setting, str(streams("label").word()))


def questions(scene: Scene) -> tuple[KeyedQuestion, ...]:
    asked = [_shade(scene)]
    if scene.setting == "full":
        asked = [_words(scene, "name", tuple(SHADES), scene.shade), _words(scene, "half", HALVES, half(scene)), *asked]
    return tuple(asked)


HALVES = ("darker half", "lighter half")


def half(scene: Scene) -> str:
    return HALVES[SHADES[scene.shade] > 128]


def _words(scene: Scene, name: str, words: tuple[str, ...], right: str) -> KeyedQuestion:
    options = tuple(Option(label=str(place), text=word) for place, word in enumerate(words, 1))
    return _keyed(
        scene,
        name,
        f"What is the {name} of this shade?",
        options=options,
        label=str(words.index(right) + 1),
        pictures=("1",),
    )


def _shade(scene: Scene) -> KeyedQuestion:
    options = tuple(
        Option(label=letter, picture=str(place)) for place, letter in enumerate("ABCD"[: len(scene.order)], 2)
    )
    names = tuple(str(place) for place in range(1, 6))
    return _keyed(
        scene,
        "shade",
        "Which is the same?",
        options=options,
        label="ABCD"[scene.order.index(scene.shade)],
        pictures=names,
    )


def _keyed(
    scene: Scene, name: str, text: str, *, options: tuple[Option, ...], label: str, pictures: tuple[str, ...]
) -> KeyedQuestion:
    return KeyedQuestion(
        question=Question(
            id=name,
            kind=name,
            text=text,
            shape=Choice(labels=tuple(option.label for option in options)),
            options=options,
            pictures=tuple(Picture(name=place, caption=f"shade {place}") for place in pictures),
            final=name == "shade",
        ),
        key=ChoiceKey(label=label),
        facets={"stage": name, "shade": scene.shade},
        cluster=scene.label,
    )


def next_questions(scene: Scene, readings: ExtractedAnswers) -> tuple[str, ...]:
    if scene.setting != "full":
        return ("shade",)
    opened = ["name"]
    if "name" in readings and readings["name"] == str(tuple(SHADES).index(scene.shade) + 1):
        opened.append("half")
    if all(question in readings for question in opened):
        opened.append("shade")
    return tuple(opened)


def render(_bank: Any, scene: Scene, name: str) -> PictureArray:
    shade = {"1": scene.shade} | {str(place): shade for place, shade in enumerate(scene.order, 2)}
    pixels = np.full((SIDE, SIDE, 4), SHADES[shade[name]], dtype=np.uint8)
    pixels[..., 3] = 255
    return pixels


def describe(scene: Scene) -> tuple[str, dict[str, object]]:
    return f"The shade is {scene.shade}.", {"shade": scene.shade}


CARD = Card(
    name="toy",
    version=1,
    title="Shades",
    summary="Which shade is the same as the one shown?",
    tracks=(Track(name="toy", help="four shades", settings=("full", "shade-only")),),
    settings=(
        Setting(name="full", help="name, half, shade", questions=("name", "half", "shade")),
        Setting(name="shade-only", help="the shade alone", questions=("shade",)),
    ),
    parameters=(
        Parameter(name="tint", help="changes nothing but the identity", default=0, minimum=0, maximum=10, step=5),
        Parameter(name="mode", help="one of two words", default="plain", values=("plain", "fancy")),
        Parameter(name="loud", help="true or false", default=False),
    ),
    metrics=(
        Accuracy(name="shade", help="which shade", where={"stage": ("shade",)}, by=("shade",)),
        Accuracy(name="all", help="every question", by=("stage",)),
        ConditionalAccuracy(name="shade-after-right", help="", where={"stage": ("shade",)}, given={"stage": ("name",)}),
    ),
    headline=Headline(metric="shade", least_items=20),
    chance=(ChanceLevel(where={"stage": ("shade",)}, uniform=0.25, stated=0.25, source="four options"),),
    credit=Credit(title="A toy", authors="Tetrad", venue="tests", url="https://example.org/toy", licence="Apache-2.0"),
    largest_draw=500,
    filters={"shade": tuple(SHADES)},
)

BENCHMARK = Benchmark(
    card=CARD,
    strata=strata,
    sample=sample,
    questions=questions,
    next_questions=next_questions,
    render=render,
    describe=describe,
)
