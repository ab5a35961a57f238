"""One byte string for one sequence of fields, so that hashes never collide by adjacency.

Every field is written as a type tag, its length and its bytes: ("ab", "c") and ("a", "bc") differ, and so do
1, "1" and True. Seeds, item streams, commitments and the hash-chained log are all SHA-256 over these bytes.
"""

import hashlib
from collections.abc import Mapping, Sequence
from typing import TypeAlias, Union

Field: TypeAlias = Union[bool, int, str, bytes, Sequence["Field"], Mapping[str, "Field"], None]


def canonical_bytes(*fields: Field) -> bytes:
    """Return the length-prefixed encoding of the fields, in order.

    Raises:
        TypeError: a field is of a kind with no canonical form (floats among them: write them as text).
    """
    return b"".join(map(_encode, fields))


def digest(*fields: Field) -> bytes:
    """Return SHA-256 (32 bytes) over the canonical bytes of the fields."""
    return hashlib.sha256(canonical_bytes(*fields)).digest()


def hexdigest(*fields: Field) -> str:
    """Return `digest` as 64 lowercase hex digits."""
    return digest(*fields).hex()


def _encode(field: Field) -> bytes:
    if isinstance(field, str):
        return _frame(b"s", field.encode())
    if isinstance(field, bytes):
        return _frame(b"b", field)
    if field is None:
        return _frame(b"n", b"None")
    if isinstance(field, int):  # bool is an int: the tag tells them apart; of an IntEnum, its number
        tag, text = (b"t", str(field)) if isinstance(field, bool) else (b"i", int.__repr__(field))
        return _frame(tag, text.encode())
    if isinstance(field, tuple | list | Sequence):  # the plain kinds first: asking for an abstract one is slow
        return _frame(b"l", b"".join(map(_encode, field)))
    if isinstance(field, Mapping):
        return _frame(b"m", b"".join(_encode(name) + _encode(field[name]) for name in sorted(field)))
    raise TypeError(f"{type(field).__name__} has no canonical form: {field!r}; pass str, int, bool, bytes or None")


def _frame(tag: bytes, body: bytes) -> bytes:
    return tag + len(body).to_bytes(8, "big") + body
