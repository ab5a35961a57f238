"""The generator as an ASGI app: `granian --interface asgi --factory generator_service.app:create_app`."""

import asyncio
import os
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

from litestar import Litestar, Request, Response, Router, get
from litestar.openapi import OpenAPIConfig
from litestar.openapi.plugins import JsonRenderPlugin
from litestar.types import ExceptionHandlersMap

from generator_service.cache_budget import BUDGET
from generator_service.datasets.shards import WriterError
from generator_service.draws import SeedError
from generator_service.finding import FOLDER_VARIABLES, benchmark_folders, find_benchmarks
from generator_service.items import NeverOpenedError
from generator_service.made_counts import MadeCounts
from generator_service.mounting import TrackUnreadyError
from generator_service.parameters import IdentityError
from generator_service.practice import CorpusClosedError, Practice
from generator_service.registry import Registry, mount
from generator_service.routes import catalogue_routes, key_routes, practice_routes, sealed_routes
from generator_service.sealing.record import Record, RecordConflictError
from generator_service.sealing.refusals import SourceClosedError
from generator_service.sealing.sealed_draws import Sealing, UnknownDrawError, UnloadableVersionError
from generator_service.sealing.secret_ring import MissingSecretError
from generator_service.settings import PREFIX, GeneratorSettings, Role
from generator_service.sources.store import SourceDamagedError, SourceUnreadyError, open_sources
from tetrad import __version__
from tetrad.contracts.problems import Fault
from tetrad.internal.draws import LARGEST_REVEAL
from tetrad.server.database_errors import DATABASE_HANDLERS
from tetrad.server.garbage_collection import finish_loading
from tetrad.server.http_edge import BodyDeadlineMiddleware, RequestHeadMiddleware, add_safe_headers, keep_connections
from tetrad.server.logs import configure_logs
from tetrad.server.metrics import CountedRequests, Metrics
from tetrad.server.metrics_route import metrics_route
from tetrad.server.problems import PROBLEM_HANDLERS, ProblemError, problem_response
from tetrad.server.request_watch import watch_requests
from tetrad.server.settings import load_settings, variable_name
from tetrad.server.tokens import require_token
from tetrad.server.traces import open_traces

NICENESS = 5  # a third of the share of others: with more, items would wait long on a busy machine
PRACTICE_NICENESS = 10  # a tenth: everybody's practice waits for what submissions wait for


def create_app(settings: GeneratorSettings | None = None) -> Litestar:
    """Return the app, its benchmarks mounted and its record open.

    Raises:
        SettingsError: the environment lacks a variable.
        RegistryError: a folder that the settings name holds no benchmarks.
        SourceMissingError: a source that the settings name is not in the store.
        UnloadableVersionError: open draws need a benchmark version, a bank or a corpus that is not here.
        MissingSecretError: open draws need a seed secret that is not here.
        SourceDamagedError: a published source has changed since it was added.
        DatabaseDamagedError: the record is a SQLite file, and damaged.
    """
    is_server = settings is None  # a process of its own, not a test's
    settings = settings or load_settings(GeneratorSettings, PREFIX, os.environ)
    configure_logs("generator", settings.log_level)
    open_traces("generator")
    BUDGET.set_limit(settings.cache_mib)
    registry = _registry(settings)
    record = None if settings.role == "practice" else Record(settings.database_url)
    metrics = Metrics()
    counts = MadeCounts(metrics, registry, _made_beside(settings))
    numbers = metrics_route(metrics, settings.metrics_token, variable_name(PREFIX, "metrics_token"))
    app = Litestar(
        route_handlers=[*_health(record), *_routes(settings, registry, record, counts), numbers],
        exception_handlers=_handlers(counts),
        middleware=[RequestHeadMiddleware(), BodyDeadlineMiddleware()],
        before_send=[add_safe_headers],
        request_max_body_size=LARGEST_REVEAL,
        logging_config=None,  # Litestar's logging would replace ours
        openapi_config=OpenAPIConfig(
            title="Tetrad generator (internal)", version=__version__, render_plugins=[JsonRenderPlugin()]
        ),
        on_startup=[partial(_start_threads, settings.role)] if is_server else [],
        on_shutdown=[] if record is None else [record.close],
    )
    app.asgi_handler = keep_connections(app.asgi_handler)
    watch_requests(app, CountedRequests(metrics), is_ours=True)
    if is_server:
        finish_loading()
    return app


def _routes(settings: GeneratorSettings, registry: Registry, record: Record | None, counts: MadeCounts) -> list[Router]:
    """Return the routes of the process's role. Without a record there are no sealed draws."""
    practice = Practice(registry)
    practice_tokens, sealed_tokens, keys_tokens = (
        [token for token in text.split(",") if token]
        for text in (settings.practice_token, settings.sealed_token, settings.keys_token)
    )
    routes = [catalogue_routes(registry, require_token(*practice_tokens, *sealed_tokens, *keys_tokens))]
    if settings.role != "sealed":
        routes.append(practice_routes(practice, require_token(*practice_tokens, *keys_tokens), counts))
    if record is not None:
        sealing = Sealing(settings.seed_secret, record, registry)
        sealing.check_secrets([secret for secret in settings.lost_secrets.split(",") if secret])
        sealing.check_versions()
        routes.append(sealed_routes(sealing, require_token(*sealed_tokens), counts))
        routes.append(key_routes(sealing, practice, require_token(*keys_tokens)))
    return routes


def _registry(settings: GeneratorSettings) -> Registry:
    """Mount the benchmarks that the settings name with the sources of the store that they name."""
    benchmarks = list(find_benchmarks(benchmark_folders({FOLDER_VARIABLES[0]: settings.benchmark_folders})))
    store = open_sources(settings.sources_url, Path(settings.sources_cache) if settings.sources_cache else None)
    return mount(
        benchmarks,
        store,
        settings.bank,
        defaults=settings.default_sources,
        published=True,
        beside=_made_beside(settings),
    )


def _made_beside(settings: GeneratorSettings) -> set[str]:
    return {kind for kind in settings.made_beside.split(",") if kind}


async def _start_threads(role: Role) -> None:
    """Start the threads that make items, so that they give way to api and gateway, for which others wait.

    Linux keeps a priority for each thread, so health and routing of sealed draws stay as they were. A process of
    practice gives way as a whole: encoding a page takes time, too. On other systems the first thread would lower the
    whole process, and so nothing is done.
    """
    give_way = sys.platform == "linux"
    if give_way and role == "practice":
        os.nice(PRACTICE_NICENESS)
    nicer = give_way and role != "practice"  # threads inherit what the process has
    threads = ThreadPoolExecutor(thread_name_prefix="make", initializer=partial(os.nice, NICENESS) if nicer else None)
    asyncio.get_running_loop().set_default_executor(threads)


def _health(record: Record | None) -> Sequence[Any]:
    @get("/health/live", sync_to_thread=False)
    def live() -> dict[str, str]:
        return {"status": "live"}

    @get("/health/ready", sync_to_thread=True)
    def ready() -> dict[str, str]:
        """Tell whether items can be made and recorded. The benchmarks are mounted before the app starts."""
        if record is not None and not record.is_up():
            raise ProblemError(503, "the record of sealed draws is damaged; restore it from a backup")
        return {"status": "ready", "version": __version__}

    return [live, ready]


def _handlers(counts: MadeCounts) -> ExceptionHandlersMap:
    def on_damaged(request: Request[Any, Any, Any], error: SourceDamagedError) -> Response[bytes]:
        counts.count_damage()
        return _on_damaged(request, error)

    return {
        **PROBLEM_HANDLERS,
        **DATABASE_HANDLERS,
        IdentityError: _on_identity,
        SeedError: _on_seed,
        NeverOpenedError: _as_status(409),
        RecordConflictError: _as_status(409),
        UnknownDrawError: _as_status(404),
        CorpusClosedError: _as_status(422),  # 422 tells the caller that the same request will always be refused
        UnloadableVersionError: _as_status(503),
        TrackUnreadyError: _on_unready,
        SourceUnreadyError: _on_unready_source,
        SourceDamagedError: on_damaged,
        SourceClosedError: _as_status(422),  # as CorpusClosedError
        MissingSecretError: _as_status(503),
        WriterError: _on_writer,
    }


def _on_identity(request: Request[Any, Any, Any], error: IdentityError) -> Response[bytes]:
    unknown = any(fault.field == "benchmark" for fault in error.faults)
    return problem_response(request, ProblemError(404 if unknown else 422, str(error), faults=error.faults))


def _on_unready(request: Request[Any, Any, Any], error: TrackUnreadyError) -> Response[bytes]:
    return problem_response(request, ProblemError(503, str(error), faults=[error.fault]))


def _on_unready_source(request: Request[Any, Any, Any], error: SourceUnreadyError) -> Response[bytes]:
    problem, _, remedy = str(error).partition("; ")
    fault = Fault(field="source", problem=problem, remedy=remedy)
    return problem_response(request, ProblemError(503, str(error), faults=[fault]))


def _on_damaged(request: Request[Any, Any, Any], error: SourceDamagedError) -> Response[bytes]:
    """Answer 503. The detail, for our own services, names the file. The fault, which is public, names the source."""
    problem = "is damaged: a file that this item needs is missing or changed"
    remedy = "ask this instance's operator to restore it; the generator's log names the file"
    fault = Fault(field="source", value=error.title or None, problem=problem, remedy=remedy)
    return problem_response(request, ProblemError(503, str(error), faults=[fault]))


def _on_seed(request: Request[Any, Any, Any], error: SeedError) -> Response[bytes]:
    remedy = "use an integer from 0 to 2^53-1 or 64 lowercase hex digits"
    fault = Fault(field="seed", problem="is not a seed", remedy=remedy)
    return problem_response(request, ProblemError(422, str(error), faults=[fault]))


def _on_writer(request: Request[Any, Any, Any], error: WriterError) -> Response[bytes]:
    problem, _, remedy = str(error).partition("; ")
    fault = Fault(field="form", problem=problem, remedy=remedy)
    return problem_response(request, ProblemError(503, str(error), faults=[fault]))


def _as_status(status: int) -> Any:
    def handler(request: Request[Any, Any, Any], error: Exception) -> Response[bytes]:
        return problem_response(request, ProblemError(status, str(error)))

    return handler
