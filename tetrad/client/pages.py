"""Follow a list of the API from page to page."""

from collections.abc import Callable, Iterator
from typing import Protocol, TypeVar


class _Page(Protocol):
    @property
    def next(self) -> str | None: ...


Page = TypeVar("Page", bound=_Page)


def every_page(fetch: Callable[[str | None], Page]) -> Iterator[Page]:
    """Yield every page of a list, in order. `fetch` takes the cursor of a page, None for the first."""
    cursor: str | None = None
    while True:
        page = fetch(cursor)
        yield page
        if (cursor := page.next) is None:
            return
