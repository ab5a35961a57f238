"""One sentence and plain data about a trial, for its solution page."""

from typing import cast

import msgspec

from generator_service.benchmarks.kiva.question import which_label
from generator_service.benchmarks.kiva.spec import Scene
from generator_service.benchmarks.kiva.wording import VALUE_TEXT


def describe(scene: Scene) -> tuple[str, dict[str, object]]:
    """Return why the keys are what they are, and the scene in plain data."""
    happened = VALUE_TEXT[scene.value].rstrip(".").lower() if scene.change else "nothing changed"
    pictures = ", ".join(f"({which_label(scene, repeat)})" for repeat in range(1, scene.repeats + 1))
    sentence = f"In the example ({scene.given}) {happened}; {scene.test} shows the same in {pictures}."
    return sentence, cast("dict[str, object]", msgspec.to_builtins(scene))
