"""The client's errors."""

import httpx
import msgspec

from tetrad.contracts.problems import Fault, Problem
from tetrad.errors import TetradError
from tetrad.waits import wait_of

REQUEST_ID = "X-Request-Id"


class UnreachableError(TetradError):
    """No answer came: the service is down, or the address is wrong."""


class UnreadableError(TetradError):
    """The answer is not one of this service: another program is at the address, or a proxy in front of it."""


class NonceError(TetradError):
    """A submission was opened with another nonce than the client's."""


class ServiceError(TetradError):
    """The service refused or failed; `problem` says why, field by field."""

    def __init__(self, problem: Problem, retry_after: float | None = None) -> None:
        told = _describe(problem)
        super().__init__(told if problem.request_id is None else f"{told}\n  (request {problem.request_id})")
        self.problem = problem
        self.retry_after = retry_after


def _describe(problem: Problem) -> str:
    """Return the problem as text, each fault once: where the detail only lists the faults, it is left out."""
    head = f"{problem.status} {problem.title}"
    faults = [f"{_place(fault)}: {fault.problem}; {fault.remedy}" for fault in problem.faults]
    are_told = bool(faults) and all(fault.problem in problem.detail for fault in problem.faults)
    if are_told and len(faults) == problem.faults_total == 1:
        return f"{head}: {faults[0]}"
    if problem.faults_total > len(faults):
        faults.append(f"and {problem.faults_total - len(faults)} more")
    return "\n  ".join([head if are_told else f"{head}: {problem.detail}", *faults])


def _place(fault: Fault) -> str:
    line = "" if fault.line is None else f"line {fault.line}, "
    return line + (fault.field if fault.value is None else f"{fault.field} {fault.value!r}")


def service_error(reply: httpx.Response) -> ServiceError:
    """Return the error that an answer of 400 and above stands for, whatever its body."""
    try:
        problem = msgspec.json.decode(reply.content, type=Problem)
    except msgspec.DecodeError:
        problem = Problem(
            type="about:blank", title=reply.reason_phrase, status=reply.status_code, detail=reply.text[:500]
        )
    if problem.request_id is None:
        problem = msgspec.structs.replace(problem, request_id=reply.headers.get(REQUEST_ID))
    return ServiceError(problem, wait_of(reply.headers))
