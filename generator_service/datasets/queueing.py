"""Queue shards that are due, and look after data sets: what Redis lost is queued again, what nobody holds is removed.

The rows of shards are the truth. At most `WINDOW` jobs wait in Redis at a time: a data set that is cancelled leaves no
thousand jobs behind, and several data sets are made side by side, each its lowest number first.
"""

import logging

import sqlalchemy as sa

from generator_service.datasets.bulk_context import BulkContext
from generator_service.datasets.making import MAKEABLE, fail
from tetrad.internal.jobs import MAKE_SHARD
from tetrad.server.clock import DAY_MS, now_ms
from tetrad.server.database import read_rows, write_transaction
from tetrad.server.dataset_tables import (
    WORK_STATES,
    add_dataset_event,
    dataset_events,
    dataset_orders,
    dataset_shards,
    datasets,
    end_unheld,
)
from tetrad.server.outbox import due_rows, find_exhausted

WINDOW = 64
JOB_SECONDS = 6 * 3600  # of a shard of the largest items; RQ ends what takes longer
FAILED_SECONDS = DAY_MS // 1000
log = logging.getLogger(__name__)


def queue_due(context: BulkContext) -> int:
    """Queue the next shards that are due and in no job yet; return how many jobs wait then."""
    queue = context.queue
    waiting = set(queue.get_job_ids())
    if len(waiting) > WINDOW // 2:
        return len(waiting)
    _give_up_exhausted(context)
    _resume_paused(context)
    s, d = dataset_shards.c, datasets.c
    is_due = s.id.in_(due_rows(dataset_shards, now_ms(), context.settings.most_attempts))
    due = sa.select(s.id, s.dataset_id, s.number).join_from(dataset_shards, datasets)
    due = due.where(is_due, d.state.in_(MAKEABLE)).order_by(s.number, d.created_at)
    rows = read_rows(context.engine, due.limit(WINDOW + len(waiting)))
    for row in [row for row in rows if row.id not in waiting][: WINDOW - len(waiting)]:
        queue.enqueue_call(
            func=MAKE_SHARD,
            args=(row.dataset_id, row.number),
            job_id=row.id,
            timeout=JOB_SECONDS,
            result_ttl=0,
            failure_ttl=FAILED_SECONDS,
            description=f"{MAKE_SHARD} {row.id}",
        )
    return len(queue)


def is_work_left(context: BulkContext) -> bool:
    """Return whether a data set is to be made, now or once there is room again."""
    d = datasets.c
    return bool(read_rows(context.engine, sa.select(d.id).where(d.state.in_(WORK_STATES)).limit(1)))


def look_after(context: BulkContext) -> None:
    """Note data sets whose last order is gone, and remove those that nobody has held for long."""
    d, o = datasets.c, dataset_orders.c
    is_held = sa.exists().where(o.dataset_id == d.id)
    lost = sa.select(d.id).where(d.unreferenced_at.is_(None), ~is_held)  # its team was deleted
    for row in read_rows(context.engine, lost):
        with write_transaction(context.engine) as connection:
            end_unheld(connection, row.id, now_ms())
    before = now_ms() - int(context.settings.retention_days * DAY_MS)
    for row in read_rows(context.engine, sa.select(d.id).where(d.unreferenced_at < before, ~is_held)):
        _remove(context, row.id)


def _remove(context: BulkContext, dataset: str) -> None:
    """Remove a data set: first it is closed to orders, then its shards go, then its rows."""
    d, o = datasets.c, dataset_orders.c
    closed = sa.update(datasets).where(d.id == dataset, ~sa.exists().where(o.dataset_id == dataset))
    with write_transaction(context.engine) as connection:
        if not connection.execute(closed.values(state="removing")).rowcount:
            return
    for name in list(context.store.names(dataset)):
        context.store.delete(name)
        context.signs.beat()
    with write_transaction(context.engine) as connection:
        for table in (dataset_events, dataset_shards):
            connection.execute(sa.delete(table).where(table.c.dataset_id == dataset))
        connection.execute(sa.delete(datasets).where(d.id == dataset))
    log.info("a data set that nobody held was removed", extra={"dataset": dataset})


def _give_up_exhausted(context: BulkContext) -> None:
    """Fail what kills its workers."""
    for lease in find_exhausted(context.engine, dataset_shards, now_ms(), context.settings.most_attempts):
        dataset = lease.id.rpartition("-")[0]
        fail(context, lease, dataset, f"its worker died {lease.tries} times while making it")


def _resume_paused(context: BulkContext) -> None:
    """Let paused data sets go on once there is room."""
    d = datasets.c
    paused = read_rows(context.engine, sa.select(d.id).where(d.state == "paused"))
    if not paused or context.disks.shortages():
        return
    for row in paused:
        with write_transaction(context.engine) as connection:
            going = sa.update(datasets).where(d.id == row.id, d.state == "paused")
            if connection.execute(going.values(state="making", reason=None)).rowcount:
                add_dataset_event(connection, row.id, now_ms(), "resumed")
