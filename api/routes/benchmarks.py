"""Benchmarks and their practice items."""

from collections.abc import Sequence
from typing import Any

from litestar import Request, Response, get
from litestar.concurrency import sync_to_thread
from litestar.di import NamedDependency

from api.context import AppContext
from api.errors import not_found
from api.http.documents import problems
from api.http.guards import CARD_NAMES, allowed_by_request
from api.http.page_links import Cursor, PageLimit, links_header, page_links
from api.http.path_ids import BenchmarkName
from api.http.practice_room import find_track
from api.http.state import HttpState
from api.paging import page_of
from api.practice.items import list_items
from api.practice.queries import practice_request, version_of, whole
from api.submissions.counting import expect_counted
from tetrad.contracts.benchmarks import BenchmarkInfo, BenchmarkList, Counted
from tetrad.contracts.items import PracticePage
from tetrad.contracts.submissions import DEFAULT_SIZE
from tetrad.internal.practice import MOST_COUNTED, PracticeRequest

LARGEST_SIZE = 100_000  # items, as a submission may name them
COUNTED_SEED = "0"  # of the practice items that are counted: the same question has one answer
SEARCH_COST = 500  # a filter looks through up to 100,000 places of a draw


@get(
    "/benchmarks",
    operation_id="listBenchmarks",
    summary="Every benchmark and what it offers",
    responses=problems(400, 422, 502, 503),
    sync_to_thread=True,
)
def benchmarks(
    context: NamedDependency[AppContext], request: Request[Any, Any, Any], cursor: Cursor = None, limit: PageLimit = 100
) -> Response[BenchmarkList]:
    """Give the card of each version that is served. Beside it stand the sources that this instance draws from."""
    every = sorted(context.cards.all(), key=_place)
    shown, following = page_of("benchmarks", every, _place, cursor, limit)
    page = BenchmarkList(benchmarks=shown, next=following)
    return Response(page, headers=page_links(context.settings, request, following))


def _place(info: BenchmarkInfo) -> str:
    return f"{info.card.name} {info.card.version:010d}"


@get(
    "/benchmarks/{benchmark:str}",
    operation_id="getBenchmark",
    summary="The newest version of one benchmark",
    responses=problems(404, 502, 503),
    sync_to_thread=True,
)
def benchmark(context: NamedDependency[AppContext], benchmark: BenchmarkName) -> BenchmarkInfo:
    """Give its card, and the sources that this instance draws from."""
    return context.cards.get(benchmark)


@get(
    "/benchmarks/{benchmark:str}/items",
    operation_id="listPracticeItems",
    summary="Fresh practice items, with nothing hidden",
    opt=CARD_NAMES,
    responses=problems(404, 422, 502, 503),
)
async def items(
    context: NamedDependency[AppContext],
    http_state: NamedDependency[HttpState],
    request: Request[Any, Any, Any],
    benchmark: BenchmarkName,
) -> Response[PracticePage]:
    """Give items `offset` and on of the draw of `seed`; without a seed a random one is chosen and told.

    Every parameter and every filter of the benchmark's card is a query name too; a name that is both means the
    parameter. `source` (KIND:NAME, may be repeated) names sources to draw from instead of the default ones.
    """
    query = list(request.query_params.multi_items())
    _, wanted, cost = await sync_to_thread(read_practice, context, request, benchmark, query)
    async with http_state.practice.enter(request.scope, cost):
        page = await sync_to_thread(list_items, context.settings, context.generator, wanted)
    around: dict[str, dict[str, object]] = {}
    if wanted.offset:
        around["first"] = {"seed": page.seed}
        if not wanted.filters:
            around["prev"] = {"seed": page.seed, "offset": max(0, wanted.offset - wanted.limit)}
    headers = links_header(context.settings, request, around, ("seed", "offset"))
    if page.next:
        headers = {"Link": ", ".join([f'<{page.next}>; rel="next"', *headers.values()])}
    return Response(page, headers=headers)


def read_practice(
    context: AppContext, request: Request[Any, Any, Any], benchmark: str, query: Sequence[tuple[str, str]]
) -> tuple[BenchmarkInfo, PracticeRequest, float]:
    """Return the benchmark, what is asked of it, and what that costs: the items of the page."""
    info = context.cards.get(benchmark, version_of(query))
    wanted = practice_request(info.card, query, allowed_by_request(context, request))
    track = find_track(info.card, wanted.track)
    return info, wanted, wanted.limit * track.cost + (SEARCH_COST if wanted.filters else 0)


@get(
    "/benchmarks/{benchmark:str}/counted",
    operation_id="countItems",
    summary="How many items of a draw will count on the board",
    opt=CARD_NAMES,
    responses=problems(404, 422, 502, 503),
)
async def count_items(
    context: NamedDependency[AppContext],
    http_state: NamedDependency[HttpState],
    request: Request[Any, Any, Any],
    benchmark: BenchmarkName,
) -> Counted:
    """Say before a submission is opened whether it will be enough for a rank: not every item counts.

    `size`, `track`, `setting`, `source` and every parameter of the benchmark's card are query names, as a submission
    has them. It is counted on practice items, as many as are asked for but at most 1,000, and costs as much as they do.
    """
    query = list(request.query_params.multi_items())
    size = whole("size", dict(query).get("size", str(DEFAULT_SIZE)), 1, LARGEST_SIZE)
    rest = [*((name, value) for name, value in query if name != "size"), ("seed", COUNTED_SEED)]
    info, wanted, _ = await sync_to_thread(read_practice, context, request, benchmark, rest)
    cost = min(size, MOST_COUNTED) * find_track(info.card, wanted.track).cost
    async with http_state.practice.enter(request.scope, cost):
        found = await sync_to_thread(expect_counted, context.generator, info.card, wanted, size)
    if found is None:
        raise not_found("board of", benchmark)
    return found


HANDLERS = [benchmarks, benchmark, items, count_items]
