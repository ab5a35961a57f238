"""Read a diagnosis: what a model saw in each pair, which changes it named, which it wants, and its caption.

The reply is a JSON object with "captions" (two a pair), "T1", "T2" and "target" (lines), and "caption". What is
missing reads as nothing said: that stage fails. Written down as JSON, too, every caption and change in short.
"""

import re
from collections.abc import Iterator

import msgspec

from tetrad.contracts.items import Diagnosis, DiagnosisAnswer, StateCaption
from tetrad.reading.caption import is_state, read_caption, read_state
from tetrad.reading.change_lines import is_change, read_changes
from tetrad.reading.choice import ReadChoice
from tetrad.reading.visible_text import visible_part

__all__ = ["is_diagnosis", "read_diagnosis"]

_OPENS = re.compile(r"\{")
_MOST_OPENINGS = 24  # places of a reply where its object is tried to begin


class _Given(msgspec.Struct):
    """The reply's object, as asked for; lines may come as one text."""

    caption: str
    captions: list[list[str]] = []
    first: list[str] | str = msgspec.field(name="T1", default_factory=list)
    second: list[str] | str = msgspec.field(name="T2", default_factory=list)
    target: list[str] | str = []


def read_diagnosis(reply: str, shape: Diagnosis) -> ReadChoice:
    """Return the diagnosis of a reply as JSON. Without its object, a caption by itself is read.

    Codes with an answer: json, caption-only, short-form. Codes without: those of a caption's reader.
    """
    visible = visible_part(reply)
    if visible and is_diagnosis(visible, shape):
        return ReadChoice(visible, "short-form")
    given = next(_objects(visible), None) if visible else None
    if given is not None:
        return ReadChoice(_written(_read(given, shape)), "json", given.caption[:300])
    caption = read_caption(reply, StateCaption(properties=shape.properties))
    if caption.answer is None:
        return caption
    empty: list[list[str]] = [[] for _ in range(shape.pairs)]
    alone = DiagnosisAnswer(captions=empty, changes=empty, target=[], caption=caption.answer)
    return ReadChoice(_written(alone), "caption-only", caption.span)


def is_diagnosis(text: str, shape: Diagnosis) -> bool:
    """Tell whether the text is a diagnosis as written down here, right or wrong."""
    try:
        read = msgspec.json.decode(text, type=DiagnosisAnswer)
    except msgspec.DecodeError:
        return False
    caption = StateCaption(properties=shape.properties)
    states = [*(state for pair in read.captions for state in pair), read.caption]
    changes = [*(change for of in read.changes for change in of), *read.target]
    return (
        len(read.captions) == len(read.changes) == shape.pairs
        and all(is_state(state, caption) or not state.strip("?, ") for state in states)
        and all(is_change(change, shape.properties) for change in changes)
    )


def _objects(visible: str) -> Iterator[_Given]:
    """Yield the objects of this form, the outermost and last ones first."""
    ends = visible.rfind("}") + 1
    starts = [match.start() for match in _OPENS.finditer(visible[:ends])]
    for start in [*starts[:2], *reversed(starts[2:])][:_MOST_OPENINGS]:
        try:
            yield msgspec.json.decode(visible[start:ends], type=_Given)
        except msgspec.DecodeError:
            continue


def _read(given: _Given, shape: Diagnosis) -> DiagnosisAnswer:
    captions = [[read_state(text, shape.properties) for text in pair] for pair in given.captions[: shape.pairs]]
    lines = [given.first, given.second][: shape.pairs]
    return DiagnosisAnswer(
        captions=captions + [[] for _ in range(shape.pairs - len(captions))],
        changes=[_changes(each, shape) for each in lines],
        target=_changes(given.target, shape),
        caption=read_caption(given.caption, StateCaption(properties=shape.properties)).answer or _nothing(shape),
    )


def _changes(lines: list[str] | str, shape: Diagnosis) -> list[str]:
    each = [lines] if isinstance(lines, str) else lines
    return [change for line in each for change in read_changes(line, shape.properties)]


def _nothing(shape: Diagnosis) -> str:
    return ", ".join("?" for _ in shape.properties)


def _written(read: DiagnosisAnswer) -> str:
    return msgspec.json.encode(read).decode()
