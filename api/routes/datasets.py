"""Data sets of practice items: ordered here, made by bulk workers, and read by whoever holds an order."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterator
from functools import partial
from typing import Annotated, Any

from litestar import Request, Response, get, post
from litestar.concurrency import sync_to_thread
from litestar.di import NamedDependency
from litestar.params import JSONBody, QueryParameter
from litestar.response import Stream
from litestar.response.sse import ServerSentEventMessage
from msgspec import json

from api.context import AppContext
from api.datasets.finding import MOST_EVENTS, events_of, find_held, find_row, find_shard, list_held, manifest_of
from api.datasets.ordering import GIB, cost_of, estimate, give_up, make_again, order, plan_request, quota_used
from api.errors import NotMadeError, UnavailableError
from api.http.documents import key, problems
from api.http.event_streams import (
    FORMS,
    LAST_EVENT_ID,
    NO_CONTENT,
    PRIVATE,
    QUIET_SECONDS,
    RETRY_MS,
    last_event_id,
    list_events,
    stream_events,
)
from api.http.guards import allowed_by_request, needs
from api.http.negotiation import chosen_format, format_query
from api.http.page_links import Cursor, PageLimit, page_links
from api.http.path_ids import DatasetId, ShardNumber
from api.http.practice_room import find_track
from api.http.state import HttpState
from api.paging import cursor_at, link, position_of
from api.teams.access import Caller
from tetrad.contracts.benchmarks import Track
from tetrad.contracts.datasets import (
    Dataset,
    DatasetEvent,
    DatasetManifest,
    DatasetPage,
    DatasetRequest,
    DatasetShard,
)
from tetrad.internal.practice import PlanRequest
from tetrad.server.database import read_transaction
from tetrad.server.dataset_tables import object_of
from tetrad.server.objects import ObjectStore, S3Store
from tetrad.server.problems import ProblemError

PLANNING_COST = 200  # of a plan, in items of KiVA: some items are made with their pictures
# Of a minute's practice that an order takes at most: it is made outside of it, so another use of the key, or an attempt
# a moment ago, must not keep it out for ever.
MOST_SHARE = 0.5
LOOK_SECONDS = 1.0  # between two looks for events of a stream
SIGNED_SECONDS = 3600
LAST_KINDS = frozenset({"done", "failed", "cancelled"})
KINDS = {"rows": "application/x-ndjson", "parquet": "application/vnd.apache.parquet", "webdataset": "application/x-tar"}
LOST_RETRY_SECONDS = 60


@post(
    "/datasets",
    status_code=202,
    guards=needs("submit"),
    security=key("submit"),
    operation_id="orderDataset",
    summary="Order a data set of practice items, up to ten million of them",
    responses=problems(400, 401, 403, 404, 409, 422, 429, 502, 503),
)
async def new_dataset(
    *,
    context: NamedDependency[AppContext],
    http_state: NamedDependency[HttpState],
    request: Request[Any, Any, Any],
    caller: NamedDependency[Caller],
    data: JSONBody[DatasetRequest],
    dry_run: Annotated[bool, QueryParameter(description="only estimate its bytes and core hours")] = False,
) -> Response[Dataset]:
    """Keep an order, and have bulk workers make what nobody ordered before. The same order again is the same data set.

    An order counts against the team's quota in bytes until `POST /v1/datasets/{dataset}/cancel` gives it up, and as
    practice of this minute: a large one as half of it.
    """
    asked, track = await sync_to_thread(_read_order, context, request, data)
    await http_state.practice.count(request.scope, PLANNING_COST)
    async with http_state.practice.enter_bulk():
        planned = await context.generator.plan(asked)
    cost = cost_of(track, planned)
    if dry_run:
        return Response(estimate(context.settings, planned, cost), status_code=200)
    await _count_order(http_state, request, cost)
    found = await sync_to_thread(order, context, caller, planned, cost)
    return Response(found, status_code=202, headers={"Location": link(context.settings, "datasets", found.id)})


def _read_order(
    context: AppContext, request: Request[Any, Any, Any], data: DatasetRequest
) -> tuple[PlanRequest, Track]:
    card = context.cards.get(data.benchmark, data.version).card
    asked = plan_request(card, data, allowed_by_request(context, request))
    return asked, find_track(card, asked.items.track)


async def _count_order(http_state: HttpState, request: Request[Any, Any, Any], cost: float) -> None:
    """Count an order as practice of its team; one that costs more than half a minute's takes half of it.

    Raises:
        ProblemError: 429, too much of it is used.
    """
    quota = http_state.limits.items_quota(request.scope)
    await http_state.practice.count(request.scope, min(cost, MOST_SHARE * quota) if quota else cost)


@get(
    "/datasets",
    guards=needs("read"),
    security=key("read"),
    operation_id="listDatasets",
    summary="Your team's data sets, newest orders first, and its quota",
    responses=problems(400, 401, 403, 422),
    sync_to_thread=True,
)
def datasets(
    context: NamedDependency[AppContext],
    caller: NamedDependency[Caller],
    request: Request[Any, Any, Any],
    cursor: Cursor = None,
    limit: PageLimit = 50,
) -> Response[DatasetPage]:
    """Give each as `GET /v1/datasets/{dataset}` does."""
    rows, place = list_held(context, caller, position_of("datasets", cursor, ""), limit)
    following = None if place is None else cursor_at("datasets", place)
    with read_transaction(context.engine) as connection:
        used = quota_used(connection, caller.team_id)
    page = DatasetPage(datasets=rows, quota=context.settings.datasets_quota_gib * GIB, used=used, next=following)
    return Response(page, headers={**PRIVATE, **page_links(context.settings, request, following)})


@get(
    "/datasets/{dataset:str}",
    guards=needs("read"),
    security=key("read"),
    operation_id="getDataset",
    summary="State and progress of a data set",
    responses=problems(401, 403, 404),
    sync_to_thread=True,
)
def dataset(context: NamedDependency[AppContext], caller: NamedDependency[Caller], dataset: DatasetId) -> Dataset:
    """Tell how far it is. A data set that your team holds no order of is 404."""
    return find_held(context, caller, dataset)


@get(
    "/datasets/{dataset:str}/manifest",
    guards=needs("read"),
    security=key("read"),
    operation_id="getDatasetManifest",
    summary="The plan of a data set, and the digest of each shard that is made",
    responses=problems(401, 403, 404),
    sync_to_thread=True,
)
def manifest(
    context: NamedDependency[AppContext], caller: NamedDependency[Caller], dataset: DatasetId
) -> DatasetManifest:
    """Give what anybody needs to make any shard again, and to check those that are here."""
    return manifest_of(context, find_row(context, caller, dataset))


@get(
    "/datasets/{dataset:str}/shards/{number:int}",
    guards=needs("read"),
    security=key("read"),
    operation_id="getDatasetShard",
    summary="A shard of a data set",
    responses=problems(401, 403, 404, 409, 503),
    sync_to_thread=True,
)
def shard(
    context: NamedDependency[AppContext],
    caller: NamedDependency[Caller],
    dataset: DatasetId,
    number: ShardNumber,
) -> Response[bytes]:
    """Give its bytes, or send to a signed address in the object store (303) that holds for an hour."""
    row = find_row(context, caller, dataset)
    found = find_shard(context, row, number)
    name, store = object_of(dataset, found.file), _shards(context)
    if context.signed_shards is not None:
        return Response(b"", status_code=303, headers={**PRIVATE, "Location": _sign(context.signed_shards, name)})
    parts = store.parts(name)
    if parts is None:
        make_again(context, dataset, found)
        raise NotMadeError(f"the store has lost shard {number}; it is made again", retry_after=LOST_RETRY_SECONDS)
    return _stream_shard(found, parts, json.decode(row.plan)["form"])


def _sign(store: ObjectStore, name: str) -> str:
    if not isinstance(store, S3Store):
        raise ProblemError(503, "TETRAD_API_DATASETS_ENDPOINT needs a bucket in TETRAD_API_DATASETS_STORE_URL")
    return store.address(name, SIGNED_SECONDS)


def _stream_shard(found: DatasetShard, parts: Iterator[bytes], form: str) -> Response[bytes]:
    headers = {
        **PRIVATE,
        "Content-Disposition": f'attachment; filename="{found.file}"',
        "Content-Length": str(found.bytes),
        "ETag": f'"{found.sha256}"',
    }
    streamed: Any = Stream(parts, media_type=KINDS[form], headers=headers)
    return streamed  # type: ignore[no-any-return]  # a response of Litestar's, though not of this type


def _shards(context: AppContext) -> ObjectStore:
    if context.shards is None:
        raise UnavailableError("this instance has no store for shards of data sets any more; ask its operator")
    return context.shards


@get(
    "/datasets/{dataset:str}/events",
    guards=needs("read"),
    security=key("read"),
    operation_id="listDatasetEvents",
    summary="What happened to a data set, as a list or followed",
    responses=problems(400, 401, 403, 404, 406, 422, 429),
    sync_to_thread=True,
)
def events(
    *,
    context: NamedDependency[AppContext],
    http_state: NamedDependency[HttpState],
    caller: NamedDependency[Caller],
    request: Request[Any, Any, Any],
    dataset: DatasetId,
    cursor: Cursor = None,
    limit: PageLimit = 500,
    form: Annotated[str | None, format_query(FORMS)] = None,
) -> Response[list[DatasetEvent]]:
    """Give events as JSON, oldest first, or follow them as server-sent events until the data set is done.

    A stream goes on after the event that Last-Event-ID names; 204 says that none is to come.
    """
    row = find_row(context, caller, dataset)
    if chosen_format(request, FORMS, form) == "stream":
        after = last_event_id(request.headers.get(LAST_EVENT_ID))
        return _event_stream(context, http_state, caller, dataset, after, is_over=row.state in LAST_KINDS)
    found = events_of(context.engine, dataset, position_of("dataset events", cursor, 0), limit + 1)
    return list_events(context.settings, request, "dataset events", found, limit)


def _event_stream(
    context: AppContext, http_state: HttpState, caller: Caller, dataset: str, after: int, *, is_over: bool
) -> Response[Any]:
    if is_over and not events_of(context.engine, dataset, after, 1):
        return Response(None, status_code=NO_CONTENT, headers=PRIVATE)
    look = partial(events_of, context.engine, dataset)
    return stream_events(context.engine, http_state.streams, caller, partial(_follow, look, after))


async def _follow(
    look: Callable[[int], list[DatasetEvent]], after: int, end: Callable[[], None]
) -> AsyncGenerator[ServerSentEventMessage]:
    """Yield every event above `after` until the last one, and a comment now and then; then call `end`."""
    try:
        yield ServerSentEventMessage(retry=RETRY_MS, comment="events follow", data=None)
        quiet = 0.0
        while True:
            found = await sync_to_thread(look, after)
            for event in found:
                yield ServerSentEventMessage(id=event.id, event=event.kind, data=json.encode(event))
                after, quiet = event.id, 0.0
            if len(found) == MOST_EVENTS:
                continue
            if found and found[-1].kind in LAST_KINDS:
                return
            await asyncio.sleep(LOOK_SECONDS)
            quiet += LOOK_SECONDS
            if quiet >= QUIET_SECONDS:
                quiet = 0.0
                yield ServerSentEventMessage(comment="waiting", data=None)
    finally:
        end()


@post(
    "/datasets/{dataset:str}/cancel",
    status_code=200,
    guards=needs("submit"),
    security=key("submit"),
    operation_id="cancelDataset",
    summary="Give your team's order of a data set up",
    responses=problems(401, 403, 404),
    sync_to_thread=True,
)
def cancel(context: NamedDependency[AppContext], caller: NamedDependency[Caller], dataset: DatasetId) -> Dataset:
    """Free what it takes of the quota. From then on the data set is 404 for your team, until it orders it again.

    With the last order the making ends. Its shards are kept for some days, in which the same order finds them again.
    """
    return give_up(context, caller, dataset)


HANDLERS = [new_dataset, datasets, dataset, manifest, shard, events, cancel]
