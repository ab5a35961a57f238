"""Extract a diagnosis: the captions of each pair, the changes named, the changes wanted, and the final caption.

The reply is a JSON object with "captions" (two a pair), "T1", "T2" and "target" (lines), and "caption". A missing part
counts as empty, so its stage fails. The diagnosis is written as JSON, with every caption and change in short.
"""

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

import msgspec

from tetrad.contracts.items import Diagnosis, DiagnosisAnswer, StateCaption
from tetrad.extraction.captions.caption import extract_caption, extract_state, is_state
from tetrad.extraction.captions.change_lines import extract_changes, is_change
from tetrad.extraction.choice import ExtractedAnswer
from tetrad.extraction.visible_text import last_words, visible_part
from tetrad.late_regex import late_regex

__all__ = ["extract_diagnosis", "is_diagnosis"]

_OPENS = late_regex(r"\{")
_MOST_OPENINGS = 12  # places, from either end of a reply, at which we try to find its object
_DEEPEST = 6  # lists within lists
_TRAILING_COMMA = late_regex(r",(?=\s{0,80}[}\]])")
_MOST_CAPTIONS = 3  # of a pair: one more than needed, so that a surplus one is noticed
_MOST_WORDS = 64  # of each of these
_MOST_WORDS_OF_TARGET = 96  # of its caption
_PARTS = ("captions", "t1", "t2", "target")
_NAMES = {"t1": "T1", "t2": "T2"}


class _Given(NamedTuple):
    """The reply's object: two captions a pair, lines of each pair, lines of the target, and what is missing."""

    caption: str
    captions: list[list[str]]
    changes: list[list[str]]
    target: list[str]
    missing: list[str]


def extract_diagnosis(reply: str, shape: Diagnosis) -> ExtractedAnswer:
    """Return the diagnosis of a reply as JSON. If it has no JSON object, only a caption is extracted.

    Codes with an answer: json; json-incomplete (parts are missing: their stage fails); json-broken (the JSON is
    invalid, only its caption was found); caption-only; short-form. Codes without: those of `extract_caption`.
    """
    visible = visible_part(reply)
    if visible and is_diagnosis(visible, shape):
        return ExtractedAnswer(visible, "short-form")
    given = _last_object(visible, shape) if visible else None
    if given is not None:
        missing = f"lacks {', '.join(given.missing)}: " if given.missing else ""
        reason = "json-incomplete" if given.missing else "json"
        return ExtractedAnswer(_write_json(_read(given, shape)), reason, f"{missing}{given.caption}"[:300])
    caption = extract_caption(reply, StateCaption(properties=shape.properties))
    if caption.answer is None:
        return caption
    empty: list[list[str]] = [[] for _ in range(shape.pairs)]
    alone = DiagnosisAnswer(captions=empty, changes=empty, target=[], caption=caption.answer)
    broken = visible is not None and '"target"' in visible
    return ExtractedAnswer(_write_json(alone), "json-broken" if broken else "caption-only", caption.span)


def is_diagnosis(text: str, shape: Diagnosis) -> bool:
    """Return whether the text is a diagnosis as written down here, right or wrong."""
    try:
        read = msgspec.json.decode(text, type=DiagnosisAnswer)
    except (msgspec.DecodeError, RecursionError):
        return False
    caption = StateCaption(properties=shape.properties)
    states = [*(state for pair in read.captions for state in pair), read.caption]
    changes = [*(change for of in read.changes for change in of), *read.target]
    return (
        len(read.captions) == len(read.changes) == shape.pairs
        and all(is_state(state, caption) or not state.strip("?, ") for state in states)
        and all(is_change(change, shape.properties) for change in changes)
    )


def _last_object(visible: str, shape: Diagnosis) -> _Given | None:
    """Return the last object that is a diagnosis and lies in no other one."""
    starts = [match.start() for match in _OPENS.finditer(visible)]
    found, ends = None, 0
    for start in [*starts[:_MOST_OPENINGS], *starts[_MOST_OPENINGS:][-_MOST_OPENINGS:]]:
        if start >= ends:
            value, length = _decode_json(visible[start:])
            given = _find_parts(value, shape)
            found, ends = (found, ends) if given is None else (given, start + length)
    return found


def _decode_json(text: str) -> tuple[object, int]:
    """Return the JSON value at the beginning of a text, and its length. Trailing commas are accepted."""
    for written in (text, _TRAILING_COMMA.sub(" ", text)):
        try:
            return json.JSONDecoder().raw_decode(written)
        except (ValueError, RecursionError):
            continue
    return None, 0


def _find_parts(found: object, shape: Diagnosis) -> _Given | None:
    """Return the parts of an object, however its lists are nested; None if it isn't a diagnosis."""
    if not isinstance(found, dict):
        return None
    parts: Mapping[str, Any] = {str(name).strip().lower(): part for name, part in found.items()}
    wanted = [name for name in _PARTS if name != "t2" or shape.pairs > 1]
    if not isinstance(parts.get("caption"), str) or not any(name in parts for name in wanted):
        return None
    return _Given(
        caption=parts["caption"].encode(errors="replace").decode(),  # half a surrogate pair can't be sent on
        captions=_by_pair(parts.get("captions")),
        changes=[_texts(parts.get(f"t{number}")) for number in range(1, shape.pairs + 1)],
        target=_texts(parts.get("target")),
        missing=[_NAMES.get(name, name) for name in wanted if name not in parts],
    )


def _by_pair(part: object) -> list[list[str]]:
    """Return two captions a pair, from a list of pairs or from one flat list."""
    within = list(part.values()) if isinstance(part, dict) else part
    if isinstance(within, list) and within and all(isinstance(entry, list | dict) for entry in within):
        return [_texts(entry) for entry in within]
    texts = _texts(part)
    return [texts[at : at + 2] for at in range(0, len(texts), 2)]


def _texts(part: object, depth: int = 0) -> list[str]:
    """Return all texts in a value, in order. An object with "from" and "to" is one line."""
    if isinstance(part, str):
        return [part]
    if isinstance(part, dict) and {"from", "to"} <= part.keys():
        return [f"[{part.get('property', '')}] changes from {part['from']} to {part['to']}"]
    if not isinstance(part, list | dict) or depth > _DEEPEST:
        return []
    within = part.values() if isinstance(part, dict) else part
    return [text for entry in within for text in _texts(entry, depth + 1)]


def _read(given: _Given, shape: Diagnosis) -> DiagnosisAnswer:
    captions = [
        [extract_state(text, shape.properties, most=_MOST_WORDS) for text in pair[:_MOST_CAPTIONS]]
        for pair in given.captions[: shape.pairs]
    ]
    ending = last_words(given.caption, _MOST_WORDS_OF_TARGET)
    caption = extract_caption(ending, StateCaption(properties=shape.properties)).answer
    return DiagnosisAnswer(
        captions=captions + [[] for _ in range(shape.pairs - len(captions))],
        changes=[extract_changes("\n".join(lines), shape.properties) for lines in given.changes],
        target=extract_changes("\n".join(given.target), shape.properties),
        caption=caption or _nothing(shape),
    )


def _nothing(shape: Diagnosis) -> str:
    return ", ".join("?" for _ in shape.properties)


def _write_json(read: DiagnosisAnswer) -> str:
    return msgspec.json.encode(read).decode()
