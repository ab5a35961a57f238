"""Practice pictures: pure functions of their address, so they are kept, tagged and never go stale.

A kept one is answered before the request is routed, counted or given room for a body: that takes most of the time.
"""

import hashlib

from cachetools import LRUCache
from litestar.enums import ScopeType
from litestar.response.base import ASGIResponse
from litestar.types import ASGIApp, Receive, Scope, Send

from tetrad.server.http_edge import SAFE_HEADERS, announces_body, check_head
from tetrad.server.problems import ProblemError
from tetrad.server.request_watch import KEPT

FOREVER = "public, max-age=31536000, immutable"
ROUTE = "/v1/items/{item}/images/{name}"
OVERHEAD = 1024  # bytes that an entry costs beside its PNG: key, headers, the response


class PictureCache:
    """The most recently used pictures, as ready responses, up to so many bytes. For one event loop."""

    def __init__(self, largest: int) -> None:
        self._kept: LRUCache[tuple[str, str], ASGIResponse] = LRUCache(
            largest, lambda response: OVERHEAD + len(response.body)
        )

    def get(self, item: str, name: str) -> ASGIResponse | None:
        return self._kept.get((item, name))

    def keep(self, item: str, name: str, png: bytes) -> ASGIResponse:
        """Make the response for a picture and keep it, forgetting the least recently used ones."""
        headers = {"ETag": picture_etag(item, name), "Cache-Control": FOREVER, **SAFE_HEADERS}
        response = ASGIResponse(body=png, media_type="image/png", headers=headers)
        if self._kept.getsizeof(response) <= self._kept.maxsize:
            self._kept[item, name] = response
        return response


def picture_etag(item: str, name: str) -> str:
    """Return the tag of the pixels: the id holds the whole identity, and the name says which picture.

    It is weak (RFC 9110, 8.8.1), for hosts of different processors compress equal pixels to different bytes.
    """
    return f'W/"{hashlib.sha256(f"{item}/{name}".encode()).hexdigest()[:32]}"'


def is_known_to(if_none_match: str | None, etag: str) -> bool:
    """Return whether the client says that it has what this tag stands for (RFC 9110, 13.1.2)."""
    if not if_none_match:
        return False
    wanted = etag.removeprefix("W/")
    return any(tag.strip().removeprefix("W/") == wanted for tag in if_none_match.split(","))


def not_modified(etag: str) -> ASGIResponse:
    return ASGIResponse(status_code=304, headers={"ETag": etag, "Cache-Control": FOREVER, **SAFE_HEADERS})


def answer_kept(app: ASGIApp, pictures: PictureCache) -> ASGIApp:
    """Return an app that answers a plain GET of a kept picture, and hands everything else to `app`, faults included."""

    async def handle(scope: Scope, receive: Receive, send: Send) -> None:
        response = _find_response(scope, pictures)
        if response is not None:
            scope[KEPT] = ROUTE  # type: ignore[literal-required]  # for who counts it
        await (app if response is None else response)(scope, receive, send)

    return handle


def _find_response(scope: Scope, pictures: PictureCache) -> ASGIResponse | None:
    if scope["type"] != ScopeType.HTTP or scope["method"] != "GET" or scope["query_string"]:
        return None
    match scope["path"].split("/"):
        case ["", "v1", "items", item, "images", name]:
            kept = pictures.get(item, name)
        case _:
            return None
    if kept is None or announces_body(scope):
        return None
    try:
        check_head(scope)
    except ProblemError:
        return None
    if_none_match = next((value for field, value in scope["headers"] if field == b"if-none-match"), b"")
    if is_known_to(if_none_match.decode("latin-1"), etag := kept.headers["etag"]):
        return not_modified(etag)
    return kept
