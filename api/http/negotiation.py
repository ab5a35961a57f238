"""Which form a reply takes: what `format` names, else what Accept likes best (RFC 9110, 12.5.1), else the first."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from litestar import Request
from litestar.params import QueryParameter

from tetrad.server.problems import refuse

QUALITY = re.compile(r"(?:0(?:\.[0-9]{0,3})?|1(?:\.0{0,3})?)")
Offers = Mapping[str, Sequence[str]]
"""Formats by name, each with the media types that ask for it; the first one is what is sent unasked."""

VARY = {"Vary": "Accept"}


def format_query(offers: Offers, description: str = "goes before Accept") -> Any:
    """Return how `format` is described; any text gets here, so that `chosen_format` can say which there are."""
    return QueryParameter(name="format", description=description, enum=[*offers])


def chosen_format(request: Request[Any, Any, Any], offers: Offers, named: str | None = None) -> str:
    """Return the name of the format to reply in.

    Raises:
        ProblemError: 406, there is no format of this name, or nothing that is offered is accepted.
    """
    if named is not None:
        return _offered(offers, named)
    accepted = list(_ranges(request.headers.get("accept", "*/*")))
    if any(media == "text/html" for media, _ in accepted):
        return next(iter(offers))  # a browser's list names XML for pages, not for reports
    liked = {name: max(_quality(media, accepted) for media in types) for name, types in offers.items()}
    best = max(liked, key=lambda name: liked[name])  # the first of equals
    if liked[best] == 0:
        known = ", ".join(media for types in offers.values() for media in types)
        remedy = f"accept one of {known}, or name the format: ?format={' or '.join(offers)}"
        raise refuse(406, "Accept", request.headers.get("accept"), "names no form that this resource has", remedy)
    return best


def _offered(offers: Offers, named: str) -> str:
    if named not in offers:
        raise refuse(406, "format", named, "names no form that this resource has", f"use one of {', '.join(offers)}")
    return named


def _ranges(accept: str) -> Iterator[tuple[str, float]]:
    """Yield each media range with its quality; one that can't be read counts as it stands, with quality 1."""
    for part in accept.split(","):
        media, *parameters = (piece.strip().lower() for piece in part.split(";"))
        quality = next((piece[2:] for piece in parameters if piece.startswith("q=")), "1")
        if media:
            yield media, float(quality) if QUALITY.fullmatch(quality) else 1.0


def _quality(media: str, accepted: list[tuple[str, float]]) -> float:
    """Return how much a media type is liked: the most exact range counts."""
    for known in (media, f"{media.partition('/')[0]}/*", "*/*"):
        found = [quality for text, quality in accepted if text == known]
        if found:
            return max(found)
    return 0.0
