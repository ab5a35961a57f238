"""Explain an item on its solution page, in one sentence and plain data."""

from typing import cast

import msgspec

from generator_service.benchmarks.carv import wording
from generator_service.benchmarks.carv.question import caption_of, lines_of
from generator_service.benchmarks.carv.spec import Change, Scene, answer, changes, shown_states, target


def describe(scene: Scene) -> tuple[str, dict[str, object]]:
    """Return the reason for the key, and the scene in plain data with its states in words."""
    sets = [_set(changes(pair)) for pair in scene.pairs]
    how = wording.EXPLANATION[scene.operation].format(first=sets[0], second=sets[-1], target=_set(target(scene)))
    sentence = f"{how}: {caption_of(scene.query)} becomes {caption_of(answer(scene))}."
    data = cast("dict[str, object]", msgspec.to_builtins(scene))
    return sentence, data | {"captions": [caption_of(state) for state in shown_states(scene)]}


def _set(of: frozenset[Change]) -> str:
    return "{" + "; ".join(lines_of(of)) + "}"
