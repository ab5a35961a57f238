"""Which questions are open: stage by stage, so that no repeat tells another one its answer.

`what` first; `how` of a repeat where its `what` was read right; `which` last, whatever was right. Every repeat's
`what` is sealed before any `how` or `which` opens, and every open `how` before any `which`: that a `how` opens says
that its `what` was right, and its words and the pictures of `which` say what the change may have been.
"""

from generator_service.benchmark import Readings
from generator_service.benchmarks.kiva.question import what_label
from generator_service.benchmarks.kiva.spec import Scene, question_id


def opens(scene: Scene, readings: Readings) -> tuple[str, ...]:
    """Return the ids of the questions asked so far, answered ones included, in the order they open.

    A reading of None is a sealed answer that could not be read: it counts as not right.
    """
    repeats = range(1, scene.repeats + 1)
    whats = [question_id("what", repeat) for repeat in repeats] if scene.classification else []
    if not readings.keys() >= set(whats):
        return tuple(whats)
    hows = [
        question_id("how", repeat)
        for repeat, what in zip(repeats, whats, strict=False)
        if readings[what] == what_label(scene, repeat)
    ]
    if not readings.keys() >= set(hows):
        return (*whats, *hows)
    return (*whats, *hows, *(question_id("which", repeat) for repeat in repeats))
