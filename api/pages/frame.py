"""The frame of every page: its template's surroundings, its headers, its tag. Nothing here knows a page's contents."""

import gzip
import hashlib
import re
import threading
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

from cachetools import LRUCache
from litestar import Request, Response
from litestar.plugins.jinja import JinjaTemplateEngine
from litestar.template import TemplateConfig

from api.http.pictures import is_known_to
from api.paging import Query
from tetrad import __version__
from tetrad.reporting.pages.environment import page_environment

HERE = Path(__file__).parent
HTML = "text/html; charset=utf-8"
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
HEADERS = {"Content-Security-Policy": POLICY, "Referrer-Policy": "no-referrer"}
ASK_EACH_TIME = "no-cache"
FOR_ONE_CALLER = "private, no-store"
RELEASE = re.compile(r"\d+\.\d+\.\d+")
PAGE = {"page": True}
"""`opt` of a route that is a page: its requests are counted, and its errors are pages."""

TABS = (
    ("boards", "Boards"),
    ("benchmarks", "Benchmarks"),
    ("puzzles", "Puzzles"),
    ("compare", "Compare"),
    ("docs", "Docs"),
)


@dataclass(frozen=True, kw_only=True)
class Frame:
    """The surroundings of a page. `root` is the path below which the service is; `tab` the part of it that is open."""

    root: str
    title: str
    tab: str
    scripts: tuple[str, ...] = ()
    version: str = __version__
    tabs: tuple[tuple[str, str], ...] = TABS

    @property
    def release(self) -> str:
        """Return the version without its commit."""
        found = RELEASE.match(self.version)
        return found[0] if found else self.version


def at(root: str, *segments: str, query: Query | Sequence[tuple[str, object]] | None = None) -> str:
    """Return the address of a page on this host."""
    path = "/".join(quote(segment, safe="") for segment in segments)
    question = f"?{urlencode(query, doseq=True)}" if query else ""
    return f"{root}/{path}{question}"


def template_config() -> TemplateConfig[JinjaTemplateEngine]:
    """Return how Litestar renders: every name is defined, and everything is escaped."""
    environment = page_environment(HERE / "templates")
    environment.globals["at"] = at
    return TemplateConfig(instance=JinjaTemplateEngine.from_environment(environment))


class PageCache:
    """Rendered pages by all that they depend on, the least recently used ones forgotten. Two threads may make one."""

    def __init__(self, most: int) -> None:
        self._kept: LRUCache[Hashable, bytes] = LRUCache(most)
        self._lock = threading.Lock()

    def get(self, key: Hashable, make: Callable[[], bytes]) -> bytes:
        with self._lock:
            kept = self._kept.get(key)
        if kept is None:
            kept = make()
            with self._lock:
                self._kept[key] = kept
        return kept


LEAST_PACKED = 4096  # bytes of a page that is worth packing
GZIP_LEVEL = 5
PACKED = PageCache(64)


def render(request: Request[Any, Any, Any], template: str, frame: Frame, view: object) -> bytes:
    """Return a page as bytes."""
    engine = request.app.template_engine
    if engine is None:
        raise LookupError("the app has no template engine")
    text: str = engine.get_template(template).render(frame=frame, view=view, root=frame.root)
    return text.encode()


def page_response(request: Request[Any, Any, Any], body: bytes, *, status: int = 200) -> Response[Any]:
    """Return the reply with its tag: 304 if the browser has it, and none that is kept for a caller with an API key."""
    if request.headers.get("authorization") or status != 200:  # noqa: PLR2004
        kept = {**HEADERS, "Cache-Control": FOR_ONE_CALLER if status == 200 else "no-store"}  # noqa: PLR2004
        return Response(body, status_code=status, media_type=HTML, headers={**kept, "Vary": "Authorization"})
    tag = f'"{hashlib.sha256(body).hexdigest()[:32]}"'
    headers = {**HEADERS, "Cache-Control": ASK_EACH_TIME, "ETag": tag, "Vary": "Authorization, Accept-Encoding"}
    if is_known_to(request.headers.get("if-none-match"), tag):
        return Response(None, status_code=304, headers=headers)
    if len(body) > LEAST_PACKED and "gzip" in request.headers.get("accept-encoding", ""):
        body = PACKED.get(tag, lambda: gzip.compress(body, GZIP_LEVEL, mtime=0))
        headers["Content-Encoding"] = "gzip"
    return Response(body, media_type=HTML, headers=headers)
