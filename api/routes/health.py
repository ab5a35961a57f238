"""Health: whether the process is up, and whether it can do its work."""

from typing import Any

import sqlalchemy as sa
from litestar import Response, get
from litestar.di import NamedDependency
from litestar.openapi.datastructures import ResponseSpec

from api.context import AppContext
from api.http.state import HttpState
from tetrad.server.database import read_transaction
from tetrad.server.objects import StoreError

PROBE = "health/probe"
STILL_DOWN = ResponseSpec(dict[str, Any], description="What is not up", generate_examples=False)


@get("/health/live", operation_id="isLive", summary="Whether this process answers", sync_to_thread=False)
def live() -> dict[str, str]:
    return {"status": "live"}


@get(
    "/health/ready",
    operation_id="isReady",
    summary="Whether requests can be served",
    responses={503: STILL_DOWN},
    sync_to_thread=True,
)
def ready(context: NamedDependency[AppContext], http_state: NamedDependency[HttpState]) -> Response[dict[str, Any]]:
    """Say what is reachable, and what keeps the api from writing. Without Redis reports come some seconds later."""
    needed = {
        "database": _is_read(context.engine),
        "generator": context.generator.is_ready(),
        "store": _is_stored(context),
    }
    redis = {None: "not configured", True: "up", False: "degraded"}[context.notifier.is_up()]
    shortages = context.disks.shortages()
    if (locked := context.lock.shortage()) is not None:
        shortages["lock"] = locked
    is_ready = all(needed.values()) and not shortages
    body: dict[str, Any] = {name: "up" if is_up else "down" for name, is_up in needed.items()}
    if shortages:
        body["shortages"] = shortages
    limits = http_state.limits.state
    status = {"status": "ready" if is_ready else "not ready", **body, "redis": redis, "rate_limits": limits}
    return Response(status, status_code=200 if is_ready else 503, headers={} if is_ready else {"Retry-After": "5"})


def _is_read(engine: sa.Engine) -> bool:
    try:
        with read_transaction(engine) as connection:
            connection.execute(sa.text("SELECT 1"))
    except sa.exc.SQLAlchemyError:
        return False
    return True


def _is_stored(context: AppContext) -> bool:
    try:
        context.store.get(PROBE)
    except StoreError:
        return False
    return True


HANDLERS = [live, ready]
