"""Answers on their way in: JSON, lines of JSON or CSV, plain or gzip, read whole before any of it is judged.

Nothing here reads the database: a fault found here is a fault for every submission. 64 KiB of gzip may need 64 MiB of
memory, and a JSON document forty times its size. So each is bounded before it is unpacked or decoded.

In order: what is refused by size, CSV (RFC 4180), gzip, JSON, and what is wrong with a single answer.
"""

import csv
import io
import re
import threading
import zlib
from codecs import BOM_UTF8
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import get_args

import msgspec

from api.errors import InvalidInputError, TooLargeError, UnreadableFormatError
from api.inputs import NUL, NUL_PROBLEM, NUL_REMEDY
from tetrad.contracts.answers import LARGEST_REPLY, Answer
from tetrad.contracts.inference import StopKind
from tetrad.contracts.problems import LONGEST_VALUE, Fault
from tetrad.server.value_words import find_field, find_place

MOST_LINES = 100_000
MOST_BLANK_LINES = 2 * MOST_LINES  # some programs write one between any two
MOST_BYTES = 64 * 2**20
MOST_JSON_BYTES = 4 * 2**20  # of one document: an entry may have two bytes, and takes 70 while it is listed
LONGEST_SEARCHED = 2**18  # bytes: in a longer wrong line the wrong value is not searched for
JSON = "application/json"
NDJSON = "application/x-ndjson"
JSONL = "application/jsonl"
GZIP_WINDOW = 16 + zlib.MAX_WBITS  # zlib's code for gzip's header and trailer
GZIP_CHUNK = 2**16  # bytes fed at once: zlib copies the rest of them behind each member
MOST_MEMBERS = 10_000  # of one gzip stream: a body of empty ones would take hours
EXAMPLE = 'send {"item": 0, "question": "...", "answer": "A"}, or "response" with the whole reply instead of "answer"'
DECODER = msgspec.json.Decoder(Answer)
UNPACKING = threading.BoundedSemaphore(2)  # each takes up to 200 MiB for a moment, even for 64 KiB of gzip
NO_JSON = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
CSV = "text/csv"
COLUMNS = ("item", "question", "answer", "response", "stop")
NEEDED = ("item", "question")
HEADER = "begin with the line item,question,answer (or response, or both; stop beside it), columns in any order"
LONGEST_RECORD = 2**19  # characters: room for the longest cells with every quotation mark doubled
QUOTING = (
    'put a cell with a comma, a quotation mark or a line break in "..." and double the marks inside; '
    "the comma stands directly behind the last mark"
)
INDEX = "leave the index out: in pandas, to_csv(path, index=False)"
REMEDIES = {
    "question": "give the question's id, as GET .../questions does",
    "answer": "give the label of one option; the whole reply goes into the column response",
    "response": "cut its beginning; the answer usually stands at the end",
    "stop": f"use {', '.join(get_args(StopKind))}, or leave the cell empty",
}
"""What to write instead of a wrong cell, by its column."""
WHOLE = re.compile(r"[0-9]{1,15}")
Record = tuple[int, Answer | Fault]
"""The line a record begins on, from 1, and what it says or what is wrong with it."""


def too_many_answers() -> TooLargeError:
    remedy = f"send {MOST_LINES} in one upload and the rest in others"
    return TooLargeError.at("answers", None, f"more than {MOST_LINES} answers", remedy)


def too_long_for_json() -> TooLargeError:
    problem = f"is a JSON document of more than {MOST_JSON_BYTES} bytes"
    return TooLargeError.at("body", None, problem, f"send one answer a line as {NDJSON}, or fewer at a time")


def too_many_blanks() -> TooLargeError:
    return TooLargeError.at("body", None, f"has more than {MOST_BLANK_LINES} empty lines", "leave them out")


def csv_records(body: bytes) -> Iterator[Record]:
    """Yield the records after the header. A broken quotation ends the table, because no later record can be told apart.

    Raises: InvalidInputError: the table is not UTF-8, or columns of its header are missing, unknown or repeated.
    """
    lines = _Lines(body)
    reader = csv.reader(lines, strict=True, skipinitialspace=True)
    columns: list[str] | None = None
    line, blanks = 1, 0
    try:
        for cells in reader:
            if columns is None:
                columns = _header(cells)
            elif any(cell.strip() for cell in cells):
                yield line, _record(columns, cells, line)
            elif (blanks := blanks + 1) > MOST_BLANK_LINES:
                raise too_many_blanks()
            line = reader.line_num + 1
            lines.begin_record()
    except UnicodeDecodeError as error:
        raise InvalidInputError.at(
            "body", None, f"is not UTF-8 ({error.reason})", "save the table as CSV UTF-8"
        ) from error
    except csv.Error as error:
        yield line, Fault(field="line", problem=f"is not CSV: {error}", remedy=QUOTING, line=line)
    if columns is None:
        raise InvalidInputError.at("body", None, "has no header line", HEADER)


class _Lines:
    """The lines of a table. Those of one record may not pass a bound, because each comma in them makes a cell."""

    def __init__(self, body: bytes) -> None:
        self._text = io.TextIOWrapper(io.BytesIO(body), "utf-8-sig", newline="")  # spreadsheets write a byte order mark
        self._left = LONGEST_RECORD

    def begin_record(self) -> None:
        self._left = LONGEST_RECORD

    def __iter__(self) -> Iterator[str]:
        for line in self._text:
            self._left -= len(line)
            if self._left < 0:
                raise csv.Error(f"a record is longer than {LONGEST_RECORD} characters")
            yield line


def _header(cells: list[str]) -> list[str]:
    names = [cell.strip().lower() for cell in cells]
    for separator, called in ((";", "semicolons"), ("\t", "tabs")):
        if len(names) == 1 and separator in names[0]:
            raise _header_error("header", cells[0], f"is separated by {called}", "separate the columns by commas")
    for place, (cell, name) in enumerate(zip(cells, names, strict=True), 1):
        if not name:
            raise _header_error(f"column {place}", cell, "has no name", _name_remedy(place, len(names)))
        if name not in COLUMNS:
            remedy = INDEX if name.startswith("unnamed:") else f"use {', '.join(COLUMNS)}"
            raise _header_error(cell[:80], cell, "is no column of answers", remedy)
        if names.count(name) > 1:
            raise _header_error(name, cell, "stands twice in the header", "name each column once")
    for name in NEEDED:
        if name not in names:
            raise _header_error(name, None, "is not among the columns", HEADER)
    if not {"answer", "response"} & set(names):
        raise _header_error("answer", None, "neither answer nor response is among the columns", HEADER)
    return names


def _name_remedy(place: int, number: int) -> str:
    """Say what leaves out a column without a name: pandas begins with one, spreadsheets end with one."""
    if place == 1:
        return f"delete the column, or {INDEX}"
    last = " (a comma at the end of each line makes one)" if place == number else ""
    return f"delete the column{last}, or name it: {', '.join(COLUMNS)}"


def _header_error(field: str, value: str | None, problem: str, remedy: str) -> InvalidInputError:
    return InvalidInputError.at(field, value, problem, remedy, line=1)


def _record(columns: list[str], cells: list[str], line: int) -> Answer | Fault:
    if len(cells) != len(columns):
        problem = f"has {len(cells)} cells where the header has {len(columns)}"
        return Fault(field="line", value=",".join(cells)[:80], problem=problem, remedy=QUOTING, line=line)
    given = {name: cell if name == "response" else cell.strip() for name, cell in zip(columns, cells, strict=True)}
    item = given["item"]
    if not WHOLE.fullmatch(item):
        remedy = "give the item's number, as GET .../questions does"
        return Fault(field="item", value=item[:80], problem="is not a whole number from 0", remedy=remedy, line=line)
    given = {name: cell for name, cell in given.items() if cell or name in NEEDED}
    if not {"answer", "response"} & set(given):
        return _empty_cell("answer" if "answer" in columns else "response", line)
    try:
        return msgspec.convert({**given, "item": int(item)}, Answer)
    except msgspec.ValidationError as error:
        place, problem = find_place(str(error))
        field = place or "line"
        problem = problem if given.get(field) else "the cell is empty"
        remedy = REMEDIES.get(field, HEADER)
        return Fault(field=field, value=given.get(field, "")[:LONGEST_VALUE], problem=problem, remedy=remedy, line=line)


def _empty_cell(column: str, line: int) -> Fault:
    remedy = "leave the line out: a question without an answer counts as missing"
    if column == "response":
        remedy += '; send a reply without any text as {"item": 0, "question": "...", "response": ""}, a line of NDJSON'
    return Fault(field=column, problem="the cell is empty", remedy=remedy, line=line)


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
    """Return the answers of the lines that can be read, and a fault for each other line.

    Raises:
        TooLargeError: it is too long.
        UnreadableFormatError: nothing here reads its type or encoding.
        InvalidInputError: it is no upload at all.
    """
    media_type = content_type.partition(";")[0].strip().lower() or JSON
    if media_type not in MEDIA_TYPES:
        raise UnreadableFormatError.at("Content-Type", media_type, "is not understood", f"use {', '.join(MEDIA_TYPES)}")
    with UNPACKING:
        plain = decompress(body, content_encoding.strip().lower())
        plain = plain.removeprefix(BOM_UTF8)  # Windows begins UTF-8 with it; RFC 8259 allows readers to skip it
        records = list(islice(MEDIA_TYPES[media_type](plain), MOST_LINES + 1))
        if len(records) > MOST_LINES:
            raise too_many_answers()
        return _check_records(records)


def decompress(body: bytes, encoding: str) -> bytes:
    """Return the plain body. Unpacking stops once it passes the limit, however much there is to come.

    Raises:
        TooLargeError, UnreadableFormatError, InvalidInputError: it can't be unpacked.
    """
    if encoding in {"", "identity"}:
        return body
    if encoding != "gzip":
        raise UnreadableFormatError.at("Content-Encoding", encoding, "is not understood", "use gzip or none")
    plain, place = bytearray(), 0
    for _ in range(MOST_MEMBERS):
        if place == len(body):
            return bytes(plain)
        place = _unpack_member(body, place, plain)
    raise TooLargeError.at("body", None, f"is gzip of more than {MOST_MEMBERS} members", "compress it as one")


def _unpack_member(body: bytes, place: int, plain: bytearray) -> int:
    """Append what the member of a gzip stream at `place` holds, and return where the next one begins."""
    member = zlib.decompressobj(GZIP_WINDOW)
    while not member.eof:
        chunk = body[place : place + GZIP_CHUNK]
        if not chunk:
            raise InvalidInputError.at("body", None, "the gzip stream ends early", "compress it again")
        try:
            plain += member.decompress(chunk, MOST_BYTES + 1 - len(plain))
        except zlib.error as error:
            raise InvalidInputError.at("body", None, f"is not gzip: {error}", "compress it again") from error
        if len(plain) > MOST_BYTES:
            raise TooLargeError.at(
                "body", None, f"is longer than {MOST_BYTES} bytes once unpacked", "send less at a time"
            )
        place += len(chunk) - len(member.unused_data)
    return place


def _lines(body: bytes) -> Iterator[Record]:
    blanks = 0
    for number, ended in enumerate(io.BytesIO(body), 1):
        line = ended.removesuffix(b"\n")
        if line.strip():
            yield _decode_record(number, line)
        elif (blanks := blanks + 1) > MOST_BLANK_LINES:
            raise too_many_blanks()


def _entries(body: bytes) -> Iterator[Record]:
    if len(body) > MOST_JSON_BYTES:
        raise too_long_for_json()
    try:
        envelope = msgspec.json.decode(body, type=_Envelope)
    except NO_JSON as error:
        place, problem = find_place(str(error))
        remedy = 'send {"answers": [...]}, or one answer a line as application/x-ndjson'
        raise InvalidInputError.at(place or "body", None, problem if body.strip() else "is empty", remedy) from error
    if len(envelope.answers) > MOST_LINES:  # before each is read: two million numbers take seconds
        raise too_many_answers()
    return (_decode_record(number, text) for number, text in enumerate(envelope.answers, 1))


MEDIA_TYPES: dict[str, Callable[[bytes], Iterator[Record]]] = {
    JSON: _entries,
    NDJSON: _lines,
    JSONL: _lines,
    CSV: csv_records,
}


def _decode_record(number: int, text: bytes | msgspec.Raw) -> Record:
    try:
        return number, DECODER.decode(text)
    except NO_JSON as error:
        return number, _unreadable(number, text, str(error))


def _check_records(records: list[Record]) -> Upload:
    good: list[Line] = []
    faults: list[Fault] = []
    for number, read in records:
        fault = read if isinstance(read, Fault) else _find_bad_form(number, read)
        if fault is not None:
            faults.append(fault)
        elif isinstance(read, Answer):
            good.append(Line(number, read))
    return Upload(good, faults)


def _unreadable(number: int, text: bytes | msgspec.Raw, message: str) -> Fault:
    field, (_, problem) = find_field(message) or "line", find_place(message)
    return Fault(field=field, value=_value(text, field), problem=problem, remedy=EXAMPLE, line=number)


def _value(text: bytes | msgspec.Raw, field: str) -> str | None:
    try:
        fields = _parse(text)
    except NO_JSON:
        return bytes(memoryview(text)[:80]).decode(errors="replace")
    found = fields.get(field) if isinstance(fields, dict) else fields
    return None if found is None else str(found)[:LONGEST_VALUE]


def _parse(text: bytes | msgspec.Raw) -> object:
    """Return the JSON of a wrong line, unless the line is so long that its contents could take gigabytes.

    Raises:
        msgspec.DecodeError: it is too long, or no JSON.
    """
    if memoryview(text).nbytes > LONGEST_SEARCHED:
        raise msgspec.DecodeError(f"longer than {LONGEST_SEARCHED} bytes")
    return msgspec.json.decode(text)


def _find_bad_form(number: int, answer: Answer) -> Fault | None:
    if (answer.answer is None) == (answer.response is None):
        problem = "is missing, and so is response" if answer.answer is None else "is given beside response: give one"
        both = None if answer.answer is None else f"answer {answer.answer}, response {answer.response}"[:LONGEST_VALUE]
        return Fault(field="answer", value=both, problem=problem, remedy=EXAMPLE, line=number)
    if answer.stop is not None and answer.response is None:
        problem, remedy = (
            "is given without response; it says why the response ended",
            "leave it out, or send the response",
        )
        return Fault(field="stop", value=answer.stop, problem=problem, remedy=remedy, line=number)
    for field, text in (("question", answer.question), ("answer", answer.answer), ("response", answer.response)):
        if text is not None and NUL in text:
            shown = text[:80].replace(NUL, "\\u0000")
            return Fault(field=field, value=shown, problem=NUL_PROBLEM, remedy=NUL_REMEDY, line=number)
    if answer.response is not None and len(answer.response.encode()) > LARGEST_REPLY:
        problem, remedy = (
            f"is longer than {LARGEST_REPLY} bytes",
            "cut its beginning; the answer usually stands at the end",
        )
        return Fault(field="response", value=answer.response[:80], problem=problem, remedy=remedy, line=number)
    return None
