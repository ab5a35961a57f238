"""Maps each error of the domain to its status and headers: the one table that knows both."""

import logging
from collections.abc import Mapping
from typing import Any

from litestar import Request, Response
from litestar.types import ExceptionHandlersMap

from api.errors import (
    CapReachedError,
    DomainError,
    GeneratorFailedError,
    InvalidInputError,
    NotFoundError,
    NotPermittedError,
    StateConflictError,
    TooLargeError,
    UnavailableError,
    UnknownKeyError,
    UnreadableFormatError,
)
from tetrad.server.damage import DamageError
from tetrad.server.database_errors import DAMAGE_RETRY_AFTER, DATABASE_HANDLERS
from tetrad.server.objects import StoreError
from tetrad.server.problems import PROBLEM_HANDLERS, ProblemError, problem_response
from tetrad.server.request_watch import route_of

CHALLENGE = {"WWW-Authenticate": 'Bearer realm="tetrad"'}
STATUSES: Mapping[type[DomainError], int] = {
    UnknownKeyError: 401,
    NotPermittedError: 403,
    NotFoundError: 404,
    StateConflictError: 409,
    TooLargeError: 413,
    UnreadableFormatError: 415,
    InvalidInputError: 422,
    CapReachedError: 429,
    GeneratorFailedError: 502,
    UnavailableError: 503,
}
"""The status of each kind of error; a class that is not named has the status of the nearest it inherits from."""

STORE_RETRY_AFTER = {"Retry-After": "30"}
log = logging.getLogger(__name__)


def status_of(error: DomainError) -> int:
    return next(STATUSES[kind] for kind in type(error).__mro__ if kind in STATUSES)


def problem_of(error: DomainError) -> ProblemError:
    """Return the problem document's contents for an error of the domain."""
    headers = {} if error.retry_after is None else {"Retry-After": str(error.retry_after)}
    if isinstance(error, UnknownKeyError):
        headers |= CHALLENGE
    return ProblemError(status_of(error), error.detail, faults=error.faults, headers=headers)


def _on_domain_error(request: Request[Any, Any, Any], error: DomainError) -> Response[bytes]:
    return problem_response(request, problem_of(error))


def _on_store_error(request: Request[Any, Any, Any], error: StoreError) -> Response[bytes]:
    log.error("the object store failed", extra={"route": route_of(request.scope), "error": str(error)})
    detail = "the object store cannot be reached; try again"
    return problem_response(request, ProblemError(503, detail, headers=STORE_RETRY_AFTER))


def _on_damage(request: Request[Any, Any, Any], error: DamageError) -> Response[bytes]:
    return problem_response(request, ProblemError(503, str(error), headers=DAMAGE_RETRY_AFTER))


HANDLERS: ExceptionHandlersMap = {
    **PROBLEM_HANDLERS,
    **DATABASE_HANDLERS,
    DomainError: _on_domain_error,
    StoreError: _on_store_error,
    DamageError: _on_damage,
}
