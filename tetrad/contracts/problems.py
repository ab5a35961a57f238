"""RFC 9457 problem details: what went wrong, where, and what to do about it."""

from tetrad.contracts.wire import Wire

LONGEST_VALUE = 200
"""Characters of a wrong value that a fault repeats."""


class Fault(Wire, frozen=True, kw_only=True):
    """One thing wrong with a request."""

    field: str
    """The field, query name or header that is wrong."""
    value: str | None = None
    """What it held, up to 200 characters of it; null if it was missing or may not be repeated."""
    problem: str
    """What is wrong with it."""
    remedy: str
    """What to do instead."""
    line: int | None = None
    """The line, from 1, in an upload of lines; null elsewhere."""


class Problem(Wire, frozen=True, kw_only=True):
    """The body of every answer of 400 and above, as application/problem+json (RFC 9457)."""

    type: str
    """The kind of problem, as a URI; about:blank where the status says it all."""
    title: str
    """The status in words."""
    status: int
    """The HTTP status, again."""
    detail: str
    """What went wrong this time, in a sentence or two."""
    instance: str | None = None
    """The path that was asked for; null where it is not told."""
    faults: list[Fault] = []
    """What is wrong with the request, field by field, as far as it is known: the first hundred."""
    faults_total: int = 0
    """How many faults there are, also those that `faults` leaves out."""
    request_id: str | None = None
    """The X-Request-Id of the reply, by which the operator finds the request in the logs."""
