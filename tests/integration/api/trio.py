"""A benchmark for the api's tests, which the real generator serves alone, as a process of its own.

`trio` asks what, then how if what was right, then which; `repeats` of them side by side. Setting `vague` asks one
thing that is not final, though nothing follows; `dialogue` asks as `full` does, and its card says that an item is a
conversation. `key_of` gives a draw's keys, so that tests can be right or wrong on purpose. `trio` has two versions.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

import msgspec
import numpy as np
from litestar import Litestar

from generator_service import app
from generator_service.benchmark import ExtractedAnswers, Parameters, PictureArray, Stratum, Streams
from generator_service.drawing.png import encode_png
from generator_service.draws import Draw
from generator_service.items import Item, make_item
from generator_service.mounting import NO_BANK, Mounted
from generator_service.sealing import sealed_draws
from generator_service.sources.store import SourceDamagedError
from tests.integration.real_generator import ServedBenchmark, generator_served
from tests.serving import Served
from tetrad.canonical import digest
from tetrad.contracts.benchmarks import (
    Card,
    ChanceLevel,
    CorpusNotice,
    Credit,
    Headline,
    Parameter,
    ReferenceRow,
    Setting,
    Track,
)
from tetrad.contracts.items import Choice, ChoiceKey, DrawIdentity, KeyedQuestion, Option, Picture, Question
from tetrad.contracts.metrics import Accuracy
from tetrad.contracts.wire import Facets
from tetrad.rows.png_content import png_content

BANK = NO_BANK
DAMAGE = "TETRAD_TRIO_DAMAGE"
"""Names the folder of which `damage_of` tells the files: what has a file there is damaged."""
LABELS = {"what": ("A", "B", "C"), "how": ("1", "2"), "which": ("A", "B", "C", "D"), "vague": ("A", "B")}
STAGES = {"which-only": ("which",), "vague": ("vague",)}
CREDIT = Credit(title="Trio", authors="Tetrad", venue="tests", url="https://example.org", licence="Apache-2.0")

OF_OTHERS: Any = {"pictures": "not these", "prompt": "not said"}


def card(version: int) -> Card:
    return Card(
        name="trio",
        version=version,
        title="Trio",
        summary="what, how, which",
        tracks=(
            Track(name="plain", help="", settings=("full", "which-only", "dialogue", "vague"), picture_cost=1),
            Track(name="other", help="", settings=("full",), cost=2.5, picture_cost=7),
        ),
        settings=(
            Setting(name="full", help="", questions=("what", "how", "which")),
            Setting(name="which-only", help="", questions=("which",)),
            Setting(name="dialogue", help="", questions=("what", "how", "which"), conversation=True),
            Setting(name="vague", help="", questions=("vague",)),
        ),
        parameters=(
            Parameter(name="repeats", help="", default=1, minimum=1, maximum=3),
            Parameter(name="tint", help="", default="red", values=("red", "blue")),
            Parameter(name="shiny", help="", default=False),
            Parameter(name="wording", help="", default="standard", values=("standard", "child"), ranked=False),
        ),
        metrics=(Accuracy(name="which", help="", where={"stage": ("which",)}),),
        headline=Headline(metric="which", least_items=10),
        chance=(ChanceLevel(where={}, uniform=0.25, stated=0.25, source="four options"),),
        reference=(
            ReferenceRow(name="adults", kind="human", metric="which", value=0.9, items=50, source="tests", **OF_OTHERS),
            ReferenceRow(
                name="elsewhere",
                kind="human",
                metric="which",
                value=0.1,
                items=50,
                source="tests",
                **OF_OTHERS,
                where={"track": ("other",)},
            ),
            ReferenceRow(
                name="apes",
                kind="animal",
                metric="which",
                value=None,
                items=None,
                source="tests",
                **OF_OTHERS,
                parameters={"tint": "blue"},
                words="above chance",
            ),
        ),
        credit=CREDIT,
        largest_draw=5000,
        filters={"parity": ("even", "odd")},
    )


FIXED = msgspec.structs.replace(
    card(2),
    name="trio-published",
    version=1,
    corpus=CorpusNotice(notice="Fixed items.", items=20, least_draw=5, labels_public=True),
)
"""The same as a fixed corpus: no practice."""


@dataclass(frozen=True)
class Scene:
    word: str
    names: tuple[str, ...]


def strata(_track: str, _setting: str, _parameters: Parameters) -> list[Stratum]:
    return [Stratum(facets={"parity": parity}, weight=1) for parity in ("even", "odd")]


def sample(_bank: Any, _track: str, setting: str, parameters: Parameters, _stratum: Facets, streams: Streams) -> Scene:
    stages = STAGES.get(setting, ("what", "how", "which"))
    names = [f"{stage}-{repeat}" for repeat in range(int(parameters["repeats"])) for stage in stages]
    return Scene(str(streams("item").word()), tuple(names))


def questions(scene: Scene) -> tuple[KeyedQuestion, ...]:
    check_whole(scene.word)
    return tuple(keyed_question(scene, name) for name in scene.names)


def keyed_question(scene: Scene, name: str) -> KeyedQuestion:
    stage = name.partition("-")[0]
    question = Question(
        id=name,
        kind=stage,
        text=f"{stage}?",
        shape=Choice(labels=LABELS[stage]),
        options=tuple(Option(label=label, text=f"option {label}") for label in LABELS[stage]),
        pictures=tuple(Picture(name=f"{name}-{place}.png", caption=f"picture {place}") for place in (1, 2)),
        final=stage == "which",
    )
    key = ChoiceKey(label=key_in(scene, name))
    return KeyedQuestion(question=question, key=key, facets={"stage": stage}, cluster=scene.word)


def key_in(scene: Scene, name: str) -> str:
    labels = LABELS[name.partition("-")[0]]
    return labels[digest(scene.word, name)[0] % len(labels)]


def next_questions(scene: Scene, extracted: ExtractedAnswers) -> tuple[str, ...]:
    if "what-0" not in scene.names:
        return scene.names
    opened = []
    for what, how, which in zip(*[iter(scene.names)] * 3, strict=True):
        opened.append(what)
        is_right = what in extracted and extracted[what] == key_in(scene, what)
        opened += [how] if is_right else []
        opened += [which] if what in extracted and (not is_right or how in extracted) else []
    return tuple(opened)


def render(_bank: Any, scene: Scene, name: str) -> PictureArray:
    check_whole(f"{scene.word}-{name}")
    return np.array([[[*digest(scene.word, name)[:3], 255]]], np.uint8)


def check_whole(name: str) -> None:
    """Refuse an item or a picture that the test says is damaged."""
    folder = os.environ.get(DAMAGE)
    if folder is not None and Path(folder, name).exists():
        raise SourceDamagedError("jumping_3.jpg is not what it was", "photographs:one")


def describe(scene: Scene) -> tuple[str, dict[str, object]]:
    return "It follows from the seed.", {"word": scene.word}


BENCHMARK = ServedBenchmark(
    card=card(2),
    strata=strata,
    sample=sample,
    questions=questions,
    next_questions=next_questions,
    render=render,
    describe=describe,
)
SERVED = [replace(BENCHMARK, card=served_card) for served_card in (card(1), card(2), FIXED)]
PLAIN = Mounted(BENCHMARK, None, NO_BANK).identity("plain", "full", {})


def create_app() -> Litestar:
    """Return the generator's app with these benchmarks alone. It lists open draws in pages of two."""
    sealed_draws.PAGE = 2
    with patch.object(app, "find_benchmarks", return_value=SERVED):
        return app.create_app()


@contextmanager
def trio_served(folder: Path) -> Iterator[Served]:
    """Run a generator, its record and what the test says is damaged in this folder."""
    app, environment = "tests.integration.api.trio:create_app", {DAMAGE: str(folder)}
    with generator_served(folder, app, environment) as generator:
        yield generator


def draw_of(seed: str, identity: DrawIdentity = PLAIN) -> Draw:
    return Draw(BENCHMARK, identity, seed)


def item_of(seed: str, index: int, identity: DrawIdentity = PLAIN) -> Item:
    return make_item(Mounted(BENCHMARK, None, NO_BANK), draw_of(seed, identity), index)


def key_of(seed: str, index: int, question: str, identity: DrawIdentity = PLAIN) -> str:
    return key_in(item_of(seed, index, identity).scene, question)


def picture_of(seed: str, index: int, picture: str, identity: DrawIdentity = PLAIN) -> tuple[bytes, bytes]:
    """Return a picture as `png_content` reads it: equal pixels may be compressed to other bytes."""
    return png_content(encode_png(render(None, item_of(seed, index, identity).scene, picture)))


def damage_of(seed: str, index: int, picture: str = "", identity: DrawIdentity = PLAIN) -> str:
    """Name the file that damages a picture, or a whole item."""
    word: str = item_of(seed, index, identity).scene.word
    return f"{word}-{picture}" if picture else word
