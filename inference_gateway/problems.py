"""Errors of the gateway: problem documents (RFC 9457) that carry OpenAI's `error` object, too.

The official clients print what `error` says. A header tells them not to try again once our attempts are used up,
because only one layer retries: the gateway.
"""

import math
from collections.abc import Callable, Mapping
from http import HTTPStatus
from typing import Any

import msgspec
from litestar import Request, Response
from litestar.exceptions import ValidationException
from litestar.types import ExceptionHandlersMap

from inference_gateway.gates import LONGEST_PAUSE, Refused
from inference_gateway.providers import ErrorKind, ProviderError, UnsupportedError
from inference_gateway.registry import UnknownModelError
from tetrad.contracts.inference import BudgetProblem, ShortBudget
from tetrad.contracts.problems import Problem
from tetrad.server.problems import PROBLEM_HANDLERS, ProblemError, problem_of_values, problem_response, refuse
from tetrad.solvers.pictures import PictureError

NO_RETRY = {"x-should-retry": "false"}
_TYPES: Mapping[int, str] = {
    401: "authentication_error",
    402: "insufficient_quota",
    403: "permission_error",
    404: "not_found_error",
    429: "rate_limit_error",
}
_STATUSES: Mapping[ErrorKind, int] = {
    "rate-limited": 429,
    "overloaded": 503,
    "unavailable": 502,
    "timeout": 504,
    "request": 400,
    "too-large": 413,
    "credentials": 502,
    "unknown-model": 502,
    "garbled": 502,
    "oversized": 502,
    "redirected": 502,
    "cut": 502,
}
_DETAILS: Mapping[ErrorKind, str] = {
    "rate-limited": "the model's provider limits our rate; try again later",
    "overloaded": "the model's provider is overloaded; try again later",
    "unavailable": "the model's provider does not answer; try again later",
    "timeout": "the model's provider did not answer in time; try again, or ask for a shorter reply",
    "request": "the model's provider refuses this request; change it",
    "too-large": "the model's provider finds this request too large; send less",
    "credentials": "the model's provider refuses this deployment's key, or its account is empty; tell the operator",
    "unknown-model": "the model's provider does not know the model; tell the operator",
    "garbled": "the model's provider answered in a form that can't be read; tell the operator if it goes on",
    "oversized": "the model's provider answered with more than the gateway reads; ask for less",
    "redirected": "the model's provider redirects the request, and the gateway follows no redirects; tell the operator",
    "cut": "the model's reply broke off; ask again",
}


class ErrorObject(msgspec.Struct, frozen=True, kw_only=True):
    """OpenAI's description of an error."""

    message: str
    type: str
    param: str | None
    code: str | None


class GatewayProblem(BudgetProblem, frozen=True, kw_only=True):
    """A problem document with OpenAI's error object."""

    error: ErrorObject


def error_object(status: int, message: str, *, param: str | None = None, code: str | None = None) -> ErrorObject:
    """Return OpenAI's error object of this status."""
    is_ours = status >= HTTPStatus.INTERNAL_SERVER_ERROR
    kind = _TYPES.get(status, "api_error" if is_ours else "invalid_request_error")
    return ErrorObject(message=message, type=kind, param=param, code=code)


def problem_of(error: Exception) -> tuple[ProblemError, str]:
    """Return the problem for an error of a call, and its code."""
    match error:
        case ProviderError():
            found = _of_provider(error), f"upstream_{error.kind.replace('-', '_')}"
        case Refused():
            found = _of_gate(error), error.reason.replace("-", "_")
        case UnsupportedError():
            found = refuse(400, error.field, error.value, error.problem, error.remedy), "unsupported_value"
        case PictureError():
            found = refuse(422, error.place, error.value, error.problem, error.remedy), "invalid_image"
        case UnknownModelError():
            known = ", ".join(error.known) or "none"
            problem, remedy = f"is no {error.kind} model of this gateway", f"choose one of: {known}"
            found = refuse(404, "model", error.model, problem, remedy), "model_not_found"
        case ProblemError():
            found = error, ""
        case _:
            found = ProblemError(500, "the gateway failed; try again, and report it if it goes on"), "internal"
    return found


def _of_gate(error: Refused) -> ProblemError:
    problem = refuse(error.status, error.field, error.value, error.problem, error.remedy)
    again = {} if error.retry_after is None else {"Retry-After": str(math.ceil(error.retry_after))}
    problem.headers = again or NO_RETRY
    return problem


def _of_provider(error: ProviderError) -> ProblemError:
    detail = _DETAILS[error.kind]
    if error.words:
        detail += f" (it says: {error.words})"
    headers = dict(NO_RETRY)
    if error.retry_after is not None:
        headers["Retry-After"] = str(math.ceil(min(error.retry_after, LONGEST_PAUSE)))
    return ProblemError(_STATUSES[error.kind], detail, headers=headers)


def _with_error(response: Response[bytes], code: str, short: ShortBudget | None = None) -> Response[bytes]:
    problem = msgspec.json.decode(response.content, type=Problem)
    param = problem.faults[0].field if problem.faults else None
    found = error_object(problem.status, problem.detail, param=param, code=code or None)
    response.content = msgspec.json.encode(GatewayProblem(**msgspec.structs.asdict(problem), error=found, budget=short))
    if problem.status >= HTTPStatus.INTERNAL_SERVER_ERROR and "Retry-After" not in response.headers:
        response.headers.update(NO_RETRY)
    return response


def _with_error_object(
    handler: Callable[[Request[Any, Any, Any], Any], Response[bytes]],
) -> Callable[..., Response[bytes]]:
    def handle(request: Request[Any, Any, Any], error: Exception) -> Response[bytes]:
        response = handler(request, error)
        return _with_error(response, "invalid_api_key" if response.status_code == HTTPStatus.UNAUTHORIZED else "")

    return handle


def _on_validation(request: Request[Any, Any, Any], error: ValidationException) -> Response[bytes]:
    """Answer 400, as OpenAI's API does, because its clients have an exception for that status."""
    problem = problem_of_values(request, error)
    problem.status = HTTPStatus.BAD_REQUEST
    return _with_error(problem_response(request, problem), "")


def _on_call(request: Request[Any, Any, Any], error: Exception) -> Response[bytes]:
    problem, code = problem_of(error)
    return _with_error(problem_response(request, problem), code, error.short if isinstance(error, Refused) else None)


HANDLERS: ExceptionHandlersMap = {
    **{kind: _with_error_object(handler) for kind, handler in PROBLEM_HANDLERS.items()},
    ValidationException: _on_validation,
    **dict.fromkeys([ProviderError, Refused, UnsupportedError, PictureError, UnknownModelError], _on_call),
}
