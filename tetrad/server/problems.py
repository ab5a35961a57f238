"""Errors as RFC 9457 problem details, made in one place for every service.

Litestar's own plugin swaps title and detail and leaves the old body in the OpenAPI document, so it is not used.
"""

import logging
import re
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any, Literal, get_args, get_origin, get_type_hints

import msgspec
from litestar import Request, Response
from litestar.exceptions import HTTPException, ValidationException
from litestar.types import ExceptionHandlersMap

from tetrad.contracts.problems import LONGEST_VALUE, Fault, Problem
from tetrad.server.request_ids import current
from tetrad.server.request_watch import route_of
from tetrad.server.value_words import MISSING, UNKNOWN, in_words

MEDIA_TYPE = "application/problem+json"
FAULTS_SHOWN = 100
BODY = frozenset({"", "data"})
SENT = "sent_body"
"""The name under which a request's state keeps its decoded body."""
PLACES = re.compile(r"[^.\[\]]+")  # of `models[0].name`
REFERENCE = "/docs"  # the page of a service that shows its API to people
LACKING = re.compile(r"^Missing required \w+ parameter '([^']{1,100})'")
EMPTY_BODY = Fault(field="body", problem="is empty", remedy="send JSON with the fields of this request")
log = logging.getLogger(__name__)


class ProblemError(Exception):
    """Raised where something is wrong with a request; the handler turns it into a problem document."""

    def __init__(  # the parts of a problem document; all but the first two are optional
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
    """Return the error for one wrong field: its value, the problem, and the remedy."""
    shown = None if value is None else str(value)[:LONGEST_VALUE]
    fault = Fault(field=field, value=shown, problem=problem, remedy=remedy)
    return ProblemError(status, f"{field}: {problem}; {remedy}", faults=[fault])


def problem_response(request: Request[Any, Any, Any], error: ProblemError) -> Response[bytes]:
    asked = current.get()
    body = Problem(
        type=error.kind,
        title=HTTPStatus(error.status).phrase,
        status=error.status,
        detail=error.detail,
        instance=request.url.path,
        faults=error.faults[:FAULTS_SHOWN],
        faults_total=len(error.faults),
        request_id=None if asked is None else asked.id,
    )
    return Response(msgspec.json.encode(body), status_code=error.status, media_type=MEDIA_TYPE, headers=error.headers)


def _on_problem(request: Request[Any, Any, Any], error: ProblemError) -> Response[bytes]:
    return problem_response(request, error)


def _on_validation(request: Request[Any, Any, Any], error: ValidationException) -> Response[bytes]:
    return problem_response(request, problem_of_values(request, error))


def problem_of_values(request: Request[Any, Any, Any], error: ValidationException) -> ProblemError:
    """Return 422 for wrong values, as routes do, and 400 for no body at all."""
    extra = error.extra if isinstance(error.extra, list) else []
    faults = [_fault(entry, error.detail, request) for entry in extra if isinstance(entry, dict)]
    status = HTTPStatus.BAD_REQUEST if EMPTY_BODY in faults else HTTPStatus.UNPROCESSABLE_ENTITY
    if (lacking := LACKING.search(error.detail)) is not None and not faults:  # Litestar names it in its words alone
        faults = [Fault(field=lacking[1], problem="is missing", remedy="send it")]
    detail = "; ".join(f"{fault.field}: {fault.problem}; {fault.remedy}" for fault in faults) or error.detail
    return ProblemError(status, detail, faults=faults)


def _fault(entry: dict[str, object], otherwise: str, request: Request[Any, Any, Any]) -> Fault:
    """Return Litestar's error about one part as a fault. Litestar calls a whole body `data`."""
    key, message = str(entry.get("key", "")), str(entry.get("message", otherwise))
    inside = "" if key in BODY else f"{key}."
    problem, remedy = in_words(message, values_of(request, key))
    if missing := MISSING.search(message):
        return Fault(field=inside + missing[1], problem=problem, remedy=remedy)
    if unknown := UNKNOWN.search(message):
        field = inside + unknown[1]
        return Fault(field=field, value=_find_sent(request, field), problem=problem, remedy=remedy)
    if key in BODY and message == "'data'":
        return EMPTY_BODY
    if key in BODY:
        return Fault(field="body", problem=problem, remedy=remedy)
    return Fault(field=key, value=_find_sent(request, key), problem=problem, remedy=remedy)


def _find_sent(request: Request[Any, Any, Any], field: str) -> str | None:
    """Return the beginning of the value that was sent in a field of the body, or else of the query; None if none."""
    found: Any = request.state.get(SENT)
    for place in PLACES.findall(field):
        if isinstance(found, list) and place.isdecimal() and int(place) < len(found):
            found = found[int(place)]
        else:
            found = found.get(place) if isinstance(found, dict) else None
    if found is None:
        found = request.query_params.get(field)
    if found is None or isinstance(found, str):
        return None if found is None else found[:LONGEST_VALUE]
    return msgspec.json.encode(found).decode()[:LONGEST_VALUE]


def values_of(request: Request[Any, Any, Any], key: str) -> Sequence[str]:
    """Return the allowed values of a field of the body, or of a name of the query, if its type lists them."""
    parameters = request.route_handler.parsed_fn_signature.parameters
    found = parameters.get(key)
    kind = None if found is None else found.annotation
    if "data" in parameters and found is None:
        body = parameters["data"].annotation
        hints = get_type_hints(body) if isinstance(body, type) and issubclass(body, msgspec.Struct) else {}
        kind = hints.get(key.split(".", maxsplit=1)[0])
    kinds = [kind, *get_args(kind)]
    return [str(value) for kind in kinds if get_origin(kind) is Literal for value in get_args(kind)]


def _on_http(request: Request[Any, Any, Any], error: HTTPException) -> Response[bytes]:
    if error.status_code == HTTPStatus.INTERNAL_SERVER_ERROR:
        return on_anything(request, error)  # Litestar's message about a fault of the service is for the log
    headers = dict(error.headers or {})
    return problem_response(request, ProblemError(error.status_code, _detail(request, error, headers), headers=headers))


def _detail(request: Request[Any, Any, Any], error: HTTPException, headers: Mapping[str, str]) -> str:
    """Return the error's detail. If it only repeats the status, return our own words instead."""
    path = request.url.path[:200]
    match error.status_code:
        case HTTPStatus.NOT_FOUND if error.detail == HTTPStatus.NOT_FOUND.phrase:
            is_shown = any(route.path == REFERENCE for route in request.app.routes)
            return f"nothing is served at {path!r}" + (f"; see {REFERENCE} for what is" if is_shown else "")
        case HTTPStatus.METHOD_NOT_ALLOWED:
            return f"{path!r} does not take {request.method}; it takes {headers.get('allow', 'other methods')}"
    return error.detail


def on_anything(request: Request[Any, Any, Any], error: Exception) -> Response[bytes]:
    log.error("unhandled error", exc_info=error, extra={"route": route_of(request.scope)})
    detail = "the service failed; nothing of this request was kept; try again, and report it if it goes on"
    return problem_response(request, ProblemError(500, detail))


PROBLEM_HANDLERS: ExceptionHandlersMap = {
    ProblemError: _on_problem,
    ValidationException: _on_validation,
    HTTPException: _on_http,
    Exception: on_anything,
}
