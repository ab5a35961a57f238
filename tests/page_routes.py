"""The pages of the api, as its router lists them, so that no test of pages leaves one out."""

from litestar import Litestar

NOT_HTML = frozenset({*(f"/boards/{{benchmark:str}}/{form}" for form in ("csv", "json", "svg")), "/team/csv"})
"""Routes of pages that give a file."""


def routes_of(app: Litestar) -> set[str]:
    """Return the paths of all routes that answer with a page."""
    return {
        route.path
        for route in app.routes
        for handler in getattr(route, "route_handlers", ())
        if handler.opt.get("page") and "GET" in handler.http_methods and route.path not in NOT_HTML
    }
