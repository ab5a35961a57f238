"""Which questions are open: stage by stage, so that no repeat tells another one its answer.

`what` first; `how` of a repeat where its `what` was read right, or was not asked but told; `which` last, whatever was
right. Every repeat's `what` is sealed before any `how` or `which` opens, and every open `how` before any `which`: that
a `how` opens says that its `what` was right, and its words and the pictures of `which` say what the change may have
been.
"""

from functools import lru_cache

from generator_service.benchmark import Readings
from generator_service.benchmarks.kiva.question import label_of
from generator_service.benchmarks.kiva.spec import ASKS, Scene, question_id


def opens(scene: Scene, readings: Readings) -> tuple[str, ...]:
    """Return the ids of the questions asked so far, answered ones included, in the order they open.

    A reading of None is a sealed answer that could not be read: it counts as not right.
    """
    opened: tuple[str, ...] = ()
    for names, whats in _stages(scene.setting, len(scene.extrapolation)):
        if not readings.keys() >= set(opened):
            return opened
        opened += _earned(scene, readings, names, whats) if whats else names
    return opened


@lru_cache(maxsize=64)
def _stages(setting: str, repeats: int) -> tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]:
    """Return the ids of each stage's questions, by repeat, with those whose right answers earn them."""
    ids = {kind: tuple(question_id(kind, at) for at in range(1, repeats + 1)) for kind in ASKS[setting]}
    return tuple((names, ids.get("what", ()) if kind == "how" else ()) for kind, names in ids.items())


def _earned(scene: Scene, readings: Readings, names: tuple[str, ...], whats: tuple[str, ...]) -> tuple[str, ...]:
    """Return the `how` of each repeat whose `what` was read right."""
    pairs = enumerate(zip(names, whats, strict=True), start=1)
    return tuple([name for at, (name, what) in pairs if readings[what] == label_of(scene, "what", at)])
