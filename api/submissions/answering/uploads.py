"""Answers on their way in: JSON, lines of JSON or CSV, plain or gzip, read whole before any of it is judged.

Nothing here looks at the database: what can be wrong here is wrong whatever the submission.
"""

import io
import re
import threading
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice

import msgspec

from api.http.texts import NUL, NUL_PROBLEM, NUL_REMEDY
from api.submissions.answering.csv_answers import CSV, Record, csv_records
from api.submissions.answering.upload_limits import (
    MOST_BLANK_LINES,
    MOST_LINES,
    count_entries,
    too_many_answers,
    too_many_blanks,
)
from tetrad.contracts.answers import Answer
from tetrad.contracts.problems import Fault
from tetrad.server.problems import refuse

MOST_BYTES = 64 * 2**20
LARGEST_RESPONSE = 32 * 1024
LONGEST_SEARCHED = 2**18  # bytes of a wrong line: in a longer one the wrong value is not looked for
JSON = "application/json"
NDJSON = "application/x-ndjson"
JSONL = "application/jsonl"
BOM = b"\xef\xbb\xbf"  # begins UTF-8 as Windows writes it; RFC 8259 lets a reader pass it over
GZIP_WINDOW = 16 + zlib.MAX_WBITS  # zlib's way to say: gzip's header and trailer
GZIP_CHUNK = 2**16  # fed at once: zlib copies what is left of it behind each member
MOST_MEMBERS = 10_000  # of one gzip stream: a body of empty ones would take hours
EXAMPLE = 'send {"item": 0, "question": "...", "answer": "A"}, or "response" with the whole reply instead of "answer"'
PLACE = re.compile(r" - at `\$\.?([^`]*)`$")
DECODER = msgspec.json.Decoder(Answer)
UNPACKING = threading.BoundedSemaphore(2)  # each takes up to 200 MiB for a moment, and 64 KiB of gzip ask for it
NO_JSON = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)


class _Envelope(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    answers: list[msgspec.Raw]


@dataclass(frozen=True)
class Line:
    """An answer and its place in the upload, from 1."""

    number: int
    answer: Answer


@dataclass(frozen=True)
class Upload:
    lines: list[Line]
    faults: list[Fault]


def read_upload(body: bytes, content_type: str, content_encoding: str) -> Upload:
    """Return the answers that can be read, and a fault for each line that can't.

    Raises:
        ProblemError: 413 too long, 415 an encoding we don't know, 422 no upload at all.
    """
    media_type = content_type.partition(";")[0].strip().lower() or JSON
    if media_type not in MEDIA_TYPES:
        raise refuse(415, "Content-Type", media_type, "is not understood", f"use {', '.join(MEDIA_TYPES)}")
    with UNPACKING:
        plain = decompressed(body, content_encoding.strip().lower()).removeprefix(BOM)
        records = list(islice(MEDIA_TYPES[media_type](plain), MOST_LINES + 1))
        if len(records) > MOST_LINES:
            raise too_many_answers()
        return _checked(records)


def decompressed(body: bytes, encoding: str) -> bytes:
    """Return the plain body; a bomb is given up on once it passes the limit, whatever it would become.

    Raises:
        ProblemError: 413, 415 or 422.
    """
    if encoding in {"", "identity"}:
        return body
    if encoding != "gzip":
        raise refuse(415, "Content-Encoding", encoding, "is not understood", "use gzip or none")
    plain, place = bytearray(), 0
    for _ in range(MOST_MEMBERS):
        if place == len(body):
            return bytes(plain)
        place = _unpack_member(body, place, plain)
    raise refuse(413, "body", None, f"is gzip of more than {MOST_MEMBERS} members", "compress it as one")


def _unpack_member(body: bytes, place: int, plain: bytearray) -> int:
    """Append what the member of a gzip stream at `place` holds, and return where the next one begins."""
    member = zlib.decompressobj(GZIP_WINDOW)
    while not member.eof:
        chunk = body[place : place + GZIP_CHUNK]
        if not chunk:
            raise refuse(422, "body", None, "the gzip stream ends early", "compress it again")
        try:
            plain += member.decompress(chunk, MOST_BYTES + 1 - len(plain))
        except zlib.error as error:
            raise refuse(422, "body", None, f"is no gzip: {error}", "compress it again") from error
        if len(plain) > MOST_BYTES:
            raise refuse(413, "body", None, f"is longer than {MOST_BYTES} bytes once unpacked", "send less at a time")
        place += len(chunk) - len(member.unused_data)
    return place


def _lines(body: bytes) -> Iterator[Record]:
    blanks = 0
    for number, ended in enumerate(io.BytesIO(body), 1):
        line = ended.removesuffix(b"\n")
        if line.strip():
            yield _decoded(number, line)
        elif (blanks := blanks + 1) > MOST_BLANK_LINES:
            raise too_many_blanks()


def _entries(body: bytes) -> Iterator[Record]:
    try:
        count_entries(body)
        envelope = msgspec.json.decode(body, type=_Envelope)
    except NO_JSON as error:
        place = PLACE.search(str(error))
        remedy = 'send {"answers": [...]}, or one answer a line as application/x-ndjson'
        raise refuse(422, place[1] if place else "body", None, PLACE.sub("", str(error)), remedy) from error
    return (_decoded(number, text) for number, text in enumerate(envelope.answers, 1))


MEDIA_TYPES: dict[str, Callable[[bytes], Iterator[Record]]] = {
    JSON: _entries,
    NDJSON: _lines,
    JSONL: _lines,
    CSV: csv_records,
}


def _decoded(number: int, text: bytes | msgspec.Raw) -> Record:
    try:
        return number, DECODER.decode(text)
    except NO_JSON as error:
        return number, _unreadable(number, text, str(error))


def _checked(records: list[Record]) -> Upload:
    good: list[Line] = []
    faults: list[Fault] = []
    for number, read in records:
        fault = read if isinstance(read, Fault) else _ill_formed(number, read)
        if fault is not None:
            faults.append(fault)
        elif isinstance(read, Answer):
            good.append(Line(number, read))
    return Upload(good, faults)


def _unreadable(number: int, text: bytes | msgspec.Raw, message: str) -> Fault:
    place = PLACE.search(message)
    field = place[1] if place else ""
    unknown = re.search(r"unknown field `([^`]*)`", message)
    named = unknown[1] if unknown else field or "line"
    return Fault(field=named, value=_value(text, named), problem=PLACE.sub("", message), remedy=EXAMPLE, line=number)


def _value(text: bytes | msgspec.Raw, field: str) -> str | None:
    try:
        fields = _parsed(text)
    except NO_JSON:
        return bytes(memoryview(text)[:80]).decode(errors="replace")
    found = fields.get(field) if isinstance(fields, dict) else fields
    return None if found is None else str(found)[:200]


def _parsed(text: bytes | msgspec.Raw) -> object:
    """Return the JSON of a wrong line, unless it is so long that what it holds could take gigabytes.

    Raises:
        msgspec.DecodeError: it is too long, or no JSON.
    """
    if memoryview(text).nbytes > LONGEST_SEARCHED:
        raise msgspec.DecodeError(f"longer than {LONGEST_SEARCHED} bytes")
    return msgspec.json.decode(text)


def _ill_formed(number: int, answer: Answer) -> Fault | None:
    if (answer.answer is None) == (answer.response is None):
        problem = "needs exactly one of answer and response"
        return Fault(field="answer", problem=problem, remedy=EXAMPLE, line=number)
    for field, text in (("question", answer.question), ("answer", answer.answer), ("response", answer.response)):
        if text is not None and NUL in text:
            shown = text[:80].replace(NUL, "\\u0000")
            return Fault(field=field, value=shown, problem=NUL_PROBLEM, remedy=NUL_REMEDY, line=number)
    if answer.response is not None and len(answer.response.encode()) > LARGEST_RESPONSE:
        problem, remedy = f"is longer than {LARGEST_RESPONSE} bytes", "cut it; the end holds the answer as a rule"
        return Fault(field="response", value=answer.response[:80], problem=problem, remedy=remedy, line=number)
    return None
