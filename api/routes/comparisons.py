"""Comparisons: of two scored submissions, and of all rows of a board."""

from typing import Annotated, Any

from litestar import Request, get
from litestar.di import NamedDependency
from litestar.params import QueryParameter

from api.boards.queries import board_query
from api.boards.source_names import sources_digest, split_sources
from api.context import AppContext
from api.evaluations.comparing import MARGIN, compare_board, compare_submissions
from api.http.documents import OPEN, problems
from api.http.guards import ANYONE, CARD_NAMES
from api.http.path_ids import BenchmarkName
from api.practice.queries import version_of
from api.teams.access import Caller
from tetrad.contracts.evaluations import Comparison, ComparisonTable

A = "the scored submission to compare with: the baseline"
B = "the scored submission that may be worse"
ALLOWED = "items_needed is for this drop, as a share"


@get(
    "/comparisons",
    guards=ANYONE,
    operation_id="compareSubmissions",
    summary="Is b worse than a, by how much, and how many items would tell",
    security=OPEN,
    responses=problems(400, 401, 404, 409, 422, 503),
    sync_to_thread=True,
)
def comparison(
    context: NamedDependency[AppContext],
    caller: NamedDependency[Caller | None],
    a: Annotated[str, QueryParameter(description=A)],
    b: Annotated[str, QueryParameter(description=B)],
    margin: Annotated[float, QueryParameter(gt=0, lt=1, description=ALLOWED)] = MARGIN,
) -> Comparison:
    """Pair the items if both answered one draw: exact McNemar and a paired interval. Else compare unpaired."""
    return compare_submissions(context, caller, a, b, margin)


@get(
    "/comparisons/{benchmark:str}",
    operation_id="compareBoard",
    summary="All pairs of a board, with Holm's correction",
    opt=CARD_NAMES,
    responses=problems(400, 404, 422, 502, 503),
    sync_to_thread=True,
)
def board_comparisons(
    context: NamedDependency[AppContext], request: Request[Any, Any, Any], benchmark: BenchmarkName
) -> ComparisonTable:
    """Compare all pairs of the ranked rows. The query names a board as that of a leaderboard does."""
    sources, query = split_sources(list(request.query_params.multi_items()))
    info = context.cards.get(benchmark, version_of(query))
    wanted = board_query(info.card, query)
    board = context.boards.get(info.card, wanted, sources_digest(info, wanted.track, sources))
    return compare_board(board.whole)


HANDLERS = [comparison, board_comparisons]
