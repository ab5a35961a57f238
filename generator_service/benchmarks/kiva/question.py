"""Compute words and truth from the scene: every question a trial may ask, with its key.

All trials share a few thousand distinct questions, with their keys and facets. Only the cluster belongs to one trial;
the rest is cached.
"""

import re
from collections.abc import Iterable, Sequence
from typing import cast

import msgspec

from generator_service.benchmarks.kiva.asking import Form, describe_change, verbal, visual
from generator_service.benchmarks.kiva.pictures import count_of, names_for_which
from generator_service.benchmarks.kiva.spec import (
    ASKS,
    ASPECTS,
    CHANGE_IMAGINED,
    COMBINATIONS,
    DOMAINS,
    NO_CHANGE,
    NONE_FITS,
    NONE_SHOWN,
    NOTHING_CHANGED,
    NOTHING_TOLD,
    OTHER,
    OTHER_DOMAIN,
    OTHER_VALUE,
    TELLS,
    Scene,
    State,
    Words,
    aspects_of,
    domains_of,
    state_text,
)
from generator_service.benchmarks.kiva.wording import SOLVED_CAPTION
from generator_service.cache_budget import cache_within_budget
from tetrad.contracts.items import ChoiceKey, KeyedQuestion, Picture, Question, SolvedExample
from tetrad.contracts.wire import Facets

NUMBERS = tuple(str(number) for number in range(1, 11))
LETTERS = tuple("ABCDEFGHI")
STAGE = {"what": "classification", "how": "specification", "which": "extrapolation"}
NO_TRIAL = ""  # the cluster of a shared question, before it is copied for a trial
CHANGED = {
    "color": ("color",),
    "size": ("across", "down"),
    "number": ("count",),
    "rotation": ("turn",),
    "reflection": ("mirror",),
}
"""The parts of a state that each domain changes."""


class About(msgspec.Struct, frozen=True, kw_only=True, gc=False, cache_hash=True):
    """The facts about a trial that its questions, keys and facets depend on, beside the options in their places.

    pictures: how many pictures the trial offers.
    """

    wording: str
    presentation: str
    setting: str
    domain: str
    values: Words
    change: bool
    pictures: int


def questions(scene: Scene) -> tuple[KeyedQuestion, ...]:
    """Return every question of the trial, in the order they open: stage by stage, its repeats in turn."""
    about = _about(scene)
    return tuple(
        [
            _key_question(scene, about, kind, repeat)
            for kind in ASKS[scene.setting]
            for repeat in range(1, scene.repeats + 1)
        ]
    )


def label_of(scene: Scene, kind: str, repeat: int) -> str:
    """Return the right label."""
    return _build_shared(scene, _about(scene), kind, repeat).key.label


@cache_within_budget(64)
def _aspects(domain: str) -> Words:
    return tuple(sorted(aspects_of(domain), key=ASPECTS.index))


def _about(scene: Scene) -> About:
    pictures = len(scene.extrapolation[0])
    return _share_about(
        scene.wording, scene.presentation, scene.setting, scene.domain, scene.values, scene.change, pictures
    )


@cache_within_budget(4096)
def _share_about(  # noqa: PLR0917 - the parts of an About
    wording: str,
    presentation: str,
    setting: str,
    domain: str,
    values: Words,
    change: bool,  # noqa: FBT001 - a part of an About
    pictures: int,
) -> About:
    """Return the same object for all trials of a kind, so that its hash is computed once."""
    return About(
        wording=wording,
        presentation=presentation,
        setting=setting,
        domain=domain,
        values=values,
        change=change,
        pictures=pictures,
    )


def _form(about: About) -> Form:
    """Return the form of such a trial's questions, with what is told beforehand."""
    told, domains = _name_told(about), domains_of(about.domain)
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


def _name_told(about: About) -> str:
    return TELLS.get(about.setting, NOTHING_TOLD)


def _key_question(scene: Scene, about: About, kind: str, repeat: int) -> KeyedQuestion:
    kept = _build_shared(scene, about, kind, repeat)
    return KeyedQuestion(
        question=_with_examples(scene, _form(about), kept.question, kind) if scene.examples else kept.question,
        key=kept.key,
        facets=kept.facets,
        cluster=scene.item,
        option_values=kept.option_values,
    )


def _build_shared(scene: Scene, about: About, kind: str, repeat: int) -> KeyedQuestion:
    """Return the question without examples and cluster: the same object for all trials that ask it."""
    if kind == "which":
        return _in_pictures(about, repeat, scene.extrapolation[repeat - 1], scene.right_state, scene.test_before)
    return _in_words(about, kind, repeat, _list_offered(scene, kind)[repeat - 1])


def _list_offered(scene: Scene, kind: str) -> tuple[tuple[Words, ...], ...]:
    return scene.classification if kind == "what" else scene.specification


@cache_within_budget(8192)
def _in_words(about: About, kind: str, repeat: int, offered: tuple[Words, ...]) -> KeyedQuestion:
    right = _aspects(about.domain) if kind == "what" else about.values
    label = NUMBERS[offered.index(right) if about.change else len(offered)]
    named = [" and ".join(words) for words in offered]
    return KeyedQuestion(
        question=verbal(_form(about), kind, repeat, offered),
        key=_key(label, NUMBERS, (*(_mistake_in_words(about, kind, words) for words in offered), NOTHING_CHANGED)),
        facets=_facets(about, kind, repeat),
        cluster=NO_TRIAL,
        option_values=dict(zip(NUMBERS, (*named, NO_CHANGE, OTHER), strict=False)),
    )


@cache_within_budget(8192)
def _in_pictures(about: About, repeat: int, places: tuple[State, ...], shown: State, before: State) -> KeyedQuestion:
    """Return the `which` question with its key. If no place holds `shown`, the option for none is right.

    before: the test object's state before the change.
    """
    label = LETTERS[places.index(shown) if shown in places else len(places)]
    return KeyedQuestion(
        question=visual(_form(about), repeat, len(places)),
        key=_key(label, LETTERS, [_mistake_in_pictures(about, state, shown, before) for state in places]),
        facets=_facets(about, "which", repeat),
        cluster=NO_TRIAL,
        option_values=dict(zip(LETTERS, (*map(state_text, places), NONE_SHOWN), strict=False)),
    )


_WRONG = (
    *(CHANGE_IMAGINED, NONE_FITS, NOTHING_CHANGED, OTHER_VALUE),
    *(f"{OTHER_VALUE} of {' and '.join(domains_of(several))}" for several in (*DOMAINS, *COMBINATIONS)),
)
MISTAKES = {"what": (CHANGE_IMAGINED, NONE_FITS, NOTHING_CHANGED, OTHER_DOMAIN), "how": _WRONG, "which": _WRONG}
"""What wrong options stand for, by kind of question."""


def _key(label: str, labels: Words, mistakes: Iterable[str]) -> ChoiceKey:
    """Return the key. `mistakes` has one for each option, in order; the last option says that none fits."""
    named = dict(zip(labels, (*mistakes, NONE_FITS), strict=False))
    return ChoiceKey(label=label, outcomes={place: name for place, name in named.items() if place != label})


def _mistake_in_words(about: About, kind: str, words: Words) -> str:
    if not about.change:
        return CHANGE_IMAGINED
    if kind == "what":
        return OTHER_DOMAIN
    return _other_values(
        [part for part, own, value in zip(domains_of(about.domain), words, about.values, strict=True) if own != value],
        about.domain,
    )


def _mistake_in_pictures(about: About, state: State, right: State, before: State) -> str:
    if not about.change:
        return CHANGE_IMAGINED
    if state == before:
        return NOTHING_CHANGED
    differing = [
        domain
        for domain in domains_of(about.domain)
        if any(getattr(state, name) != getattr(right, name) for name in CHANGED[domain])
    ]
    return _other_values(differing, about.domain)


def _other_values(wrong: Sequence[str], domain: str) -> str:
    """Name the domains with another value, if several change: "other value of color and size"."""
    return OTHER_VALUE if wrong == [domain] else f"{OTHER_VALUE} of {' and '.join(wrong)}"


def _facets(about: About, kind: str, repeat: int) -> Facets:
    facets = {
        "stage": STAGE[kind],
        "domain": about.domain,
        "change": "yes" if about.change else "no",
        "changes": str(len(about.values)),
        "told": _name_told(about),
        "repeat": str(repeat),
        "pictures": str(about.pictures),
    }
    return facets | ({"value": about.values[0]} if len(about.values) == 1 else {})


def _put_question(scene: Scene, form: Form, kind: str) -> Question:
    """Put the first question of this kind in another form."""
    if kind == "which":
        return visual(form, 1, len(scene.extrapolation[0]))
    return verbal(form, kind, 1, _list_offered(scene, kind)[0])


def _with_examples(scene: Scene, form: Form, question: Question, kind: str) -> Question:
    """Add each example's pictures, after the question's own, and its options with the solution."""
    before, solved, pictures = count_of(scene), [], list(question.pictures)
    for number, example in enumerate(scene.examples, start=1):
        # A setting that tells a stage tells it for each example too.
        asked = _put_question(example, msgspec.structs.replace(_form(_about(example)), many=form.many), kind)
        own = [picture.name for picture in asked.pictures]
        names = (
            names_for_which(example.presentation, example.setting, 1, len(example.extrapolation[0]), before)
            if kind == "which"
            else (str(before + 1),)
        )
        renamed = dict(zip(own, names, strict=True))
        pictures += [
            Picture(name=renamed[picture.name], caption=SOLVED_CAPTION.format(number=number, caption=picture.caption))
            for picture in asked.pictures
        ]
        options = tuple(
            option if option.picture is None else msgspec.structs.replace(option, picture=renamed[option.picture])
            for option in asked.options
        )
        answer = label_of(example, kind, 1)
        solved.append(SolvedExample(text=asked.text, pictures=names, options=options, answer=answer))
        before += count_of(example)
    return msgspec.structs.replace(question, pictures=tuple(pictures), examples=tuple(solved))


def describe(scene: Scene) -> tuple[str, dict[str, object]]:
    """Return the reason for the keys, and the scene in plain data."""
    many = len(scene.values) > 1 and "number" in scene.domains
    sentences = describe_change("standard", scene.values, many=many).rstrip(".").lower().split(". ")
    what = ", and ".join(sentences) if scene.change else "nothing changed"
    labels = [label_of(scene, "which", repeat) for repeat in range(1, scene.repeats + 1)]
    shown = scene.right_state in scene.extrapolation[0]
    given, test = plain_name(scene.given.object), plain_name(scene.test)
    outcome = f"the same holds for the {test} in" if shown else f"every picture of the {test} shows a change, hence"
    sentence = f"In the example (the {given}) {what}; {outcome} {', '.join(f'({label})' for label in labels)}."
    return sentence, cast("dict[str, object]", msgspec.to_builtins(scene))


def plain_name(thing: str) -> str:
    """Name a thing as people do: "electric guitar" for "electric-guitar-01". No two things of a trial are of a kind."""
    return re.sub(r"-\d+$", "", thing).replace("-", " ")
