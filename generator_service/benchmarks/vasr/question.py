"""Say what is asked of a scene, and what is right: from the scene alone."""

from collections.abc import Iterator

from generator_service.benchmark import ExtractedAnswers
from generator_service.benchmarks.vasr.spec import COMPOSITE, FULL, GIVEN, GUESSED, WHICH, Scene, State
from tetrad.contracts.items import Choice, ChoiceKey, KeyedQuestion, Option, Picture, Question

MISTAKES = (
    "third value",
    "wrong situation",
    "both",
    "wrong role",
    "kept B, wrong situation",
    "lacks the change",
    "unrelated",
)
"""What wrong options stand for where A, A' and B are shown; a guess from less is no mistake of a kind."""
_WHOLE = (
    "Picture A' shows the same situation as picture A, but for one thing: who does it, what is done, or what it is "
    "done to or with. Picture B shows another situation. Which of the pictures {labels} shows B with the same change?"
)
_INSTRUCTION = "Answer with the number of one picture, in parentheses."
_PART = (
    "In a puzzle picture A' shows the same situation as picture A but for one thing, and the answer shows picture B "
    "with the same change. You see only {shown}. Which of the pictures {labels} is the answer?"
)


def questions(scene: Scene) -> tuple[KeyedQuestion, ...]:
    """Return the one question of an item."""
    labels = scene.labels
    right = next(label for label, option in zip(labels, scene.options, strict=True) if not option.mistake)
    kind = WHICH if scene.setting == FULL else GUESSED
    question = Question(
        id=kind,
        kind=kind,
        text=(_WHOLE if kind == WHICH else _PART).format(
            labels=f"{labels[0]} to {labels[-1]}", shown=" and ".join(scene.shown_names)
        ),
        shape=Choice(labels=labels),
        instruction=_INSTRUCTION,
        options=tuple(_options(scene)),
        pictures=tuple(Picture(name=name, caption=_caption(shown)) for name, shown in scene.pictures.items()),
        final=True,
    )
    return (
        KeyedQuestion(
            question=question,
            key=ChoiceKey(
                label=right,
                outcomes={
                    label: option.mistake
                    for label, option in zip(labels, scene.options, strict=True)
                    if option.mistake and kind == WHICH
                },
            ),
            facets={
                "stage": kind,
                "role": scene.role,
                "distractors": scene.kind,
                "candidates": str(len(labels)),
                "inputs": scene.setting,
                "sort": scene.sort or scene.kind,
            },
            cluster=scene.item,
            option_values={label: _words(option.state) for label, option in zip(labels, scene.options, strict=True)},
        ),
    )


def _options(scene: Scene) -> Iterator[Option]:
    for name, shown in scene.pictures.items():
        for label in (label for label in shown if label in scene.labels):
            if scene.presentation == COMPOSITE:
                yield Option(label=label, text=f"the picture marked {label}")
            else:
                yield Option(label=label, picture=name)


def _caption(shown: tuple[str, ...]) -> str:
    """Say what a picture is: one of the puzzle's, or all of them on one sheet."""
    if len(shown) == 1:
        return f"picture {shown[0]}"
    given = [what for what in shown if what in GIVEN]
    *_, last = labels = [what for what in shown if what not in GIVEN]
    return f"{' and '.join(given)} above, pictures {labels[0]} to {last} below"


def next_questions(scene: Scene, _extracted: ExtractedAnswers) -> tuple[str, ...]:
    return (WHICH if scene.setting == FULL else GUESSED,)


def describe(scene: Scene) -> tuple[str, dict[str, object]]:
    """Return the solution in a sentence, and the states as plain data."""
    before, after = scene.given[0].get(scene.role), scene.given[1].get(scene.role)
    right = next(str(place) for place, option in enumerate(scene.options, 1) if not option.mistake)
    states = dict(zip(GIVEN, map(_words, scene.given), strict=True))
    options = {str(place): _words(option.state) for place, option in enumerate(scene.options, 1)}
    return (
        f"From A to A' the {scene.role} changes from {before} to {after}; picture {right} shows B with this change.",
        {"role": scene.role, "from": before, "to": after, **states, "options": options},
    )


def _words(state: State) -> str:
    return ", ".join((state.verb, *(f"{role} {value}" for role, value in state.values)))
