"""Data sets of practice items by the million: orders, plans, shards and manifests.

A data set's id is the digest of its plan. The same plan is the same data set, byte for byte, whoever orders it.
"""

from typing import Annotated, Literal, TypeAlias

import msgspec

from tetrad.contracts.items import DrawIdentity
from tetrad.contracts.wire import END, Digest, Name, ParameterValue, Request, Timestamp, Version, Wire

DatasetForm: TypeAlias = Literal["recipe", "rows", "parquet", "webdataset"]
"""recipe: the plan alone, for whoever draws the items beside the trainer. rows: lines of JSON, pictures inline.
parquet: for `datasets` and pandas. webdataset: tar archives."""
DatasetState: TypeAlias = Literal["estimated", "queued", "making", "paused", "done", "cancelled", "failed"]
MOST_ITEMS = 10_000_000
MOST_SHARD_ITEMS = 10_000
MOST_SHARDS = 100_000
SEED = rf"^(0|[1-9][0-9]{{0,15}}|[0-9a-f]{{64}}){END}"


class DatasetRequest(Request, frozen=True, kw_only=True):
    """An order of practice items with their answers: the first `count` items of a draw, in shards."""

    benchmark: Name
    """The benchmark's name."""
    version: Version | None = None
    """The version of the benchmark; by default the newest."""
    track: str | None = None
    """A track of the card; by default the first."""
    setting: str | None = None
    """A setting of the track; by default the first."""
    parameters: dict[str, ParameterValue] = {}
    """Parameters of the card by name; others are at their defaults."""
    source: Annotated[list[str], msgspec.Meta(max_length=16)] = []
    """Sources to draw from instead of the default ones of their kinds, each KIND:NAME."""
    seed: Annotated[str, msgspec.Meta(pattern=SEED)]
    """The seed of the draw: a number of up to 16 digits, or 64 hex digits."""
    count: Annotated[int, msgspec.Meta(ge=1, le=MOST_ITEMS)]
    """How many items, from index 0 on."""
    form: DatasetForm = "parquet"
    """recipe has no shards: who trains draws the items. rows is lines of JSON, webdataset tar archives."""
    shard_items: Annotated[int, msgspec.Meta(ge=1, le=MOST_SHARD_ITEMS)] = 1000
    """How many items a shard holds."""


class DatasetPlan(Wire, frozen=True, kw_only=True):
    """All that the bytes of a data set follow from."""

    identity: DrawIdentity
    """What the items are drawn from."""
    seed: str
    """The seed of the draw."""
    count: int
    """How many items there are, from index 0 on."""
    form: DatasetForm
    """The form of the shards."""
    shard_items: int
    """How many items a shard holds; the last one may hold fewer."""
    writer: str
    """The version of the files, and of each library that their bytes depend on."""


class DatasetShard(Wire, frozen=True, kw_only=True):
    """A shard that is made."""

    number: int
    """Its number, from 0."""
    file: str
    """The name of its file."""
    items: int
    """How many items it holds."""
    rows: int
    """How many rows: one for each question of an item."""
    bytes: int
    """Its size."""
    sha256: Digest
    """SHA-256 of its bytes."""


class DatasetManifest(Wire, frozen=True, kw_only=True):
    """The plan of a data set, and the shards that are made."""

    id: str
    """The data set's id."""
    plan: DatasetPlan
    """What its bytes follow from."""
    shards: list[DatasetShard]
    """The shards that are made, by number."""
    is_complete: bool
    """Whether no more are to come."""


class Dataset(Wire, frozen=True, kw_only=True):
    """A data set as a team that ordered it sees it."""

    id: str
    """The digest of its plan: dst_ and 40 hex digits."""
    state: DatasetState
    """`estimated` in a dry run. `paused` goes on by itself. `failed` is tried anew by the same order again."""
    reason: str | None
    """Why it is paused or failed, or what it waits for."""
    plan: DatasetPlan
    """What its bytes follow from."""
    shards: int
    """How many shards it has; 0 of a recipe."""
    shards_done: int
    """How many of them are made."""
    items_done: int
    """How many items they hold."""
    bytes: int
    """How many bytes they have."""
    bytes_estimated: int
    """About how many bytes all shards have, by the first items."""
    core_hours_estimated: float
    """About how many hours of one processor core it takes to make them all."""
    items_a_second: float | None
    """How fast it was made lately; null while nothing is made."""
    seconds_left: int | None
    """How long it takes on at this rate."""
    ordered_at: Timestamp | None
    """When your team ordered it; null in a dry run."""
    finished_at: Timestamp | None
    """When its last shard was made."""
    url: str
    """Its address."""
    manifest_url: str
    """The address of its manifest."""
    events_url: str
    """The address of its events."""


class DatasetPage(Wire, frozen=True, kw_only=True):
    """The data sets that a team holds orders of, newest orders first."""

    datasets: list[Dataset]
    """Those of this page."""
    quota: int
    """The bytes that all orders of the team may take together; 0 is no bound."""
    used: int
    """The bytes that they take: of each data set its size, or its estimate while that is larger."""
    next: str | None = None
    """The cursor of the next page."""


class DatasetEvent(Wire, frozen=True, kw_only=True):
    """An event of a data set."""

    id: int
    """Its id; later events have larger ones."""
    at: Timestamp
    """When it happened."""
    kind: str
    """making, shard, paused, resumed, lost, failed, done or cancelled."""
    data: dict[str, object]
    """More of it: the number of a shard, a reason."""
