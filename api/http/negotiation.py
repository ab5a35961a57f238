"""Chooses the form of a reply: the one that `format` names, or the one that Accept likes best (RFC 9110, 12.5.1)."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from litestar import Request
from litestar.datastructures.headers import Accept
from litestar.params import QueryParameter

from tetrad.server.problems import refuse

REFUSED = re.compile(r"\s*([^;,\s]*)\s*;\s*q=0(?:\.0{0,3})?\s*", re.IGNORECASE)
Offers = Mapping[str, Sequence[str]]
"""Formats by name, each with the media types that ask for it; the first one is what is sent unasked."""

VARY = {"Vary": "Accept"}


def format_query(offers: Offers, description: str = "goes before Accept") -> Any:
    """Return the description of `format`. Any text gets through: `chosen_format` refuses with better words."""
    return QueryParameter(name="format", description=description, enum=[*offers])


def chosen_format(request: Request[Any, Any, Any], offers: Offers, named: str | None = None) -> str:
    """Return the name of the format to reply in.

    Raises:
        ProblemError: 406, there is no format of this name, or nothing that is offered is accepted.
    """
    if named is not None:
        return _check_offered(offers, named)
    accept = request.headers.get("accept", "*/*")
    if any(media.partition(";")[0].strip().lower() == "text/html" for media in accept.split(",")):
        return next(iter(offers))  # a browser's list names XML for pages, not for reports
    names = {media: name for name, types in offers.items() for media in types}
    best = _best_match(accept, [*names])
    if best is None:
        remedy = f"accept one of {', '.join(names)}, or name the format: ?format={' or '.join(offers)}"
        raise refuse(406, "Accept", request.headers.get("accept"), "names no form that this resource has", remedy)
    return names[best]


def _best_match(accept: str, known: list[str]) -> str | None:
    """Return the media type that is accepted best, none with q=0: Litestar takes "not this" for "if need be"."""
    ranges = accept.lower().split(",")
    refused = {found[1] for media_range in ranges if (found := REFUSED.fullmatch(media_range))}
    wanted = ",".join(media_range for media_range in ranges if not REFUSED.fullmatch(media_range))
    return Accept(wanted).best_match([media for media in known if media not in refused])


def _check_offered(offers: Offers, named: str) -> str:
    if named not in offers:
        raise refuse(406, "format", named, "names no form that this resource has", f"use one of {', '.join(offers)}")
    return named
