"""The two roots of every wire type.

mypy wants `frozen` repeated on every subclass, and msgspec does not inherit `kw_only`: each struct says both. Wire
values are trees, so reference counts free them, and the garbage collector can skip them (`gc=False`). This saves two
fifths of the time to score a hundred thousand answers.
"""

from typing import Annotated, TypeAlias

import msgspec


class Wire(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=False, gc=False):
    """A message from the service. Clients must accept fields that they do not know."""


class Request(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, gc=False):
    """A request to the service. An unknown field is a mistake and is refused by name."""


END = r"$(?!\n)"
"""The end of a pattern: `$` alone lets a line feed through in Python. The OpenAPI document says `$`."""

TAG_CHARACTERS = r"\U000e0000-\U000e007f"
"""Tag characters, which nobody sees and models read. The OpenAPI document leaves them out: engines write them apart."""

UNPRINTABLE = r"\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069" + TAG_CHARACTERS
"""What a line of text may not hold, for a class of a pattern: controls, line breaks, tags, turns of direction.

On a terminal or a page they would pass text off as something else.
"""

LINE = rf"^[^{UNPRINTABLE}]*{END}"
"""The pattern of a text on one line."""

Name: TypeAlias = Annotated[str, msgspec.Meta(pattern=rf"^[a-z0-9][a-z0-9._-]{{0,63}}{END}")]
"""A slug: lowercase letters, digits, dot, underscore, hyphen; 1 to 64 characters."""

Digest: TypeAlias = Annotated[str, msgspec.Meta(pattern=rf"^[0-9a-f]{{64}}{END}")]
"""SHA-256 as 64 lowercase hex digits."""

Version: TypeAlias = Annotated[int, msgspec.Meta(ge=1, le=2**31 - 1)]
"""A version of a benchmark, as it is asked for."""

Timestamp: TypeAlias = str
"""RFC 3339 in UTC, to the millisecond: 2026-11-21T03:17:00.000Z."""

Label: TypeAlias = Annotated[str, msgspec.Meta(min_length=1, max_length=16)]
"""The name of an option: A, B, 1, 2."""

ParameterValue: TypeAlias = str | int | bool
Facets: TypeAlias = dict[str, str]
