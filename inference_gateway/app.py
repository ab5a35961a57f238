"""The gateway as an ASGI app: `granian --interface asgi --factory inference_gateway.app:create_app`."""

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from time import monotonic

from litestar import Litestar, Response, get
from litestar.handlers import HTTPRouteHandler
from litestar.openapi import OpenAPIConfig
from litestar.openapi.plugins import JsonRenderPlugin
from litestar.openapi.spec import Components, SecurityScheme
from litestar.types import Scope
from PIL import Image

from inference_gateway.access import Access, Caller, Revocations
from inference_gateway.call_records import CallMetrics, CallRecords
from inference_gateway.calls import Calls
from inference_gateway.gates import Gates, GateSettings
from inference_gateway.gates.api_ledger import ApiLedger
from inference_gateway.gates.local import LocalGates
from inference_gateway.gates.shared import SharedGates
from inference_gateway.opened_models import Offer
from inference_gateway.problems import HANDLERS
from inference_gateway.providers import anthropic, embeddings, gemini, in_process, openai, triton
from inference_gateway.registry import LiveRegistry
from inference_gateway.requests import GatewayRequest
from inference_gateway.response_cache import ResponseCache
from inference_gateway.routes import model_routes
from inference_gateway.settings import PREFIX, GatewaySettings
from inference_gateway.upstream_http import UpstreamHttp
from tetrad import __version__
from tetrad.server.garbage_collection import finish_loading
from tetrad.server.http_edge import BodyDeadlineMiddleware, RequestHeadMiddleware, add_safe_headers, keep_connections
from tetrad.server.logs import configure_logs
from tetrad.server.metrics import CountedRequests, Metrics
from tetrad.server.metrics_route import metrics_route
from tetrad.server.request_watch import watch_requests
from tetrad.server.settings import load_settings, variable_name
from tetrad.server.traces import open_traces
from tetrad.tls import load_trusted

PROVIDERS: Mapping[str, Offer] = {
    "in-process": Offer(local=in_process.InProcess(), parameters=in_process.PARAMETERS),
    "embeddings": Offer(asking=embeddings.open_embeddings, parameters=in_process.PARAMETERS),
    "openai": Offer(remote=openai.OpenAI, parameters=openai.PARAMETERS),
    "anthropic": Offer(remote=anthropic.Anthropic, parameters=anthropic.PARAMETERS),
    "gemini": Offer(remote=gemini.Gemini, parameters=gemini.PARAMETERS),
}


def offers(servers: triton.TritonServers) -> Mapping[str, Offer]:
    """Return every provider; `servers` keeps the connections to Triton."""
    offer = Offer(
        remote=triton.make_opener(servers),
        parameters=triton.PARAMETERS,
        schemes=(triton.ENCRYPTED, triton.PLAIN),
        is_ours=True,
    )
    return {**PROVIDERS, "triton": offer}


OPENING_SECONDS = 15.0  # after a start, for a ledger that opens
OPENAPI = OpenAPIConfig(
    title="Tetrad inference gateway",
    version=__version__,
    render_plugins=[JsonRenderPlugin()],
    components=Components(security_schemes={"token": SecurityScheme(type="http", scheme="bearer")}),
)
Lifespan = Callable[[Litestar], AbstractAsyncContextManager[None]]


def create_app(settings: GatewaySettings | None = None) -> Litestar:
    """Return the app with every model of the registry opened.

    Raises:
        SettingsError: a variable is missing or wrong.
        RegistryError: the registry file is wrong.
    """
    is_server = settings is None  # a process of its own, not a test's
    settings = settings or load_settings(GatewaySettings, PREFIX, os.environ)
    settings.check_secrets()
    configure_logs("gateway", settings.log_level)
    open_traces("gateway")
    http, servers = UpstreamHttp(), triton.TritonServers()
    live = LiveRegistry(settings.registry_file(), offers(servers), http, os.environ)
    revocations = _revocations(settings)
    access = Access(settings.accepted_tokens(), settings.token_secrets, revocations, settings.day_bounds())
    gates, metrics = _gates(settings), Metrics()
    call_metrics = CallMetrics(metrics)
    calls = Calls(live, gates, settings, CallRecords(call_metrics))
    cache = ResponseCache(
        teams=settings.cache_teams, seconds=settings.cache_seconds, most_bytes=settings.cache_mib * 2**20
    )
    _watch(metrics, gates, calls, live, cache)
    app = Litestar(
        route_handlers=[
            live_probe,
            ready_probe(live, gates),
            metrics_route(metrics, settings.metrics_token, variable_name(PREFIX, "metrics_token")),
            model_routes(calls, access.guard(), cache),
        ],
        exception_handlers=HANDLERS,
        middleware=[RequestHeadMiddleware(), BodyDeadlineMiddleware()],
        before_send=[add_safe_headers],
        request_class=GatewayRequest,
        logging_config=None,  # Litestar's would take the place of ours
        request_max_body_size=settings.body_limit_mib * 2**20,
        lifespan=[
            _close_at_end(servers),
            _keep_running(gates, calls, http, lambda: live.follow(settings.reload_seconds), revocations.follow),
        ],
        openapi_config=OPENAPI,
    )
    app.asgi_handler = keep_connections(app.asgi_handler)
    watch_requests(app, CountedRequests(metrics), who_asks)
    if is_server:
        load_trusted()  # read here, or else the first calls wait for it
        Image.preinit()
        finish_loading()
    return app


def who_asks(scope: Scope) -> Mapping[str, str]:
    """Return the team and the id of the token that a request came with, for its line of the log."""
    caller = scope.get("auth")
    return {"team": caller.team, "token": caller.token} if isinstance(caller, Caller) else {}


def _revocations(settings: GatewaySettings) -> Revocations:
    return Revocations(
        api_url=settings.api_url.rstrip("/") if settings.token_secrets else "",
        token=settings.ledger_token,
        seconds=settings.revocation_seconds,
        grace_seconds=settings.revocation_grace_seconds,
    )


def _gates(settings: GatewaySettings) -> SharedGates | LocalGates:
    """Return the gates: shared with other processes where there is a Redis, local ones otherwise."""
    numbers = GateSettings(
        picture_bytes=settings.picture_mib * 2**20, is_alone=settings.alone, days_folder=settings.days_folder
    )
    if not settings.redis_url:
        return LocalGates(numbers)
    is_kept = settings.api_url and settings.ledger_token
    store = ApiLedger(settings.api_url, settings.ledger_token) if is_kept else None
    return SharedGates(settings.redis_url, store, numbers)


def _watch(
    metrics: Metrics, gates: SharedGates | LocalGates, calls: Calls, live: LiveRegistry, cache: ResponseCache
) -> None:
    """Add the gauges of work in flight and of present faults."""
    metrics.watch("tetrad_gateway_permits", "Permits that calls of this process hold", lambda: gates.permits)
    metrics.watch(
        "tetrad_gateway_picture_bytes", "Pictures in flight, decoded, in bytes", lambda: gates.pictures.held_bytes
    )
    metrics.watch("tetrad_gateway_streams", "Streams that are being read", lambda: len(calls.streams))
    metrics.watch("tetrad_gateway_cache_bytes", "Replies in the response cache, in bytes", lambda: cache.held_bytes)
    metrics.watch(
        "tetrad_gateway_registry_stale",
        "1 while the registry's file is wrong and the last valid one is served",
        lambda: bool(live.fault),
    )
    metrics.watch(
        "tetrad_gateway_ledger_open",
        "0 while calls that cost money are refused because nobody can book them",
        lambda: gates.ledger_state != "closed",
    )
    if isinstance(gates, SharedGates):
        metrics.watch("tetrad_gateway_redis_away", "1 while Redis does not answer", lambda: gates.is_away)
        metrics.watch(
            "tetrad_gateway_unsent_settlements",
            "Settlements that the api's database does not have yet",
            lambda: gates.ledger.unsent,
        )


def _keep_running(
    gates: Gates, calls: Calls, http: UpstreamHttp, *followed: Callable[[], Coroutine[None, None, None]]
) -> Lifespan:
    """Keep the registry and the list of revoked tokens up to date while the app runs, and close all when it ends."""

    @asynccontextmanager
    async def run(_: Litestar) -> AsyncIterator[None]:
        await gates.start()
        tasks = [asyncio.create_task(follow()) for follow in followed]
        try:
            yield
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            await calls.streams.close()
            await gates.stop()
            await http.close()

    return run


def _close_at_end(servers: triton.TritonServers) -> Lifespan:
    """Close the connections to Triton when the app ends."""

    @asynccontextmanager
    async def run(_: Litestar) -> AsyncIterator[None]:
        try:
            yield
        finally:
            await servers.close()

    return run


@get("/health/live", sync_to_thread=False)
def live_probe() -> dict[str, str]:
    return {"status": "live"}


def ready_probe(registry: LiveRegistry, gates: Gates) -> HTTPRouteHandler:
    """Return the route of readiness. The app answers once all models are opened."""
    waits_until = monotonic() + OPENING_SECONDS

    @get("/health/ready", sync_to_thread=False)
    def ready() -> Response[dict[str, str]]:
        """Say whether models answer, and whether calls with a price can be booked (`ledger`).

        After a start it is 503 until they can, for 15 seconds at most: without them, other models still answer. It also
        has the digest of the served registry, and says if its file has since changed to a wrong one.
        """
        nonlocal waits_until
        ledger = gates.ledger_state
        is_priced = any(model.entry.price is not None for model in registry.now.all())
        is_opening = is_priced and ledger == "closed" and monotonic() < waits_until
        if not is_opening:
            waits_until = 0.0  # a ledger that closes later keeps no model from answering
        state = {"status": "opening" if is_opening else "ready", "version": __version__, "ledger": ledger}
        state["registry"] = registry.now.digest[:12]
        if registry.fault:
            state["stale"] = "the registry's file is wrong and the last valid one is served; see the log"
        return Response(state, status_code=503, headers={"Retry-After": "1"}) if is_opening else Response(state)

    return ready
