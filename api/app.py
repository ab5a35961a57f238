"""The api as an ASGI app: `granian --interface asgi --factory api.app:create_app`."""

import asyncio
import os
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractAsyncContextManager, asynccontextmanager

from litestar import Litestar, Router
from litestar.datastructures import State
from litestar.di import Provide

from api.context import Services, make_services
from api.database.upgrading import upgrade
from api.http.bodies import BodyRoom
from api.http.body_deadline import BodyDeadlineMiddleware
from api.http.description import openapi_config
from api.http.idempotency import once_of
from api.http.query_names import known_query_names
from api.http.store_errors import on_store_error
from api.routes import accounts, benchmarks, health, items, outcomes, questions, submissions
from api.routes.admin import admin_router
from api.settings import PREFIX, ApiSettings
from api.teams.access import caller_of
from tetrad.server.database_errors import DATABASE_HANDLERS
from tetrad.server.garbage_collection import freeze_collector
from tetrad.server.json_bodies import JsonRequest
from tetrad.server.logs import configure_logs
from tetrad.server.objects import StoreError
from tetrad.server.problems import PROBLEM_HANDLERS
from tetrad.server.settings import load_settings

LARGEST_BODY = 2**20  # of requests that are no uploads
THREADS = 64  # asyncio's own six on two processors would all wait for a generator that hangs, and nobody be served
PUBLIC = (benchmarks, items, accounts, submissions, questions, outcomes)
Lifespan = Callable[[Litestar], AbstractAsyncContextManager[None]]


def create_app(settings: ApiSettings | None = None) -> Litestar:
    """Return the app; its database is brought up to date when it starts.

    Raises:
        SettingsError: the environment lacks a variable.
    """
    is_server = settings is None  # a process of its own, not a test's
    settings = settings or load_settings(ApiSettings, PREFIX, os.environ)
    configure_logs("api", settings.log_level)
    services = make_services(settings)
    app = assemble(services, running(services))
    if is_server:
        freeze_collector()
    return app


def running(services: Services) -> Lifespan:
    """Give the app its threads, bring the database up to date when it starts, and close the services when it ends."""

    @asynccontextmanager
    async def run(_: Litestar) -> AsyncIterator[None]:
        asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(THREADS, "request"))
        upgrade(services.engine, services.settings.scoring_role)
        try:
            yield
        finally:
            await services.close()

    return run


def assemble(services: Services | None, *lifespan: Lifespan) -> Litestar:
    """Return the app with its routes; without services it can only be described."""

    def provide_services() -> Services | None:
        return services

    handlers = [handler for module in PUBLIC for handler in module.HANDLERS]
    counted = [] if services is None else [services.limits]
    public = Router("/v1", route_handlers=[*handlers, admin_router(services)], guards=[known_query_names])
    return Litestar(
        route_handlers=[public, *health.HANDLERS],
        dependencies={
            "services": Provide(provide_services, sync_to_thread=False),
            "once": Provide(once_of),
            "caller": Provide(caller_of, sync_to_thread=False),
        },
        middleware=[BodyDeadlineMiddleware(), *counted, BodyRoom()],
        request_class=JsonRequest,
        state=State({"services": services}),  # for guards, which no dependency reaches
        exception_handlers={**PROBLEM_HANDLERS, **DATABASE_HANDLERS, StoreError: on_store_error},
        request_max_body_size=LARGEST_BODY,
        openapi_config=openapi_config(),
        logging_config=None,  # Litestar's would take the place of ours
        lifespan=list(lifespan),
    )
