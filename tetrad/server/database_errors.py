"""The reply to a request when the database is away or does not answer in time: 503, because the fault passes."""

import logging
from typing import Any

import sqlalchemy as sa
from litestar import Request, Response
from litestar.types import ExceptionHandlersMap

from tetrad.server.problems import ProblemError, problem_response

RETRY_AFTER = {"Retry-After": "5"}
log = logging.getLogger(__name__)


def _on_database_error(request: Request[Any, Any, Any], error: sa.exc.SQLAlchemyError) -> Response[bytes]:
    log.error("the database failed", exc_info=error, extra={"path": request.url.path})
    detail = (
        "the database is out of reach or did not answer in time; try again; "
        "repeat a POST that creates with the same Idempotency-Key, so that it is done once"
    )
    return problem_response(request, ProblemError(503, detail, headers=RETRY_AFTER))


DATABASE_HANDLERS: ExceptionHandlersMap = {
    sa.exc.OperationalError: _on_database_error,
    sa.exc.TimeoutError: _on_database_error,  # all connections of the pool are in use
}
