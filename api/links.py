"""Addresses in replies and cursor pages. `next` in a body is the cursor; the Link header holds the whole address."""

from collections.abc import Mapping
from typing import Annotated, Any
from urllib.parse import quote, urlencode

from litestar import Request
from litestar.params import QueryParameter

from api.settings import ApiSettings

PageLimit = Annotated[int, QueryParameter(ge=1, le=500, description="the most entries on one page")]


def link(settings: ApiSettings, *segments: str, query: Mapping[str, Any] | None = None) -> str:
    """Return the public address of /v1/SEGMENTS: relative to this host, or below `public_url`."""
    path = "/".join(quote(segment, safe="") for segment in segments)
    question = f"?{urlencode(query)}" if query else ""
    return f"{settings.public_url.rstrip('/')}/v1/{path}{question}"


def next_header(settings: ApiSettings, request: Request[Any, Any, Any], **cursor: str | None) -> dict[str, str]:
    """Return the Link header to the page after this one, this request's query with another cursor; none at the end."""
    if None in cursor.values():
        return {}
    query = {**dict(request.query_params.items()), **cursor}
    address = f"{settings.public_url.rstrip('/')}{request.url.path}?{urlencode(query)}"
    return {"Link": f'<{address}>; rel="next"'}
