"""Pages of lists: cursors, which say where a page begins, and the public addresses that replies name.

A cursor is a text that says nothing to others. One list's cursor does not open another.
"""

import base64
import binascii
import hashlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar
from urllib.parse import quote, urlencode

import msgspec

from api.errors import InvalidInputError
from api.settings import ApiSettings

P = TypeVar("P", int, str)
CHECK_BYTES = 4  # against typing errors; it keeps no secret
LONGEST = 300
LARGEST = 2**31 - 1  # of a position that is a number: what the columns hold
REMEDY = "give `next` of the page before as it is, or leave it out for the first page"
T = TypeVar("T")
Query = Mapping[str, Any]


def cursor_at(what: str, position: int | str) -> str:
    """Return the cursor of the page of list `what` that begins at, or after, the position."""
    body = msgspec.msgpack.encode(position)
    return base64.urlsafe_b64encode(_checksum(what, body) + body).rstrip(b"=").decode()


def position_of(what: str, cursor: str | None, first: P) -> P:
    """Return the position of a cursor of list `what`, or `first` where there is none.

    Raises:
        InvalidInputError: it is no cursor of this list.
    """
    if cursor is None:
        return first
    try:
        raw = base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True)
        position = msgspec.msgpack.decode(raw[CHECK_BYTES:], type=type(first))
    except (binascii.Error, ValueError) as error:  # msgspec's errors are ValueErrors
        raise InvalidInputError.at("cursor", cursor, "is no cursor", REMEDY) from error
    if len(cursor) > LONGEST or cursor_at(what, position) != cursor or _is_beyond(position):
        raise InvalidInputError.at("cursor", cursor, "is no cursor of this list", REMEDY)
    return position


def _is_beyond(position: int | str) -> bool:
    """Return whether no list can have this position; a text with NUL would fail in Postgres."""
    return "\0" in position if isinstance(position, str) else not 0 <= position <= LARGEST


def _checksum(what: str, body: bytes) -> bytes:
    return hashlib.sha256(f"tetrad/cursor/1/{what}/".encode() + body).digest()[:CHECK_BYTES]


def page_of(
    what: str, entries: Sequence[T], key: Callable[[T], str], cursor: str | None, limit: int
) -> tuple[list[T], str | None]:
    """Return one page and the cursor of the next. An entry that comes or goes shifts no other.

    `entries` stand in the order of their keys, and no two have the same one.

    Raises:
        InvalidInputError: the cursor is none of this list's.
    """
    after = position_of(what, cursor, "")
    rest = [entry for entry in entries if key(entry) > after]
    shown = rest[:limit]
    return shown, cursor_at(what, key(shown[-1])) if len(rest) > limit else None


def link(settings: ApiSettings, *segments: str, query: Query | None = None) -> str:
    """Return the public address of /v1/SEGMENTS: relative to this host, or below `public_url`."""
    path = "/".join(quote(segment, safe="") for segment in segments)
    question = f"?{urlencode(query)}" if query else ""
    return f"{settings.public_url.rstrip('/')}/v1/{path}{question}"
