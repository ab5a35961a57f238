"""A benchmark that depends on a table, for tests: which of four photographs is the most colourful?

`mining.py` beside it has the job that makes the table. No item looks at pixels: which one is the most colourful stands
in the table's rows, by the photographs' names.
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
from generator_service.sources.store import SourceUnfitError
from tetrad.contracts.benchmarks import Card, Ceiling, ChanceLevel, Credit, Headline, Setting, Track
from tetrad.contracts.items import Choice, ChoiceKey, KeyedQuestion, Option, Picture, Question
from tetrad.contracts.metrics import Accuracy
from tetrad.contracts.wire import Facets

LABELS = "ABCD"
RANKS = "vivid/ranks-1-0a2958546f4142d9"
"""The table that `tetrad source mine photographs:NAME vivid` makes and prints the name of."""


@dataclass(frozen=True)
class Scene:
    """Four photographs in their order, and the rank of each."""

    order: tuple[str, ...]
    ranks: tuple[int, ...]


class Ranked:
    """The photographs that items are drawn from: those of the part that may be shown, by rank."""

    def __init__(self, photographs: Photographs) -> None:
        self.photographs = photographs
        table = photographs.table(RANKS)
        self.by_rank: dict[int, str] = {}
        for name in photographs.pictures:
            self.by_rank.setdefault(table.row(name)["rank"], name)
        if len(self.by_rank) < len(LABELS):
            raise SourceUnfitError(
                f"photographs:{photographs.name} has {len(self.by_rank)} photographs that differ in colour; "
                f"add a source with {len(LABELS)} or more"
            )


def prepare(sources: Mapping[str, Any]) -> Ranked:
    return Ranked(sources["photographs"])


def strata(_track: str, _setting: str, _parameters: Parameters) -> list[Stratum]:
    return [Stratum(facets={"stage": "which"}, weight=1)]


def sample(
    ranked: Ranked, _track: str, _setting: str, _parameters: Parameters, _facets: Facets, streams: Streams
) -> Scene:
    ranks = streams("pictures").shuffle(tuple(sorted(ranked.by_rank)))[: len(LABELS)]
    return Scene(tuple(ranked.by_rank[rank] for rank in ranks), tuple(ranks))


def questions(scene: Scene) -> tuple[KeyedQuestion, ...]:
    names = tuple(str(place) for place in range(1, 1 + len(LABELS)))
    question = Question(
        id="which",
        kind="which",
        text="Which is the most colourful?",
        shape=Choice(labels=tuple(LABELS)),
        options=tuple(Option(label=label, picture=name) for label, name in zip(LABELS, names, strict=True)),
        pictures=tuple(Picture(name=name, caption=f"picture {name}") for name in names),
        final=True,
    )
    key = ChoiceKey(label=LABELS[scene.ranks.index(max(scene.ranks))])
    return (KeyedQuestion(question=question, key=key, facets={"stage": "which"}, cluster=scene.order[0]),)


def next_questions(_scene: Scene, _answers: ExtractedAnswers) -> tuple[str, ...]:
    return ("which",)


def holds(scene: Scene, name: str) -> Parts:
    return {"colours": dict(zip("1234", scene.ranks, strict=True))[name]}


def solve(view: View) -> str | None:
    found = view.parts("colours")
    return view.question.options[found.index(max(found))].label if found else None


def render(ranked: Ranked, scene: Scene, name: str) -> PictureArray:
    return ranked.photographs.picture(dict(zip("1234", scene.order, strict=True))[name])


def describe(scene: Scene) -> tuple[str, dict[str, object]]:
    return "The most colourful is right.", {"order": list(scene.order), "ranks": list(scene.ranks)}


CARD = Card(
    name="vivid",
    version=1,
    title="Vivid",
    summary="Which photograph is the most colourful?",
    tracks=(Track(name="photographs", help="four photographs", settings=("full",)),),
    settings=(Setting(name="full", help="which", questions=("which",)),),
    parameters=(),
    metrics=(Accuracy(name="which", help="which photograph", by=("stage",)),),
    headline=Headline(metric="which", least_items=20),
    chance=(ChanceLevel(where={}, uniform=0.25, stated=0.25, source="four options"),),
    ceilings=(Ceiling(solver="text-only", where={}, parameters={}, value=0.25, why="the words are always the same"),),
    credit=Credit(title="Vivid", authors="Tetrad", venue="tests", url="https://example.org", licence="Apache-2.0"),
    largest_draw=500,
)

BENCHMARK = Benchmark(
    card=CARD,
    kinds=("photographs",),
    tables={"photographs": (RANKS,)},
    prepare=prepare,
    strata=strata,
    sample=sample,
    questions=questions,
    next_questions=next_questions,
    render=render,
    describe=describe,
    holds=holds,
    solve=solve,
    clues={"which": ("colours",)},
)
