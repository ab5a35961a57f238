"""The tables of the registry file, one a model: their fields, and the place of a field that is wrong."""

import re
from typing import Annotated, Literal, TypeAlias

import msgspec

_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:/-]{0,63}")
_PLACE = re.compile(r"`\$\.?([^`]*)`")
Positive: TypeAlias = Annotated[int, msgspec.Meta(ge=1, le=2**53)]
Dollars: TypeAlias = Annotated[float, msgspec.Meta(ge=0, le=1e6)]
Seconds: TypeAlias = Annotated[float, msgspec.Meta(gt=0, le=3600)]


class _Part(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A table of the file: an unknown field is a mistake."""


class SecretReference(_Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The place of a provider's key: an environment variable or a file, one of the two."""

    variable: str = ""
    file: str = ""


class PictureBounds(_Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The limits of a model: pictures in a request, bytes and the longer side of each.

    `tokens`: the most that one costs.

    `detail` is sent with pictures that have none.
    """

    most: Positive | None = None
    bytes: Positive | None = None
    side: Positive | None = None
    tokens: Positive | None = None
    detail: Literal["auto", "low", "high"] | None = None


class EntryPrice(_Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """US dollars for a million tokens; with source and date of the figures."""

    input: Dollars
    output: Dollars = 0.0
    cached_input: Dollars | None = None
    source: str
    date: Annotated[str, msgspec.Meta(pattern=r"^\d{4}-\d{2}-\d{2}$")]


class EntryLimits(_Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The limits of the upstream. Models of one `account` share their limits; by default one address and key.

    `start`: the concurrent calls that it takes at first, 10 by default; more are let through once these succeeded.
    """

    requests_per_minute: Positive | None = None
    tokens_per_minute: Positive | None = None
    concurrency: Positive = 100
    start: Positive | None = None
    account: Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9._-]{0,64}$")] = ""


class EntryTimeouts(_Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    connect: Seconds = 5.0
    read: Seconds = 120.0
    total: Seconds = 600.0


class Entry(_Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One table of the file; `options` are the provider's own. docs/models.md tells of each field."""

    provider: str
    kind: Literal["chat", "embedding"]
    title: str
    options: dict[str, object] = {}
    address: str = ""
    private: bool = False
    proxy: str = ""
    upstream: str = ""
    release: str = ""
    secret: SecretReference | None = None
    modalities: list[Literal["text", "image"]] | None = None
    unsupported: list[str] = []
    context: Positive | None = None
    output_cap: Positive | None = None
    pictures: PictureBounds = PictureBounds()
    price: EntryPrice | None = None
    limits: EntryLimits = EntryLimits()
    timeouts: EntryTimeouts = EntryTimeouts()
    fallback: list[str] = []
    training: Literal["never", "trains", "unknown"] = "unknown"
    allow_sealed: bool = False
    teams: list[str] = []


class EntryFieldError(Exception):
    """A field of an entry is wrong; `field` is its path inside the entry."""

    def __init__(self, entry: str, field: str, problem: str) -> None:
        super().__init__(problem)
        self.entry = entry
        self.field = field


def entry_of(name: str, table: object) -> Entry:
    """Return a table of the file as an entry.

    Raises:
        EntryFieldError: its name or a field is wrong.
    """
    if not _ID.fullmatch(name):
        raise EntryFieldError(name, "", "an id is 1 to 64 letters, digits and . _ : / -, the first a letter or digit")
    try:
        return msgspec.convert(table, Entry)
    except msgspec.ValidationError as error:
        place = _PLACE.search(str(error))
        known = ", ".join(Entry.__struct_fields__)
        raise EntryFieldError(name, place[1] if place else "", f"{error}; an entry has {known}") from error


def line_of(text: str, entry: str, field: str) -> int:
    """Return the line of a field in the file, counted from 1; without it the line of the entry's own header."""
    quoted = rf"""(?:{re.escape(entry)}|"{re.escape(entry)}"|'{re.escape(entry)}')"""
    head, *rest = field.split(".")
    inside = re.compile(rf"^\s*\[\s*{quoted}\s*\.\s*{re.escape(head)}\b")
    own = re.compile(rf"^\s*\[\s*{quoted}\s*\]")
    any_header, key = re.compile(r"^\s*\["), re.compile(rf"^\s*{re.escape(head)}\b\s*[.=]")
    sub = re.compile(rf"^\s*{re.escape(rest[0])}\b\s*[.=]") if rest else None
    found, place = 1, ""
    for number, line in enumerate(text.splitlines(), start=1):
        if any_header.match(line):
            place = "entry" if own.match(line) else "inside" if inside.match(line) else ""
            if place == "entry" or (place == "inside" and head):
                found = number
        elif (place == "entry" and head and key.match(line)) or (place == "inside" and sub and sub.match(line)):
            return number
    return found
