"""Errors as pages, where a browser asks for one: the same status, problem and remedy as the API's problem documents."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, cast

import msgspec
from litestar import Request, Response
from litestar.types import ExceptionHandlersMap

from api.context import AppContext
from api.pages.frame import Frame, page_response, render
from tetrad.contracts.problems import Problem

NO_PAGES = ("/v1/", "/health/", "/schema/", "/client/", "/internal/", "/files/")
"""Below these paths nobody but programs asks."""
MOST_NEAR = 3
NEAR = 0.6  # of difflib's likeness
NOT_FOUND = 404
Handler = Callable[[Request[Any, Any, Any], Any], Response[bytes]]


@dataclass(frozen=True, kw_only=True)
class ErrorView:
    """An error. `near` are addresses that resemble the one asked for, each with its words."""

    problem: Problem
    path: str
    near: tuple[tuple[str, str], ...]


def with_pages(handlers: ExceptionHandlersMap) -> ExceptionHandlersMap:
    """Return the handlers so that a browser gets a page in place of a problem document."""
    return {kind: _with_page(cast("Handler", handler)) for kind, handler in handlers.items()}


def _with_page(handler: Handler) -> Handler:
    def handle(request: Request[Any, Any, Any], error: Any) -> Response[bytes]:
        reply = handler(request, error)
        return error_page(request, reply) if wants_page(request) else reply

    return handle


def wants_page(request: Request[Any, Any, Any]) -> bool:
    """Tell whether a browser asks for a page: it names HTML, and nothing of the API's."""
    accepted = request.headers.get("accept", "")
    return "text/html" in accepted and not request.url.path.startswith(NO_PAGES)


def error_page(request: Request[Any, Any, Any], reply: Response[bytes]) -> Response[bytes]:
    context: AppContext | None = request.app.state.context
    if context is None:
        return reply
    problem = msgspec.json.decode(reply.content, type=Problem)
    root = context.settings.root
    path = request.url.path
    is_missing = problem.status == NOT_FOUND
    near = tuple(near_addresses(context, path)) if is_missing else ()
    frame = Frame(root=root, title=f"{problem.title} · Tetrad", tab="")
    asked = f"{path}?{request.url.query}" if request.url.query else path
    view = ErrorView(problem=problem, path=asked, near=near)
    page: Response[bytes] = page_response(
        request, render(request, "not_found.html" if is_missing else "error.html", frame, view), status=problem.status
    )
    page.headers.update(reply.headers)
    return page


def near_addresses(context: AppContext, path: str) -> Iterator[tuple[str, str]]:
    """Yield up to three pages whose addresses resemble a path, each with its words."""
    known = dict(addresses(context))
    for found in get_close_matches(path.rstrip("/"), [*known], MOST_NEAR, NEAR):
        yield found, known[found]


def addresses(context: AppContext) -> Iterator[tuple[str, str]]:
    yield from (("/boards", "all boards"), ("/benchmarks", "all benchmarks"), ("/puzzles", "puzzles of all benchmarks"))
    for info in context.cards.list_known():
        name, title = info.card.name, info.card.short_title
        yield f"/boards/{name}", f"the board of {title}"
        yield f"/benchmarks/{name}", f"what {title} asks"
        yield f"/puzzles/{name}", f"puzzles of {title}"
        yield f"/play/{name}", f"play {title}"
