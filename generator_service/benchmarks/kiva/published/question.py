"""Compute words and truth of a published trial: what changed, how, and which picture shows it, each always asked.

The options follow the published distractor rule. `what` offers the right aspect and two others. `how` offers the right
value and the wrong one. `which` offers the right picture, the wrong one and the unchanged one. The words are our own. A
changed word is a new version of the layout.
"""

from generator_service.benchmark import ExtractedAnswers
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

ASPECT_TEXT = {
    "number": "How many there are changed.",
    "size": "How big it is changed.",
    "orientation": "How it is turned changed: it was rotated or flipped.",
    "color": "What color it has changed.",
}
VALUE_TEXT = {
    "red": "It became red.",
    "green": "It became green.",
    "blue": "It became blue.",
    "yellow": "It became yellow.",
    "grey": "It became grey.",
    "2x": "It became twice as wide and twice as high.",
    "1/2x": "It became half as wide and half as high.",
    "wider": "It became twice as wide and kept its height.",
    "narrower": "It became half as wide and kept its height.",
    "taller": "It became twice as high and kept its width.",
    "shorter": "It became half as high and kept its width.",
    "+1": "There is one more.",
    "+2": "There are two more.",
    "-1": "There is one fewer.",
    "-2": "There are two fewer.",
    "x2": "There are two times as many.",
    "x3": "There are three times as many.",
    "/2": "There are half as many.",
    "/3": "There is a third as many.",
    "+90": "It was turned a quarter clockwise (90 degrees).",
    "-90": "It was turned a quarter counterclockwise (90 degrees).",
    "180": "It was turned halfway round (180 degrees).",
    "+45": "It was turned an eighth clockwise (45 degrees).",
    "-45": "It was turned an eighth counterclockwise (45 degrees).",
    "+135": "It was turned three eighths clockwise (135 degrees).",
    "-135": "It was turned three eighths counterclockwise (135 degrees).",
    "x": "It was flipped upside down: top and bottom changed places.",
    "y": "It was flipped sideways: left and right changed places.",
    "both": "It was flipped both ways: top and bottom changed places, left and right as well.",
}
NO_CHANGE_TEXT = "Nothing changed between left and right."
OTHER_TEXT = "No description here fits."
NONE_SHOWN_TEXT = "None of the three."

_PAIR = "The picture shows a pair: on the left how something was, on the right how it is afterwards."
WHAT_TEXT = f"{_PAIR} What has changed?"
HOW_TEXT = f"{_PAIR} In which way has it changed?"
_FIND = "Which of them shows the same change as the first?"
WHICH_TEXT = {
    "separate": (
        "The first picture shows a pair: on the left how something was, on the right how it is afterwards. Pictures "
        f"(A), (B) and (C) are pairs of something else. {_FIND}"
    ),
    "composite": (
        "The pair at the top shows on the left how something was and on the right how it is afterwards. Below it, (A), "
        f"(B) and (C) are pairs of something else. {_FIND}"
    ),
}
TOLD_TEXT = {"what": "What has changed is known. {words}\n", "how": "How it has changed is known. {words}\n"}
MARKED_TEXT = "The pair marked ({label})."
NUMBER_INSTRUCTION = "Answer with the number of one option, in parentheses."
LETTER_INSTRUCTION = "Answer with the letter of one option, in parentheses; choose (D) if none of the three fits."
GIVEN_CAPTION = "First pair"
OPTION_CAPTION = "Pair ({label})"
SHEET_CAPTION = "First pair above, pairs (A), (B) and (C) below"


NUMBERS = ("1", "2", "3", "4", "5")
LETTERS = ("A", "B", "C", "D")
STAGES = {"what": "classification", "how": "specification", "which": "extrapolation"}
_TEXTS = ASPECT_TEXT | VALUE_TEXT | {NO_CHANGE: NO_CHANGE_TEXT, OTHER: OTHER_TEXT}

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
    return TOLD_TEXT[kind].format(words=_TEXTS[meaning if scene.change else NO_CHANGE])


def _verbal(scene: Scene, kind: str, repeat: int, places: tuple[str, ...]) -> KeyedQuestion:
    option_values = dict(zip(NUMBERS, (*places, NO_CHANGE, OTHER), strict=False))
    right = NO_CHANGE if not scene.change else ASPECT[scene.trial.domain] if kind == "what" else scene.trial.value
    question = Question(
        id=question_id(kind, repeat),
        kind=kind,
        text=_write_told_line(scene) + (WHAT_TEXT if kind == "what" else HOW_TEXT),
        shape=Choice(labels=tuple(option_values)),
        options=tuple(Option(label=label, text=_TEXTS[meaning]) for label, meaning in option_values.items()),
        pictures=(Picture(name="1", caption=GIVEN_CAPTION),),
        instruction=NUMBER_INSTRUCTION,
    )
    other = CHANGE_IMAGINED if not scene.change else OTHER_DOMAIN if kind == "what" else OTHER_VALUE
    mistakes = {label: _MISTAKES.get(value, other) for label, value in option_values.items() if value != right}
    label = next(label for label, value in option_values.items() if value == right)
    return _key_question(scene, repeat, question, ChoiceKey(label=label, outcomes=mistakes), option_values)


def _which(scene: Scene, repeat: int, places: tuple[str, ...]) -> KeyedQuestion:
    names = pictures_of_which(scene, repeat)
    if scene.presentation == COMPOSITE:
        captions = [SHEET_CAPTION]
        options = [Option(label=label, text=MARKED_TEXT.format(label=label)) for label in LETTERS[:3]]
    else:
        captions = [GIVEN_CAPTION, *(OPTION_CAPTION.format(label=label) for label in LETTERS[:3])]
        options = [Option(label=label, picture=name) for label, name in zip(LETTERS[:3], names[1:], strict=True)]
    question = Question(
        id=question_id("which", repeat),
        kind="which",
        text=_write_told_line(scene) + WHICH_TEXT[scene.presentation],
        shape=Choice(labels=LETTERS),
        options=(*options, Option(label="D", text=NONE_SHOWN_TEXT)),
        pictures=tuple(Picture(name=name, caption=caption) for name, caption in zip(names, captions, strict=True)),
        instruction=LETTER_INSTRUCTION,
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
