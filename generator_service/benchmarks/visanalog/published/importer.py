"""Read the published layout: Parquet, JSON or JSON lines, with the pictures inside or beside, in any folders.

The paper names the fields of a question (appendix A) and where the release lies, `zli99/VisAnalog` on Hugging Face. Its
page there says: Parquet, with pictures and texts, fewer than a thousand rows. The names of its columns were not to be
seen when this was written. So capitals in the paper's names don't matter, choices may be called options, and a column
of text may hold a list as JSON.
"""

import hashlib
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any

import msgspec

from generator_service.benchmarks.visanalog.published.spec import LABELS, MOST_STEPS, Asked, Embedded, Entry
from generator_service.sources.decoding import PHOTOGRAPH, UnreadablePictureError, decoded
from generator_service.sources.faults import Faults
from generator_service.sources.published import Gathered
from generator_service.sources.reader import Spooled

_PICTURES = (".png", ".jpg", ".jpeg", ".webp")
_PUBLISHED = "give the file as it was published"
_LONGEST = 2000  # characters of a question or of a choice
_PARQUET = ".parquet"
_FIELDS = {name.lower(): name for name in Entry.__struct_fields__} | {"options": "choices"}
_ROWS_AT_ONCE = 8  # of Parquet; a row holds three photographs
_ANSWER = re.compile(r"\W*([A-D])\W*")
_BETWEEN = re.compile(r"\s*(?:->|→|;|,)\s*")
_KIND_OF = (
    ("zoom", "zoom"),
    ("crop", "zoom"),
    ("swap", "swap"),
    ("tile", "swap"),
    ("quadrant", "swap"),
    ("rot", "rotation"),
    ("flip", "flip"),
    ("mirror", "flip"),
)


def gather(source: Spooled, partial: bool, faults: Faults) -> Gathered:  # noqa: FBT001 -- the layouts' one signature
    """Return the questions and their pictures; add what is wrong to `faults`.

    partial: skip questions of which a picture is missing.
    """
    finder = _Finder(source, faults)
    found = []
    for number, (where, entry) in enumerate(_entries(source, faults)):
        given = entry.image_A, entry.image_B, entry.image_C
        pictures = [finder.find(where, one) for one in given]
        if None in pictures:
            if not partial:
                missing = next(one for one, picture in zip(given, pictures, strict=True) if picture is None)
                name = missing.path if isinstance(missing, Embedded) else missing
                remedy = "add the picture, or mount the others with --partial"
                faults.add(f"question {number}", f"its picture {name} is missing, or several have this name", remedy)
            continue
        shas = [finder.taken(f"{where}, question {number}", picture) for picture in pictures if picture is not None]
        if (asked := _asked(number, entry, shas, faults)) is not None:
            found.append(asked)
    used = {sha for asked in found for sha in asked.pictures}
    return Gathered(tuple(found), {sha: body for sha, body in finder.pictures.items() if sha in used})


class _Finder:
    """Finds pictures by the names that entries give, and keeps those that were taken."""

    def __init__(self, source: Spooled, faults: Faults) -> None:
        self._source, self._faults = source, faults
        self.pictures: dict[str, bytes] = {}
        self._taken: dict[str, str] = {}
        self._names = {name for name in source.names() if name.lower().endswith(_PICTURES)}
        self._by_last: dict[str, list[str]] = defaultdict(list)
        for name in self._names:
            self._by_last[PurePosixPath(name).name].append(name)

    def find(self, where: str, given: str | Embedded) -> str | bytes | None:
        """Return the file that an entry of the file `where` means, or the picture that it holds.

        None if there is none, or several may be meant.
        """
        if isinstance(given, Embedded):
            return given.body or (self.find(where, given.path) if given.path else None)
        beside = str(PurePosixPath(where).parent / given)
        for name in (given, beside):
            if name in self._names:
                return name
        last = self._by_last.get(PurePosixPath(given).name, [])
        return last[0] if len(last) == 1 else None

    def taken(self, where: str, found: str | bytes) -> str:
        """Return the SHA-256 of a picture's bytes, and keep it; a picture that can't be shown is a fault."""
        if isinstance(found, bytes):
            return self._kept(where, found)
        if found not in self._taken:
            self._taken[found] = self._kept(found, self._source.read(found))
        return self._taken[found]

    def _kept(self, where: str, body: bytes) -> str:
        sha = hashlib.sha256(body).hexdigest()
        if sha not in self.pictures:
            try:
                decoded(body, PHOTOGRAPH)
            except UnreadablePictureError as error:
                self._faults.add(where, str(error), "give a whole JPEG, PNG or WebP file")
            self.pictures[sha] = body
        return sha


def _entries(source: Spooled, faults: Faults) -> Iterator[tuple[str, Entry]]:
    """Yield the valid entries of all files, in order, each with its file's name."""
    files = [name for name in source.names() if name.lower().endswith((".json", ".jsonl", _PARQUET))]
    if not files:
        faults.add("questions", "there is no .parquet, .json or .jsonl file", _PUBLISHED)
    for name in files:
        for place, row in _rows(source, name, faults):
            try:
                yield name, msgspec.convert(_fields(row), type=Entry)
            except msgspec.ValidationError as error:
                faults.add(f"{name}, entry {place}", str(error), _PUBLISHED)


def _rows(source: Spooled, name: str, faults: Faults) -> Iterator[tuple[int, Any]]:
    """Yield the rows of a file as plain data, each with its place; what can't be read is a fault."""
    if name.lower().endswith(_PARQUET):
        yield from enumerate(_parquet_rows(source, name, faults))
        return
    body = source.read(name)
    if name.lower().endswith(".jsonl"):
        lines = [line for line in body.splitlines() if line.strip()]
        for place, line in enumerate(lines):
            row = _decoded(f"{name}, entry {place}", line, faults)
            if row is not None:
                yield place, row
        return
    found = _decoded(name, body, faults)
    if isinstance(found, list):
        yield from enumerate(found)
    elif found is not None:
        faults.add(name, f"is no JSON list (it is of type {type(found).__name__})", _PUBLISHED)


def _decoded(where: str, text: bytes, faults: Faults) -> Any:
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        faults.add(where, f"is no JSON ({error})", _PUBLISHED)
        return None


def _parquet_rows(source: Spooled, name: str, faults: Faults) -> Iterator[Any]:
    try:
        from pyarrow import ArrowException, parquet  # noqa: PLC0415 -- of an extra
    except ImportError:
        remedy = "pip install pyarrow, or save the questions as JSON lines with the pictures beside them"
        faults.add(name, "is Parquet, which pyarrow reads, and that is not installed", remedy)
        return
    try:
        with source.open(name) as file:
            for batch in parquet.ParquetFile(file).iter_batches(_ROWS_AT_ONCE):
                yield from batch.to_pylist()
    except (ArrowException, OSError) as error:
        faults.add(name, f"is no whole Parquet file ({error})", _PUBLISHED)


def _fields(row: object) -> object:
    """Return a row under the paper's names of its fields; a text that is a JSON list or object is read."""
    if not isinstance(row, Mapping):
        return row
    known = {_FIELDS[name.lower()]: value for name, value in row.items() if name.lower() in _FIELDS}
    return {
        name: _unpacked(value) if name in {"choices", "program"} and isinstance(value, str) else value
        for name, value in known.items()
    }


def _unpacked(text: str) -> object:
    if text.lstrip()[:1] not in {"[", "{"}:
        return text
    try:
        return msgspec.json.decode(text)
    except msgspec.DecodeError:
        return text


def _asked(number: int, entry: Entry, pictures: Sequence[str], faults: Faults) -> Asked | None:
    choices = entry.choices if isinstance(entry.choices, list) else [entry.choices.get(one, "") for one in LABELS]
    choices = [text.strip() for text in choices]
    program = _steps(entry.program)
    kinds = [_kind(step) for step in program]
    answer = _ANSWER.fullmatch(entry.answer.strip())
    problems = []
    if len(choices) != len(LABELS) or len(set(choices)) != len(LABELS) or not all(choices):
        problems.append((f"choices are {len(set(choices) - {''})} different texts", "give four"))
    if answer is None:
        problems.append((f"answer is {entry.answer[:40]!r}", f"give one of {', '.join(LABELS)}"))
    if not 0 < len(entry.question.strip()) <= _LONGEST or any(len(text) > _LONGEST for text in choices):
        problems.append(("question or choices are empty or too long", f"give 1 to {_LONGEST} characters"))
    if not 1 <= len(program) <= MOST_STEPS or "" in kinds or len(set(kinds)) != len(kinds):
        known = "a zoom, a swap, a rotation, a flip and a hue rotation, each at most once"
        problems.append((f"program is {str(entry.program)[:80]!r}", f"give one to four steps of {known}"))
    for problem, remedy in problems:
        faults.add(f"question {number}", problem, remedy)
    if problems or answer is None:
        return None
    first, second, third = pictures
    one, two, three, four = choices
    return Asked(
        number=number,
        pictures=(first, second, third),
        question=entry.question.strip(),
        choices=(one, two, three, four),
        answer=answer[1],
        program=tuple(program),
        kinds=tuple(kinds),
    )


def _steps(program: list[str] | str) -> list[str]:
    parts = _BETWEEN.split(program.strip().strip("[]")) if isinstance(program, str) else program
    return [text for part in parts if (text := part.strip().strip("'\""))]


def _kind(step: str) -> str:
    """Return which kind of step a text names; "" if none."""
    words = step.lower().replace("_", " ")
    if "hue" in words:
        return "hue"
    return next((kind for word, kind in _KIND_OF if word in words), "")
