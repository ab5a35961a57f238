"""The api as an ASGI app: `granian --interface asgi --factory api.app:create_app`."""

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import partial

from litestar import Litestar, Router
from litestar.datastructures import State
from litestar.di import Provide
from litestar.types import Scope

from api.client_wheel import client_wheel
from api.context import AppContext, make_context
from api.database.checking import checked_database
from api.database.upgrading import upgrade
from api.gauges import gauges_of
from api.http.bodies import BodyRoom
from api.http.description import openapi_config
from api.http.guards import caller_of, known_query_names
from api.http.idempotency import once_of
from api.http.pictures import answer_kept
from api.http.problems import HANDLERS
from api.http.sessions import VISITOR, hide_from_caches
from api.http.state import HttpState, make_http_state
from api.pages import PAGES
from api.pages.errors import with_pages
from api.pages.frame import template_config
from api.routes import (
    accounts,
    benchmarks,
    comparisons,
    datasets,
    evaluations,
    health,
    items,
    outcomes,
    questions,
    robots,
    submissions,
    training,
    versions,
)
from api.routes.admin import admin_router
from api.routes.health import find_state
from api.routes.internal import ROUTER as INTERNAL
from api.settings import PREFIX, ApiSettings
from api.teams.access import Caller
from tetrad.server.database import check_connections
from tetrad.server.garbage_collection import finish_loading
from tetrad.server.http_edge import (
    BodyDeadlineMiddleware,
    RequestHeadMiddleware,
    add_safe_headers,
    answer_head,
    keep_connections,
)
from tetrad.server.json_bodies import JsonRequest
from tetrad.server.logs import configure_logs
from tetrad.server.metrics import CountedRequests, Metrics
from tetrad.server.metrics_route import metrics_route
from tetrad.server.request_watch import watch_requests
from tetrad.server.settings import load_settings, variable_name
from tetrad.server.traces import open_traces

LARGEST_BODY = 2**20  # bytes, of requests that are no uploads
THREADS = 64  # asyncio's default is six on two processors: a generator that hangs would hold them all
SWITCH_SECONDS = 0.0005  # a request waits no longer for a thread that writes a page: by default ten times as long
PUBLIC = (
    benchmarks,
    items,
    training,
    datasets,
    accounts,
    submissions,
    questions,
    evaluations,
    comparisons,
    outcomes,
    versions,
)
Lifespan = Callable[[Litestar], AbstractAsyncContextManager[None]]


def create_app(settings: ApiSettings | None = None) -> Litestar:
    """Return the app. It brings its database up to date when it starts.

    Raises:
        SettingsError: the environment lacks a variable.
    """
    is_server = settings is None  # a process of its own, not a test's
    settings = settings or load_settings(ApiSettings, PREFIX, os.environ)
    configure_logs("api", settings.log_level)
    open_traces("api")
    context = make_context(settings)
    http_state = make_http_state(context)
    app = assemble(context, http_state, running(context, http_state))
    if is_server:
        sys.setswitchinterval(SWITCH_SECONDS)
        client_wheel()  # of the files that run, before they can change
        finish_loading()
    return app


def running(context: AppContext, http_state: HttpState) -> Lifespan:
    """Return the lifespan: threads for the app, an upgraded database, and everything closed at the end."""

    @asynccontextmanager
    async def run(_: Litestar) -> AsyncIterator[None]:
        asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(THREADS, "request"))
        settings = context.settings
        try:
            name = f"{PREFIX}_DATABASE_CONNECTIONS"
            check_connections(context.engine, settings.database_connections, name, f"lower {name} ")
            with checked_database(
                context.engine, partial(upgrade, context.engine, settings.scoring_role, settings.bulk_role)
            ):
                yield
        finally:
            await http_state.close()
            await context.close()

    return run


def assemble(context: AppContext | None, http_state: HttpState | None, *lifespan: Lifespan) -> Litestar:
    """Return the app with its routes; without a context it can only be described."""

    def provide_context() -> AppContext | None:
        return context

    def provide_http_state() -> HttpState | None:
        return http_state

    handlers = [handler for module in PUBLIC for handler in module.HANDLERS]
    counted = [] if http_state is None else [http_state.limits]
    public = Router("/v1", route_handlers=[*handlers, admin_router(context)], guards=[known_query_names])
    metrics = Metrics()
    if context is not None and http_state is not None:
        metrics.collect_from(gauges_of(context, lambda: find_state(context, http_state)[0]))
    token = "" if context is None else context.settings.metrics_token
    numbers = metrics_route(metrics, token, variable_name(PREFIX, "metrics_token"))
    pages = Router("/", route_handlers=PAGES, guards=VISITOR)
    app = Litestar(
        route_handlers=[public, INTERNAL, *health.HANDLERS, pages, *robots.HANDLERS, *versions.FILES, numbers],
        dependencies={
            "context": Provide(provide_context, sync_to_thread=False),
            "http_state": Provide(provide_http_state, sync_to_thread=False),
            "once": Provide(once_of),
            "caller": Provide(caller_of, sync_to_thread=False),
        },
        middleware=[RequestHeadMiddleware(), BodyDeadlineMiddleware(), *counted, BodyRoom()],
        before_send=[add_safe_headers, hide_from_caches],
        request_class=JsonRequest,
        state=State({"context": context, "http_state": http_state}),  # for guards, which no dependency reaches
        exception_handlers=with_pages(HANDLERS),
        template_config=template_config(),
        request_max_body_size=LARGEST_BODY,
        openapi_config=openapi_config(),
        logging_config=None,  # Litestar's would take the place of ours
        lifespan=list(lifespan),
    )
    handler = app.asgi_handler if http_state is None else answer_kept(app.asgi_handler, http_state.pictures)
    app.asgi_handler = keep_connections(answer_head(handler))
    watch_requests(app, CountedRequests(metrics), who_asks)
    return app


def who_asks(scope: Scope) -> Mapping[str, str]:
    """Return the ids of the team and of the API key that a request came with, for its line of the log."""
    caller = scope.get("auth")
    return {"team": caller.team_id, "key": caller.key_id} if isinstance(caller, Caller) else {}
