"""A finite source is divided by picture: practice never shows what sealed draws use.

Each part has a digest of its own, so that the identity of a draw says which part it draws from.
"""

from typing import Literal, TypeAlias

from tetrad.canonical import digest, hexdigest

Part: TypeAlias = Literal["practice", "sealed"]


def part_of(source: str, picture: str, practice_permille: int) -> Part:
    """Return the part that a picture belongs to, given the source's digest and the picture's name in it."""
    number = int.from_bytes(digest("tetrad/source-part/1", source, picture)[:8], "big")
    return "practice" if number % 1000 < practice_permille else "sealed"


def part_digest(source: str, part: Part, practice_permille: int | None) -> str:
    """Return the digest that identities of draws from this part hold: the source's own where it is not divided."""
    if practice_permille is None:
        return source
    return hexdigest("tetrad/source-part/1", source, part, practice_permille)
