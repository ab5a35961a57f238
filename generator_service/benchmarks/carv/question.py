"""Compute words and truth from the scene: the one question of an item, with its key, and its explanation."""

from collections.abc import Iterable
from functools import lru_cache
from typing import cast

import msgspec

from generator_service.benchmark import ExtractedAnswers
from generator_service.benchmarks.carv import wording
from generator_service.benchmarks.carv.pictures import picture_names
from generator_service.benchmarks.carv.spec import (
    DIAGNOSIS,
    FREE_FORM,
    ORACLE,
    PROPERTIES,
    PUBLISHED,
    SYMBOLIC,
    TRACKS,
    VALUES,
    Change,
    Scene,
    State,
    answer,
    changes,
    shown_states,
    target,
)
from tetrad.contracts.items import (
    AnswerShape,
    Diagnosis,
    DiagnosisAnswer,
    DiagnosisKey,
    KeyedQuestion,
    Picture,
    Question,
    StateCaption,
    StateCaptionKey,
)
from tetrad.contracts.wire import Facets
from tetrad.extraction.captions.text import caption_text

_CAPTION = StateCaption(properties=dict(VALUES))
_DIAGNOSES = {pairs: Diagnosis(properties=dict(VALUES), pairs=pairs) for pairs in (1, 2)}
_ORDER = {name: place for place, name in enumerate(PROPERTIES)}


def questions(scene: Scene) -> tuple[KeyedQuestion, ...]:
    """Return the item's question."""
    asked = _build_question(scene.setting, scene.operation, len(scene.pairs))
    if scene.setting in (ORACLE, SYMBOLIC):
        asked = msgspec.structs.replace(asked, text=f"{asked.text}\n{_word_givens(scene)}")
    return (
        KeyedQuestion(
            question=asked,
            key=_diagnosis_key(scene) if scene.setting == DIAGNOSIS else _caption_key(scene),
            facets=_facets(scene),
            cluster=scene.item,
        ),
    )


def caption_of(state: State) -> str:
    return caption_text(values_of(state))


def values_of(state: State) -> dict[str, str]:
    return dict(zip(PROPERTIES, msgspec.structs.astuple(state), strict=True))


def lines_of(of: Iterable[Change]) -> list[str]:
    """Write changes as lines, in the order of the properties."""
    return [
        wording.CHANGE_LINE.format(concept=wording.CONCEPTS[change.property], old=change.old, new=change.new)
        for change in sorted(of, key=_place)
    ]


def _place(change: Change) -> int:
    return _ORDER[change.property]


def _facets(scene: Scene) -> Facets:
    touched = [" ".join(change.property for change in sorted(changes(pair), key=_place)) for pair in scene.pairs]
    return {
        "track": scene.track,
        "operation": scene.operation,
        "atomic": str(TRACKS[scene.track].atomic),
        "target": str(len(target(scene))),
        "near_miss": "yes" if scene.near_miss else "no",
        "tempting": "yes" if scene.tempting else "no",
        "first": touched[0],
        "second": touched[-1],
    }


def _caption_key(scene: Scene) -> StateCaptionKey:
    touched = {change.property for pair in scene.pairs for change in changes(pair)}
    return StateCaptionKey(
        values=values_of(answer(scene)), needed=tuple(name for name in PROPERTIES if name in touched)
    )


def _diagnosis_key(scene: Scene) -> DiagnosisKey:
    final = _caption_key(scene)
    right = DiagnosisAnswer(
        captions=[[_short(pair.before), _short(pair.after)] for pair in scene.pairs],
        changes=[_write_changes(changes(pair)) for pair in scene.pairs],
        target=_write_changes(target(scene)),
        caption=final.label,
    )
    return DiagnosisKey(right=right, final=final)


def _short(state: State) -> str:
    return ", ".join(msgspec.structs.astuple(state))


def _write_changes(of: Iterable[Change]) -> list[str]:
    return [f"{change.property}: {change.old} > {change.new}" for change in sorted(of, key=_place)]


def _word_givens(scene: Scene) -> str:
    """Put into words what the setting leaves out of the pictures: the changes, or all the states."""
    if scene.setting == SYMBOLIC:
        lines = [
            wording.STATE_LINE.format(number=number, caption=caption_of(state))
            for number, state in enumerate(shown_states(scene), 1)
        ]
    else:
        lines = [
            wording.GIVEN.format(name=f"T{number}", changes="; ".join(lines_of(changes(pair))))
            for number, pair in enumerate(scene.pairs, 1)
        ]
    return "\n".join(lines)


@lru_cache(maxsize=64)  # settings x operations x one or two pairs
def _build_question(setting: str, operation: str, pairs: int) -> Question:
    """Build the question without the words that belong to one item."""
    query = 2 * pairs + 1
    of_pairs, of_operation = wording.TWO_PAIRS if pairs > 1 else wording.ONE_PAIR, wording.OPERATION[operation]
    asked = wording.ASKED.format(query=query)
    parts = [wording.INTRODUCTION, of_pairs, wording.CHANGE, of_operation, asked]
    if setting == PUBLISHED:
        # The paper's prompt names no property, no value and no rule for what counts as the same change.
        parts = [of_pairs, of_operation, wording.ASKED_AS_PUBLISHED.format(query=query)]
    elif setting == SYMBOLIC:
        parts.append(wording.STATES)
    elif setting == ORACLE:
        parts.append(wording.ORACLE)
    return Question(
        id="caption" if setting != DIAGNOSIS else "diagnosis",
        kind="caption" if setting != DIAGNOSIS else "diagnosis",
        text=" ".join(parts),
        shape=_shape(setting, pairs),
        pictures=() if setting == SYMBOLIC else _pictures(pairs),
        instruction=_instruction(setting, pairs, query),
        final=True,
    )


def _shape(setting: str, pairs: int) -> AnswerShape:
    return _DIAGNOSES[pairs] if setting == DIAGNOSIS else _CAPTION


def _pictures(pairs: int) -> tuple[Picture, ...]:
    captions = [
        words.format(pair=pair)
        for pair in range(1, pairs + 1)
        for words in (wording.FIRST_OF_PAIR, wording.SECOND_OF_PAIR)
    ]
    captions.append(wording.QUERY)
    return tuple(
        Picture(name=name, caption=caption) for name, caption in zip(picture_names(pairs), captions, strict=True)
    )


def _instruction(setting: str, pairs: int, query: int) -> str:
    if setting == FREE_FORM:
        return wording.FREE_INSTRUCTION.format(query=query)
    if setting == PUBLISHED:
        return wording.PUBLISHED_INSTRUCTION
    if setting != DIAGNOSIS:
        return wording.CAPTION_INSTRUCTION
    names = [f'"T{number}"' for number in range(1, pairs + 1)]
    return wording.DIAGNOSIS_INSTRUCTION.format(
        captions="[" + ", ".join(['["...", "..."]'] * pairs) + "]",
        changes=", ".join(f'{name}: ["..."]' for name in names),
        names=", ".join(names),
        query=query,
    )


def next_questions(scene: Scene, _extracted: ExtractedAnswers) -> tuple[str, ...]:
    """Return the only question of an item: it is open from the start."""
    return ("diagnosis" if scene.setting == DIAGNOSIS else "caption",)


def describe(scene: Scene) -> tuple[str, dict[str, object]]:
    """Return the reason for the key, and the scene in plain data with its states in words."""
    sets = [_word_set(changes(pair)) for pair in scene.pairs]
    how = wording.EXPLANATION[scene.operation].format(first=sets[0], second=sets[-1], target=_word_set(target(scene)))
    sentence = f"{how}: {caption_of(scene.query)} becomes {caption_of(answer(scene))}."
    data = cast("dict[str, object]", msgspec.to_builtins(scene))
    return sentence, data | {"captions": [caption_of(state) for state in shown_states(scene)]}


def _word_set(of: frozenset[Change]) -> str:
    return "{" + "; ".join(lines_of(of)) + "}"
