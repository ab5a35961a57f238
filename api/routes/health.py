"""Health: whether the process is up, whether it can do its work, and what else is up.

A process is not ready only for what it needs itself to serve. Practice, scoring, Redis and the gateway are told of:
while they are away requests are served, and taking every replica out of rotation would help nobody.
"""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import sqlalchemy as sa
from litestar import Response, get
from litestar.di import NamedDependency
from litestar.openapi.datastructures import ResponseSpec

from api.context import AppContext
from api.database.schema import submissions, verifications
from api.http.state import HttpState
from tetrad import __version__
from tetrad.server.clock import now_ms
from tetrad.server.damage import DATABASE, known_damage
from tetrad.server.database import is_state, read_rows, read_transaction
from tetrad.server.database_damage import damage_of
from tetrad.server.objects import is_reached

STALLED_MS = 60_000  # so long work may wait while no worker is at any
STILL_DOWN = ResponseSpec(dict[str, Any], description="What is not up", generate_examples=False)


@get("/health/live", operation_id="isLive", summary="Whether this process answers", sync_to_thread=False)
def live() -> dict[str, str]:
    """Say that this process answers. It asks nothing of others: `GET /health/ready` does."""
    return {"status": "live"}


@get(
    "/health/ready",
    operation_id="isReady",
    summary="Whether requests can be served",
    responses={503: STILL_DOWN},
    sync_to_thread=True,
)
def ready(context: NamedDependency[AppContext], http_state: NamedDependency[HttpState]) -> Response[dict[str, Any]]:
    """Say what is up, and what keeps the api from writing. 503 is for what it needs: database, generator, store, room.

    Without practice there are no practice items, and submissions go on.
    Without Redis reports come some seconds later. Scoring is working, idle, or stalled: submissions have waited for
    a minute, and no worker is at any. The gateway is needed for models of this service alone. `damage` names the first
    objects that are not what was written: reading one is 503, and others are served. A damaged database is 503.
    """
    status, is_ready = find_state(context, http_state)
    return Response(status, status_code=200 if is_ready else 503, headers={} if is_ready else {"Retry-After": "5"})


def find_state(context: AppContext, http_state: HttpState) -> tuple[dict[str, Any], bool]:
    """Return what is up, by name, and whether requests can be served."""
    with ThreadPoolExecutor(6) as pool:  # at once: what hangs takes its whole patience
        asked = pool.submit(context.generator.is_ready), pool.submit(context.gateway.is_up)
        practice = pool.submit(context.generator.is_practice_ready)
        stored = pool.submit(is_reached, context.store, context.settings.store_url)
        notified = pool.submit(context.notifier.is_up)
        is_read = _is_read(context.engine)
        needed = {"database": is_read, "generator": asked[0].result(), "store": stored.result()}
        told = {"practice": NAMES[practice.result()], "redis": NAMES[notified.result()]}
        told["gateway"] = NAMES[asked[1].result()]
    told["redis"] = "degraded" if told["redis"] == "down" else told["redis"]
    told["scoring"] = _scoring(context.engine) if is_read else "unknown"
    shortages = context.disks.shortages()
    if (locked := context.lock.shortage()) is not None:
        shortages["lock"] = locked
    damage = _damage(context.engine)
    is_ready = all(needed.values()) and not shortages and DATABASE not in damage
    body: dict[str, Any] = {name: "up" if is_up else "down" for name, is_up in needed.items()}
    if DATABASE in damage:
        body["database"] = "damaged"
    if shortages:
        body["shortages"] = shortages
    if damage:
        body["damage"] = damage
    limits = http_state.limits.state
    status = {"status": "ready" if is_ready else "not ready", "version": __version__, **body, **told}
    status["rate_limits"] = limits
    return status, is_ready


NAMES = {None: "not configured", True: "up", False: "down"}


def _scoring(engine: sa.Engine) -> str:
    """Return what workers do, as far as the rows tell that they work on."""
    now = now_ms()
    queries = (
        sa.select(sa.func.max(submissions.c.lease_until)).where(is_state(submissions.c.state, "queued")),
        sa.select(sa.func.max(verifications.c.lease_until)).where(is_state(verifications.c.state, "queued")),
    )
    try:
        if any((read_rows(engine, query)[0][0] or 0) > now for query in queries):
            return "working"
        oldest = sa.select(sa.func.min(submissions.c.finished_at)).where(is_state(submissions.c.state, "queued"))
        since = read_rows(engine, oldest)[0][0]
    except sa.exc.SQLAlchemyError:
        return "unknown"
    return "idle" if since is None or now - since < STALLED_MS else "stalled"


def _damage(engine: sa.Engine) -> dict[str, str]:
    """Return what is damaged: objects, and the database itself if this process or a check has met it."""
    try:
        found = known_damage(engine)
    except sa.exc.SQLAlchemyError:
        found = {}
    own = damage_of(engine)
    return found | ({} if own is None else {DATABASE: own})


def _is_read(engine: sa.Engine) -> bool:
    try:
        with read_transaction(engine) as connection:
            connection.execute(sa.text("SELECT 1"))
    except sa.exc.SQLAlchemyError:
        return False
    return True


HANDLERS = [live, ready]
