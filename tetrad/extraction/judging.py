"""Judge an answer by its key: the verdict, and further facts that answers of its shape tell. One entry a shape.

Everyone judges with this: feedback on practice items, scoring, and checks of a report.
"""

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from tetrad.contracts.items import ChoiceKey, DiagnosisAnswer, DiagnosisKey, Key, NumberKey, StateCaptionKey
from tetrad.contracts.wire import Facets
from tetrad.extraction.captions.caption import values_of
from tetrad.extraction.captions.words import BESIDE

__all__ = ["MISTAKE", "STAGES", "Judged", "judge_answer"]

CORRECT, INCORRECT, UNREAD = "correct", "incorrect", "unread"
LENIENT, FAILED, STAGE, NONE = "lenient", "failed", "stage", "none"
MISTAKE = "mistake"
STAGES = ("perception", "decomposition", "composition", "application", NONE)
_SIDES = frozenset({"left", "right"})


class Judged(msgspec.Struct, frozen=True):
    """The verdict, and further facts by name.

    `lenient`: the lenient verdict of a caption. `failed`: the properties that it got wrong or left out, joined by
    spaces. `stage`: the first stage of a diagnosis that failed, or "none". `mistake`: the mistake of a wrong option.
    """

    verdict: str
    outcome: Facets = {}


_RIGHT, _WRONG, _UNREAD = Judged(CORRECT), Judged(INCORRECT), Judged(UNREAD)


def judge_answer(key: Key, answer: str | None) -> Judged:
    """Judge an extracted answer; `answer` must be legal for the key's shape."""
    if answer is None:
        return _UNREAD
    return _JUDGES[type(key)](key, answer)


def _choice(key: ChoiceKey, answer: str) -> Judged:
    if answer == key.label:
        return _RIGHT
    mistake = key.outcomes.get(answer)
    return _WRONG if mistake is None else Judged(INCORRECT, {MISTAKE: mistake})


def _number(key: NumberKey, answer: str) -> Judged:
    return _RIGHT if answer == key.label else _WRONG


def _caption(key: StateCaptionKey, answer: str) -> Judged:
    """Judge a caption.

    Strict: every property is stated and right. Lenient: none is wrong, and the needed ones are stated.
    """
    said = values_of(answer, tuple(key.values))
    failed = [name for name, value in key.values.items() if said[name] != {value}]
    lenient = all(_is_open(said[name], key.values[name]) and name not in key.needed for name in failed)
    outcome = {LENIENT: _verdict(right=lenient)}
    return Judged(_verdict(right=not failed), outcome | ({FAILED: " ".join(failed)} if failed else {}))


def _is_open(said: frozenset[str], value: str) -> bool:
    """Tell whether the values leave the right one open: none stated, or only such as "beside" for left and right."""
    return not said or (said == {BESIDE} and value in _SIDES)


def _diagnosis(key: DiagnosisKey, answer: str) -> Judged:
    read, right = msgspec.json.decode(answer, type=DiagnosisAnswer), key.right
    final = _caption(key.final, read.caption)
    passed = (
        read.captions == right.captions,
        all(_are(said, of) for said, of in zip(read.changes, right.changes, strict=True)),
        _are(read.target, right.target),
        final.verdict == CORRECT,
    )
    stage = next((name for name, well in zip(STAGES, passed, strict=False) if not well), NONE)
    return Judged(final.verdict, final.outcome | {STAGE: stage})


def _are(said: list[str], changes: list[str]) -> bool:
    """Tell whether these are the changes, in any order. A faulty line equals no change."""
    return set(said) == set(changes)


def _verdict(*, right: bool) -> str:
    return CORRECT if right else INCORRECT


# Each takes its own key struct, hence Any.
_JUDGES: Mapping[type, Callable[[Any, str], Judged]] = {
    ChoiceKey: _choice,
    NumberKey: _number,
    StateCaptionKey: _caption,
    DiagnosisKey: _diagnosis,
}
