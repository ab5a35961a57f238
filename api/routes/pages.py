"""Two plain pages for people: what this instance has, and the reference of its API.

The reference is Swagger UI. Its files come from the package `offapi` and are served here: a page asks no other address.
"""

from functools import lru_cache
from html import escape
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import urlsplit

from litestar import Response, get
from litestar.di import NamedDependency
from litestar.exceptions import NotFoundException
from litestar.params import FromPath

from api.client_wheel import client_wheel
from api.context import AppContext
from api.errors import DomainError
from tetrad import __version__
from tetrad.contracts.benchmarks import BenchmarkInfo

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
<link rel="stylesheet" href="{root}/docs/files/swagger-ui.css">
</head>
<body>
<div id="reference" data-document="{root}/schema/{document}"></div>
<noscript>This page needs scripts. It shows <a href="{root}/schema/{document}">this document</a>.</noscript>
<script src="{root}/docs/files/swagger-ui.js"></script>
<script src="{root}/docs/files/start.js"></script>
</body>
</html>
"""

LANDING = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Tetrad</title>
<link rel="icon" href="data:,">
<style>
body {{ font: 16px/1.5 system-ui, sans-serif; max-width: 46rem; margin: 2rem auto; padding: 0 1rem; color: #1b1b1b }}
code, pre {{ font: 14px/1.5 ui-monospace, monospace; background: #f3f3f3 }}
code {{ padding: 0 .2rem }}
pre {{ padding: .6rem; overflow-x: auto }}
table {{ border-collapse: collapse; width: 100% }}
td, th {{ text-align: left; vertical-align: top; padding: .3rem .8rem .3rem 0; border-bottom: 1px solid #ddd }}
</style>
</head>
<body>
<h1>Tetrad</h1>
<p>Visual-analogy benchmarks over HTTP: <em>A is to A' as B is to what?</em> Items are made fresh from a seed, answers
stay hidden until the score is out, and every submission gets a sealed draw of its own. Version {version}.</p>

<h2>Benchmarks</h2>
{benchmarks}

<h2>Begin</h2>
<p>Make a team. The reply holds its API key, which is shown only then:</p>
<pre>curl -X POST {address}/v1/teams -H 'Content-Type: application/json' -d '{{"name": "my-team"}}'</pre>
<p>Or install the command line, in Python 3.11 or later. A clone's <code>pip install .</code> works, too:</p>
<pre>pip install "{requirement}"
export TETRAD_URL={address}
tetrad keys new --team my-team
tetrad submit --benchmark kiva --model my-model --command "python my_model.py"
tetrad leaderboard kiva</pre>

<h2>More</h2>
<ul>
<li><a href="{root}/docs">Reference of the API</a></li>
<li><a href="{root}/schema/openapi.json">The API as an OpenAPI 3.1 document</a></li>
<li><a href="{root}/v1/commitments">The public log of sealed draws</a></li>
<li><a href="{root}/health/ready">State of this instance</a></li>
<li><a href="{root}/docs/operators">Reference for operators</a></li>
</ul>
</body>
</html>
"""


@get("/", include_in_schema=False, media_type=HTML, sync_to_thread=True)
def landing(context: NamedDependency[AppContext]) -> Response[str]:
    """Show the benchmarks, how to begin, and where the rest is."""
    root = context.settings.public_url.rstrip("/")
    try:
        benchmarks = _table(context.cards.all(), root)
    except DomainError:
        benchmarks = "<p>They can't be listed just now: the generator does not answer.</p>"
    wheel = client_wheel().locate(context.settings)
    text = LANDING.format(
        root=escape(root),
        address=escape(context.settings.address),
        version=__version__,
        benchmarks=benchmarks,
        requirement=escape(f"tetrad @ {wheel.url}#sha256={wheel.sha256}"),
    )
    return Response(text, headers={**HEADERS, "Cache-Control": "no-cache"})


@get("/robots.txt", include_in_schema=False, media_type="text/plain", sync_to_thread=False)
def robots(context: NamedDependency[AppContext]) -> Response[str]:
    """Tell crawlers what they may read: the pages and the boards."""
    path = urlsplit(context.settings.public_url).path.rstrip("/")
    return Response(ROBOTS.format(path=path), headers=KEPT)


def _table(found: list[BenchmarkInfo], root: str) -> str:
    newest = {info.card.name: info for info in sorted(found, key=lambda info: info.card.version)}
    rows = [_row(info, root) for _, info in sorted(newest.items())]
    head = "<tr><th>benchmark</th><th>tracks</th><th></th></tr>"
    return f"<table>{head}{''.join(rows)}</table>" if rows else "<p>This instance has none.</p>"


def _row(info: BenchmarkInfo, root: str) -> str:
    card = info.card
    name, tracks = escape(card.name), escape(", ".join(track.name for track in card.tracks))
    about = f'<a href="{root}/v1/benchmarks/{name}">card</a>, '
    practice = "" if card.corpus else f'<a href="{root}/v1/benchmarks/{name}/items?limit=1">an item</a>, '
    board = f'<a href="{root}/v1/leaderboards/{name}">board</a>'
    links = f"{about}{practice}{board}"
    return f"<tr><td><strong>{name}</strong><br>{escape(card.title)}</td><td>{tracks}</td><td>{links}</td></tr>"


@get("/docs", include_in_schema=False, media_type=HTML, sync_to_thread=False)
def reference(context: NamedDependency[AppContext]) -> Response[str]:
    """Show the public API."""
    return _reference(context, "Tetrad: reference of the API", "openapi.json")


@get("/docs/operators", include_in_schema=False, media_type=HTML, sync_to_thread=False)
def operators_reference(context: NamedDependency[AppContext]) -> Response[str]:
    """Show the operators' part of the API."""
    return _reference(context, "Tetrad: reference for operators", "operators.json")


def _reference(context: AppContext, title: str, document: str) -> Response[str]:
    root = escape(context.settings.public_url.rstrip("/"))
    return Response(REFERENCE.format(root=root, title=title, document=document), headers=HEADERS)


@get("/docs/files/{name:str}", include_in_schema=False, sync_to_thread=False)
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


HANDLERS = [landing, robots, reference, operators_reference, file]
