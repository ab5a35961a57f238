"""Order data sets, and give orders up. An order is a reference: the same plan is made once, whoever orders it."""

import logging

import sqlalchemy as sa
from msgspec import json

from api.context import AppContext
from api.database.schema import dataset_orders, dataset_shards, datasets
from api.datasets.finding import find_held, show_row
from api.errors import BeingRemovedError, CapReachedError, InvalidInputError, UnavailableError
from api.practice.queries import check_seed
from api.settings import ApiSettings
from api.teams.access import Caller
from api.teams.caps import ASK, check_active, locked_team
from tetrad.contracts.benchmarks import Card, Track
from tetrad.contracts.datasets import MOST_SHARDS, Dataset, DatasetRequest, DatasetShard
from tetrad.contracts.problems import Fault
from tetrad.internal.jobs import ATTEMPTS_A_QUEUEING
from tetrad.internal.practice import PlannedDataset, PlanRequest, PracticeRequest
from tetrad.rows.dataset_plans import count_shards, id_of
from tetrad.server.clock import now_ms
from tetrad.server.database import insert_into, insert_rows, write_transaction
from tetrad.server.dataset_tables import add_dataset_event, end_unheld, shard_id

GIB = 2**30
CORE_MS_A_COST = 0.03  # of one core, for what a track's costs are counted in: items of KiVA without their pictures
WRITTEN = 2.5  # times as long with pictures compressed by zlib, rows and files
log = logging.getLogger(__name__)


def plan_request(card: Card, data: DatasetRequest, allowed: list[str]) -> PlanRequest:
    """Return the request to the generator.

    Raises:
        InvalidInputError: the track or setting is none of the card's, the seed is none, or there were too many shards.
    """
    if data.form != "recipe" and data.count > data.shard_items * MOST_SHARDS:
        least = -(-data.count // MOST_SHARDS)
        problem = f"makes more than {MOST_SHARDS} shards of {data.count} items"
        raise InvalidInputError.at("shard_items", data.shard_items, problem, f"use {least} or more")
    track, setting = card.place(data.track, data.setting)
    items = PracticeRequest(
        benchmark=card.name,
        version=card.version,
        track=track,
        setting=setting,
        parameters=data.parameters,
        seed=check_seed(data.seed),
        sources=data.source,
        allowed=allowed,
    )
    return PlanRequest(items=items, count=data.count, form=data.form, shard_items=data.shard_items)


def cost_of(track: Track, planned: PlannedDataset) -> float:
    """Return what making all items costs, in items of KiVA; a recipe costs nothing."""
    if planned.plan.form == "recipe":
        return 0.0
    return planned.plan.count * (track.cost + planned.item_pictures * track.picture_cost)


def estimate(settings: ApiSettings, planned: PlannedDataset, cost: float) -> Dataset:
    """Return the data set that an order of this plan would make; nothing is kept."""
    return show_row(settings, {**_new_row(planned, cost), "state": "estimated", "ordered_at": None}, None)


def _new_row(planned: PlannedDataset, cost: float) -> dict[str, object]:
    plan, now = planned.plan, now_ms()
    is_recipe = plan.form == "recipe"
    return {
        "id": id_of(plan),
        "plan": json.encode(plan).decode(),
        "state": "done" if is_recipe else "queued",
        "reason": None,
        "shards": count_shards(plan),
        "shards_done": 0,
        "items_done": 0,
        "bytes": 0,
        "bytes_estimated": round(planned.item_bytes * plan.count),
        "core_ms_estimated": round(cost * CORE_MS_A_COST * WRITTEN),
        "created_at": now,
        "begun_at": None,
        "finished_at": now if is_recipe else None,
        "unreferenced_at": None,
    }


def order(context: AppContext, caller: Caller, planned: PlannedDataset, cost: float) -> Dataset:
    """Keep the team's order of a data set, and have made what is not made yet.

    Raises:
        InactiveTeamError: the team may only read.
        CapReachedError: the orders of the team would take more than its quota.
        UnavailableError: this instance has no place for shards.
        BeingRemovedError: the same data set is being removed at this moment.
    """
    row = _new_row(planned, cost)
    if row["shards"] and context.shards is None:
        remedy = "order a recipe, or ask the operator to set TETRAD_API_DATASETS_STORE_URL"
        raise UnavailableError(f"this instance has no store for shards of data sets; {remedy}")
    dataset = str(row["id"])
    with write_transaction(context.engine) as connection:
        team = locked_team(connection, caller.team_id)
        check_active(team.state, team.state_reason)
        connection.execute(insert_into(connection, datasets).values(row).on_conflict_do_nothing())
        known = connection.execute(sa.select(datasets).where(datasets.c.id == dataset).with_for_update()).one()
        held = sa.select(dataset_orders).where(
            dataset_orders.c.dataset_id == dataset, dataset_orders.c.team_id == caller.team_id
        )
        if connection.execute(held).first() is None:
            _check_quota(connection, context.settings, caller.team_id, max(known.bytes, known.bytes_estimated))
            made = {"dataset_id": dataset, "team_id": caller.team_id, "ordered_at": now_ms()}
            connection.execute(sa.insert(dataset_orders).values(made))
        _make_shards(connection, known)
        _revive(connection, known)
    log.info("data set ordered", extra={"row": dataset, "team": caller.team_id})
    if known.state != "done":
        context.notifier.make(dataset)
    return find_held(context, caller, dataset)


def quota_used(connection: sa.Connection, team_id: str) -> int:
    """Return the bytes that the orders of a team take: of each the larger of its size and its estimate."""
    d = datasets.c
    size = sa.case((d.bytes > d.bytes_estimated, d.bytes), else_=d.bytes_estimated)
    query = sa.select(sa.func.coalesce(sa.func.sum(size), 0)).join_from(datasets, dataset_orders)
    return int(connection.execute(query.where(dataset_orders.c.team_id == team_id)).scalar_one())


def _check_quota(connection: sa.Connection, settings: ApiSettings, team_id: str, more: int) -> None:
    quota, used = settings.datasets_quota_gib * GIB, quota_used(connection, team_id)
    if not quota or used + more <= quota:
        return
    problem = (
        f"takes about {more / GIB:.1f} GiB, and the orders of your team take {used / GIB:.1f} of {quota / GIB:.0f} GiB"
    )
    remedy = f"order fewer items or a recipe, give up an order (POST /v1/datasets/ID/cancel), or {ASK}"
    fault = Fault(field="count", value=None, problem=problem, remedy=remedy)
    raise CapReachedError(f"this data set {problem}; {remedy}", faults=[fault])


def _make_shards(connection: sa.Connection, known: sa.Row[tuple[object, ...]]) -> None:
    """Write the rows of the shards, unless an earlier order did."""
    one_there = sa.select(dataset_shards.c.id).where(dataset_shards.c.dataset_id == known.id).limit(1)
    if connection.execute(one_there).first() is not None:
        return
    rows = [
        {"id": shard_id(known.id, number), "dataset_id": known.id, "number": number, "state": "queued"}
        for number in range(known.shards)
    ]
    insert_rows(connection, dataset_shards, rows)


def _revive(connection: sa.Connection, known: sa.Row[tuple[object, ...]]) -> None:
    """Let a data set that was given up, or that failed, go on where it was."""
    if known.state == "removing":
        raise BeingRemovedError("this data set is being removed; order it again in a minute", retry_after=60)
    changes: dict[str, object] = {"unreferenced_at": None}
    if known.state == "failed":
        s = dataset_shards.c
        failed = sa.update(dataset_shards).where(s.dataset_id == known.id, s.state == "failed")
        again = (s.attempt // ATTEMPTS_A_QUEUEING + 1) * ATTEMPTS_A_QUEUEING
        connection.execute(failed.values(state="queued", attempt=again, lease_until=None, failure=None))
    if known.state in {"failed", "cancelled"}:
        is_whole = known.shards_done == known.shards
        changes |= {"state": "done" if is_whole else "queued", "reason": None}
        add_dataset_event(connection, known.id, now_ms(), "resumed")
    connection.execute(sa.update(datasets).where(datasets.c.id == known.id).values(changes))


def make_again(context: AppContext, dataset: str, shard: DatasetShard) -> None:
    """Have a shard made again that the store has lost, as after a restore."""
    s, d = dataset_shards.c, datasets.c
    lost = sa.update(dataset_shards).where(s.dataset_id == dataset, s.number == shard.number, s.state == "done")
    fewer = {
        "shards_done": d.shards_done - 1,
        "items_done": d.items_done - shard.items,
        "bytes": d.bytes - shard.bytes,
        "finished_at": None,
        "state": sa.case((d.state == "done", "queued"), else_=d.state),
    }
    with write_transaction(context.engine) as connection:
        if connection.execute(lost.values(state="queued", body=None, items=None, made_at=None)).rowcount:
            connection.execute(sa.update(datasets).where(d.id == dataset).values(fewer))
            add_dataset_event(connection, dataset, now_ms(), "lost", number=shard.number)
    context.notifier.make(dataset)


def give_up(context: AppContext, caller: Caller, dataset: str) -> Dataset:
    """Give the team's order up. With the last one the making ends, and retention begins.

    Raises:
        NotFoundError: the team holds no order of it.
    """
    shown = find_held(context, caller, dataset)
    o = dataset_orders.c
    with write_transaction(context.engine) as connection:
        connection.execute(sa.select(datasets.c.id).where(datasets.c.id == dataset).with_for_update()).one()
        connection.execute(sa.delete(dataset_orders).where(o.dataset_id == dataset, o.team_id == caller.team_id))
        end_unheld(connection, dataset, now_ms())
    return shown
