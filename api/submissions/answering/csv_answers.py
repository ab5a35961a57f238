"""Answers as CSV (RFC 4180, UTF-8): a header, then one answer a record, any column left out or empty but its place.

Cells are taken as they are: an answer that begins with = or + is an answer. Nothing here opens them in a spreadsheet.
"""

import csv
import io
import re
from collections.abc import Iterator

import msgspec

from api.submissions.answering.upload_limits import MOST_BLANK_LINES, too_many_blanks
from tetrad.contracts.answers import Answer
from tetrad.contracts.problems import Fault
from tetrad.server.problems import ProblemError, refuse

CSV = "text/csv"
COLUMNS = ("item", "question", "answer", "response")
NEEDED = ("item", "question")
HEADER = "begin with the line item,question,answer (or response, or both), columns in any order"
LONGEST_RECORD = 2**19  # characters: more than the longest cells that can be read take with all their marks doubled
QUOTING = 'put a cell with a comma, a quotation mark or a line break in "..." and double the marks inside'
WHOLE = re.compile(r"[0-9]{1,15}")
PLACE = re.compile(r" - at `\$\.?([^`]*)`$")
Record = tuple[int, Answer | Fault]
"""The line a record begins on, from 1, and what it says or what is wrong with it."""


def csv_records(body: bytes) -> Iterator[Record]:
    """Yield the records after the header. A broken quotation ends the reading: what follows can't be told apart.

    Raises:
        ProblemError: 422, no UTF-8, or a header with columns missing, unknown or doubled.
    """
    lines = _Lines(body)
    reader = csv.reader(lines, strict=True)
    columns: list[str] | None = None
    line, blanks = 1, 0
    try:
        for cells in reader:
            if columns is None:
                columns = _header(cells)
            elif cells:
                yield line, _record(columns, cells, line)
            elif (blanks := blanks + 1) > MOST_BLANK_LINES:
                raise too_many_blanks()
            line = reader.line_num + 1
            lines.begin_record()
    except UnicodeDecodeError as error:
        raise refuse(422, "body", None, f"is no UTF-8 ({error.reason})", "save the table as CSV UTF-8") from error
    except csv.Error as error:
        yield line, Fault(field="line", problem=f"is no CSV: {error}", remedy=QUOTING, line=line)
    if columns is None:
        raise refuse(422, "body", None, "holds no header", HEADER)


class _Lines:
    """The lines of a table, as long as those of one record stay below a bound: each comma in them makes a cell."""

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
    if len(names) == 1 and ";" in names[0]:
        raise _misheaded("header", cells[0], "is separated by semicolons", "separate the columns by commas")
    for cell, name in zip(cells, names, strict=True):
        if name not in COLUMNS:
            raise _misheaded(cell[:80] or "header", cell, "is no column of answers", f"use {', '.join(COLUMNS)}")
        if names.count(name) > 1:
            raise _misheaded(name, cell, "stands twice in the header", "name each column once")
    for name in NEEDED:
        if name not in names:
            raise _misheaded(name, None, "is not among the columns", HEADER)
    if len(names) == len(NEEDED):
        raise _misheaded("answer", None, "neither answer nor response is among the columns", HEADER)
    return names


def _misheaded(field: str, value: str | None, problem: str, remedy: str) -> ProblemError:
    fault = Fault(field=field, value=value, problem=problem, remedy=remedy, line=1)
    return ProblemError(422, f"{field}: {problem}; {remedy}", faults=[fault])


def _record(columns: list[str], cells: list[str], line: int) -> Answer | Fault:
    if len(cells) != len(columns):
        problem = f"has {len(cells)} cells where the header has {len(columns)}"
        return Fault(field="line", value=",".join(cells)[:80], problem=problem, remedy=QUOTING, line=line)
    given = {name: cell for name, cell in zip(columns, cells, strict=True) if cell or name in NEEDED}
    item = given["item"].strip()
    if not WHOLE.fullmatch(item):
        remedy = "give the item's number, as GET .../questions does"
        return Fault(field="item", value=item[:80], problem="is no whole number from 0", remedy=remedy, line=line)
    try:
        return msgspec.convert({**given, "item": int(item)}, Answer)
    except msgspec.ValidationError as error:
        place = PLACE.search(str(error))
        field = place[1] if place else "line"
        problem = PLACE.sub("", str(error))
        return Fault(field=field, value=given.get(field, "")[:200], problem=problem, remedy=HEADER, line=line)
