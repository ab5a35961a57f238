"""Read the published layout: JSON or JSON lines whose entries name their pictures, and the pictures, in any folders.

The paper names the fields of a question (appendix A) and where the release lies, `zli99/VisAnalog`. How its files lie
there was not to be seen when this was written, so any arrangement is read in which entries have these fields and name
pictures by file name. A release in Parquet is first saved as JSON lines with the pictures beside it.
"""

import hashlib
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath

import msgspec

from generator_service.benchmarks.visanalog.published.spec import LABELS, MOST_STEPS, Asked, Entry
from generator_service.sources.decoding import PHOTOGRAPH, UnreadablePictureError, decoded
from generator_service.sources.faults import Faults
from generator_service.sources.published import Gathered
from generator_service.sources.reader import Spooled

_PICTURES = (".png", ".jpg", ".jpeg", ".webp")
_PUBLISHED = "give the file as it was published"
_LONGEST = 2000  # characters of a question or of a choice
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
        names = [finder.find(where, name) for name in (entry.image_A, entry.image_B, entry.image_C)]
        if None in names:
            if not partial:
                missing = next(
                    given
                    for given, name in zip((entry.image_A, entry.image_B, entry.image_C), names, strict=True)
                    if name is None
                )
                remedy = "add the picture, or mount the others with --partial"
                faults.add(f"question {number}", f"its picture {missing} is missing, or several have this name", remedy)
            continue
        shas = [finder.taken(name) for name in names if name is not None]
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

    def find(self, where: str, given: str) -> str | None:
        """Return the file that an entry of the file `where` means; None if there is none, or several may be meant."""
        beside = str(PurePosixPath(where).parent / given)
        for name in (given, beside):
            if name in self._names:
                return name
        last = self._by_last.get(PurePosixPath(given).name, [])
        return last[0] if len(last) == 1 else None

    def taken(self, name: str) -> str:
        """Return the SHA-256 of a picture's bytes, and keep it; a picture that can't be shown is a fault."""
        if name not in self._taken:
            body = self._source.read(name)
            try:
                decoded(body, PHOTOGRAPH)
            except UnreadablePictureError as error:
                self._faults.add(name, str(error), "give a whole JPEG, PNG or WebP file")
            self._taken[name] = hashlib.sha256(body).hexdigest()
            self.pictures[self._taken[name]] = body
        return self._taken[name]


def _entries(source: Spooled, faults: Faults) -> Iterator[tuple[str, Entry]]:
    """Yield the valid entries of all JSON files, in order, each with its file's name."""
    files = [name for name in source.names() if name.lower().endswith((".json", ".jsonl"))]
    if not files:
        faults.add("JSON", "there is no .json or .jsonl file", _PUBLISHED)
    for name in files:
        for place, text in enumerate(_rows(source, name, faults)):
            try:
                yield name, msgspec.json.decode(text, type=Entry)
            except (msgspec.DecodeError, UnicodeDecodeError) as error:
                faults.add(f"{name}, entry {place}", str(error), _PUBLISHED)


def _rows(source: Spooled, name: str, faults: Faults) -> Sequence[bytes | msgspec.Raw]:
    body = source.read(name)
    if name.lower().endswith(".jsonl"):
        return [line for line in body.splitlines() if line.strip()]
    try:
        return msgspec.json.decode(body, type=list[msgspec.Raw])
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        faults.add(name, f"is no JSON list ({error})", _PUBLISHED)
        return []


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
