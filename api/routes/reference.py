"""The reference of the API, and what crawlers may read.

The reference is Swagger UI. Its files come from the package `offapi` and are served here: a page asks no other address.
"""

from functools import lru_cache
from html import escape
from importlib.util import find_spec
from pathlib import Path

from litestar import Response, get
from litestar.di import NamedDependency
from litestar.exceptions import NotFoundException
from litestar.params import FromPath

from api.context import AppContext

FILES = {
    "swagger-ui.js": ("swagger_bundle.js", "text/javascript"),
    "swagger-ui.css": ("swagger_style.css", "text/css"),
}
"""Files of the package by the names that they are served under."""

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = {"Content-Security-Policy": POLICY, "Referrer-Policy": "no-referrer"}
KEPT = {"Cache-Control": "public, max-age=86400"}
HTML = "text/html"
ROBOTS = """\
User-agent: *
Allow: {path}/v1/leaderboards/
Disallow: {path}/v1/
Disallow: {path}/puzzles/
Disallow: {path}/play/
Disallow: {path}/health/
"""
"""Each practice item is drawn for whoever asks: a crawl makes work for nothing, and its texts train models."""

START = """\
SwaggerUIBundle({
  url: document.getElementById("reference").dataset.document,
  dom_id: "#reference",
  deepLinking: true,
  validatorUrl: null,
  defaultModelsExpandDepth: 0,
  docExpansion: "list",
});
"""

REFERENCE = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="{root}/reference/files/swagger-ui.css">
</head>
<body>
<div id="reference" data-document="{root}/schema/{document}"></div>
<noscript>This page needs scripts. It shows <a href="{root}/schema/{document}">this document</a>.</noscript>
<script src="{root}/reference/files/swagger-ui.js"></script>
<script src="{root}/reference/files/start.js"></script>
</body>
</html>
"""


@get("/robots.txt", include_in_schema=False, media_type="text/plain", sync_to_thread=False)
def robots(context: NamedDependency[AppContext]) -> Response[str]:
    """Tell crawlers what they may read: the pages and the boards."""
    return Response(ROBOTS.format(path=context.settings.root), headers=KEPT)


@get("/reference", include_in_schema=False, media_type=HTML, sync_to_thread=False)
def reference(context: NamedDependency[AppContext]) -> Response[str]:
    """Show the public API."""
    return _reference(context, "Tetrad: reference of the API", "openapi.json")


@get("/reference/operators", include_in_schema=False, media_type=HTML, sync_to_thread=False)
def operators_reference(context: NamedDependency[AppContext]) -> Response[str]:
    """Show the operators' part of the API."""
    return _reference(context, "Tetrad: reference for operators", "operators.json")


def _reference(context: AppContext, title: str, document: str) -> Response[str]:
    root = escape(context.settings.public_url.rstrip("/"))
    return Response(REFERENCE.format(root=root, title=title, document=document), headers=HEADERS)


@get("/reference/files/{name:str}", include_in_schema=False, sync_to_thread=False)
def file(name: FromPath[str]) -> Response[bytes]:
    """Give a script or a style sheet of the reference.

    Raises:
        NotFoundException: there is none of this name.
    """
    if name == "start.js":
        return Response(START.encode(), media_type="text/javascript", headers=KEPT)
    if name not in FILES:
        raise NotFoundException
    return Response(_read(FILES[name][0]), media_type=FILES[name][1], headers=KEPT)


@lru_cache(maxsize=len(FILES))
def _read(name: str) -> bytes:
    """Return a file of the package. It is not imported: that would read all of its files."""
    found = find_spec("offapi")
    if found is None or found.origin is None:
        raise NotFoundException
    return (Path(found.origin).parent / name).read_bytes()


HANDLERS = [robots, reference, operators_reference, file]
