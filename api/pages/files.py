"""The stylesheet, the scripts and the sign of the house, each under one address."""

import hashlib
from functools import lru_cache
from typing import Any

from litestar import Request, get
from litestar.exceptions import NotFoundException
from litestar.params import FromPath
from litestar.response.base import ASGIResponse

from api.http.pictures import is_known_to
from api.pages.frame import HERE
from tetrad.reporting.pages import ENLARGE, STYLE

KINDS = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}


@lru_cache(maxsize=1)
def served_files() -> dict[str, tuple[bytes, str, str]]:
    """Return all files by name: the bytes, the media type, and a strong tag."""
    found = {}
    for path in (*sorted((HERE / "files").iterdir()), STYLE, ENLARGE):
        body = path.read_bytes()
        found[path.name] = body, KINDS[path.suffix], f'"{hashlib.sha256(body).hexdigest()[:32]}"'
    return found


@get("/files/{name:str}", include_in_schema=False, sync_to_thread=False)
def file(request: Request[Any, Any, Any], name: FromPath[str]) -> ASGIResponse:
    """Give a file of the pages.

    Raises:
        NotFoundException: there is none of this name.
    """
    if name not in served_files():
        raise NotFoundException
    body, kind, tag = served_files()[name]
    headers = {"ETag": tag, "Cache-Control": "public, no-cache"}
    if is_known_to(request.headers.get("if-none-match"), tag):
        return ASGIResponse(status_code=304, headers=headers)
    return ASGIResponse(body=body, media_type=kind, headers=headers)


HANDLERS = [file]
