"""The answers of a revealed submission in one object, which replaces their rows.

The object begins with a mark and an index. Then come parts, each with the answers to `ITEMS_A_PART` items, packed, so
that a page of items is read without unpacking the others.
"""

import hashlib
import struct
import zlib
from collections.abc import Iterable, Iterator
from itertools import groupby

import msgspec

MARK = b"tetrad/answers/1\n"
ITEMS_A_PART = 128
FOLDER = "answers"
_LENGTH = struct.Struct(">I")


class KeptAnswersError(ValueError):
    """The object differs from the one that was kept."""


class KeptAnswer(msgspec.Struct, array_like=True, frozen=True, gc=False):
    """A sealed answer as its row had it. After its team was deleted there is no `response`."""

    item: int
    question: str
    answer: str | None
    response: str | None
    stop: str | None
    sealed_at: int


class _Part(msgspec.Struct, array_like=True, frozen=True, gc=False):
    """The position of the answers to items first..last behind the index."""

    first: int
    last: int
    start: int
    length: int


_ANSWERS = msgspec.msgpack.Decoder(list[KeptAnswer])
_INDEX = msgspec.msgpack.Decoder(list[_Part])


def pack_answers(answers: Iterable[KeptAnswer]) -> bytes:
    """Return the object of these answers; it is the same for the same answers in any order."""
    ordered = sorted(answers, key=lambda one: (one.item, one.question))
    index: list[_Part] = []
    parts: list[bytes] = []
    start = 0
    for _, group in groupby(ordered, key=lambda one: one.item // ITEMS_A_PART):
        held = list(group)
        packed = zlib.compress(msgspec.msgpack.encode(held))
        index.append(_Part(held[0].item, held[-1].item, start, len(packed)))
        parts.append(packed)
        start += len(packed)
    head = msgspec.msgpack.encode(index)
    return b"".join([MARK, _LENGTH.pack(len(head)), head, *parts])


def unpack_answers(body: bytes, items: range | None = None) -> Iterator[KeptAnswer]:
    """Yield the answers to these items, or all, by item and question.

    Raises: KeptAnswersError: this is not such an object.
    """
    try:
        if not body.startswith(MARK):
            raise KeptAnswersError(
                "this is not an object of kept answers: its mark is missing; restore it from a backup"
            )
        begin = len(MARK) + _LENGTH.size
        (length,) = _LENGTH.unpack_from(body, len(MARK))
        index, content = _INDEX.decode(body[begin : begin + length]), begin + length
        for part in index:
            if items is not None and (not items or part.last < items[0] or part.first > items[-1]):
                continue
            packed = body[content + part.start : content + part.start + part.length]
            for answer in _ANSWERS.decode(zlib.decompress(packed)):
                if items is None or answer.item in items:
                    yield answer
    except (msgspec.DecodeError, struct.error, zlib.error) as error:
        raise KeptAnswersError(f"the object of kept answers is damaged ({error})") from error


def digest_of(body: bytes) -> str:
    return hashlib.sha256(body).hexdigest()


def folder_of(submission: str) -> str:
    """Return the prefix below which the objects of a submission's answers lie."""
    return f"{FOLDER}/{submission}"


def object_name(submission: str, digest: str) -> str:
    return f"{folder_of(submission)}/{digest}.bin"
