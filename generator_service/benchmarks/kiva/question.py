"""Words and truth, computed from the scene: every question a trial may ask, with its key.

All trials share some thousands of distinct questions: only facets and cluster are a trial's own, and the rest is
cached.
"""

from functools import lru_cache

import msgspec

from generator_service.benchmarks.kiva.asking import Form, verbal, visual
from generator_service.benchmarks.kiva.pictures import count_of, names_for_which
from generator_service.benchmarks.kiva.spec import (
    ASKS,
    ASPECTS,
    NO_CHANGE,
    NONE_SHOWN,
    NOTHING_TOLD,
    OTHER,
    TELLS,
    Scene,
    State,
    Words,
    aspects_of,
    state_text,
)
from generator_service.benchmarks.kiva.wording import SOLVED_CAPTION
from tetrad.contracts.items import ChoiceKey, KeyedQuestion, Picture, Question, SolvedExample
from tetrad.contracts.wire import Facets

NUMBERS = ("1", "2", "3", "4", "5", "6")
LETTERS = ("A", "B", "C", "D", "E")
STAGE = {"what": "classification", "how": "specification", "which": "extrapolation"}
_KEYS = {label: ChoiceKey(label=label) for label in (*NUMBERS, *LETTERS)}


def questions(scene: Scene) -> tuple[KeyedQuestion, ...]:
    """Return every question of the trial, in the order they open: stage by stage, its repeats in turn."""
    form = _form(scene)
    return tuple(
        [_keyed(scene, form, kind, repeat) for kind in ASKS[scene.setting] for repeat in range(1, scene.repeats + 1)]
    )


def label_of(scene: Scene, kind: str, repeat: int) -> str:
    """Return the right label; `which` has none among its pictures where nothing changes and all of them do."""
    at = repeat - 1
    if kind == "which":
        places = scene.extrapolation[at]
        return LETTERS[places.index(scene.shown) if scene.shown in places else len(places)]
    offered = scene.classification[at] if kind == "what" else scene.specification[at]
    if not scene.change:
        return NUMBERS[len(offered)]
    return NUMBERS[offered.index(_aspects(scene.domain) if kind == "what" else scene.values)]


@lru_cache(maxsize=64)
def _aspects(domain: str) -> Words:
    return tuple(sorted(aspects_of(domain), key=ASPECTS.index))


def _form(scene: Scene) -> Form:
    """Say how this trial's questions are put, and what is told beforehand."""
    told = TELLS.get(scene.setting, NOTHING_TOLD)
    words: Words = ()
    if told != NOTHING_TOLD and scene.change:
        words = _aspects(scene.domain) if told == "classification" else scene.values
    return Form(
        wording=scene.wording,
        presentation=scene.presentation,
        setting=scene.setting,
        many="number" in scene.domains and len(scene.domains) > 1,
        told=told,
        told_words=words,
    )


def _keyed(scene: Scene, form: Form, kind: str, repeat: int) -> KeyedQuestion:
    question, meanings = _asked(scene, form, kind, repeat)
    if scene.examples:
        question = _with_examples(scene, form, question, kind)
    facets: Facets = {
        "stage": STAGE[kind],
        "domain": scene.domain,
        "change": "yes" if scene.change else "no",
        "changes": str(len(scene.values)),
        "told": form.told,
        "repeat": str(repeat),
    }
    if len(scene.values) == 1:
        facets["value"] = scene.values[0]
    return KeyedQuestion(
        question=question,
        key=_KEYS[label_of(scene, kind, repeat)],
        facets=facets,
        cluster=scene.item,
        meanings=meanings.copy(),
    )


def _asked(scene: Scene, form: Form, kind: str, repeat: int) -> tuple[Question, dict[str, str]]:
    at = repeat - 1
    if kind == "which":
        places = scene.extrapolation[at]
        return visual(form, repeat, len(places)), _visual_meanings(places)
    offered = scene.classification[at] if kind == "what" else scene.specification[at]
    return verbal(form, kind, repeat, offered), _verbal_meanings(offered)


def _with_examples(scene: Scene, form: Form, question: Question, kind: str) -> Question:
    """Add each example's pictures, after the question's own, and its options with the solution."""
    before, solved, pictures = count_of(scene), [], list(question.pictures)
    for number, example in enumerate(scene.examples, start=1):
        # What a setting tells, it tells of each example anew.
        asked, _ = _asked(example, msgspec.structs.replace(_form(example), many=form.many), kind, 1)
        own = [picture.name for picture in asked.pictures]
        names = (
            names_for_which(example.presentation, example.setting, 1, len(example.extrapolation[0]), before)
            if kind == "which"
            else (str(before + 1),)
        )
        renamed = dict(zip(own, names, strict=True))
        pictures += [
            Picture(name=renamed[one.name], caption=SOLVED_CAPTION.format(number=number, caption=one.caption))
            for one in asked.pictures
        ]
        options = tuple(
            option if option.picture is None else msgspec.structs.replace(option, picture=renamed[option.picture])
            for option in asked.options
        )
        answer = label_of(example, kind, 1)
        solved.append(SolvedExample(text=asked.text, pictures=names, options=options, answer=answer))
        before += count_of(example)
    return msgspec.structs.replace(question, pictures=tuple(pictures), examples=tuple(solved))


@lru_cache(maxsize=2048)
def _verbal_meanings(offered: tuple[Words, ...]) -> dict[str, str]:
    named = [" and ".join(words) for words in offered]
    return dict(zip(NUMBERS, (*named, NO_CHANGE, OTHER), strict=False))


@lru_cache(maxsize=4096)
def _visual_meanings(places: tuple[State, ...]) -> dict[str, str]:
    return dict(zip(LETTERS, (*map(state_text, places), NONE_SHOWN), strict=False))
