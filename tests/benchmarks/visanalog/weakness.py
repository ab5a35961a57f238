"""Plant a weakness in a solver of the ladder, and say what gaps it makes."""

from collections.abc import Iterable
from statistics import mean

from generator_service.benchmarks.visanalog.programs import HUE, PROGRAMS, SWAP
from generator_service.benchmarks.visanalog.spec import END_TO_END, ORACLE, PROGRAM, WRONG_IMAGE, Scene
from tetrad.contracts.items import ChoiceKey, KeyedQuestion

GAPS = {
    "inference-gap": (PROGRAM, END_TO_END),
    "application-gap": (ORACLE, PROGRAM),
    "transfer-gap": (END_TO_END, WRONG_IMAGE),
}
"""By name: the rung on which more is right, and the one on which less is."""


def weak_at(scene: Scene, rung: str) -> bool:
    """It can't misread D. It misapplies hues, and from A and B it does not infer swaps."""
    steps = PROGRAMS[scene.program].steps
    if rung == END_TO_END:
        return HUE in steps or SWAP in steps
    return rung == WRONG_IMAGE or (rung == PROGRAM and HUE in steps)


def weak_reply(scene: Scene, keyed: KeyedQuestion) -> str:
    """Answer rightly where the solver is strong, and with an option whose mistake is one of hues where it is weak."""
    key = keyed.key
    assert isinstance(key, ChoiceKey)
    wrong = sorted(key.outcomes, key=lambda label: HUE not in key.outcomes[label])
    return f"\\boxed{{{wrong[0] if weak_at(scene, keyed.question.kind) else key.label}}}"


def planted(scenes: Iterable[Scene], name: str) -> dict[str, float]:
    """Return the gap that the weakness makes: on all items, as "", and on those of each number of steps."""
    more, less = GAPS[name]
    found: dict[str, list[float]] = {}
    for scene in scenes:
        for steps in ("", str(len(PROGRAMS[scene.program].steps))):
            found.setdefault(steps, []).append(float(weak_at(scene, less)) - float(weak_at(scene, more)))
    return {steps: mean(differences) for steps, differences in found.items()}
