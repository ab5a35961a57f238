"""Pages of a list: how a query names one, and the Link header to those around it.

`next` in a body is the cursor; Link holds whole addresses.
"""

from collections.abc import Mapping
from typing import Annotated, Any
from urllib.parse import quote, urlencode

from litestar import Request
from litestar.params import QueryParameter

from api.paging import Query
from api.settings import ApiSettings

PageLimit = Annotated[int, QueryParameter(ge=1, le=500, description="the most entries on one page")]
Cursor = Annotated[str | None, QueryParameter(description="`next` of the page before; the first page without one")]


def page_links(
    settings: ApiSettings, request: Request[Any, Any, Any], following: str | None, previous: str | None = None
) -> dict[str, str]:
    """Return the Link header (RFC 8288) of a page: this request's query with other cursors.

    `first` stands on every page but the first, `prev` where a list can tell it.
    """
    pages: dict[str, Query] = {}
    if following is not None:
        pages["next"] = {"cursor": following}
    if "cursor" in request.query_params:
        pages["first"] = {}
    if previous is not None:
        pages["prev"] = {"cursor": previous}
    return links_header(settings, request, pages, ("cursor",))


def links_header(
    settings: ApiSettings, request: Request[Any, Any, Any], pages: Mapping[str, Query], replaced: tuple[str, ...]
) -> dict[str, str]:
    """Return the Link header to these pages: for each its relation and what its query has instead of `replaced`."""
    kept = [(name, value) for name, value in request.query_params.multi_items() if name not in replaced]
    address = f"{settings.public_url.rstrip('/')}{quote(request.url.path)}"
    whole = {relation: urlencode([*kept, *query.items()]) for relation, query in pages.items()}
    shown = [f'<{address}{"?" if query else ""}{query}>; rel="{relation}"' for relation, query in whole.items()]
    return {"Link": ", ".join(shown)} if shown else {}
