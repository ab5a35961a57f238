"""Rows as a stream: made part by part, so that nobody waits long beside them and the api holds one part at a time."""

from collections.abc import AsyncIterator, Awaitable, Callable

from litestar.types import Scope
from msgspec.structs import replace

from api.http.practice_room import PracticeRoom
from api.upstream.generator import Generator
from tetrad.contracts.benchmarks import Track
from tetrad.internal.practice import NextRowsRequest, PackedRows, PracticeItemRequest, RowsRequest, RowsWanted

DRAWN_TOGETHER = 16  # items of a part with pictures: some 50 pictures, a tenth of a second
TOLD_TOGETHER = 100  # items of a part without
SEARCH_COST = 500  # a filter looks through up to 100,000 places of a draw


async def rows_of_draw(
    generator: Generator, room: PracticeRoom, scope: Scope, request: RowsRequest, track: Track
) -> tuple[str, AsyncIterator[bytes]]:
    """Return the seed, and the rows as they are made. The first part is made, and all is counted, before this returns.

    Raises:
        DomainError, ProblemError: the request is refused, or costs more than the caller may have.
    """
    limit, together = request.items.limit, _together(request.wanted)

    def part(offset: int, count: int) -> RowsRequest:
        return replace(request, items=replace(request.items, offset=offset, limit=count))

    made = min(limit, together)
    cost = made * track.cost + (SEARCH_COST if request.items.filters else 0)
    if request.wanted.pictures == "inline":
        cost += made * track.picture_cost
    await room.count(scope, cost)
    async with room.enter_bulk():
        first = await generator.rows(part(request.items.offset, made))
    a_row = first.pictures / first.items if first.items else 0
    await room.count(scope, max(0.0, limit * (track.cost + a_row * track.picture_cost) - cost))
    seed = first.seed
    request = replace(request, items=replace(request.items, seed=seed))

    async def lines() -> AsyncIterator[bytes]:
        packed, left = first, limit
        while True:
            yield packed.lines
            left -= packed.items
            if left <= 0 or packed.next_offset is None or not packed.items:
                return
            async with room.enter_bulk():
                packed = await generator.rows(part(packed.next_offset, min(left, together)))

    return seed, lines()


async def rows_of_items(
    generator: Generator,
    room: PracticeRoom,
    items: list[PracticeItemRequest],
    wanted: RowsWanted,
) -> AsyncIterator[bytes]:
    """Return the rows of the open questions of these items as they are made.

    The first part is made before this returns, so that an item that can't be made is refused.
    """
    together = _together(wanted)

    async def make(place: int) -> PackedRows:
        async with room.enter_bulk():
            return await generator.next_rows(NextRowsRequest(items=items[place : place + together], wanted=wanted))

    return _follow(await make(0), range(together, len(items), together), make)


async def _follow(
    first: PackedRows, places: range, make: Callable[[int], Awaitable[PackedRows]]
) -> AsyncIterator[bytes]:
    yield first.lines
    for place in places:
        yield (await make(place)).lines


def _together(wanted: RowsWanted) -> int:
    return DRAWN_TOGETHER if wanted.pictures == "inline" else TOLD_TOGETHER
