"""Explain a trial on its solution page, in one sentence and plain data."""

from typing import cast

import msgspec

from generator_service.benchmarks.kiva.version_2.asking import describe_change
from generator_service.benchmarks.kiva.version_2.question import label_of
from generator_service.benchmarks.kiva.version_2.spec import Scene


def describe(scene: Scene) -> tuple[str, dict[str, object]]:
    """Return the reason for the keys, and the scene in plain data."""
    many = len(scene.values) > 1 and "number" in scene.domains
    sentences = describe_change("standard", scene.values, many=many).rstrip(".").lower().split(". ")
    what = ", and ".join(sentences) if scene.change else "nothing changed"
    labels = [label_of(scene, "which", repeat) for repeat in range(1, scene.repeats + 1)]
    shown = scene.shown in scene.extrapolation[0]
    outcome = f"{scene.test} shows the same in" if shown else f"of {scene.test} every picture shows a change, hence"
    sentence = f"In the example ({scene.given.object}) {what}; {outcome} {', '.join(f'({one})' for one in labels)}."
    return sentence, cast("dict[str, object]", msgspec.to_builtins(scene))
