"""A benchmark of sources, for tests: which of four photographs is the one shown? Track by track, from other kinds.

`photographs` draws from photographs and the table of their sizes; `both` from photographs and objects.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

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
from generator_service.sources.photographs import Photographs
from tetrad.contracts.benchmarks import Card, ChanceLevel, Credit, Headline, Setting, Track
from tetrad.contracts.items import Choice, ChoiceKey, KeyedQuestion, Option, Picture, Question
from tetrad.contracts.metrics import Accuracy
from tetrad.contracts.wire import Facets

LABELS = "ABCD"


@dataclass(frozen=True)
class Scene:
    shown: str
    order: tuple[str, ...]
    object: str


def prepare(sources: Mapping[str, Any]) -> Mapping[str, Any]:
    return sources


def strata(_track: str, _setting: str, _parameters: Parameters) -> list[Stratum]:
    return [Stratum(facets={"stage": "which"}, weight=1)]


def sample(
    sources: Mapping[str, Any], track: str, _setting: str, _parameters: Parameters, _facets: Facets, streams: Streams
) -> Scene:
    photographs: Photographs = sources["photographs"]
    chosen = tuple(streams("pictures").shuffle(photographs.pictures)[: len(LABELS)])
    name = streams("object").shuffle(sources["objects"].objects)[0].id if track == "both" else ""
    return Scene(chosen[streams("shown").below(len(LABELS))], chosen, name)


def questions(scene: Scene) -> tuple[KeyedQuestion, ...]:
    names = tuple(str(place) for place in range(1, 6))
    question = Question(
        id="which",
        kind="which",
        text="Which is the same?",
        shape=Choice(labels=tuple(LABELS)),
        options=tuple(Option(label=label, picture=name) for label, name in zip(LABELS, names[1:], strict=True)),
        pictures=tuple(Picture(name=name, caption=f"picture {name}") for name in names),
        final=True,
    )
    key = ChoiceKey(label=LABELS[scene.order.index(scene.shown)])
    return (KeyedQuestion(question=question, key=key, facets={"stage": "which"}, cluster=scene.shown),)


def next_questions(_scene: Scene, _answers: ExtractedAnswers) -> tuple[str, ...]:
    return ("which",)


def holds(scene: Scene, name: str) -> Parts:
    shown = {"1": scene.shown} | {str(place): one for place, one in enumerate(scene.order, 2)}
    return {"shown" if name == "1" else "offered": shown[name]}


def solve(view: View) -> str | None:
    for shown in view.parts("shown"):
        return view.question.options[view.parts("offered").index(shown)].label
    return None


def render(sources: Mapping[str, Any], scene: Scene, name: str) -> PictureArray:
    shown = {"1": scene.shown} | {str(place): one for place, one in enumerate(scene.order, 2)}
    photographs: Photographs = sources["photographs"]
    return photographs.picture(shown[name])


def describe(scene: Scene) -> tuple[str, dict[str, object]]:
    return f"It is {scene.shown}.", {"shown": scene.shown, "order": list(scene.order), "object": scene.object}


CARD = Card(
    name="glimpse",
    version=1,
    title="Glimpse",
    summary="Which photograph is the one shown?",
    tracks=(
        Track(name="photographs", help="photographs alone", settings=("full",)),
        Track(name="both", help="photographs and objects", settings=("full",)),
    ),
    settings=(Setting(name="full", help="which", questions=("which",)),),
    parameters=(),
    metrics=(Accuracy(name="which", help="which photograph", by=("stage",)),),
    headline=Headline(metric="which", least_items=20),
    chance=(ChanceLevel(where={}, uniform=0.25, stated=0.25, source="four options"),),
    credit=Credit(title="Glimpse", authors="Tetrad", venue="tests", url="https://example.org", licence="Apache-2.0"),
    largest_draw=500,
)

BENCHMARK = Benchmark(
    card=CARD,
    kinds={"photographs": ("photographs",), "both": ("photographs", "objects")},
    prepare=prepare,
    strata=strata,
    sample=sample,
    questions=questions,
    next_questions=next_questions,
    render=render,
    describe=describe,
    holds=holds,
    solve=solve,
    clues={"which": ("shown",)},
)
