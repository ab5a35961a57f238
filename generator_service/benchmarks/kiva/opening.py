"""Which questions are open: stage by stage, so that no repeat tells another one its answer.

`what` first; `how` of a repeat where its `what` was read right, or was not asked but told; `which` last, whatever was
right. Every repeat's `what` is sealed before any `how` or `which` opens, and every open `how` before any `which`: that
a `how` opens says that its `what` was right, and its words and the pictures of `which` say what the change may have
been.
"""

from generator_service.benchmark import Readings
from generator_service.benchmarks.kiva.question import label_of
from generator_service.benchmarks.kiva.spec import ASKS, Scene, question_id


def opens(scene: Scene, readings: Readings) -> tuple[str, ...]:
    """Return the ids of the questions asked so far, answered ones included, in the order they open.

    A reading of None is a sealed answer that could not be read: it counts as not right.
    """
    opened: tuple[str, ...] = ()
    for kind in ASKS[scene.setting]:
        if not readings.keys() >= set(opened):
            return opened
        opened += tuple(
            question_id(kind, repeat)
            for repeat in range(1, scene.repeats + 1)
            if kind != "how" or _earned(scene, readings, repeat)
        )
    return opened


def _earned(scene: Scene, readings: Readings, repeat: int) -> bool:
    if "what" not in ASKS[scene.setting]:
        return True
    return readings[question_id("what", repeat)] == label_of(scene, "what", repeat)
