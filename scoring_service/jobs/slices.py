"""Slices: the finished parts of a long job, kept as rows, so that jobs take turns and survive a worker's death.

A job that ends within its first slice leaves no row. Of any other, the first row describes the job, and each further
row holds the results of one slice. It is written in the transaction that gives the outbox row back. A worker that is
killed loses its unfinished slice. Rows of another release are deleted, because one scorer makes a whole report. They
are encrypted with a key that follows from the keys token, because they hold verdicts beside answers, and so the answer
keys of a fixed corpus, and the api reads this database.
"""

import hashlib
import hmac
import logging
import os
import time
import zlib
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Generic, NamedTuple, Protocol, TypeVar

import msgspec
import sqlalchemy as sa
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from tetrad import __version__
from tetrad.extraction import EXTRACTOR_VERSION
from tetrad.internal.jobs import queued_again
from tetrad.server.clock import now_ms
from tetrad.server.database import read_rows, write_transaction
from tetrad.server.outbox import Lease, write_as_holder
from tetrad.server.scoring_tables import scoring_slices
from tetrad.versions import SCORER_VERSION

MOST_ITEMS = 4096  # a slice, so that its row stays small
YIELD_SECONDS = 0.05  # how often a slice looks whether a submission waits that nobody has begun
MOST_IN_HAND = 4  # jobs that a worker keeps open between their slices, each with some ranges of keys
NONCE_BYTES = 12
MADE_BY = f"{__version__}/{SCORER_VERSION}/{EXTRACTOR_VERSION}"

log = logging.getLogger(__name__)
First = TypeVar("First")
Done = TypeVar("Done")


class LostSlicesError(Exception):
    """Slices of a job in progress are gone: another worker has started the job again."""


class Kept(NamedTuple, Generic[First, Done]):
    """The state of a job: its description, its last slice, and the number of its slices."""

    first: First
    last: Done
    number: int


class Work(Protocol):
    """A job that is open: `ReportWork`, `VerificationWork`. It continues after its last slice.

    `Slices.advance` takes `step` after `step`, and ends the slice when its time is over.
    """

    number: int
    """How many of its slices are kept."""

    def step(self) -> int:
        """Do the next items and return their number: 0 when all items are done."""

    @property
    def is_done(self) -> bool:
        """Return whether all items are done."""

    def end_slice(self) -> msgspec.Struct:
        """Return the results since the last slice was kept, and begin the next slice."""

    @property
    def first(self) -> msgspec.Struct:
        """Return the description of the job, for its first row."""

    def close(self) -> None:
        """Stop what goes on in the background."""


class SliceStore:
    """The rows of slices. Safe to share between threads."""

    def __init__(self, engine: sa.Engine, secret: str) -> None:
        """Take the secret that decrypts the rows; the api doesn't have it."""
        self._engine = engine
        self._cipher = AESGCM(hmac.digest(secret.encode(), b"tetrad/scoring-slices", hashlib.sha256))

    def count(self, job: str) -> int:
        """Return how many slices of a job are kept."""
        s = scoring_slices.c
        rows = read_rows(self._engine, sa.select(s.number).where(s.job_id == job).order_by(s.number.desc()).limit(1))
        return int(rows[0].number) if rows else 0

    def last(self, job: str, first: type[First], done: type[Done]) -> Kept[First, Done] | None:
        """Return the state of a job, or None if nothing is kept that this release can continue."""
        s = scoring_slices.c
        number = self.count(job)
        query = sa.select(s.number, s.made_by, s.body).where(s.job_id == job, s.number.in_((0, number)))
        rows = read_rows(self._engine, query.order_by(s.number))
        if len(rows) == 2 and {row.made_by for row in rows} == {MADE_BY}:  # noqa: PLR2004 - the first and the last
            try:
                bodies = [self._decrypt(job, row.number, row.body) for row in rows]
                return Kept(
                    msgspec.msgpack.decode(bodies[0], type=first), msgspec.msgpack.decode(bodies[1], type=done), number
                )
            except (InvalidTag, zlib.error, msgspec.DecodeError) as error:
                log.warning("slices can't be read", extra={"row": job, "error": type(error).__name__})
        if rows:
            log.warning("slices are of another release or keys token: the job starts again", extra={"row": job})
            with write_transaction(self._engine) as connection:
                drop_slices(connection, job)
        return None

    def read(self, job: str, number: int, done: type[Done]) -> list[Done]:
        """Return the results of all slices of a job, in order.

        Raises:
            LostSlicesError: some of them are gone.
        """
        if not number:
            return []
        s = scoring_slices.c
        query = sa.select(s.number, s.body).where(s.job_id == job, s.number.between(1, number)).order_by(s.number)
        rows = read_rows(self._engine, query)
        if len(rows) != number:
            raise LostSlicesError(f"{len(rows)} slices are left of {number}")
        return [msgspec.msgpack.decode(self._decrypt(job, row.number, row.body), type=done) for row in rows]

    def keep(self, lease: Lease, submission: str | None, work: Work) -> None:
        """Keep the results since the last slice, and give the row back. The attempts are counted from 0 again.

        Raises:
            LeaseLostError: another attempt has overtaken this one; nothing is kept.
        """
        now, number = now_ms(), work.number + 1
        bodies = {} if work.number else {0: work.first}
        rows = [
            {
                "job_id": lease.id,
                "number": place,
                "submission_id": submission,
                "at": now,
                "made_by": MADE_BY,
                "body": self._encrypt(lease.id, place, msgspec.msgpack.encode(body)),
            }
            for place, body in {**bodies, number: work.end_slice()}.items()
        ]
        with write_transaction(self._engine) as connection:
            write_as_holder(connection, lease, attempt=queued_again(lease.attempt), lease_until=None, failure=None)
            connection.execute(sa.insert(scoring_slices), rows)
        work.number = number

    def _encrypt(self, job: str, number: int, body: bytes) -> bytes:
        nonce = os.urandom(NONCE_BYTES)
        return nonce + self._cipher.encrypt(nonce, zlib.compress(body, 1), _place(job, number))

    def _decrypt(self, job: str, number: int, body: bytes) -> bytes:
        nonce, text = body[:NONCE_BYTES], body[NONCE_BYTES:]
        return zlib.decompress(self._cipher.decrypt(nonce, text, _place(job, number)))


def drop_slices(connection: sa.Connection, job: str) -> None:
    """Delete what is kept of a job, in the transaction that ends it."""
    connection.execute(sa.delete(scoring_slices).where(scoring_slices.c.job_id == job))


def drop_slices_of(connection: sa.Connection, outboxes: Sequence[sa.Table], queued: str) -> int:
    """Delete what is kept of jobs that are not queued any more; return how many rows."""
    s = scoring_slices.c
    is_queued = [sa.exists().where(table.c.id == s.job_id, table.c.state == queued) for table in outboxes]
    return connection.execute(sa.delete(scoring_slices).where(~sa.or_(*is_queued))).rowcount


class WorkInHand:
    """The jobs that this worker has open between their slices. Only the thread that works uses it."""

    def __init__(self) -> None:
        self._open: OrderedDict[str, Work] = OrderedDict()

    def take(self, job: str, number: int) -> Work | None:
        """Return the open job if its state matches its rows, and forget it. Another worker may have gone on."""
        work = self._open.pop(job, None)
        if work is None or work.number == number:
            return work
        work.close()
        return None

    def put(self, job: str, work: Work) -> None:
        """Keep a job open; the one that waited longest is closed where there are too many."""
        self._open[job] = work
        while len(self._open) > MOST_IN_HAND:
            self._open.popitem(last=False)[1].close()

    def close(self) -> None:
        while self._open:
            self._open.popitem()[1].close()


Opened = TypeVar("Opened", bound=Work)


class Slices(NamedTuple):
    """A worker's slices: their store, the jobs open between them, the time limit of each, and who waits for its end.

    `has_new` tells whether a submission is due that nobody has begun. Then a slice ends early.
    """

    store: SliceStore
    in_hand: WorkInHand
    seconds: float
    has_new: Callable[[], bool]

    def take(self, job: str, kind: type[Opened]) -> Opened | None:
        """Return the work on a job as its last slice left it, if this worker has it open."""
        work = self.in_hand.take(job, self.store.count(job))
        return work if isinstance(work, kind) else None

    def advance(self, lease: Lease, submission: str | None, work: Work) -> bool:
        """Work until all items are done, or until the slice is over. Return whether all items are done.

        A slice is over after its time, after MOST_ITEMS, or soon after a new submission waits. If items are left then,
        it is kept and the row given back. Measuring takes time, too, so a job of several slices ends in a turn of its
        own unless there is time left.

        Raises:
            LeaseLostError: another attempt has overtaken this one.
        """
        begun, items = time.monotonic(), 0
        looks_at = begun + YIELD_SECONDS
        try:
            while step := work.step():
                items += step
                now = time.monotonic()
                is_over = now - begun >= self.seconds or items >= MOST_ITEMS
                if now >= looks_at and not is_over:
                    is_over = self.has_new()
                    looks_at = now + YIELD_SECONDS
                if is_over and not work.is_done:
                    return self._keep(lease, submission, work)
            if items and work.number and time.monotonic() - begun >= self.seconds / 2:
                return self._keep(lease, submission, work)
        except BaseException:
            work.close()
            raise
        return True

    def _keep(self, lease: Lease, submission: str | None, work: Work) -> bool:
        self.store.keep(lease, submission, work)
        self.in_hand.put(lease.id, work)
        return False


def _place(job: str, number: int) -> bytes:
    return f"{job}/{number}".encode()
