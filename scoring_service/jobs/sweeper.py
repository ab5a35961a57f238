"""The sweeper, a thread of every worker. It does what nobody asks for.

Every round finishes or drops the submissions whose deadline has passed, fails the rows whose last attempt died with its
worker, deletes old verifications and left-over slices, moves old answers to the object store, and reads some of what
is kept (scrub.py). A submission that was fetched is scored as it is. A submission that nobody ever saw leaves only its
line in the public log.
"""

import contextvars
import json
import logging
import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from scoring_service.generator import GeneratorError
from scoring_service.jobs.attempts import give_up
from scoring_service.jobs.context import WorkerContext
from scoring_service.jobs.retention import prune_or_put_off
from scoring_service.jobs.scrub import scrub
from scoring_service.jobs.slices import drop_slices_of
from scoring_service.jobs.turns import drop_idle
from tetrad.server.clock import DAY_MS, patient_ms
from tetrad.server.database import is_state, read_rows, write_transaction
from tetrad.server.notifications import is_any_queued
from tetrad.server.objects import ObjectStore, StoreError, is_reached
from tetrad.server.outbox import QUEUED, find_exhausted
from tetrad.server.scoring_tables import (
    OUTBOXES,
    answers,
    events,
    items,
    questions,
    submissions,
    verification_bytes,
    verifications,
)

LAPSED_AT_ONCE = 500  # rows a transaction, so that it stays short
DROPPED_AT_ONCE = 100  # verifications a round, so that it stays short
LAPSED = "lapsed"  # as the finish reason of an open submission
FINISHED = {"state": "queued", "finish_reason": "deadline", "finished_at": submissions.c.deadline_at}

log = logging.getLogger(__name__)


@contextmanager
def sweeping(context: WorkerContext, found: threading.Event) -> Iterator[None]:
    """Sweep in the background, at once and then every `sweep_seconds`, until the block ends.

    `found` is set when a sweep has made a row due.
    """
    done = threading.Event()
    here = contextvars.copy_context()  # the log's fields
    rounds = threading.Thread(target=here.run, args=(_until, done, found, context), daemon=True)
    rounds.start()
    try:
        yield
    finally:
        done.set()
        rounds.join()


def _until(done: threading.Event, found: threading.Event, context: WorkerContext) -> None:
    while True:
        try:
            if sweep(context):
                found.set()
            _beat(context.settings.heartbeat_file)
        except sa.exc.SQLAlchemyError as error:
            log.warning("sweep put off", extra={"error": type(error).__name__})
        except Exception:
            log.exception("sweep failed")
        if done.wait(context.settings.sweep_seconds):
            return


def _beat(heartbeat_file: str) -> None:
    if heartbeat_file:
        Path(heartbeat_file).touch()


def sweep(context: WorkerContext) -> bool:
    """Do one round; return whether it has made a row due.

    Raises:
        SQLAlchemyError: the database is out of reach.
    """
    context.disks.shortages()  # told in the log
    now = patient_ms()  # nothing of this can be undone
    expired = queue_expired(context.engine, now)
    for submission in expired:
        log.info("deadline passed", extra={"submission": submission})
    for table in OUTBOXES if is_any_queued(context.engine, OUTBOXES) else ():
        for lease in find_exhausted(context.engine, table, now, context.settings.most_attempts):
            give_up(context, lease)
    dropped = _drop_unseen(context, now)  # this waits for the generator
    _drop_old(context, now)
    prune_or_put_off(context, now - int(context.settings.answer_rows_days * DAY_MS), now)
    with write_transaction(context.engine) as connection:
        drop_slices_of(connection, OUTBOXES, QUEUED)
        drop_idle(connection)
    _scrub(context)
    return bool(expired or dropped)


def _scrub(context: WorkerContext) -> None:
    if not is_reached(context.store, context.settings.store_url):
        return
    try:
        scrub(context)
    except StoreError as error:
        log.warning("reading every object put off: %s", error)


def _drop_old(context: WorkerContext, now: int) -> None:
    before = now - int(context.settings.verification_days * DAY_MS)
    try:
        dropped = drop_verifications(context.engine, context.store, before)
    except StoreError as error:
        log.warning("dropping old verifications put off: %s", error)
        return
    if dropped:
        log.info("old verifications are dropped", extra={"count": dropped})


def _drop_unseen(context: WorkerContext, now: int) -> int:
    """Drop submissions that nobody saw, once the generator has closed their draws; return how many.

    Only their rows name those draws. Others that answer the same draw may be due once they are gone.
    """
    lapsed = lapse_unseen(context.engine, now)
    if not lapsed:
        return 0
    try:
        context.generator.close_draws(lapsed)
    except GeneratorError as error:
        log.warning("dropping submissions nobody saw put off", extra={"count": len(lapsed), "error": str(error)})
        return 0
    dropped = drop_lapsed(context.engine, lapsed)
    log.info("submissions nobody saw are dropped", extra={"count": dropped})
    return dropped


def queue_expired(engine: sa.Engine, now: int) -> list[str]:
    """Finish the open submissions whose deadline has passed and whose questions were fetched; return their ids."""
    expired = sa.update(submissions).where(_is_expired(now), submissions.c.fetched_at.is_not(None))
    with write_transaction(engine) as connection:
        ids = list(connection.execute(expired.values(FINISHED).returning(submissions.c.id)).scalars())
        if ids:
            data = json.dumps({"reason": "deadline"})
            rows = [{"submission_id": name, "at": now, "kind": "finished", "data": data} for name in ids]
            connection.execute(sa.insert(events), rows)
    return ids


def lapse_unseen(engine: sa.Engine, now: int) -> list[str]:
    """Mark the open submissions whose deadline passed before anything was fetched; return the ids of all marked ones.

    The api opens no questions of a marked submission, even if its clock is late or a fetch began in time. So the draws
    can be closed.
    """
    unseen = sa.update(submissions).where(_is_expired(now), _is_unseen(), submissions.c.finish_reason.is_(None))
    marked = sa.select(submissions.c.id).where(_is_lapsed()).limit(LAPSED_AT_ONCE)
    with write_transaction(engine) as connection:
        connection.execute(unseen.values(finish_reason=LAPSED))
        return list(connection.execute(marked).scalars())


def drop_lapsed(engine: sa.Engine, closed: Sequence[str]) -> int:
    """Delete the marked ones among these submissions; return how many. Their draws have to be closed before.

    Their line in the public log of commitments stays: it says that a draw was sealed, not whether it was used.
    """
    marked = sa.select(submissions.c.id).where(submissions.c.id.in_(closed), _is_lapsed())
    with write_transaction(engine) as connection:
        ids = list(connection.execute(marked.with_for_update()).scalars())
        for table in (questions, items, answers, events):
            connection.execute(sa.delete(table).where(table.c.submission_id.in_(ids)))
        connection.execute(sa.delete(submissions).where(submissions.c.id.in_(ids)))
    return len(ids)


def drop_verifications(engine: sa.Engine, store: ObjectStore, before: int) -> int:
    """Delete the verifications that ended before `before` (ms), and return how many.

    The reports that askers sent are deleted first, because only the rows name them.

    Raises:
        StoreError: the rows stay, and the next sweep tries again.
    """
    ended = sa.and_(verifications.c.state != QUEUED, verifications.c.finished_at < before)
    v = verifications.c
    reports = read_rows(engine, sa.select(v.id, v.object).where(ended).limit(DROPPED_AT_ONCE))
    for report in reports:
        store.delete(report.object)
    if reports:
        with write_transaction(engine) as connection:
            gone = sa.delete(verifications).where(v.id.in_([report.id for report in reports]))
            _take_off_bytes(connection, connection.execute(gone.returning(v.asker, v.bytes)).all())
    return len(reports)


def _take_off_bytes(connection: sa.Connection, deleted: Sequence[sa.Row[Any, Any]]) -> None:
    """Subtract deleted reports from the kept bytes of their askers and of all (asker ""), as the api added them."""
    freed = Counter({"": 0})
    for report in deleted:
        freed[""] += report.bytes
        freed[report.asker] += report.bytes
    b = verification_bytes.c
    for asker in sorted(freed, reverse=True):  # "" last, as the api does, against deadlocks
        connection.execute(sa.update(verification_bytes).where(b.asker == asker).values(bytes=b.bytes - freed[asker]))
    connection.execute(sa.delete(verification_bytes).where(b.asker.in_(freed), b.asker != "", b.bytes <= 0))


def _is_expired(now: int) -> sa.ColumnElement[bool]:
    return sa.and_(is_state(submissions.c.state, "open"), submissions.c.deadline_at <= now)


def _is_unseen() -> sa.ColumnElement[bool]:
    return submissions.c.fetched_at.is_(None)


def _is_lapsed() -> sa.ColumnElement[bool]:
    return sa.and_(is_state(submissions.c.state, "open"), submissions.c.finish_reason == LAPSED, _is_unseen())
