"""People and things in the store: layers and pictures by name, opened for drawing.

The digest is over names and decoded content, the same on every machine.
"""

import hashlib
import zlib
from collections.abc import Iterable, Sequence

import msgspec
import numpy as np

from generator_service.cache_budget import cache_within_budget
from generator_service.drawing.bank import digest
from generator_service.drawing.canvas import Picture
from generator_service.drawing.deflate import decompress
from generator_service.drawing.people.composing import PersonSize
from generator_service.drawing.people.layers import Anchor, PersonLayer
from generator_service.drawing.people.people_maker import LayerName
from generator_service.sources.kinds import OBJECT_LIMITS, Kind
from generator_service.sources.parts import Part
from generator_service.sources.store import Head, Payload, Source, SourceStore, StoredFile

PEOPLE = "people"
NAME = "people"
_PLANES = 3


class PersonAbout(msgspec.Struct, frozen=True, kw_only=True):
    """The description of a person's layer, without its pixels. `content` is the SHA-256 of the decoded planes."""

    left: int
    top: int
    width: int
    height: int
    anchors: dict[str, Anchor]
    worn: tuple[tuple[int, int, int], ...]
    content: str


class ThingAbout(msgspec.Struct, frozen=True, kw_only=True):
    """The size of a thing's picture."""

    width: int
    height: int
    content: str


class PeopleBank:
    """People and things of one source. `digest` is the source's."""

    def __init__(self, source: Source, digest: str) -> None:
        self.digest = digest
        self.name = source.head.name
        self.credits = source.head.credits
        self._source = source
        self._sizes: dict[tuple[str, str], PersonSize] = {}
        self._thing_sizes: dict[str, tuple[int, int]] = {}

    def person(self, who: str, pose: str) -> PersonLayer:
        return _person(self, str(LayerName(who, pose)))

    def size(self, who: str, pose: str) -> PersonSize:
        key = (who, pose)
        if key not in self._sizes:
            about = self.about(str(LayerName(who, pose)))
            self._sizes[key] = PersonSize(about.left, about.top, about.width, about.height, about.anchors)
        return self._sizes[key]

    def thing(self, code: str) -> Picture:
        return _thing(self, thing_name(code))

    def thing_size(self, code: str) -> tuple[int, int]:
        if code not in self._thing_sizes:
            about = msgspec.json.decode(self._source.by_name[thing_name(code)].about, type=ThingAbout)
            self._thing_sizes[code] = about.height, about.width
        return self._thing_sizes[code]

    def about(self, name: str) -> PersonAbout:
        return msgspec.json.decode(self._source.by_name[name].about, type=PersonAbout)

    def read_thing(self, name: str) -> Picture:
        about = msgspec.json.decode(self._source.by_name[name].about, type=ThingAbout)
        pixels = decompress(self._source.read(name))
        return np.frombuffer(pixels, np.uint8).reshape(about.height, about.width, 4)

    def read_person(self, name: str) -> PersonLayer:
        about = self.about(name)
        planes = np.frombuffer(decompress(self._source.read(name)), np.uint8)
        part, shade, depth = planes.reshape(_PLANES, about.height, about.width)
        return PersonLayer(about.left, about.top, part, shade, depth, about.anchors, about.worn)


@cache_within_budget(24)  # a person fills about 400 KiB
def _person(bank: PeopleBank, name: str) -> PersonLayer:
    return bank.read_person(name)


@cache_within_budget(8)  # at most 256 KiB each; what scenes are composed of is kept there
def _thing(bank: PeopleBank, name: str) -> Picture:
    return bank.read_thing(name)


def thing_name(code: str) -> str:
    return f"thing {code}"


def stored_person(name: str, layer: PersonLayer) -> Payload:
    raw = layer.part.tobytes() + layer.shade.tobytes() + layer.depth.tobytes()
    height, width = layer.part.shape
    about = PersonAbout(
        left=layer.left,
        top=layer.top,
        width=width,
        height=height,
        anchors=dict(layer.anchors),
        worn=layer.worn,
        content=hashlib.sha256(raw).hexdigest(),
    )
    return Payload(name=name, body=zlib.compress(raw, 6), about=msgspec.Raw(msgspec.json.encode(about)))


def stored_thing(code: str, picture: Picture) -> Payload:
    raw = np.ascontiguousarray(picture).tobytes()
    about = ThingAbout(width=picture.shape[1], height=picture.shape[0], content=hashlib.sha256(raw).hexdigest())
    return Payload(name=thing_name(code), body=zlib.compress(raw, 6), about=msgspec.Raw(msgspec.json.encode(about)))


def digest_of(files: Iterable[StoredFile]) -> str:
    """Return the digest of a source: over names and what is kept of each, the digest of its content among it.

    How well the bytes are packed does not matter: another build of zlib packs them otherwise.
    """
    words: list[str] = []
    for file in files:
        words += [file.name, bytes(file.about).decode()]
    return digest(words)


def open_people(store: SourceStore, head: Head, _part: Part | None = None) -> PeopleBank:
    return PeopleBank(store.open(head), head.digest)


def people_heads(store: SourceStore) -> Sequence[Head]:
    return [head for head in store.heads(PEOPLE) if not head.retired]


KIND = Kind(
    name=PEOPLE,
    help="posed people, drawn by our own code, and things of Fluent Emoji (MIT), as layers with anchor points",
    limits=OBJECT_LIMITS,
    open=open_people,
    access="public",
)
