"""Open questions stage by stage, so that no repeat gives away another one's answer.

`what` opens first. `how` of a repeat opens if its `what` was answered right, or was told instead of asked. `which`
opens last, whatever was right. Every repeat's `what` is sealed before any `how` or `which` opens, because an open `how`
says that its `what` was right. Every open `how` is sealed before any `which` opens, because the pictures of `which`
show what the change may have been.
"""

from functools import lru_cache
from typing import NamedTuple

from generator_service.benchmark import ExtractedAnswers
from generator_service.benchmarks.kiva.question import label_of
from generator_service.benchmarks.kiva.spec import ASKS, Scene, question_id


class Stage(NamedTuple):
    """The questions of one kind: (repeat, question, the question whose right answer opens it, if there is one)."""

    names: tuple[str, ...]
    earned: tuple[tuple[int, str, str], ...]


def next_questions(scene: Scene, extracted: ExtractedAnswers) -> tuple[str, ...]:
    """Return the ids of the questions asked so far, answered ones included, in the order they open.

    An extracted answer of None is a sealed reply without an answer: it counts as not right.
    """
    opened: tuple[str, ...] = ()
    answered = extracted.keys()
    for names, earned in _stages(scene.setting, len(scene.extrapolation)):
        asked = _list_earned(scene, extracted, earned) if earned else names
        opened += asked
        for name in asked:  # no set is built: most stages have one question
            if name not in answered:
                return opened
    return opened


@lru_cache(maxsize=64)
def _stages(setting: str, repeats: int) -> tuple[Stage, ...]:
    numbers = range(1, repeats + 1)
    ids = {kind: tuple(question_id(kind, at) for at in numbers) for kind in ASKS[setting]}
    earned = tuple(zip(numbers, ids["how"], ids["what"], strict=True)) if "what" in ids else ()
    return tuple(Stage(names, earned if kind == "how" else ()) for kind, names in ids.items())


def _list_earned(
    scene: Scene, extracted: ExtractedAnswers, earned: tuple[tuple[int, str, str], ...]
) -> tuple[str, ...]:
    """Return the `how` of each repeat whose `what` was answered right."""
    return tuple([name for at, name, what in earned if extracted[what] == label_of(scene, "what", at)])
