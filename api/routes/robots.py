"""The file `robots.txt`: the addresses that crawlers may read."""

from litestar import Response, get
from litestar.di import NamedDependency

from api.context import AppContext

ROBOTS = """\
User-agent: *
Allow: {path}/v1/leaderboards/
Disallow: {path}/v1/
Disallow: {path}/puzzles/
Disallow: {path}/play/
Disallow: {path}/health/
"""
"""Each practice item is drawn for whoever asks: a crawl makes work for nothing, and its texts train models."""


@get("/robots.txt", include_in_schema=False, media_type="text/plain", sync_to_thread=False)
def robots(context: NamedDependency[AppContext]) -> Response[str]:
    """Tell crawlers what they may read: the pages and the boards."""
    headers = {"Cache-Control": "public, max-age=86400"}
    return Response(ROBOTS.format(path=context.settings.root), headers=headers)


HANDLERS = [robots]
