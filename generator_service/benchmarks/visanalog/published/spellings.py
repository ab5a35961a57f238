"""Read the steps of a published program in each way that they may be written; stands alone as it is pure.

The paper gives the operations in words and an instance as an ordered list of them (appendix A). Nobody here has seen
how the release writes them.
"""

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

FORMS = (
    'a list of texts (["zoom", "rotate 90"]), a list of objects ([{"name": "rotate", "degrees": 90}] or '
    '[{"rotate": 90}]), or one text with semicolons, commas or arrows between steps ("swap_tiles(0, 3), rotate(90)")'
)
"""The accepted ways, for messages."""
_SEPARATOR = re.compile(r"->|→|;|,")
_OPENING, _CLOSING = "([{", ")]}"
_NAMES = ("name", "op", "operation", "type", "kind", "step", "transform", "transformation")
_VALUES = ("params", "parameters", "args", "arguments", "kwargs")
_KIND_OF = (
    ("hue", "hue"),
    ("zoom", "zoom"),
    ("crop", "zoom"),
    ("swap", "swap"),
    ("tile", "swap"),
    ("quadrant", "swap"),
    ("rot", "rotation"),
    ("flip", "flip"),
    ("mirror", "flip"),
)


def steps_of(program: object) -> list[str] | None:
    """Return the texts of a program's steps, in order; None where it is in no form that is read."""
    if isinstance(program, str):
        listed = listed_in(program)
        program = _parts(program) if isinstance(listed, str) else listed
    if not isinstance(program, Sequence):
        return None
    steps = [_step(part) for part in program]
    return None if None in steps else [step for step in steps if step]


def kind_of(step: str) -> str:
    """Return which kind of step a text names; "" if none. What stands in brackets counts only if nothing else does."""
    words = step.lower().replace("_", " ")
    return _find_kind(re.split(r"[(\[{]", words)[0]) or _find_kind(words)


def listed_in(text: str) -> object:
    """Return the list or object that a text holds as JSON or as Python writes it; the text itself if it holds none."""
    if text.lstrip()[:1] not in {"[", "{"}:
        return text
    try:
        return msgspec.json.decode(text)
    except msgspec.DecodeError:
        pass
    try:
        found: object = ast.literal_eval(text.strip())
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return text
    return found


def _find_kind(words: str) -> str:
    return next((kind for word, kind in _KIND_OF if word in words), "")


def _parts(text: str) -> list[str] | None:
    """Split a text at the separators that stand outside brackets; None where brackets don't match."""
    text = text.strip()
    if text.startswith("[") and text.endswith("]"):
        text = text[1:-1]
    ends, depth = [], 0
    for found in re.finditer(rf"{_SEPARATOR.pattern}|[{re.escape(_OPENING + _CLOSING)}]", text):
        if found[0] in _OPENING:
            depth += 1
        elif found[0] in _CLOSING:
            depth -= 1
        elif depth == 0:
            ends.append(found.span())
        if depth < 0:
            return None
    starts = [0, *(end for _, end in ends)]
    stops = [*(start for start, _ in ends), len(text)]
    return None if depth else [text[start:stop] for start, stop in zip(starts, stops, strict=True)]


def _step(part: object) -> str | None:
    """Return one step as text; None where it is neither a text nor an object that names a step."""
    if isinstance(part, str):
        return part.strip().strip("'\"").strip()
    if not isinstance(part, Mapping):
        return None
    given = {str(key): value for key, value in part.items() if value is not None}  # Parquet fills in what others have
    named = [key for key in given if key.lower() in _NAMES and isinstance(given[key], str)]
    if len(named) == 1:
        name = given.pop(named[0])
        values = ", ".join(_values(given))
    elif len(given) == 1:
        [(name, value)] = given.items()
        values = _write_value(value)
    else:
        return None
    return f"{name}({values})" if values else str(name)


def _values(given: Mapping[str, Any]) -> Iterator[str]:
    for key, value in given.items():
        if key.lower() not in _VALUES:
            yield f"{key}={_write_value(value)}"
        elif isinstance(value, Mapping):
            yield from _values({str(inner): part for inner, part in value.items() if part is not None})
        else:
            yield from map(_write_value, value if isinstance(value, list) else [value])


def _write_value(value: object) -> str:
    """Write a value as a person would: a text bare, a list as JSON; "" for one that only says that a step is there."""
    if value is True:
        return ""
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()
