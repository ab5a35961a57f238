"""Words and truth, computed from the scene: every question a trial may ask, with its key.

All trials share some thousands of distinct questions with their keys and facets: only the cluster is a trial's own,
and the rest is remembered.
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
    domains_of,
    state_text,
)
from generator_service.benchmarks.kiva.wording import SOLVED_CAPTION
from tetrad.contracts.items import ChoiceKey, KeyedQuestion, Picture, Question, SolvedExample
from tetrad.contracts.wire import Facets

NUMBERS = ("1", "2", "3", "4", "5", "6")
LETTERS = ("A", "B", "C", "D", "E")
STAGE = {"what": "classification", "how": "specification", "which": "extrapolation"}
NO_TRIAL = ""  # the cluster of a question that is no trial's yet
_KEYS = {label: ChoiceKey(label=label) for label in (*NUMBERS, *LETTERS)}


class About(msgspec.Struct, frozen=True, kw_only=True, gc=False, cache_hash=True):
    """What a trial's questions, keys and facets depend on, beside what stands in their places."""

    wording: str
    presentation: str
    setting: str
    domain: str
    values: Words
    change: bool


def questions(scene: Scene) -> tuple[KeyedQuestion, ...]:
    """Return every question of the trial, in the order they open: stage by stage, its repeats in turn."""
    about = _about(scene)
    return tuple(
        [_keyed(scene, about, kind, repeat) for kind in ASKS[scene.setting] for repeat in range(1, scene.repeats + 1)]
    )


def label_of(scene: Scene, kind: str, repeat: int) -> str:
    """Return the right label."""
    return _kept(scene, _about(scene), kind, repeat).key.label


@lru_cache(maxsize=64)
def _aspects(domain: str) -> Words:
    return tuple(sorted(aspects_of(domain), key=ASPECTS.index))


def _about(scene: Scene) -> About:
    return About(
        wording=scene.wording,
        presentation=scene.presentation,
        setting=scene.setting,
        domain=scene.domain,
        values=scene.values,
        change=scene.change,
    )


def _form(about: About) -> Form:
    """Say how such a trial's questions are put, and what is told beforehand."""
    told, domains = _told(about), domains_of(about.domain)
    words: Words = ()
    if told != NOTHING_TOLD and about.change:
        words = _aspects(about.domain) if told == "classification" else about.values
    return Form(
        wording=about.wording,
        presentation=about.presentation,
        setting=about.setting,
        many="number" in domains and len(domains) > 1,
        told=told,
        told_words=words,
    )


def _told(about: About) -> str:
    return TELLS.get(about.setting, NOTHING_TOLD)


def _keyed(scene: Scene, about: About, kind: str, repeat: int) -> KeyedQuestion:
    kept = _kept(scene, about, kind, repeat)
    return KeyedQuestion(
        question=_with_examples(scene, _form(about), kept.question, kind) if scene.examples else kept.question,
        key=kept.key,
        facets=kept.facets,
        cluster=scene.item,
        option_values=kept.option_values,
    )


def _kept(scene: Scene, about: About, kind: str, repeat: int) -> KeyedQuestion:
    """Return the question without examples and cluster: the same object for all trials that ask it."""
    if kind == "which":
        return _in_pictures(about, repeat, scene.extrapolation[repeat - 1], scene.shown)
    return _in_words(about, kind, repeat, _offered(scene, kind)[repeat - 1])


def _offered(scene: Scene, kind: str) -> tuple[tuple[Words, ...], ...]:
    return scene.classification if kind == "what" else scene.specification


@lru_cache(maxsize=8192)
def _in_words(about: About, kind: str, repeat: int, offered: tuple[Words, ...]) -> KeyedQuestion:
    right = _aspects(about.domain) if kind == "what" else about.values
    label = NUMBERS[offered.index(right) if about.change else len(offered)]
    named = [" and ".join(words) for words in offered]
    return KeyedQuestion(
        question=verbal(_form(about), kind, repeat, offered),
        key=_KEYS[label],
        facets=_facets(about, kind, repeat),
        cluster=NO_TRIAL,
        option_values=dict(zip(NUMBERS, (*named, NO_CHANGE, OTHER), strict=False)),
    )


@lru_cache(maxsize=8192)
def _in_pictures(about: About, repeat: int, places: tuple[State, ...], shown: State) -> KeyedQuestion:
    """`shown` is right; none of the pictures is where nothing changes and all of them do."""
    label = LETTERS[places.index(shown) if shown in places else len(places)]
    return KeyedQuestion(
        question=visual(_form(about), repeat, len(places)),
        key=_KEYS[label],
        facets=_facets(about, "which", repeat),
        cluster=NO_TRIAL,
        option_values=dict(zip(LETTERS, (*map(state_text, places), NONE_SHOWN), strict=False)),
    )


def _facets(about: About, kind: str, repeat: int) -> Facets:
    facets = {
        "stage": STAGE[kind],
        "domain": about.domain,
        "change": "yes" if about.change else "no",
        "changes": str(len(about.values)),
        "told": _told(about),
        "repeat": str(repeat),
    }
    return facets | ({"value": about.values[0]} if len(about.values) == 1 else {})


def _put(scene: Scene, form: Form, kind: str) -> Question:
    """Put the first question of this kind in another form."""
    if kind == "which":
        return visual(form, 1, len(scene.extrapolation[0]))
    return verbal(form, kind, 1, _offered(scene, kind)[0])


def _with_examples(scene: Scene, form: Form, question: Question, kind: str) -> Question:
    """Add each example's pictures, after the question's own, and its options with the solution."""
    before, solved, pictures = count_of(scene), [], list(question.pictures)
    for number, example in enumerate(scene.examples, start=1):
        # What a setting tells, it tells of each example anew.
        asked = _put(example, msgspec.structs.replace(_form(_about(example)), many=form.many), kind)
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
