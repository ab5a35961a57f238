"""The frame of every page: its template's surroundings, its headers, its tag. Nothing here knows a page's contents."""

import gzip
import hashlib
import re
import threading
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Generic, NamedTuple, TypeVar
from urllib.parse import quote, urlencode

from cachetools import LRUCache
from litestar import Request, Response
from litestar.plugins.jinja import JinjaTemplateEngine
from litestar.response.redirect import Redirect
from litestar.template import TemplateConfig
from markupsafe import Markup

from api.context import AppContext
from api.http.pictures import is_known_to
from api.http.sessions import form_token, session_of
from api.paging import Query
from api.teams.access import Caller
from tetrad import __version__
from tetrad.reporting.pages.environment import page_environment

T = TypeVar("T")

HERE = Path(__file__).parent
HTML = "text/html"  # Litestar adds the charset
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
HEADERS = {"Content-Security-Policy": POLICY, "Referrer-Policy": "same-origin"}  # without one, forms name no origin
ASK_EACH_TIME = "no-cache"
VARY = "Authorization, Cookie"
FOR_ONE_CALLER = "private, no-store"
SEGMENTS_KEPT = 8192
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
    path = "/".join(map(quote_segment, segments))
    question = f"?{urlencode(query, doseq=True)}" if query else ""
    return f"{root}/{path}{question}"


@lru_cache(SEGMENTS_KEPT)
def quote_segment(segment: str) -> str:
    """Return a part of a path. A long board asks for the same names each time that it is made."""
    return quote(segment, safe="")


def chosen_only(query: Mapping[str, str]) -> dict[str, str]:
    """Return a query without the names whose value is "", which stands for all."""
    return {name: value for name, value in query.items() if value}


def template_config() -> TemplateConfig[JinjaTemplateEngine]:
    """Return how Litestar renders: every name is defined, and everything is escaped."""
    environment = page_environment(HERE / "templates")
    environment.globals["at"] = at
    return TemplateConfig(instance=JinjaTemplateEngine.from_environment(environment))


class Page(NamedTuple):
    """A page that is kept, with its ETag: hashing 2 MB takes more than all else when a long board is unchanged."""

    body: bytes
    tag: str


class PageCache(Generic[T]):
    """Pages by all that they depend on, the least recently used ones forgotten. Two threads may make one."""

    def __init__(self, most: int) -> None:
        self._kept: LRUCache[Hashable, T] = LRUCache(most)
        self._lock = threading.Lock()

    def get(self, key: Hashable, make: Callable[[], T]) -> T:
        with self._lock:
            kept = self._kept.get(key)
        if kept is None:
            kept = make()
            with self._lock:
                self._kept[key] = kept
        return kept


LEAST_PACKED = 4096  # bytes of a page that is worth packing
GZIP_LEVEL = 5
PACKED = PageCache[bytes](64)


def tag_page(body: bytes) -> Page:
    return Page(body, f'"{hashlib.sha256(body).hexdigest()[:32]}"')


def render(request: Request[Any, Any, Any], template: str, frame: Frame, view: object) -> bytes:
    """Return a page as bytes."""
    engine = request.app.template_engine
    if engine is None:
        raise LookupError("the app has no template engine")
    host = request.app.state.context.settings.address.removesuffix(frame.root)  # on paper, a link tells where it leads
    text: str = engine.get_template(template).render(frame=frame, view=view, root=frame.root, host=host)
    return text.encode()


def name_caller(request: Request[Any, Any, Any], page: bytes) -> bytes:
    """Return a page whose head names the caller. The page itself is kept as anybody sees it, and can be another's."""
    caller: Caller | None = request.scope.get("auth")
    if caller is None:
        return page
    context: AppContext = request.app.state.context
    root, session = context.settings.root, session_of(request)
    named = Markup('<a href="{}/team"><bdi>{}</bdi></a>').format(root, caller.team)
    if session:
        token = Markup('<input type="hidden" name="token" value="{}">').format(form_token(session))
        leave = Markup('<form class="act" method="post" action="{}/team/sign-out">{}<button>leave</button></form>')
        named += leave.format(root, token)
    anybody = f'<a href="{root}/team">Your team</a>'
    return page.replace(
        f'<div class="visitor">{anybody}</div>'.encode(), f'<div class="visitor">{named}</div>'.encode(), 1
    )


def see_other(address: str) -> Response[Any]:
    """Return the reply that leads a browser on after a form."""
    return Redirect(address, status_code=303, headers={"Cache-Control": "no-store"})


def page_response(
    request: Request[Any, Any, Any], page: Page | bytes, *, status: int = 200, is_private: bool = False
) -> Response[Any]:
    """Return the reply with its tag: 304 if the browser has it. None is kept for a caller with a key or a session."""
    caller: Caller | None = request.scope.get("auth")
    is_private = is_private or caller is not None or "authorization" in request.headers
    if is_private or status != 200:  # noqa: PLR2004
        body = name_caller(request, page.body if isinstance(page, Page) else page)
        kept = {**HEADERS, "Cache-Control": FOR_ONE_CALLER if status == 200 else "no-store"}  # noqa: PLR2004
        return Response(body, status_code=status, media_type=HTML, headers={**kept, "Vary": VARY})
    body, tag = page if isinstance(page, Page) else tag_page(page)
    headers = {**HEADERS, "Cache-Control": ASK_EACH_TIME, "ETag": tag, "Vary": f"{VARY}, Accept-Encoding"}
    if is_known_to(request.headers.get("if-none-match"), tag):
        return Response(None, status_code=304, headers=headers)
    if len(body) > LEAST_PACKED and "gzip" in request.headers.get("accept-encoding", ""):
        body = PACKED.get(tag, lambda: gzip.compress(body, GZIP_LEVEL, mtime=0))
        headers["Content-Encoding"] = "gzip"
    return Response(body, media_type=HTML, headers=headers)
