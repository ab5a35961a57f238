"""The public hash-chained log of commitments to sealed draws."""

from tetrad.contracts.wire import Digest, Timestamp, Wire


class LogEntry(Wire, frozen=True, kw_only=True):
    """One entry of the public log. `entry` is a hash of the other fields, among them `previous`, the entry before."""

    number: int
    submission: str
    commitment: Digest
    at: Timestamp
    previous: Digest
    entry: Digest


class LogPage(Wire, frozen=True, kw_only=True):
    entries: list[LogEntry]
    head: Digest
    next: str | None = None
