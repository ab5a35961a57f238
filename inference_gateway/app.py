"""The gateway as an ASGI app: `granian --interface asgi --factory inference_gateway.app:create_app`."""

import os
from collections.abc import Mapping
from typing import Any

from litestar import Litestar, Request, Response, get
from litestar.openapi import OpenAPIConfig
from litestar.openapi.plugins import JsonRenderPlugin
from litestar.openapi.spec import Components, SecurityScheme
from litestar.types import ExceptionHandlersMap

from inference_gateway.providers import Provider
from inference_gateway.providers.in_process import InProcess
from inference_gateway.registry import UnknownModelError, load_registry
from inference_gateway.routes import model_routes
from inference_gateway.settings import PREFIX, GatewaySettings
from tetrad import __version__
from tetrad.server.garbage_collection import freeze_collector
from tetrad.server.logs import configure_logs
from tetrad.server.problems import PROBLEM_HANDLERS, problem_response, refuse
from tetrad.server.settings import load_settings
from tetrad.server.tokens import require_token
from tetrad.solvers.pictures import PictureError

PROVIDERS: Mapping[str, Provider] = {"in-process": InProcess()}


def create_app(settings: GatewaySettings | None = None) -> Litestar:
    """Return the app with every model of the registry opened.

    Raises:
        SettingsError: the environment lacks a variable, or one does not fit.
        RegistryError: the registry file does not fit.
    """
    is_server = settings is None  # a process of its own, not a test's
    settings = settings or load_settings(GatewaySettings, PREFIX, os.environ)
    configure_logs("gateway", settings.log_level)
    registry = load_registry(settings.registry_file(), PROVIDERS)
    guard = require_token(*settings.accepted_tokens())
    app = Litestar(
        route_handlers=[live, ready, model_routes(registry, guard, picture_pixels=settings.picture_pixels)],
        exception_handlers=_handlers(),
        logging_config=None,  # Litestar's would take the place of ours
        request_max_body_size=settings.body_limit_mib * 2**20,
        openapi_config=OpenAPIConfig(
            title="Tetrad inference gateway (internal)",
            version=__version__,
            render_plugins=[JsonRenderPlugin()],
            components=Components(security_schemes={"token": SecurityScheme(type="http", scheme="bearer")}),
        ),
    )
    if is_server:
        freeze_collector()
    return app


@get("/health/live", sync_to_thread=False)
def live() -> dict[str, str]:
    return {"status": "live"}


@get("/health/ready", sync_to_thread=False)
def ready() -> dict[str, str]:
    """Say that models can be asked: all are opened before the app answers at all."""
    return {"status": "ready"}


def _handlers() -> ExceptionHandlersMap:
    return {**PROBLEM_HANDLERS, UnknownModelError: _on_unknown_model, PictureError: _on_picture}


def _on_unknown_model(request: Request[Any, Any, Any], error: UnknownModelError) -> Response[bytes]:
    known = ", ".join(error.known) or "none"
    problem = f"is no {error.kind} model of this gateway"
    return problem_response(request, refuse(404, "model", error.model, problem, f"choose one of: {known}"))


def _on_picture(request: Request[Any, Any, Any], error: PictureError) -> Response[bytes]:
    return problem_response(request, refuse(422, error.place, error.value, error.problem, error.remedy))
