"""Words and truth, computed from the scene: every question a trial may ask, with its key.

All trials share a few hundred distinct questions: only facets and cluster are a trial's own, and the rest is cached.
"""

from functools import lru_cache

from generator_service.benchmarks.kiva import wording
from generator_service.benchmarks.kiva.pictures import names_for_which
from generator_service.benchmarks.kiva.spec import (
    ASPECT,
    NO_CHANGE,
    NONE_SHOWN,
    OTHER,
    Scene,
    State,
    question_id,
    state_text,
)
from tetrad.contracts.items import Choice, ChoiceKey, KeyedQuestion, Option, Picture, Question

NUMBERS = ("1", "2", "3", "4", "5")
LETTERS = ("A", "B", "C", "D")
STAGE = {"what": "classification", "how": "specification", "which": "extrapolation"}
_KEYS = {label: ChoiceKey(label=label) for label in (*NUMBERS, *LETTERS)}
_TEXTS = wording.ASPECT_TEXT | wording.VALUE_TEXT | {NO_CHANGE: wording.NO_CHANGE_TEXT, OTHER: wording.OTHER_TEXT}


def questions(scene: Scene) -> tuple[KeyedQuestion, ...]:
    """Return every question of the trial, in the order they open: stage by stage, its repeats in turn."""
    repeats = range(1, scene.repeats + 1)
    which = [_which(scene, repeat) for repeat in repeats]
    if not scene.classification:
        return tuple(which)
    return (*[_what(scene, repeat) for repeat in repeats], *[_how(scene, repeat) for repeat in repeats], *which)


def what_label(scene: Scene, repeat: int) -> str:
    right = ASPECT[scene.domain] if scene.change else NO_CHANGE
    return NUMBERS[(*scene.classification[repeat - 1], NO_CHANGE).index(right)]


def how_label(scene: Scene, repeat: int) -> str:
    right = scene.value if scene.change else NO_CHANGE
    return NUMBERS[(*scene.specification[repeat - 1], NO_CHANGE).index(right)]


def which_label(scene: Scene, repeat: int) -> str:
    """Find the picture in which the test object stands as the given one does: both start alike (KiVA's rule)."""
    return LETTERS[scene.extrapolation[repeat - 1].index(scene.given_after)]


def _what(scene: Scene, repeat: int) -> KeyedQuestion:
    question, meanings = _verbal("what", repeat, scene.classification[repeat - 1])
    return _keyed(scene, repeat, question, what_label(scene, repeat), meanings)


def _how(scene: Scene, repeat: int) -> KeyedQuestion:
    question, meanings = _verbal("how", repeat, scene.specification[repeat - 1])
    return _keyed(scene, repeat, question, how_label(scene, repeat), meanings)


def _which(scene: Scene, repeat: int) -> KeyedQuestion:
    question = _visual(repeat, scene.presentation, verbal=bool(scene.classification))
    return _keyed(
        scene, repeat, question, which_label(scene, repeat), _visual_meanings(scene.extrapolation[repeat - 1])
    )


def _keyed(scene: Scene, repeat: int, question: Question, label: str, meanings: dict[str, str]) -> KeyedQuestion:
    return KeyedQuestion(
        question=question,
        key=_KEYS[label],
        facets={
            "stage": STAGE[question.kind],
            "domain": scene.domain,
            "value": scene.value,
            "change": "yes" if scene.change else "no",
            "repeat": str(repeat),
        },
        cluster=scene.item,
        meanings=meanings.copy(),
    )


@lru_cache(maxsize=1024)
def _verbal(kind: str, repeat: int, places: tuple[str, ...]) -> tuple[Question, dict[str, str]]:
    """Build the question whose first places hold the given words; "no change" and "doesn't apply" follow."""
    meanings = dict(zip(NUMBERS, (*places, NO_CHANGE, OTHER), strict=False))
    question = Question(
        id=question_id(kind, repeat),
        kind=kind,
        text=wording.WHAT_TEXT if kind == "what" else wording.HOW_TEXT,
        shape=Choice(labels=tuple(meanings)),
        options=tuple(Option(label=label, text=_TEXTS[meaning]) for label, meaning in meanings.items()),
        pictures=(Picture(name="1", caption=wording.GIVEN_CAPTION),),
        instruction=wording.NUMBER_INSTRUCTION,
    )
    return question, meanings


@lru_cache(maxsize=64)
def _visual(repeat: int, presentation: str, *, verbal: bool) -> Question:
    names = names_for_which(presentation, verbal=verbal, repeat=repeat)
    separate = presentation == "separate"
    captions = (
        (wording.GIVEN_CAPTION, *(wording.OPTION_CAPTION.format(label=label) for label in LETTERS[:3]))
        if separate
        else (wording.SHEET_CAPTION,)
    )
    shown = [
        Option(label=label, picture=name)
        if separate
        else Option(label=label, text=wording.MARKED_TEXT.format(label=label))
        for label, name in zip(LETTERS[:3], names[1:] if separate else LETTERS[:3], strict=True)
    ]
    return Question(
        id=question_id("which", repeat),
        kind="which",
        text=wording.WHICH_TEXT[presentation],
        shape=Choice(labels=LETTERS),
        options=(*shown, Option(label="D", text=wording.NONE_SHOWN_TEXT)),
        pictures=tuple(Picture(name=name, caption=caption) for name, caption in zip(names, captions, strict=True)),
        instruction=wording.LETTER_INSTRUCTION,
        final=True,
    )


@lru_cache(maxsize=2048)
def _visual_meanings(places: tuple[State, ...]) -> dict[str, str]:
    return dict(zip(LETTERS, (*map(state_text, places), NONE_SHOWN), strict=True))
