"""Errors as RFC 9457 problem details, made in one place for every service.

Litestar's own plugin swaps title and detail and leaves the old body in the OpenAPI document, hence this one.
"""

import logging
import re
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

import msgspec
from litestar import Request, Response
from litestar.exceptions import HTTPException, ValidationException
from litestar.types import ExceptionHandlersMap

from tetrad.contracts.problems import Fault, Problem
from tetrad.contracts.wire import UNPRINTABLE

MEDIA_TYPE = "application/problem+json"
FAULTS_SHOWN = 100
BODY = frozenset({"", "data"})
UNPRINTABLE_TOLD = repr(UNPRINTABLE)[1:-1]  # as msgspec writes a pattern into a message
MISSING = re.compile(r"missing required field `([^`]{1,100})`")
log = logging.getLogger(__name__)


class ProblemError(Exception):
    """Raised where something is wrong with a request; the handler turns it into a problem document."""

    def __init__(  # the parts of a problem document, all but the first two optional
        self,
        status: int,
        detail: str,
        *,
        kind: str = "about:blank",
        faults: list[Fault] | None = None,
        headers: dict[str, str] | None = None,
    ) -> None:
        super().__init__(detail)
        self.status = status
        self.detail = detail
        self.kind = kind
        self.faults = faults or []
        self.headers = headers or {}


def refuse(status: int, field: str, value: object, problem: str, remedy: str) -> ProblemError:
    """Return the error for one wrong field: what it was, what is wrong with it, what to send instead."""
    shown = None if value is None else str(value)[:200]
    fault = Fault(field=field, value=shown, problem=problem, remedy=remedy)
    return ProblemError(status, f"{field}: {problem}; {remedy}", faults=[fault])


def problem_response(request: Request[Any, Any, Any], error: ProblemError) -> Response[bytes]:
    body = Problem(
        type=error.kind,
        title=HTTPStatus(error.status).phrase,
        status=error.status,
        detail=error.detail,
        instance=request.url.path,
        faults=error.faults[:FAULTS_SHOWN],
        faults_total=len(error.faults),
    )
    return Response(msgspec.json.encode(body), status_code=error.status, media_type=MEDIA_TYPE, headers=error.headers)


def _on_problem(request: Request[Any, Any, Any], error: ProblemError) -> Response[bytes]:
    return problem_response(request, error)


def _on_validation(request: Request[Any, Any, Any], error: ValidationException) -> Response[bytes]:
    extra = error.extra if isinstance(error.extra, list) else []
    faults = [_fault(entry, error.detail) for entry in extra if isinstance(entry, dict)]
    detail = "; ".join(f"{fault.field}: {fault.problem}" for fault in faults) or error.detail
    return problem_response(request, ProblemError(error.status_code, detail, faults=faults))


def _fault(entry: dict[str, object], otherwise: str) -> Fault:
    """Return what Litestar says of one part; it calls a whole body `data`."""
    key, message = str(entry.get("key", "")), str(entry.get("message", otherwise))
    if missing := MISSING.search(message):
        inside = "" if key in BODY else f"{key}."
        return Fault(field=inside + missing[1], problem="is missing", remedy="send it; see /schema for its type")
    if key in BODY and message == "'data'":
        return Fault(field="body", problem="is empty", remedy="send JSON with the fields that /schema tells of")
    if UNPRINTABLE_TOLD in message:
        problem = "holds a line break, another control character, or one that turns the direction of text"
        return Fault(field=key, problem=problem, remedy="write it on one line, without such characters")
    remedy = "see /schema for the type and bounds of this field"
    return Fault(field="body" if key in BODY else key, problem=message, remedy=remedy)


def _on_http(request: Request[Any, Any, Any], error: HTTPException) -> Response[bytes]:
    if error.status_code == HTTPStatus.INTERNAL_SERVER_ERROR:
        return _on_anything(request, error)  # Litestar's words for a fault of ours are for the log
    headers = dict(error.headers or {})
    return problem_response(request, ProblemError(error.status_code, _detail(request, error, headers), headers=headers))


def _detail(request: Request[Any, Any, Any], error: HTTPException, headers: Mapping[str, str]) -> str:
    """Return what the error says, in words of ours where it says no more than its status."""
    path = request.url.path[:200]
    match error.status_code:
        case HTTPStatus.NOT_FOUND if error.detail == HTTPStatus.NOT_FOUND.phrase:
            return f"nothing is served at {path!r}; see /schema for what is"
        case HTTPStatus.METHOD_NOT_ALLOWED:
            return f"{path!r} does not take {request.method}; it takes {headers.get('allow', 'other methods')}"
    return error.detail


def _on_anything(request: Request[Any, Any, Any], error: Exception) -> Response[bytes]:
    log.error("unhandled error", exc_info=error, extra={"path": request.url.path})
    detail = "the service failed; nothing of this request was kept; try again, and report it if it goes on"
    return problem_response(request, ProblemError(500, detail))


PROBLEM_HANDLERS: ExceptionHandlersMap = {
    ProblemError: _on_problem,
    ValidationException: _on_validation,
    HTTPException: _on_http,
    Exception: _on_anything,
}
