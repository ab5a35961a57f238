"""JSON as servers of models write it: with NaN, halves of surrogate pairs, a byte order mark, endless numbers.

A reply is paid for by the time it is read. A fault in a field that nobody needs is no reason to ask for it again.
"""

import json
from codecs import BOM_UTF8
from typing import Any

import msgspec

LONGEST_NUMBER = 40  # digits: Python refuses to read very long ones


def decode_leniently(body: bytes) -> Any:
    """Return the decoded text; half a surrogate pair in it is U+FFFD.

    Raises:
        ValueError: it is no JSON, not even nearly, or it is nested too deep.
    """
    body = body.removeprefix(BOM_UTF8)
    try:
        return msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        pass
    try:
        return _without_halves(json.loads(body.decode(errors="replace"), parse_int=_whole_number))
    except RecursionError as error:
        raise ValueError("nested too deep") from error


def _without_halves(value: Any) -> Any:
    match value:
        case str():
            return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        case list():
            return [_without_halves(entry) for entry in value]
        case dict():
            return {_without_halves(name): _without_halves(entry) for name, entry in value.items()}
        case _:
            return value


def _whole_number(digits: str) -> int | float:
    return int(digits) if len(digits) <= LONGEST_NUMBER else float(digits)
