"""The tables of data sets in the api's database: the api orders and lists, bulk workers make.

Times are milliseconds since the epoch, documents are JSON text. What a worker may do with these tables, and that it may
touch no others, `api/database/upgrading.py` grants.

A shard's row is the outbox of its making: a job of RQ only says that it is worth a look. A row that is `queued` and
leased to nobody is due; jobs that RQ lost are queued again from here.
"""

import sqlalchemy as sa

from tetrad.server.scoring_tables import SERIAL, index_where, insert_event, metadata

datasets = sa.Table(
    "datasets",
    metadata,
    sa.Column("id", sa.String(64), primary_key=True),  # the digest of the plan
    sa.Column("plan", sa.Text, nullable=False),  # DatasetPlan as JSON
    sa.Column("state", sa.String(16), nullable=False),  # queued, making, paused, done, failed, cancelled, removing
    sa.Column("reason", sa.Text),
    sa.Column("shards", sa.Integer, nullable=False),
    sa.Column("shards_done", sa.Integer, nullable=False, server_default="0"),
    sa.Column("items_done", sa.Integer, nullable=False, server_default="0"),
    sa.Column("bytes", sa.BigInteger, nullable=False, server_default="0"),
    sa.Column("bytes_estimated", sa.BigInteger, nullable=False),
    sa.Column("core_ms_estimated", sa.BigInteger, nullable=False),
    sa.Column("created_at", sa.BigInteger, nullable=False),
    sa.Column("begun_at", sa.BigInteger),
    sa.Column("finished_at", sa.BigInteger),
    sa.Column("unreferenced_at", sa.BigInteger, index=True),  # when its last order was given up
    sa.Index("ix_datasets_state", "state"),
)

dataset_orders = sa.Table(  # references: a data set is kept as long as a team holds one
    "dataset_orders",
    metadata,
    sa.Column("dataset_id", sa.ForeignKey("datasets.id"), primary_key=True),
    sa.Column("team_id", sa.ForeignKey("teams.id"), primary_key=True),
    sa.Column("ordered_at", sa.BigInteger, nullable=False),
    sa.Index("ix_dataset_orders_of_team", "team_id", "ordered_at"),
)

dataset_shards = sa.Table(  # an outbox like `submissions`
    "dataset_shards",
    metadata,
    sa.Column("id", sa.String(64), primary_key=True),  # DATASET-NUMBER
    sa.Column("dataset_id", sa.ForeignKey("datasets.id"), nullable=False),
    sa.Column("number", sa.Integer, nullable=False),
    sa.Column("state", sa.String(16), nullable=False),  # queued, done, failed
    sa.Column("attempt", sa.Integer, nullable=False, server_default="0"),
    sa.Column("lease_until", sa.BigInteger),
    sa.Column("failure", sa.Text),
    sa.Column("body", sa.Text),  # DatasetShard as JSON
    sa.Column("items", sa.Integer),
    sa.Column("made_at", sa.BigInteger),
    sa.Index("ix_dataset_shards_of_dataset", "dataset_id", "number", unique=True),
    sa.Index("ix_dataset_shards_made", "dataset_id", "made_at"),
    index_where("ix_dataset_shards_queued", "number", state="queued"),
)

dataset_events = sa.Table(
    "dataset_events",
    metadata,
    sa.Column("id", SERIAL, primary_key=True, autoincrement=True),
    sa.Column("dataset_id", sa.ForeignKey("datasets.id"), nullable=False),
    sa.Column("at", sa.BigInteger, nullable=False),
    sa.Column("kind", sa.String(32), nullable=False),
    sa.Column("data", sa.Text, nullable=False),
    sa.Index("ix_dataset_events_of_dataset", "dataset_id", "id"),
)

WORK_STATES = ("queued", "making", "paused")
"""The states in which shards are still to be made."""


def shard_id(dataset: str, number: int) -> str:
    return f"{dataset}-{number}"


def object_of(dataset: str, file: str) -> str:
    """Return the name of a shard in the bucket."""
    return f"{dataset}/{file}"


def end_unheld(connection: sa.Connection, dataset: str, now: int) -> None:
    """End the making of a data set that no team holds an order of any more, and let retention begin at `now` (ms)."""
    d, o = datasets.c, dataset_orders.c
    is_held = sa.exists().where(o.dataset_id == dataset)
    state = sa.case((d.state.in_(WORK_STATES), "cancelled"), else_=d.state)
    ended = sa.update(datasets).where(d.id == dataset, d.unreferenced_at.is_(None), ~is_held)
    if connection.execute(ended.values(unreferenced_at=now, state=state, reason=None)).rowcount:
        add_dataset_event(connection, dataset, now, "cancelled")


def add_dataset_event(connection: sa.Connection, dataset: str, at: int, kind: str, **data: object) -> None:
    """Tell those who follow the data set what happened to it at `at` (ms)."""
    insert_event(connection, dataset_events, at, kind, data, dataset_id=dataset)
