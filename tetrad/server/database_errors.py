"""The reply to a request when the database is away, does not answer in time, or is damaged: 503."""

import logging
from typing import Any

import sqlalchemy as sa
from litestar import Request, Response
from litestar.types import ExceptionHandlersMap

from tetrad.server.damage_codes import is_damage
from tetrad.server.problems import ProblemError, on_anything, problem_response
from tetrad.server.request_watch import route_of

RETRY_AFTER = {"Retry-After": "5"}
FULL_RETRY_AFTER = {"Retry-After": "60"}  # somebody has to make room
DAMAGE_RETRY_AFTER = {"Retry-After": "3600"}  # an operator has to restore it first
log = logging.getLogger(__name__)


FULL_SQLITE, FULL_POSTGRES = "SQLITE_FULL", "53100"


def is_full(error: sa.exc.SQLAlchemyError) -> bool:
    """Return whether the database has no room to write."""
    cause = error.orig if isinstance(error, sa.exc.DBAPIError) else None
    return getattr(cause, "sqlite_errorname", "") == FULL_SQLITE or getattr(cause, "sqlstate", "") == FULL_POSTGRES


def _on_database_error(request: Request[Any, Any, Any], error: sa.exc.SQLAlchemyError) -> Response[bytes]:
    log.error("the database failed", exc_info=error, extra={"route": route_of(request.scope)})
    if is_full(error):
        detail = (
            "the disk of the database is full: its operator has to free some space; nothing of this request was kept, "
            "and reading goes on"
        )
        return problem_response(request, ProblemError(503, detail, headers=FULL_RETRY_AFTER))
    detail = (
        "the database is out of reach or did not answer in time; try again; "
        "repeat a POST that creates with the same Idempotency-Key, so that it is done once"
    )
    return problem_response(request, ProblemError(503, detail, headers=RETRY_AFTER))


def _on_driver_error(request: Request[Any, Any, Any], error: sa.exc.DatabaseError) -> Response[bytes]:
    """Answer 503 where the database is damaged. Any other error of its driver is a fault of ours."""
    if is_damage(error):
        log.error("the database is damaged", extra={"route": route_of(request.scope), "error": str(error.orig)})
        detail = "the service's database is damaged; its operator has to restore it; nothing of this request was kept"
        return problem_response(request, ProblemError(503, detail, headers=DAMAGE_RETRY_AFTER))
    return on_anything(request, error)


DATABASE_HANDLERS: ExceptionHandlersMap = {
    sa.exc.DatabaseError: _on_driver_error,
    sa.exc.OperationalError: _on_database_error,
    sa.exc.TimeoutError: _on_database_error,  # all connections of the pool are in use
}
