"""Find data sets for the teams that hold orders of them: one, a page of them, a manifest, a shard, events."""

import re
from collections.abc import Mapping
from typing import Any

import sqlalchemy as sa
from msgspec import json

from api.context import AppContext
from api.database.schema import dataset_events, dataset_orders, dataset_shards, datasets
from api.errors import NotMadeError, not_found
from api.paging import link
from api.settings import ApiSettings
from api.teams.access import Caller
from tetrad.contracts.datasets import Dataset, DatasetEvent, DatasetManifest, DatasetPlan, DatasetShard
from tetrad.server.clock import now_ms, rfc3339
from tetrad.server.database import read_rows

ID = re.compile(r"dst_[0-9a-f]{40}")
LATELY_MS = 60_000
HOUR_MS = 3_600_000
HELD = sa.select(datasets, dataset_orders.c.ordered_at).join_from(datasets, dataset_orders)
MOST_EVENTS = 500
RETRY_SECONDS = 10


def find_row(context: AppContext, caller: Caller, dataset: str) -> sa.Row[Any]:
    """Return the row of a data set that the team holds an order of.

    Raises:
        NotFoundError: there is none, or it is another team's.
    """
    if not ID.fullmatch(dataset):
        raise not_found("data set", dataset)
    held = HELD.where(datasets.c.id == dataset, dataset_orders.c.team_id == caller.team_id)
    found = read_rows(context.engine, held)
    if not found:
        raise not_found("data set", dataset)
    return found[0]


def find_held(context: AppContext, caller: Caller, dataset: str) -> Dataset:
    row = find_row(context, caller, dataset)
    return show_row(context.settings, row._asdict(), rate_of(context.engine, row))


def rate_of(engine: sa.Engine, row: sa.Row[Any]) -> float | None:
    """Return the items a second of the last minute; None while nothing is made."""
    if row.state != "making" or row.begun_at is None:
        return None
    now = now_ms()
    s = dataset_shards.c
    lately = sa.select(sa.func.sum(s["items"])).where(s.dataset_id == row.id, s.made_at > now - LATELY_MS)
    items = read_rows(engine, lately)[0][0] or 0
    return 1000 * items / max(1, min(LATELY_MS, now - row.begun_at)) or None


def show_row(settings: ApiSettings, row: Mapping[str, Any], rate: float | None) -> Dataset:
    """Return a row, with the time of the team's order, as the team sees it. `rate`: items a second."""
    plan = json.decode(row["plan"], type=DatasetPlan)
    here = ("datasets", row["id"])
    return Dataset(
        id=row["id"],
        state=row["state"],
        reason=row["reason"],
        plan=plan,
        shards=row["shards"],
        shards_done=row["shards_done"],
        items_done=row["items_done"],
        bytes=row["bytes"],
        bytes_estimated=row["bytes_estimated"],
        core_hours_estimated=row["core_ms_estimated"] / HOUR_MS,
        items_a_second=rate,
        seconds_left=round((plan.count - row["items_done"]) / rate) if rate else None,
        ordered_at=None if row["ordered_at"] is None else rfc3339(row["ordered_at"]),
        finished_at=None if row["finished_at"] is None else rfc3339(row["finished_at"]),
        url=link(settings, *here),
        manifest_url=link(settings, *here, "manifest"),
        events_url=link(settings, *here, "events"),
    )


def list_held(context: AppContext, caller: Caller, after: str, limit: int) -> tuple[list[Dataset], str | None]:
    """Return up to `limit` data sets of a team, the newest orders first, from behind this place.

    Where more follow, the place of the last one is told, too.
    """
    ordered = dataset_orders.c
    query = HELD.where(ordered.team_id == caller.team_id)
    if after:
        time, _, dataset = after.partition(" ")
        before = sa.tuple_(ordered.ordered_at, ordered.dataset_id) < sa.tuple_(sa.literal(int(time)), dataset)
        query = query.where(before)
    found = read_rows(
        context.engine, query.order_by(ordered.ordered_at.desc(), ordered.dataset_id.desc()).limit(limit + 1)
    )
    rows = found[:limit]
    place = f"{rows[-1].ordered_at} {rows[-1].id}" if len(found) > limit else None
    return [show_row(context.settings, row._asdict(), rate_of(context.engine, row)) for row in rows], place


def manifest_of(context: AppContext, row: sa.Row[Any]) -> DatasetManifest:
    """Return the plan and the shards that are made."""
    s = dataset_shards.c
    query = sa.select(s.body).where(s.dataset_id == row.id, s.state == "done").order_by(s.number)
    shards = [json.decode(shard.body, type=DatasetShard) for shard in read_rows(context.engine, query)]
    plan = json.decode(row.plan, type=DatasetPlan)
    return DatasetManifest(id=row.id, plan=plan, shards=shards, is_complete=len(shards) == row.shards)


def find_shard(context: AppContext, row: sa.Row[Any], number: int) -> DatasetShard:
    """Return a shard.

    Raises:
        NotFoundError: the data set has none of this number.
        NotMadeError: it is not made yet.
    """
    if not 0 <= number < row.shards:
        raise not_found("shard", str(number))
    s = dataset_shards.c
    query = sa.select(s.body).where(s.dataset_id == row.id, s.number == number, s.state == "done")
    found = read_rows(context.engine, query)
    if not found:
        detail = f"shard {number} is not made yet; the data set's state tells how far it is"
        raise NotMadeError(detail, retry_after=RETRY_SECONDS)
    return json.decode(found[0].body, type=DatasetShard)


def events_of(engine: sa.Engine, dataset: str, after: int, limit: int = MOST_EVENTS) -> list[DatasetEvent]:
    """Return up to `limit` events with ids above `after`, oldest first."""
    e = dataset_events.c
    query = sa.select(dataset_events).where(e.dataset_id == dataset, e.id > after).order_by(e.id).limit(limit)
    return [
        DatasetEvent(id=row.id, at=rfc3339(row.at), kind=row.kind, data=json.decode(row.data))
        for row in read_rows(engine, query)
    ]
