"""What the generator refuses or fails at, as a problem of ours."""

import httpx
import msgspec

from tetrad.contracts.problems import Problem
from tetrad.server.problems import ProblemError

PASSED_ON = frozenset({404, 409, 422})  # what the caller can do something about; the rest is ours
RETRY_AFTER = {"Retry-After": "5"}


def unreachable(error: Exception) -> ProblemError:
    detail = f"the generator cannot be reached ({type(error).__name__}); nothing was changed; try again"
    return ProblemError(503, detail, headers=RETRY_AFTER)


def checked(response: httpx.Response) -> httpx.Response:
    """Return the response if it is a success.

    Raises:
        ProblemError: the generator's own problem where the caller can act on it, 502 otherwise.
    """
    if response.is_success:
        return response
    if response.status_code in PASSED_ON:
        raise passed_on(response)
    if response.status_code in {httpx.codes.TOO_MANY_REQUESTS, httpx.codes.SERVICE_UNAVAILABLE}:
        retry = response.headers.get("Retry-After", RETRY_AFTER["Retry-After"])
        raise ProblemError(503, "the generator is not ready; try again", headers={"Retry-After": retry})
    raise ProblemError(502, f"the generator failed with {response.status_code}; try again", headers=RETRY_AFTER)


def passed_on(response: httpx.Response) -> ProblemError:
    try:
        problem = msgspec.json.decode(response.content, type=Problem)
    except msgspec.DecodeError:
        return ProblemError(502, "the generator gave an error that is no problem document", headers=RETRY_AFTER)
    return ProblemError(problem.status, problem.detail, kind=problem.type, faults=problem.faults)
