"""Compute commitments to sealed draws and their hash-chained log, so that anyone can check them.

A commitment is SHA-256 over the seed, the whole identity and the size. The seed has 256 bits, so the
commitment hides it; any other seed, identity or size gives another commitment, so it binds.
"""

from collections.abc import Sequence

from tetrad.canonical import hexdigest
from tetrad.contracts.items import DrawIdentity
from tetrad.contracts.log import LogEntry
from tetrad.versions import LOG_VERSION

GENESIS = "0" * 64


def commitment_of(identity: DrawIdentity, seed: str, size: int) -> str:
    """Return the commitment (64 hex digits) to `size` items of this identity and seed."""
    return hexdigest("tetrad/commitment/1", seed, size, *identity_fields(identity))


def identity_fields(identity: DrawIdentity) -> tuple[str | int | dict[str, str | int | bool], ...]:
    """Return every part of the identity, in the order in which all hashes take them."""
    return (
        identity.benchmark,
        identity.version,
        identity.bank,
        identity.track,
        identity.setting,
        identity.parameters,
    )


def entry_of(number: int, submission: str, commitment: str, at: str, previous: str) -> LogEntry:
    """Return the log entry that follows `previous` (GENESIS for the first, number 1)."""
    return LogEntry(
        number=number,
        submission=submission,
        commitment=commitment,
        at=at,
        previous=previous,
        entry=hexdigest(f"tetrad/log/{LOG_VERSION}", number, submission, commitment, at, previous),
    )


def first_broken(entries: Sequence[LogEntry], after: LogEntry | None = None) -> LogEntry | None:
    """Return the first entry that does not follow from the one before it, or None for a whole chain.

    The first one has to follow `after`, or to be the log's first.

    This finds removed, reordered and edited entries. Entries cut off the end don't show: compare the head for that.
    """
    first, previous = (1, GENESIS) if after is None else (after.number + 1, after.entry)
    for number, entry in enumerate(entries, start=first):
        if entry != entry_of(number, entry.submission, entry.commitment, entry.at, previous):
            return entry
        previous = entry.entry
    return None
