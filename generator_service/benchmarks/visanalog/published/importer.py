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
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any, NamedTuple

import msgspec

from generator_service.benchmarks.visanalog.published.spec import KINDS, LABELS, MOST_STEPS, Asked, Embedded, Entry
from generator_service.benchmarks.visanalog.published.spellings import FORMS, kind_of, listed_in, steps_of
from generator_service.sources.decoding import PHOTOGRAPH, UnreadablePictureError, decode_picture
from generator_service.sources.faults import Faults
from generator_service.sources.published import Gathered
from generator_service.sources.reader import Spooled

_PICTURES = (".png", ".jpg", ".jpeg", ".webp")
_PUBLISHED = "give the file as it was published"
_LONGEST = 2000  # characters of a question or of a choice
_PARQUET = ".parquet"
_READ = (".json", ".jsonl", _PARQUET)
_NOT_READ = (".arrow", ".csv", ".tsv", ".feather", ".ndjson", ".orc", ".avro", ".pkl", ".npz", ".h5", ".xlsx")
_PACKED = (".zip", ".tar", ".tgz", ".gz", ".bz2", ".xz", ".zst", ".7z", ".rar")
_ABOUT = frozenset({"dataset_infos.json", "dataset_info.json", "dataset_dict.json", "state.json", "croissant.json"})
"""Files about a data set that Hugging Face's tools write beside it. They hold no questions."""
_FIELDS = {name.lower(): name for name in Entry.__struct_fields__} | {"options": "choices"}
_ROWS_AT_ONCE = 8  # of Parquet; a row holds three photographs
_ANSWER = re.compile(r"\W*([A-D])\W*")
_ODD = 1  # pixels; exchanging tiles of an odd side may lose one


class _Found(NamedTuple):
    """An entry, and where it is: its file, its number in it, and what it calls itself, if it does."""

    file: str
    place: int
    called: str
    entry: Entry

    @property
    def short(self) -> str:
        return f"entry {self.place}" + (f" ({self.called})" if self.called else "")

    @property
    def title(self) -> str:
        return f"{self.file}, {self.short}"


@dataclass(frozen=True)
class _Shown:
    """A picture as it was decoded: its sides, and a digest of its pixels."""

    width: int
    height: int
    pixels: str


def gather(source: Spooled, partial: bool, faults: Faults) -> Gathered:  # noqa: FBT001 -- the layouts' one signature
    """Return the questions and their pictures; add what is wrong to `faults`.

    partial: leave out questions of which a picture is missing, and say so in `faults`.
    """
    finder = _Finder(source, faults)
    known: list[tuple[_Found, Asked]] = []
    for number, found in enumerate(_entries(source, faults)):
        entry = found.entry
        given = {"image_A": entry.image_A, "image_B": entry.image_B, "image_C": entry.image_C}
        pictures = {name: finder.find(found.file, image) for name, image in given.items()}
        if missing := [name for name, picture in pictures.items() if picture is None]:
            _note_missing(found, {name: given[name] for name in missing}, faults, partial=partial)
            continue
        shas = [finder.take_picture(found.title, picture) for picture in pictures.values() if picture is not None]
        if (asked := _read_question(number, found, shas, faults)) is not None:
            _check_sizes(found, asked, finder.shown, faults)
            known.append((found, asked))
    _check_doubles(known, finder.shown, faults)
    used = {sha for _, asked in known for sha in asked.pictures}
    kept = {sha: body for sha, body in finder.pictures.items() if sha in used}
    return Gathered(tuple(asked for _, asked in known), kept)


def _note_missing(found: _Found, missing: Mapping[str, str | Embedded], faults: Faults, *, partial: bool) -> None:
    named = []
    for name, given in missing.items():
        file = given.path if isinstance(given, Embedded) else given
        named.append(f"{name} ({file})" if file else name)
    several = len(named) > 1
    listed = f"{', '.join(named[:-1])} and {named[-1]}" if several else named[0]
    problem = f"{listed} {'are' if several else 'is'} missing, or several files have this name"
    faults.lacks(found.title, problem, f"add the picture{'s' * several}", partial=partial)


def _check_sizes(found: _Found, asked: Asked, shown: Mapping[str, _Shown], faults: Faults) -> None:
    """Check that B has A's size, or its sides exchanged by a rotation: no edit makes another size (section 3)."""
    first, second = (shown.get(sha) for sha in asked.pictures[:2])
    if first is None or second is None:
        return
    fitting = [(first.width, first.height)]
    if "rotation" in asked.kinds:
        fitting.append((first.height, first.width))
    if not any(abs(second.width - width) <= _ODD and abs(second.height - height) <= _ODD for width, height in fitting):
        faults.add(
            found.title,
            f"image_B is {second.width} x {second.height} pixels and image_A {first.width} x {first.height}",
            "give the B that was made from this A: it has A's size, or its sides exchanged by a rotation",
        )


def _check_doubles(known: Sequence[tuple[_Found, Asked]], shown: Mapping[str, _Shown], faults: Faults) -> None:
    """Check that no question is there twice: the same words with the same pixels, or with the same id.

    Pictures of a second copy may be saved in another form, so their bytes are not compared.
    """
    alike: dict[tuple[str, ...], list[tuple[_Found, list[str]]]] = defaultdict(list)
    doubles: dict[tuple[str, str], list[tuple[_Found, _Found]]] = defaultdict(list)
    for found, asked in known:
        pixels = [shown[sha].pixels if sha in shown else sha for sha in asked.pictures]
        earlier = alike[asked.question, *asked.choices]
        for other, seen in earlier:
            if seen == pixels or (found.called and found.called == other.called):
                doubles[other.file, found.file].append((other, found))
                break
        earlier.append((found, pixels))
    for (first, second), pairs in doubles.items():
        one, other = pairs[0]
        if first == second:
            problem = f"holds questions twice: {len(pairs)}, such as {one.short} and {other.short}"
            faults.add(first, problem, "keep each of them once")
        else:
            example = f"{one.short} of the first and {other.short} of the second"
            problem = f"hold the same questions: {len(pairs)}, such as {example}"
            faults.add(f"{first} and {second}", problem, "keep one of the two files")


class _Finder:
    """Finds pictures by the names that entries give, and keeps those that were taken."""

    def __init__(self, source: Spooled, faults: Faults) -> None:
        self._source, self._faults = source, faults
        self.pictures: dict[str, bytes] = {}
        self.shown: dict[str, _Shown] = {}
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

    def take_picture(self, where: str, found: str | bytes) -> str:
        """Return the SHA-256 of a picture's bytes, and keep it; a picture that can't be shown is a fault."""
        if isinstance(found, bytes):
            return self._keep_picture(where, found)
        if found not in self._taken:
            self._taken[found] = self._keep_picture(found, self._source.read(found))
        return self._taken[found]

    def _keep_picture(self, where: str, body: bytes) -> str:
        sha = hashlib.sha256(body).hexdigest()
        if sha not in self.pictures:
            try:
                picture = decode_picture(body, PHOTOGRAPH)
            except UnreadablePictureError as error:
                self._faults.add(where, str(error), "give a whole JPEG, PNG or WebP file")
            else:
                height, width, _ = picture.shape
                self.shown[sha] = _Shown(width, height, hashlib.sha256(picture.tobytes()).hexdigest())
            self.pictures[sha] = body
        return sha


def _entries(source: Spooled, faults: Faults) -> Iterator[_Found]:
    """Yield the valid entries of all files, in order."""
    files = []
    for name in source.names():
        last = PurePosixPath(name).name.lower()
        if last.endswith(_READ) and last not in _ABOUT:
            files.append(name)
        elif last.endswith((*_NOT_READ, *_PACKED)):
            remedy = "give questions as Parquet, JSON or JSON lines, pictures unpacked; else take the file away"
            faults.add(name, "may hold questions and is in a form that is not read", remedy)
    if not files:
        faults.add("questions", "there is no .parquet, .json or .jsonl file with questions", _PUBLISHED)
    for name in files:
        for place, row in _rows(source, name, faults):
            called = row.get("id") if isinstance(row, Mapping) else None
            named = str(called)[:40] if isinstance(called, str | int) else ""
            try:
                yield _Found(name, place, named, msgspec.convert(_fields(row), type=Entry))
            except msgspec.ValidationError as error:
                where = f"{name}, entry {place}" + (f" ({named})" if named else "")
                faults.add(where, str(error), _PUBLISHED)


def _rows(source: Spooled, name: str, faults: Faults) -> Iterator[tuple[int, Any]]:
    """Yield the rows of a file as plain data, each with its place; what can't be read is a fault."""
    if name.lower().endswith(_PARQUET):
        yield from enumerate(_parquet_rows(source, name, faults))
        return
    body = source.read(name)
    if name.lower().endswith(".jsonl"):
        lines = [line for line in body.splitlines() if line.strip()]
        for place, line in enumerate(lines):
            row = _decode_json(f"{name}, entry {place}", line, faults)
            if row is not None:
                yield place, row
        return
    found = _decode_json(name, body, faults)
    if isinstance(found, list):
        yield from enumerate(found)
    elif found is not None:
        remedy = "give questions as a list of objects; take the file away if it holds none"
        faults.add(name, f"is no JSON list (it is of type {type(found).__name__})", remedy)


def _decode_json(where: str, text: bytes, faults: Faults) -> Any:
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
    if isinstance(choices := known.get("choices"), str):
        known["choices"] = listed_in(choices)
    return known


def _read_question(number: int, found: _Found, pictures: Sequence[str], faults: Faults) -> Asked | None:
    entry = found.entry
    choices = entry.choices if isinstance(entry.choices, list) else [entry.choices.get(label, "") for label in LABELS]
    choices = [text.strip() for text in choices]
    program = steps_of(entry.program) or []
    kinds = [kind_of(step) for step in program]
    answer = _ANSWER.fullmatch(entry.answer.strip())
    problems = []
    if len(choices) != len(LABELS) or len(set(choices)) != len(LABELS) or not all(choices):
        problems.append((f"choices are {len(set(choices) - {''})} different texts", "give four"))
    if answer is None:
        problems.append((f"answer is {entry.answer[:40]!r}", f"give one of {', '.join(LABELS)}"))
    if not 0 < len(entry.question.strip()) <= _LONGEST or any(len(text) > _LONGEST for text in choices):
        problems.append(("question or choices are empty or too long", f"give 1 to {_LONGEST} characters"))
    problems += _problems_of_steps(entry.program, kinds)
    for problem, remedy in problems:
        faults.add(found.title, problem, remedy)
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


def _problems_of_steps(program: object, kinds: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield what is wrong with a program, given the kinds of its steps.

    Another order than the paper's is refused and not corrected: in four pairs of steps the order makes a difference,
    and the setting `program` tells a model the steps in order.
    """
    if not 1 <= len(kinds) <= MOST_STEPS or "" in kinds or len(set(kinds)) != len(kinds):
        known = "a zoom, a swap, a rotation, a flip and a hue rotation, each at most once"
        yield f"program is {str(program)[:80]!r}", f"give one to four steps of {known}, as {FORMS}"
    elif list(kinds) != sorted(kinds, key=KINDS.index):
        yield (
            f"program has its steps in the order {', '.join(kinds)}; the paper's is {', '.join(KINDS)}",
            "put them in the order in which they were applied (always this one in the paper, section 3)",
        )
