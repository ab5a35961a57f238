"""Read the published layout: one CSV of gold items, and the photographs that it names, in any folders.

Photographs are kept as PNG of their decoded pixels. Files that no item names may lie beside them (imSitu has 126,000):
they are not mounted.
"""

import ast
import csv
import hashlib
import io
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath

from generator_service.benchmarks.vasr.published.spec import (
    CHANGED,
    CHOSEN,
    COLUMNS,
    DISTRACTORS,
    FEWEST,
    GIVEN_COLUMNS,
    MINED,
    MOST,
    Analogy,
)
from generator_service.drawing.png import encode_png
from generator_service.sources.decoding import PHOTOGRAPH, UnreadablePictureError, decode_picture
from generator_service.sources.faults import Faults
from generator_service.sources.published import Gathered
from generator_service.sources.reader import Spooled

_PUBLISHED = "give the file as it was published"


class Photographs:
    """Reads photographs by their names, each once, and keeps them as PNG by their SHA-256."""

    def __init__(self, source: Spooled, faults: Faults) -> None:
        self.kept: dict[str, bytes] = {}
        self._source, self._faults = source, faults
        self._known: dict[str, str | None] = {}
        self._files: dict[str, str] = {}
        for name in source.names():
            stem = PurePosixPath(name).name
            if stem in self._files:
                faults.add(name, f"is there twice, also as {self._files[stem]}", "keep one of them")
            self._files.setdefault(stem, name)

    def has(self, name: str) -> bool:
        return name in self._files

    def sha(self, name: str) -> str | None:
        """Return the SHA-256 of a photograph's PNG; None where it can't be shown, which is a fault."""
        if name not in self._known:
            self._known[name] = self._read_photograph(name)
        return self._known[name]

    def _read_photograph(self, name: str) -> str | None:
        try:
            body = encode_png(decode_picture(self._source.read(self._files[name]), PHOTOGRAPH))
        except UnreadablePictureError as error:
            self._faults.add(self._files[name], str(error), "give a whole photograph")
            return None
        sha = hashlib.sha256(body).hexdigest()
        self.kept[sha] = body
        return sha


def gather(source: Spooled, partial: bool, faults: Faults) -> Gathered:  # noqa: FBT001 -- the layouts' one signature
    """Return the items and their photographs; add what is wrong to `faults`.

    partial: leave out items of which a photograph is missing, and say so in `faults`.
    """
    photographs = Photographs(source, faults)
    found: list[Analogy] = []
    for place, row in _rows(source, faults):
        candidates = _candidates(row, place, faults)
        if not candidates:
            continue
        named = (*(row[column] for column in GIVEN_COLUMNS.values()), *candidates)
        if missing := [name for name in named if not photographs.has(name)]:
            if partial:
                faults.leave_out(f"row {place}", f"{', '.join(missing)} missing", "add what is missing")
                continue
            for name in missing:
                faults.add(name, f"is missing, row {place} shows it", "add it, or mount the others with --partial")
            continue
        shas = [sha for name in named if (sha := photographs.sha(name)) is not None]
        if len(shas) < len(named):
            continue
        if len(set(shas[len(GIVEN_COLUMNS) :])) < len(candidates):
            faults.add(f"row {place}", "two of its candidates are one photograph", _PUBLISHED)
            continue
        a, changed, b, *offered = shas
        found.append(
            Analogy(
                place=place,
                given=(a, changed, b),
                candidates=tuple(offered),
                gold=candidates.index(row[CHOSEN]),
                mined=row[CHOSEN] == row[MINED],
                role=row.get(CHANGED, ""),
            )
        )
    shown = {sha for analogy in found for sha in (*analogy.given, *analogy.candidates)}
    return Gathered(tuple(found), {sha: body for sha, body in photographs.kept.items() if sha in shown})


def _rows(source: Spooled, faults: Faults) -> Iterator[tuple[int, Mapping[str, str]]]:
    """Yield the rows of the one CSV file with their numbers, from 1."""
    files = [name for name in source.names() if name.lower().endswith(".csv")]
    if len(files) != 1:
        listed = ", ".join(files) or "none"
        faults.add("CSV", f"there must be one .csv file, there are {len(files)} ({listed})", "give one split at a time")
        return
    try:
        table = csv.DictReader(io.StringIO(source.read(files[0]).decode("utf-8-sig")), strict=True)
        lacking = [column for column in COLUMNS if column not in (table.fieldnames or ())]
        if lacking:
            faults.add(files[0], f"has no column {', '.join(lacking)}", _PUBLISHED)
            return
        for place, row in enumerate(table, 1):
            if any(row[column] is None for column in COLUMNS):
                faults.add(f"row {place}", "has fewer fields than the first line has columns", _PUBLISHED)
            else:
                yield place, row
    except (UnicodeDecodeError, csv.Error) as error:
        faults.add(files[0], f"is no CSV file in UTF-8 ({error})", _PUBLISHED)


def _candidates(row: Mapping[str, str], place: int, faults: Faults) -> tuple[str, ...]:
    """Return the names of the candidates, the mined one first; none where the row can't be asked."""
    try:
        listed = ast.literal_eval(row[DISTRACTORS])
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        listed = None
    if not (isinstance(listed, list) and all(isinstance(name, str) for name in listed)):
        faults.add(f"row {place}", f"{DISTRACTORS} is {row[DISTRACTORS][:60]!r}, no list of names", _PUBLISHED)
        return ()
    candidates = (row[MINED], *listed)
    if not FEWEST <= len(candidates) <= MOST or len(set(candidates)) < len(candidates):
        problem = f"has {len(candidates)} candidates, {len(set(candidates))} of them different"
        faults.add(f"row {place}", problem, f"give {FEWEST} to {MOST} different ones")
        return ()
    if row[CHOSEN] not in candidates:
        problem = f"{CHOSEN} is {row[CHOSEN]!r}, none of its candidates"
        faults.add(f"row {place}", problem, "leave out items without a majority")
        return ()
    return candidates
