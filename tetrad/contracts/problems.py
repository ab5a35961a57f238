"""RFC 9457 problem details: what went wrong, where, and what to do about it."""

from tetrad.contracts.wire import Wire

LONGEST_VALUE = 200
"""Characters of a wrong value that a fault repeats."""


class Fault(Wire, frozen=True, kw_only=True):
    """One thing wrong with a request. `line` counts from 1 in uploads of lines."""

    field: str
    value: str | None = None
    problem: str
    remedy: str
    line: int | None = None


class Problem(Wire, frozen=True, kw_only=True):
    """The body of every answer of 400 and above, as application/problem+json.

    `request_id` is that of X-Request-Id: the service's log has it.
    """

    type: str
    title: str
    status: int
    detail: str
    instance: str | None = None
    faults: list[Fault] = []
    faults_total: int = 0
    request_id: str | None = None
