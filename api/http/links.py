"""Addresses in replies: relative to this host, or below `public_url`."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote, urlencode

from api.settings import ApiSettings

Query = Mapping[str, Any]


def link(settings: ApiSettings, *segments: str, query: Query | None = None) -> str:
    """Return the public address of /v1/SEGMENTS: relative to this host, or below `public_url`."""
    path = "/".join(quote(segment, safe="") for segment in segments)
    question = f"?{urlencode(query)}" if query else ""
    return f"{settings.public_url.rstrip('/')}/v1/{path}{question}"
