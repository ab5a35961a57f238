"""Benchmarks and their practice items."""

from typing import Any

from litestar import Request, Response, get
from litestar.di import NamedDependency
from litestar.params import FromPath

from api.documents import problems
from api.practice.items import list_items
from api.practice.queries import practice_request, version_of
from api.services import Services
from tetrad.contracts.benchmarks import BenchmarkInfo, BenchmarkList
from tetrad.contracts.items import PracticePage


@get(
    "/benchmarks",
    operation_id="listBenchmarks",
    summary="Every benchmark and what it offers",
    responses=problems(502, 503),
    sync_to_thread=True,
)
def benchmarks(services: NamedDependency[Services]) -> BenchmarkList:
    return BenchmarkList(benchmarks=services.cards.all())


@get(
    "/benchmarks/{benchmark:str}",
    operation_id="getBenchmark",
    summary="The newest version of one benchmark",
    responses=problems(404, 502, 503),
    sync_to_thread=True,
)
def benchmark(services: NamedDependency[Services], benchmark: FromPath[str]) -> BenchmarkInfo:
    return services.cards.get(benchmark)


@get(
    "/benchmarks/{benchmark:str}/items",
    operation_id="listPracticeItems",
    summary="Fresh practice items, with nothing hidden",
    responses=problems(404, 422, 502, 503),
    sync_to_thread=True,
)
def items(
    services: NamedDependency[Services], request: Request[Any, Any, Any], benchmark: FromPath[str]
) -> Response[PracticePage]:
    """Give items `offset` and on of the draw of `seed`; without a seed a random one is chosen and told.

    Every parameter and every filter of the benchmark's card is a query name too.
    """
    query = list(request.query_params.multi_items())
    card = services.cards.get(benchmark, version_of(query)).card
    page = list_items(services, practice_request(card, query))
    return Response(page, headers={"Link": f'<{page.next}>; rel="next"'} if page.next else None)


HANDLERS = [benchmarks, benchmark, items]
