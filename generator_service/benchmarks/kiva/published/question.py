"""Compute words and truth of a published trial: what changed, how, and which picture shows it, each always asked.

The options follow the published distractor rule. `what` offers the right aspect and two others. `how`
offers the right value and the wrong one. `which` offers the right picture, the wrong one and the unchanged one.
"""

from generator_service.benchmark import ExtractedAnswers
from generator_service.benchmarks.kiva.published import wording
from generator_service.benchmarks.kiva.published.spec import Scene
from generator_service.benchmarks.kiva.spec import (
    ASKS,
    ASPECT,
    CHANGE_IMAGINED,
    COMPOSITE,
    GIVEN_CLASSIFICATION,
    GIVEN_SPECIFICATION,
    NO_CHANGE,
    NONE_FITS,
    NONE_SHOWN,
    NOTHING_CHANGED,
    OTHER,
    OTHER_DOMAIN,
    OTHER_VALUE,
)
from tetrad.contracts.items import Choice, ChoiceKey, KeyedQuestion, Option, Picture, Question

NUMBERS = ("1", "2", "3", "4", "5")
LETTERS = ("A", "B", "C", "D")
STAGES = {"what": "classification", "how": "specification", "which": "extrapolation"}
_TEXTS = wording.ASPECT_TEXT | wording.VALUE_TEXT | {NO_CHANGE: wording.NO_CHANGE_TEXT, OTHER: wording.OTHER_TEXT}

_MISTAKES = {
    "wrong": OTHER_VALUE,
    "same": NOTHING_CHANGED,
    NO_CHANGE: NOTHING_CHANGED,
    OTHER: NONE_FITS,
    NONE_SHOWN: NONE_FITS,
}


def questions(scene: Scene) -> tuple[KeyedQuestion, ...]:
    """Return every question of the trial, stage by stage, its repeats in turn."""
    what = [_verbal(scene, "what", repeat, places) for repeat, places in enumerate(scene.classification, start=1)]
    how = [_verbal(scene, "how", repeat, places) for repeat, places in enumerate(scene.specification, start=1)]
    which = [_which(scene, repeat, places) for repeat, places in enumerate(scene.extrapolation, start=1)]
    return (*what, *how, *which)


def next_questions(scene: Scene, extracted: ExtractedAnswers) -> tuple[str, ...]:
    """Open a stage once the one before is answered, right or wrong. Later words give earlier answers away."""
    opened: tuple[str, ...] = ()
    for kind in ASKS[scene.setting]:
        opened += tuple(question_id(kind, repeat) for repeat in range(1, scene.repeats + 1))
        if not extracted.keys() >= set(opened):
            break
    return opened


def question_id(kind: str, repeat: int) -> str:
    return kind if repeat == 1 else f"{kind}-{repeat}"


def is_verbal(scene: Scene) -> bool:
    """Tell whether the setting asks in words, and so shows the given pair alone."""
    return "how" in ASKS[scene.setting]


def pictures_of_which(scene: Scene, repeat: int) -> tuple[str, ...]:
    """Name the pictures of a repeat: the given pair and the option pairs in their order, or one sheet of all."""
    if scene.presentation == COMPOSITE:
        return (str(repeat + is_verbal(scene)),)
    first = 2 + 3 * (repeat - 1)
    return ("1", *(str(place) for place in range(first, first + 3)))


def _write_told_line(scene: Scene) -> str:
    """Return the line that the setting tells beforehand, "" if there is none."""
    domain, value = scene.trial.domain, scene.trial.value
    told = {GIVEN_CLASSIFICATION: ("what", ASPECT[domain]), GIVEN_SPECIFICATION: ("how", value)}
    if scene.setting not in told:
        return ""
    kind, meaning = told[scene.setting]
    return wording.TOLD_TEXT[kind].format(words=_TEXTS[meaning if scene.change else NO_CHANGE])


def _verbal(scene: Scene, kind: str, repeat: int, places: tuple[str, ...]) -> KeyedQuestion:
    option_values = dict(zip(NUMBERS, (*places, NO_CHANGE, OTHER), strict=False))
    right = NO_CHANGE if not scene.change else ASPECT[scene.trial.domain] if kind == "what" else scene.trial.value
    question = Question(
        id=question_id(kind, repeat),
        kind=kind,
        text=_write_told_line(scene) + (wording.WHAT_TEXT if kind == "what" else wording.HOW_TEXT),
        shape=Choice(labels=tuple(option_values)),
        options=tuple(Option(label=label, text=_TEXTS[meaning]) for label, meaning in option_values.items()),
        pictures=(Picture(name="1", caption=wording.GIVEN_CAPTION),),
        instruction=wording.NUMBER_INSTRUCTION,
    )
    other = CHANGE_IMAGINED if not scene.change else OTHER_DOMAIN if kind == "what" else OTHER_VALUE
    mistakes = {label: _MISTAKES.get(value, other) for label, value in option_values.items() if value != right}
    label = next(label for label, value in option_values.items() if value == right)
    return _key_question(scene, repeat, question, ChoiceKey(label=label, outcomes=mistakes), option_values)


def _which(scene: Scene, repeat: int, places: tuple[str, ...]) -> KeyedQuestion:
    names = pictures_of_which(scene, repeat)
    if scene.presentation == COMPOSITE:
        captions = [wording.SHEET_CAPTION]
        options = [Option(label=label, text=wording.MARKED_TEXT.format(label=label)) for label in LETTERS[:3]]
    else:
        captions = [wording.GIVEN_CAPTION, *(wording.OPTION_CAPTION.format(label=label) for label in LETTERS[:3])]
        options = [Option(label=label, picture=name) for label, name in zip(LETTERS[:3], names[1:], strict=True)]
    question = Question(
        id=question_id("which", repeat),
        kind="which",
        text=_write_told_line(scene) + wording.WHICH_TEXT[scene.presentation],
        shape=Choice(labels=LETTERS),
        options=(*options, Option(label="D", text=wording.NONE_SHOWN_TEXT)),
        pictures=tuple(Picture(name=name, caption=caption) for name, caption in zip(names, captions, strict=True)),
        instruction=wording.LETTER_INSTRUCTION,
        final=True,
    )
    option_values = dict(zip(LETTERS, (*places, NONE_SHOWN), strict=True))
    mistakes = {
        label: _MISTAKES[value] if scene.change or value == NONE_SHOWN else CHANGE_IMAGINED
        for label, value in option_values.items()
        if value != scene.right_picture
    }
    key = ChoiceKey(label=LETTERS[places.index(scene.right_picture)], outcomes=mistakes)
    return _key_question(scene, repeat, question, key, option_values)


def _key_question(
    scene: Scene, repeat: int, question: Question, key: ChoiceKey, option_values: dict[str, str]
) -> KeyedQuestion:
    trial = scene.trial
    facets = {
        "stage": STAGES[question.kind],
        "domain": trial.domain,
        "value": trial.value,
        "change": "yes" if scene.change else "no",
        "repeat": str(repeat),
    }
    return KeyedQuestion(question=question, key=key, facets=facets, cluster=trial.id, option_values=option_values)
