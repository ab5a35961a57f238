"""The internal HTTP routes. Each of three tokens opens one group: practice (api), sealed (api), keys (scoring).

Routes only translate.
"""

from collections.abc import Sequence
from typing import TypeVar

import msgspec
from litestar import Response, Router, get, post
from litestar.concurrency import sync_to_thread
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath, FromQuery, JSONBody, RawBody
from litestar.types import Guard

from generator_service.datasets.planning import plan_dataset
from generator_service.datasets.rows import pack_next_rows, pack_rows
from generator_service.datasets.verdicts import judge_replies
from generator_service.drawing.png import encode_png
from generator_service.items import Item, picture_names
from generator_service.made_counts import MadeCounts
from generator_service.mounting import Mounted
from generator_service.practice import Practice
from generator_service.registry import Registry
from generator_service.right_of_way import RightOfWay
from generator_service.sealing.sealed_draws import Sealing
from tetrad.contracts.answers import PracticeFeedback
from tetrad.contracts.benchmarks import BenchmarkInfo, BenchmarkList
from tetrad.internal.draws import (
    AskedItems,
    CloseRequest,
    DrawKeys,
    DrawRequest,
    GateRequest,
    KeysRequest,
    OpenDraws,
    PackedItems,
    RangeRequest,
    RegenerateRequest,
    SealedDraw,
)
from tetrad.internal.packed_keys import pack_items
from tetrad.internal.practice import (
    CountedItems,
    CountRequest,
    ItemSolution,
    JudgedReplies,
    JudgeRequest,
    NextRowsRequest,
    PackedRows,
    PlannedDataset,
    PlanRequest,
    PracticeBatch,
    PracticeItemRequest,
    PracticeRequest,
    RowsRequest,
)
from tetrad.server.problems import ProblemError, refuse

T = TypeVar("T")
MESSAGE_PACK = "application/vnd.msgpack"


def catalogue_routes(registry: Registry, guard: Guard) -> Router:
    """Return what every one of our services may read: the cards."""

    @get("/benchmarks", sync_to_thread=True)
    def benchmarks() -> BenchmarkList:
        """List every loaded version of every benchmark. It may have to mount one whose sources were just made."""
        return BenchmarkList(
            benchmarks=[
                BenchmarkInfo(
                    card=mounted.benchmark.card,
                    bank=mounted.bank_digest,
                    bank_name=mounted.bank_name,
                    bank_credits=mounted.bank_credits,
                    sources=registry.sources(mounted),
                    banks=dict(mounted.digests),
                    lacking=dict(mounted.lacking),
                )
                for mounted in registry.all()
            ]
        )

    return Router("/internal", route_handlers=[benchmarks], guards=[guard])


def practice_routes(practice: Practice, guard: Guard, counts: MadeCounts) -> Router:
    @post("/items", status_code=200, sync_to_thread=True)
    def items(data: JSONBody[PracticeRequest]) -> PracticeBatch:
        batch = practice.batch(data)
        counts.count_items(data.benchmark, "practice", len(batch.items))
        return batch

    @post("/count", status_code=200, sync_to_thread=True)
    def count(data: JSONBody[CountRequest]) -> CountedItems:
        return practice.count(data)

    @post("/solution", status_code=200, sync_to_thread=True)
    def solution(data: JSONBody[PracticeItemRequest]) -> ItemSolution:
        return practice.solution(data)

    @post("/feedback", status_code=200, sync_to_thread=True)
    def feedback(data: JSONBody[PracticeItemRequest]) -> PracticeFeedback:
        return practice.feedback(data)

    @post("/pictures/{name:str}", status_code=200, sync_to_thread=True)
    def picture(name: FromPath[str], data: JSONBody[PracticeItemRequest]) -> Response[bytes]:
        return Response(png(*practice.item(data), name, counts), media_type="image/png")

    @post("/pictures", status_code=200, sync_to_thread=True)
    def pictures(name: FromQuery[list[str]], data: JSONBody[PracticeItemRequest]) -> Response[bytes]:
        return several_pngs(*practice.item(data), name, counts)

    handlers = [items, count, solution, feedback, picture, pictures, *_bulk_handlers(practice, counts)]
    return Router("/internal/practice", route_handlers=handlers, guards=[guard])


def _bulk_handlers(practice: Practice, counts: MadeCounts) -> list[HTTPRouteHandler]:
    """Return what trainers ask of the api, many questions at a time."""

    @post("/rows", status_code=200, sync_to_thread=True)
    def rows(data: JSONBody[RowsRequest]) -> Response[bytes]:
        packed = pack_rows(practice.choose(data.items), data.wanted)
        counts.count_items(data.items.benchmark, "practice", packed.items)
        return _pack(packed)

    @post("/next-rows", status_code=200, sync_to_thread=True)
    def next_rows(body: RawBody) -> Response[bytes]:
        asked = _decode(body, NextRowsRequest)
        return _pack(pack_next_rows(practice, asked.items, asked.wanted))

    @post("/verdicts", status_code=200, sync_to_thread=True)
    def verdicts(body: RawBody) -> JudgedReplies:
        return JudgedReplies(replies=judge_replies(practice, _decode(body, JudgeRequest)))

    @post("/datasets", status_code=200, sync_to_thread=True)
    def datasets(data: JSONBody[PlanRequest]) -> PlannedDataset:
        """Plan a data set; nothing of it is kept here."""
        return plan_dataset(practice, data)

    return [rows, next_rows, verdicts, datasets]


def sealed_routes(sealing: Sealing, guard: Guard, counts: MadeCounts) -> Router:
    @post("/draws", sync_to_thread=True)
    def seal(data: JSONBody[DrawRequest]) -> SealedDraw:
        sealed = sealing.seal(data)
        counts.count_items(data.benchmark, "sealed", sealed.size)
        return sealed

    @post("/draws/{submission:str}/questions", status_code=200, sync_to_thread=True)
    def questions(submission: FromPath[str], data: JSONBody[GateRequest]) -> AskedItems:
        return AskedItems(items=sealing.ask(submission, data.items))

    @get("/draws/{submission:str}/items/{index:int}/pictures/{name:str}", sync_to_thread=True)
    def picture(submission: FromPath[str], index: FromPath[int], name: FromPath[str]) -> Response[bytes]:
        return Response(png(*sealing.opened_item(submission, index, [name]), name, counts), media_type="image/png")

    @get("/draws/{submission:str}/items/{index:int}/pictures", sync_to_thread=True)
    def pictures(submission: FromPath[str], index: FromPath[int], name: FromQuery[list[str]]) -> Response[bytes]:
        return several_pngs(*sealing.opened_item(submission, index, name), name, counts)

    @get("/draws", sync_to_thread=True)
    def open_draws(after: FromQuery[str] = "") -> OpenDraws:
        return sealing.open_draws(after)

    @post("/draws/close", status_code=200, sync_to_thread=True)
    def close(data: JSONBody[CloseRequest]) -> dict[str, int]:
        return {"closed": sealing.close(data.submissions)}

    handlers = [seal, questions, picture, pictures, open_draws, close]
    return Router("/internal/sealed", route_handlers=handlers, guards=[guard])


def key_routes(sealing: Sealing, practice: Practice, guard: Guard) -> Router:
    one_at_a_time = RightOfWay()

    @post("/draws/{submission:str}", status_code=200, sync_to_thread=True)
    def reveal(submission: FromPath[str], body: RawBody) -> DrawKeys:
        asked = _decode(body, KeysRequest)
        return sealing.reveal(submission, asked.answers, asked.by)

    @post("/draws/{submission:str}/ranges/{number:int}", status_code=200)
    async def range_of_keys(submission: FromPath[str], number: FromPath[int], body: RawBody) -> PackedItems:
        def make_keys() -> PackedItems:
            return pack_items(sealing.keys_of_range(submission, number, _decode(body, RangeRequest).answers))

        async with one_at_a_time.turn():
            return await sync_to_thread(make_keys)

    @post("/regenerate", status_code=200)
    async def regenerate(body: RawBody) -> PackedItems:
        async with one_at_a_time.turn(second=True):
            return await sync_to_thread(lambda: pack_items(practice.regenerate(_decode(body, RegenerateRequest))))

    @post("/close", status_code=200, sync_to_thread=True)
    def close(data: JSONBody[CloseRequest]) -> dict[str, int]:
        """Close draws whose submissions have lapsed. Return how many were open, without their keys."""
        return {"closed": sealing.close(data.submissions)}

    @post("/pack", status_code=200, sync_to_thread=True)
    def pack(data: JSONBody[CloseRequest]) -> dict[str, int]:
        """Pack the records of the answers of revealed draws. Return how many draws were packed."""
        return {"packed": sealing.pack(data.submissions)}

    return Router("/internal/keys", route_handlers=[reveal, range_of_keys, regenerate, close, pack], guards=[guard])


def _decode(body: bytes, kind: type[T]) -> T:
    """Decode a body that carries thousands of answers. Litestar would first make a dict of each answer.

    Raises:
        ProblemError: 400, the body is not such a request.
    """
    try:
        return msgspec.json.decode(body, type=kind)
    except ValueError as error:  # msgspec's errors and those of broken UTF-8 are ValueErrors
        raise refuse(400, "body", None, str(error), f"send {kind.__name__} as tetrad.internal has it") from error


def _pack(rows: PackedRows) -> Response[bytes]:
    """Return rows as MessagePack: their lines are sent on as they are."""
    return Response(msgspec.msgpack.encode(rows), media_type=MESSAGE_PACK)


def several_pngs(mounted: Mounted, item: Item, names: Sequence[str], counts: MadeCounts) -> Response[bytes]:
    """Return several pictures of an item as MessagePack: a map from names to PNG bytes."""
    content = msgspec.msgpack.encode({name: png(mounted, item, name, counts) for name in names})
    return Response(content, media_type=MESSAGE_PACK)


def png(mounted: Mounted, item: Item, name: str, counts: MadeCounts) -> bytes:
    """Render one picture of an item, and encode it.

    Raises:
        ProblemError: 404, the item has no picture of this name.
    """
    if name not in picture_names(item):
        raise ProblemError(404, f"this item has no picture {name[:80]!r}")
    with counts.drawing(mounted.benchmark.name):
        return encode_png(mounted.benchmark.render(mounted.bank, item.scene, name))
