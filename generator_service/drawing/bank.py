"""Define an object bank, whatever the source of its pictures."""

import hashlib
import sys
import zlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

import msgspec
import numpy as np

from generator_service.drawing.canvas import Picture
from generator_service.drawing.visibility import SEEN, THRESHOLD, Appearance, measure


@dataclass(frozen=True, kw_only=True)
class ObjectRecord:
    """One object. `chiral`: its picture clearly differs from its mirror image, however that is turned.

    `stretches`: stretched along one axis, it looks stretched and not turned as well. handed, quarters, eighths: as
    people see it, its mirror image, its quarter turns and its turns by eighths look otherwise, however they are moved.
    `compact`: its outline is short enough to be kept in mind. `scales`: no part of it is lost when it is smaller.
    `group` is the folder that an operator's picture came from; "" in banks that we draw.
    """

    id: str  # "teapot-07"
    kind: str
    variant: int
    chiral: bool
    stretches: bool
    handed: bool = False
    quarters: bool = False
    eighths: bool = False
    compact: bool = False
    scales: bool = False
    group: str = ""


@dataclass(frozen=True, kw_only=True, eq=False)
class ObjectBank:
    """A bank's objects, the function that reads their pictures, and the differences that a viewer can see.

    `digest` is a SHA-256 over ids and decoded pixels, the same on every machine. An item's identity holds the digest,
    not the name. `read` returns a picture by id; `visibility` is the table by id, measured from the pixels. `credits`
    are lines that the pictures' licences ask to show with them.
    """

    name: str
    objects: tuple[ObjectRecord, ...]
    digest: str
    read: Callable[[str], Picture]
    visibility: Mapping[str, Appearance]
    credits: tuple[str, ...] = ()

    def picture(self, object_id: str) -> Picture:
        """Return the RGBA picture (256, 256, 4), read-only; KeyError for an unknown id."""
        return self.read(object_id)

    def difference(self, object_id: str, state_a: str, state_b: str) -> int:
        """Return the permille of the object's area that differs between two states of `visibility.STATES`."""
        return self.visibility[object_id].difference(state_a, state_b)

    def visible(self, object_id: str, state_a: str, state_b: str) -> bool:
        """Tell whether a viewer sees the two states as different."""
        return self.difference(object_id, state_a, state_b) >= THRESHOLD

    def stands_out(self, object_id: str, state: str, backdrop: str) -> bool:
        """Tell whether at least half of the object is seen on "black" or "white", "plain" or in a color state."""
        return self.visibility[object_id].shows(state, backdrop) >= SEEN

    def lands(self, object_id: str, color: str) -> bool:
        """Tell whether the object, in this color, is of this color for the most part."""
        return self.visibility[object_id].lands(color)

    def area(self, object_id: str) -> int:
        """Return the permille of the canvas that the object covers."""
        return self.visibility[object_id].area


class Drawn(msgspec.Struct, frozen=True, kw_only=True):
    """One object fresh from drawing: zlib-compressed pixels, their SHA-256, its table."""

    id: str
    kind: str
    variant: int
    compressed: bytes
    pixels: str
    appearance: Appearance
    group: str = ""


def finish_drawing(picture: Picture, *, name: str, kind: str, variant: int, group: str = "") -> Drawn:
    """Measure a picture and pack it for a store."""
    pixels = np.ascontiguousarray(picture).tobytes()
    return Drawn(
        id=name,
        kind=kind,
        variant=variant,
        group=group,
        compressed=zlib.compress(pixels, 6),
        pixels=hashlib.sha256(pixels).hexdigest(),
        appearance=measure(picture),
    )


def digest(fields: Iterable[str]) -> str:
    """Hash the fields, each with its length before it, so that no two lists of fields run together."""
    hasher = hashlib.sha256()
    for field in (text.encode() for text in fields):
        hasher.update(len(field).to_bytes(8, "big") + field)
    return hasher.hexdigest()


def bank_digest(drawn: Iterable[tuple[str, str]]) -> str:
    """Return the identity of a bank of these objects, each (id, SHA-256 of its decoded pixels)."""
    return digest(field for each in drawn for field in each)


def silent(_done: int, _total: int) -> None:
    """Ignore the progress."""


def report(done: int, total: int) -> None:
    """Keep one line up to date on a terminal; elsewhere write a line for each eighth of the work."""
    if sys.stderr.isatty():
        sys.stderr.write(f"\rdrawing: {done} of {total}{chr(10) if done == total else ''}")
    elif done * 8 // total > (done - 1) * 8 // total:
        sys.stderr.write(f"drawing: {done} of {total}\n")
