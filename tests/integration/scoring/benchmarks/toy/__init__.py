"""The toy that tests work out by hand, as a benchmark of the real generator: its pictures say nothing."""

from dataclasses import dataclass
from typing import Any

from msgspec.structs import replace

from generator_service.benchmark import ExtractedAnswers, Parameters, PictureArray, Stratum, Streams
from tests.integration.real_generator import ServedBenchmark
from tests.integration.scoring import toy
from tetrad.contracts.benchmarks import Parameter, Setting, Track
from tetrad.contracts.items import KeyedQuestion
from tetrad.contracts.wire import Facets


@dataclass(frozen=True)
class Scene:
    item: str
    domain: str


def strata(_track: str, _setting: str, _parameters: Parameters) -> list[Stratum]:
    return [Stratum(facets={"domain": domain}, weight=1) for domain in ("size", "color")]


def sample(_bank: Any, _track: str, _setting: str, _parameters: Parameters, stratum: Facets, streams: Streams) -> Scene:
    return Scene(str(streams("item").word()), stratum["domain"])


def questions(scene: Scene) -> tuple[KeyedQuestion, ...]:
    asked = toy.questions_of(scene.item, 0)
    return tuple(replace(keyed, facets={**keyed.facets, "domain": scene.domain}, cluster=scene.item) for keyed in asked)


def next_questions(scene: Scene, extracted: ExtractedAnswers) -> tuple[str, ...]:
    opened = ["what"]
    if extracted.get("what") == toy.key_of(scene.item, 0, "what"):
        opened.append("how")
    return (*opened, "which") if all(name in extracted for name in opened) else tuple(opened)


def render(_bank: Any, _scene: Scene, name: str) -> PictureArray:
    raise KeyError(name)


def describe(_scene: Scene) -> tuple[str, dict[str, object]]:
    return "There is nothing to see.", {}


BENCHMARK = ServedBenchmark(
    card=replace(
        toy.CARD,
        tracks=(Track(name="toy", help="", settings=("full",)),),
        settings=(Setting(name="full", help="", questions=("what", "how", "which")),),
        parameters=(Parameter(name="plain", help="", default=True),),
        largest_draw=5000,
    ),
    strata=strata,
    sample=sample,
    questions=questions,
    next_questions=next_questions,
    render=render,
    describe=describe,
)
