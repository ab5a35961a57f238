"""The public hash-chained log of commitments to sealed draws."""

from tetrad.contracts.wire import Digest, Timestamp, Wire


class LogEntry(Wire, frozen=True, kw_only=True):
    """One entry of the public log. Each entry binds the one before it."""

    number: int
    """Place in the log, from 1, without gaps."""
    submission: str
    """Id of the submission whose draw was sealed."""
    commitment: Digest
    """The draw's commitment: SHA-256 over its seed, its whole identity and its size."""
    at: Timestamp
    """When the draw was sealed: RFC 3339, UTC."""
    previous: Digest
    """`entry` of the entry before; 64 zeros for the first."""
    entry: Digest
    """SHA-256 over the other fields of this entry."""


class LogPage(Wire, frozen=True, kw_only=True):
    """A page of the public log, oldest first."""

    entries: list[LogEntry]
    """The entries of this page."""
    head: Digest
    """`entry` of the newest entry of the whole log."""
    next: str | None = None
    """Cursor of the next page, for `cursor`; null on the last."""
