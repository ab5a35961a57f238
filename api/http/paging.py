"""Pages of lists that are short enough to be read whole, in the order of their keys."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from api.http.cursors import cursor_at, position_of

T = TypeVar("T")


def page_of(
    what: str, entries: Sequence[T], key: Callable[[T], str], cursor: str | None, limit: int
) -> tuple[list[T], str | None]:
    """Return one page and the cursor of the next: an entry that comes or goes shifts no other.

    `entries` stand in the order of their keys, and no two have the same one.

    Raises:
        ProblemError: 422, the cursor is none of this list's.
    """
    after = position_of(what, cursor, "")
    rest = [entry for entry in entries if key(entry) > after]
    shown = rest[:limit]
    return shown, cursor_at(what, key(shown[-1])) if len(rest) > limit else None
