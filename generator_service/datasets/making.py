"""Make one shard: take its row, write it, put it into the store, and write down how it ended.

A worker may die at any moment. Its row is taken again when its lease ends, and the shard, made twice, is the same
bytes. What counts a shard, counts it when its row becomes `done`, in one transaction.
"""

import errno
import logging
import os
import socket
from pathlib import Path
from tempfile import TemporaryDirectory

import sqlalchemy as sa
from msgspec import json

from generator_service.datasets.bulk_context import BulkContext
from generator_service.datasets.shards import WriterError, make_shard
from generator_service.mounting import TrackUnreadyError
from generator_service.parameters import IdentityError
from tetrad.contracts.datasets import DatasetPlan, DatasetShard
from tetrad.internal.jobs import MAKE_SHARD
from tetrad.server.clock import now_ms
from tetrad.server.database import read_rows, write_transaction
from tetrad.server.dataset_tables import (
    WORK_STATES,
    add_dataset_event,
    dataset_shards,
    datasets,
    object_of,
    shard_id,
)
from tetrad.server.job_turns import Result, record_turn
from tetrad.server.outbox import (
    Lease,
    LeaseLostError,
    kept_alive,
    lease_row,
    postpone,
    retry_with_back_off,
    unless_overtaken,
    write_as_holder,
)

FULL = frozenset({errno.ENOSPC, errno.EDQUOT})
POSTPONED_SECONDS = 10.0
OF_ANOTHER_WORKER = (WriterError, IdentityError, TrackUnreadyError)
"""This worker has other libraries, benchmarks or sources than the plan's, and another one may have them."""
MAKEABLE = ("queued", "making")
log = logging.getLogger(__name__)


def make(context: BulkContext, dataset: str, number: int) -> None:
    """Make a shard, unless it is made, is being made, or is wanted no more.

    Raises:
        Exception: it failed, which is written down; RQ's own list of failed jobs has it, too.
    """
    found = read_rows(context.engine, sa.select(datasets.c.plan, datasets.c.state).where(datasets.c.id == dataset))
    if not found or found[0].state not in MAKEABLE:
        return
    if full := context.disks.shortages():
        pause(context, dataset, next(iter(full.values())))
        return
    lease = lease_row(
        context.engine,
        dataset_shards,
        shard_id(dataset, number),
        now=now_ms(),
        lease_ms=context.lease_ms,
        most=context.settings.most_attempts,
    )
    if lease is None:
        return
    alive = kept_alive(context.engine, lease, context.lease_ms)
    # Several requests may have ordered the data set, so the lines name it. Each order has a line that names both.
    recorded = record_turn(log, MAKE_SHARD, lease, {}, dataset, is_first=True)
    with recorded as turn, alive, unless_overtaken(lease):
        _begin(context, dataset)
        try:
            shard = _write(context, dataset, json.decode(found[0].plan, type=DatasetPlan), number)
            _record(context, lease, dataset, shard)
            turn.result = "done"
        except LeaseLostError:
            turn.result = "overtaken"
            raise
        except (*OF_ANOTHER_WORKER, OSError, sa.exc.OperationalError) as error:
            turn.result = "postponed"
            _put_off(context, lease, dataset, error)
        except Exception as error:
            turn.result = _fail_or_retry(context, lease, dataset, error)
            raise


def _write(context: BulkContext, dataset: str, plan: DatasetPlan, number: int) -> DatasetShard:
    """Write the shard to a folder of its own, and put it into the store."""
    Path(context.settings.work_folder).mkdir(parents=True, exist_ok=True)
    prefix = f"shard-{os.getppid()}-{socket.gethostname()}-"  # of the worker, whose child this is
    with TemporaryDirectory(prefix=prefix, dir=context.settings.work_folder) as folder:
        shard = make_shard(plan, number, Path(folder), context.practice)
        context.store.put_file(object_of(dataset, shard.file), Path(folder) / shard.file)
    return shard


def _begin(context: BulkContext, dataset: str) -> None:
    d = datasets.c
    begun = sa.update(datasets).where(d.id == dataset, d.state == "queued")
    if not read_rows(context.engine, sa.select(d.id).where(d.id == dataset, d.state == "queued")):
        return
    with write_transaction(context.engine) as connection:
        now = now_ms()
        if connection.execute(begun.values(state="making", reason=None, begun_at=now)).rowcount:
            add_dataset_event(connection, dataset, now, "making")


def _record(context: BulkContext, lease: Lease, dataset: str, shard: DatasetShard) -> None:
    """Count a shard that is in the store; the last one makes the data set done.

    Raises:
        LeaseLostError: another attempt has the row; it counts the same shard.
    """
    now, d = now_ms(), datasets.c
    with write_transaction(context.engine) as connection:
        body = json.encode(shard).decode()
        write_as_holder(
            connection, lease, state="done", lease_until=None, failure=None, body=body, items=shard.items, made_at=now
        )
        grown = {
            "shards_done": d.shards_done + 1,
            "items_done": d.items_done + shard.items,
            "bytes": d.bytes + shard.bytes,
            "reason": None,
        }
        counted = sa.update(datasets).where(d.id == dataset).values(grown).returning(d.shards_done, d.shards)
        row = connection.execute(counted).one()
        add_dataset_event(connection, dataset, now, "shard", number=shard.number, shards_done=row.shards_done)
        if row.shards_done == row.shards:
            ended = sa.update(datasets).where(d.id == dataset).values(state="done", finished_at=now)
            connection.execute(ended)
            add_dataset_event(connection, dataset, now, "done")


def _put_off(context: BulkContext, lease: Lease, dataset: str, error: Exception) -> None:
    """Give the row back without counting the attempt: its cause is outside of it, and passes."""
    log.warning("put off: %s", type(error).__name__, extra={"row": lease.id, "error": str(error)})
    if _errno(error) in FULL:
        postpone(context.engine, lease, now_ms())
        pause(context, dataset, "the disk of shards is full; it goes on by itself once there is room")
        return
    postpone(context.engine, lease, now_ms() + int(POSTPONED_SECONDS * 1000))
    reason = str(error) if isinstance(error, OF_ANOTHER_WORKER) else "what it needs is away; it goes on by itself"
    with write_transaction(context.engine) as connection:
        connection.execute(sa.update(datasets).where(datasets.c.id == dataset).values(reason=reason))


def _errno(error: BaseException | None) -> int | None:
    """Return the number of the error that is behind an error of the store."""
    while error is not None:
        if isinstance(error, OSError) and error.errno is not None:
            return error.errno
        error = error.__cause__
    return None


def pause(context: BulkContext, dataset: str, reason: str) -> None:
    """Let a data set wait, and say why."""
    d = datasets.c
    waiting = sa.update(datasets).where(d.id == dataset, d.state.in_(MAKEABLE))
    with write_transaction(context.engine) as connection:
        if connection.execute(waiting.values(state="paused", reason=reason)).rowcount:
            add_dataset_event(connection, dataset, now_ms(), "paused", reason=reason)


def _fail_or_retry(context: BulkContext, lease: Lease, dataset: str, error: Exception) -> Result:
    """Write down that an attempt failed; return "retried", or "failed" where it was the last one."""
    log.error("attempt failed", extra={"row": lease.id, "attempt": lease.attempt}, exc_info=error)
    failure = f"making it met {type(error).__name__}"
    if retry_with_back_off(context.engine, lease, context.settings.most_attempts, failure):
        return "retried"
    fail(context, lease, dataset, failure)
    return "failed"


def fail(context: BulkContext, lease: Lease, dataset: str, failure: str) -> None:
    """Give a shard up, and its data set with it, until it is ordered again."""
    number = lease.id.rpartition("-")[2]
    reason = f"shard {number} could not be made ({failure}); order the data set again to have it tried anew"
    d = datasets.c
    with unless_overtaken(lease), write_transaction(context.engine) as connection:
        write_as_holder(connection, lease, state="failed", lease_until=None, failure=failure)
        failed = sa.update(datasets).where(d.id == dataset, d.state.in_(WORK_STATES))
        if connection.execute(failed.values(state="failed", reason=reason)).rowcount:
            add_dataset_event(connection, dataset, now_ms(), "failed", reason=reason)
