"""A sixth benchmark, in one folder: which of four shades is the same as the one shown?

It is here to show that nothing outside its folder needs to know a benchmark. It asks `name` first and, if the
answer read is right, `half`; then `shade`, whatever was right: the same kind of gate as KiVA's.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from generator_service.benchmark import (
    Benchmark,
    ExtractedAnswers,
    Parameters,
    Parts,
    PictureArray,
    Stratum,
    Streams,
    View,
)
from tetrad.contracts.benchmarks import Card, Ceiling, ChanceLevel, Credit, Headline, Parameter, Setting, Track
from tetrad.contracts.items import Choice, ChoiceKey, KeyedQuestion, Option, Picture, Question
from tetrad.contracts.metrics import Accuracy, ConditionalAccuracy
from tetrad.contracts.wire import Facets

# spec: what an item can be

SHADES = {"dark": 40, "dim": 100, "light": 180, "bright": 240}
HALVES = ("darker half", "lighter half")
SIDE = 16


@dataclass(frozen=True)
class Scene:
    """One item, pure data: the shade shown, and the shades offered in order."""

    item: str
    setting: str
    shade: str
    order: tuple[str, ...]


def half(shade: str) -> str:
    return HALVES[SHADES[shade] > 128]


# sampler: the only user of randomness


def strata(_track: str, _setting: str, _parameters: Parameters) -> list[Stratum]:
    return [Stratum(facets={"shade": shade}, weight=1) for shade in SHADES]


def sample(_bank: Any, _track: str, setting: str, _parameters: Parameters, stratum: Facets, streams: Streams) -> Scene:
    order = streams("places").shuffle(tuple(SHADES))
    return Scene(str(streams("item").word()), setting, stratum["shade"], order)


# question: words and truth, from the scene


def questions(scene: Scene) -> tuple[KeyedQuestion, ...]:
    shades = tuple(Option(label="ABCD"[place], picture=str(place + 2)) for place in range(len(scene.order)))
    shade = _keyed(scene, "shade", shades, scene.order, scene.shade)
    if scene.setting != "full":
        return (shade,)
    names = _keyed(scene, "name", _in_words(tuple(SHADES)), tuple(SHADES), scene.shade)
    return names, _keyed(scene, "half", _in_words(HALVES), HALVES, half(scene.shade)), shade


def _in_words(words: tuple[str, ...]) -> tuple[Option, ...]:
    return tuple(Option(label=str(place), text=word) for place, word in enumerate(words, 1))


def _keyed(scene: Scene, kind: str, options: tuple[Option, ...], values: tuple[str, ...], right: str) -> KeyedQuestion:
    labels = tuple(option.label for option in options)
    shown = ("1", *(option.picture for option in options if option.picture))
    return KeyedQuestion(
        question=Question(
            id=kind,
            kind=kind,
            text="Which is the same?" if kind == "shade" else f"What is the {kind} of this shade?",
            shape=Choice(labels=labels),
            options=options,
            pictures=tuple(Picture(name=name, caption=f"shade {name}") for name in shown),
            final=kind == "shade",
        ),
        key=ChoiceKey(label=labels[values.index(right)]),
        facets={"stage": kind, "shade": scene.shade},
        cluster=scene.item,
        option_values=dict(zip(labels, values, strict=True)),
    )


def next_questions(scene: Scene, extracted: ExtractedAnswers) -> tuple[str, ...]:
    if scene.setting != "full":
        return ("shade",)
    opened = ["name"]
    if "name" in extracted and extracted["name"] == str(tuple(SHADES).index(scene.shade) + 1):
        opened.append("half")
    if all(question in extracted for question in opened):
        opened.append("shade")
    return tuple(opened)


# renderer: the only user of pixels


def render(_bank: Any, scene: Scene, name: str) -> PictureArray:
    pixels = np.full((SIDE, SIDE, 4), SHADES[_shown(scene)[name]], dtype=np.uint8)
    pixels[..., 3] = 255
    return pixels


def _shown(scene: Scene) -> dict[str, str]:
    """Return the shade of every picture by its name, which is its place."""
    return {str(place): shade for place, shade in enumerate((scene.shade, *scene.order), 1)}


# solver: what pictures hold, and an independent solution from that


def holds(scene: Scene, name: str) -> Parts:
    return {"shown" if name == "1" else "offered": _shown(scene)[name]}


def solve(view: View) -> str | None:
    for shown in view.parts("shown"):
        lighter = "lighter half" if shown in {"light", "bright"} else "darker half"
        wanted = lighter if view.question.kind == "half" else shown
        offered = view.parts("offered") or [option.text for option in view.question.options]
        return view.question.options[offered.index(wanted)].label
    return None


def describe(scene: Scene) -> tuple[str, dict[str, object]]:
    return f"The shade is {scene.shade}.", {"shade": scene.shade}


# card: all that is public

Where = dict[str, tuple[str, ...]]
SHADE: Where = {"stage": ("shade",)}
NAME: Where = {"stage": ("name",)}
HALF: Where = {"stage": ("half",)}
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
        Accuracy(name="shade", help="which shade", where=SHADE, by=("shade",)),
        Accuracy(name="all", help="every question", by=("stage",)),
        ConditionalAccuracy(name="shade-after-right", help="", where=SHADE, given=NAME),
    ),
    headline=Headline(metric="shade", least_items=20),
    chance=(
        ChanceLevel(where=SHADE, uniform=1 / 4, stated=1 / 4, source="four options"),
        ChanceLevel(where=NAME, uniform=1 / 4, stated=1 / 4, source="four options"),
        ChanceLevel(where=HALF, uniform=1 / 2, stated=1 / 2, source="two options"),
    ),
    ceilings=(Ceiling(solver="options-only", where=SHADE, parameters={}, value=1 / 4, why="sees no shade shown"),),
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
    holds=holds,
    solve=solve,
    clues={"name": ("shown",), "half": ("shown",), "shade": ("shown",)},
)
