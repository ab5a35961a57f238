"""Photographs, and situations: JPEG, PNG or WebP pictures of any size, with annotation files beside them.

Original bytes stay in the store; what leaves is encoded again from decoded pixels. Pictures are finite, so such a
source can be divided: practice never shows what sealed draws use.
"""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property

import msgspec

from generator_service.drawing.canvas import Picture
from generator_service.sources.decoding import PHOTOGRAPH, UnreadablePictureError, decode_picture
from generator_service.sources.kinds import ANNOTATIONS, PHOTOGRAPH_LIMITS, Given, Kind
from generator_service.sources.parts import Part, part_digest, part_of
from generator_service.sources.store import Head, Payload, Source, SourceStore
from generator_service.sources.tables import Table, find_table, needed_table
from tetrad.contracts.problems import Fault

SUFFIXES = (".jpg", ".jpeg", ".png", ".webp")


class PhotographAbout(msgspec.Struct, frozen=True):
    """The facts about a picture beside its bytes: its size in pixels, and the SHA-256 of its decoded RGBA pixels."""

    width: int
    height: int
    pixels: str


class Photographs:
    """A source that a benchmark draws from: pictures, annotation files and tables (JOB/STAGE-VERSION...) by name.

    `part` says which pictures it lists: those that practice may show, those of sealed draws, or all.
    """

    def __init__(self, store: SourceStore, head: Head, part: Part | None) -> None:
        self.name = head.name
        self.source_digest = head.digest
        self.digest = head.digest if part is None else part_digest(head.digest, part, head.practice_permille)
        self.credits = head.credits
        self._store, self._head, self._part = store, head, part
        self._decoded: set[str] = set()

    @cached_property
    def pictures(self) -> Sequence[str]:
        """The names of the pictures of this part, in order."""
        permille = self._head.practice_permille
        every = (name for name in self._source.by_name if is_picture(name))
        if permille is None or self._part is None:
            return tuple(every)
        return tuple(name for name in every if part_of(self.source_digest, name, permille) == self._part)

    def picture(self, name: str) -> Picture:
        """Return a picture's pixels, RGBA, turned as its camera says.

        Raises:
            KeyError: there is no such file.
            SourceDamagedError: its bytes are missing or changed, or they decode to other pixels than before.
        """
        picture = decode_picture(self._source.read(name), PHOTOGRAPH)
        if name not in self._decoded:
            if hashlib.sha256(picture.tobytes()).hexdigest() != self.about(name).pixels:
                raise self._source.damage_error(
                    name, "decodes to other pixels than when it was added; the decoder may have changed"
                )
            self._decoded.add(name)
        return picture

    def about(self, name: str) -> PhotographAbout:
        return msgspec.json.decode(self._source.by_name[name].about, type=PhotographAbout)

    def annotations(self) -> Iterator[str]:
        """Yield the names of the files that are not pictures."""
        return (name for name in self._source.by_name if not is_picture(name))

    def annotation(self, name: str) -> bytes:
        return bytes(self._source.read(name))

    def table(self, name: str) -> Table:
        """Open a table that was mined from this source. Its name is the one that `Benchmark.tables` has.

        The rows of a stage that reads the source's files are keyed by the files' names.

        Raises:
            SourceUnreadyError: it is not made yet.
        """
        return needed_table(self._store, self._head, name)

    def find_table(self, name: str) -> Table | None:
        """Open a table that was mined from this source, and that items don't depend on; None if it is not made."""
        return find_table(self._store, self.source_digest, name)

    @cached_property
    def _source(self) -> Source:
        return self._store.open(self._head)


def is_picture(name: str) -> bool:
    return name.lower().endswith(SUFFIXES)


def take_photograph(given: Given) -> Payload | Fault:
    """Return a picture unchanged with the facts about it, or an annotation file, or the fault of a refused one."""
    if not is_picture(given.name):
        return _annotation(given)
    try:
        pixels = decode_picture(given.body, PHOTOGRAPH)
    except UnreadablePictureError as error:
        return Fault(
            field=given.name, problem=str(error), remedy="give a whole JPEG, PNG or WebP file, or leave it out"
        )
    height, width, _ = pixels.shape
    about = PhotographAbout(width, height, hashlib.sha256(pixels.tobytes()).hexdigest())
    return Payload(name=given.name, body=given.body, about=msgspec.Raw(msgspec.json.encode(about)))


def _annotation(given: Given) -> Payload | Fault:
    try:
        text = given.body.decode()
        if given.name.lower().endswith(".json"):
            msgspec.json.decode(text)
    except (UnicodeDecodeError, msgspec.DecodeError) as error:
        return Fault(field=given.name, problem=f"can't be read ({error})", remedy="give UTF-8 text, and valid JSON")
    return Payload(name=given.name, body=given.body)


def open_photographs(store: SourceStore, head: Head, part: Part | None = None) -> Photographs:
    """Open a source of photographs, or one part of it."""
    return Photographs(store, head, part)


KIND = Kind(
    name="photographs",
    help="JPEG, PNG or WebP pictures of any size; JSON, JSON lines, CSV and text files beside them are annotations",
    limits=PHOTOGRAPH_LIMITS,
    suffixes=ANNOTATIONS.union(SUFFIXES),
    take=take_photograph,
    open=open_photographs,
    divides=True,
)
SITUATIONS = replace(
    KIND,
    name="situations",
    help="frames of roles and nouns as annotation files, with their photographs where there are some",
)
