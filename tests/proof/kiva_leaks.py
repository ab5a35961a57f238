"""KiVA spoilt on purpose: every check of the proof must be able to fail, and each of these makes some fail."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import msgspec
import numpy as np

from generator_service.benchmark import Parameters, PictureArray, Streams
from generator_service.benchmarks.kiva.question import label_of
from generator_service.benchmarks.kiva.spec import Scene
from generator_service.registry import Mounted
from tests.proof.knowledge import Leak
from tetrad.contracts.wire import Facets, ParameterValue

Change = Callable[[Scene, Streams], Scene]
_WORN_OUT = {"red": "blue", "green": "blue", "blue": "green", "+90": "180", "-90": "180", "180": "-90"}


def _with_scenes(change: Change, **forced: str) -> Callable[[Mounted], Mounted]:
    """Return a wrapper that changes every scene after sampling, under other parameters if any are forced."""

    def wrap(mounted: Mounted) -> Mounted:
        honest = mounted.benchmark.sample

        def sample(  # noqa: PLR0917 - as `Benchmark.sample`
            bank: Any, track: str, setting: str, parameters: Parameters, facets: Facets, streams: Streams
        ) -> Scene:
            return change(honest(bank, track, setting, {**parameters, **forced}, facets, streams), streams)

        return replace(mounted, benchmark=replace(mounted.benchmark, sample=sample))

    return wrap


def _answer_first(scene: Scene, streams: Streams) -> Scene:
    """In half of the trials the right one comes first, in every question."""
    if streams("leak").below(2):
        return scene
    right = scene.shown
    places = (right, *(state for state in scene.extrapolation[0] if state != right))
    words = (scene.values, *(word for word in scene.specification[0] if word != scene.values))
    return msgspec.structs.replace(scene, extrapolation=(places,), specification=(words,))


def _made_from_the_answer(scene: Scene, _: Streams) -> Scene:
    """As in RAVEN: each wrong option is the right one with one attribute changed."""
    right = scene.shown
    wrong = [
        msgspec.structs.replace(right, count=right.count + 1),
        msgspec.structs.replace(right, mirror="y" if right.mirror != "y" else "x"),
    ]
    order = [
        scene.extrapolation[0].index(right),
        *(at for at, one in enumerate(scene.extrapolation[0]) if one != right),
    ]
    held = dict(zip(order, [right, *wrong], strict=True))
    return msgspec.structs.replace(scene, extrapolation=(tuple(held[at] for at in range(3)),))


def _worn_out_words(scene: Scene, _: Streams) -> Scene:
    """The wrong word hangs on the right one."""
    wrong = _WORN_OUT.get(scene.values[0])
    if wrong is None:
        return scene
    words = tuple(word if word == scene.values else (wrong,) for word in scene.specification[0])
    return msgspec.structs.replace(scene, specification=(words,))


def _unchanged(scene: Scene, _: Streams) -> Scene:
    return scene


def _marked(mounted: Mounted) -> Mounted:
    """Wrap the renderer: the right option's picture carries a speck of noise."""
    honest = mounted.benchmark.render

    def render(bank: Any, scene: Scene, name: str) -> PictureArray:
        pixels = honest(bank, scene, name)
        if name == str("ABC".index(label_of(scene, "which", 1)) + 2):
            noise = np.random.default_rng(0).integers(0, 256, (40, 40, 4), np.uint8)
            noise[..., 3] = 255
            pixels[-40:, -40:] = noise
        return pixels

    return replace(mounted, benchmark=replace(mounted.benchmark, render=render))


BALANCED: dict[str, ParameterValue] = {"distractors": "balanced"}
PUBLISHED: dict[str, ParameterValue] = {"distractors": "published"}
LEAKS = (
    Leak(
        name="made from the answer",
        help="each wrong option is the right one with one attribute changed, as in RAVEN",
        wrap=_with_scenes(_made_from_the_answer),
        caught_by=(("attribute majority", "options-only"), ("option table", "options-only")),
        parameters=BALANCED,
        rules=BALANCED,
    ),
    Leak(
        name="lopsided sets",
        help="options drawn by the published rules under the balanced card's ceilings",
        wrap=_with_scenes(_unchanged, distractors="published"),
        caught_by=(
            ("option table", "options-only"),
            ("option table", "pair-blind"),
            ("Bayes over arrangements", "options-only"),
            ("Bayes over arrangements", "pair-blind"),
            ("probe on pixels", "options-only"),
        ),
        parameters=BALANCED,
        rules=PUBLISHED,
    ),
    Leak(
        name="answer first",
        help="in half of the trials the right option comes first",
        wrap=_with_scenes(_answer_first),
        caught_by=(("place", "place"), ("order and place", "order")),
        parameters=BALANCED,
        rules=BALANCED,
    ),
    Leak(
        name="worn-out words",
        help="the wrong word hangs on the right one",
        wrap=_with_scenes(_worn_out_words),
        caught_by=(("table of option texts", "text-only"), ("bag of words", "text-only")),
        parameters=BALANCED,
        rules=BALANCED,
    ),
    Leak(
        name="marked picture",
        help="the right option's picture carries a speck of noise",
        wrap=_marked,
        caught_by=(
            ("probe on pixels", "options-only"),
            ("probe on pixels", "pair-blind"),
            ("sizes of files", "pair-blind"),
        ),
        parameters=BALANCED,
        rules=BALANCED,
    ),
)
