"""What comes of submissions: reports, revealed items, the log of commitments, verifications, boards."""

from typing import Annotated, Any

from litestar import Request, Response, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath, QueryParameter, RawBody

from api.access import ANYONE, Caller
from api.board_queries import board_query
from api.corpora import empty_board
from api.documents import OPEN, problems
from api.leaderboards import board
from api.links import link, next_header
from api.practice.queries import version_of
from api.services import Services
from api.submissions.finding import readable
from api.submissions.log import log_page
from api.submissions.revealing import parsed, report_body, revealed_page
from api.submissions.uploads import MOST_BYTES
from api.verifications import find_verification, queue_verification
from tetrad.contracts.draws import LogPage
from tetrad.contracts.leaderboards import Board
from tetrad.contracts.reports import Report, Verification
from tetrad.contracts.submissions import RevealedPage
from tetrad.reporting.markdown import report_markdown

JSON, MARKDOWN = "application/json", "text/markdown"


@get(
    "/submissions/{submission:str}/report",
    dependencies=ANYONE,
    operation_id="getReport",
    summary="The report, once scored: anyone may read a public one",
    security=OPEN,
    responses=problems(401, 404, 409, 503),
    sync_to_thread=True,
)
def report(
    services: NamedDependency[Services],
    caller: NamedDependency[Caller | None],
    request: Request[Any, Any, Any],
    submission: FromPath[str],
) -> Response[Report]:
    """Give JSON, or with `Accept: text/markdown` a page to read."""
    body = report_body(services, readable(services, caller, submission))
    answer: Any = Response(body, media_type=JSON, headers={"Vary": "Accept"})
    if request.accept.best_match([JSON, MARKDOWN], default=JSON) == MARKDOWN:
        answer = Response(report_markdown(parsed(body)), media_type=MARKDOWN, headers={"Vary": "Accept"})
    return answer  # type: ignore[no-any-return]  # bytes and text that already are what the schema says


@get(
    "/submissions/{submission:str}/items",
    dependencies=ANYONE,
    operation_id="listRevealedItems",
    summary="The items, once scored: with keys, answers and replies",
    security=OPEN,
    responses=problems(400, 401, 403, 404, 409, 502, 503),
    sync_to_thread=True,
)
def revealed(
    *,
    services: NamedDependency[Services],
    caller: NamedDependency[Caller | None],
    request: Request[Any, Any, Any],
    submission: FromPath[str],
    cursor: Annotated[int, QueryParameter(ge=0, le=2**31 - 1, description="`next` of the page before")] = 0,
    limit: Annotated[int, QueryParameter(ge=1, le=100)] = 20,
) -> Response[RevealedPage]:
    page = revealed_page(services, caller, submission, cursor, limit)
    return Response(page, headers=next_header(services.settings, request, cursor=page.next))


@get(
    "/commitments",
    operation_id="listCommitments",
    summary="The hash-chained log of all sealed draws",
    responses=problems(400),
    sync_to_thread=True,
)
def commitments(
    services: NamedDependency[Services],
    request: Request[Any, Any, Any],
    after: Annotated[int, QueryParameter(ge=0, le=2**31 - 1, description="number of the last entry you have")] = 0,
    limit: Annotated[int, QueryParameter(ge=1, le=1000)] = 100,
) -> Response[LogPage]:
    page = log_page(services.engine, after, limit)
    return Response(page, headers=next_header(services.settings, request, after=page.next))


@post(
    "/verifications",
    status_code=202,
    operation_id="verifyReport",
    summary="Regenerate a revealed draw here and check another instance's report",
    responses=problems(413, 422),
    request_max_body_size=MOST_BYTES,
    sync_to_thread=True,
)
def new_verification(services: NamedDependency[Services], body: RawBody) -> Response[Verification]:
    queued = queue_verification(services, body)
    headers = {"Location": link(services.settings, "verifications", queued.id), "Retry-After": "1"}
    return Response(queued, headers=headers)


@get(
    "/verifications/{verification:str}",
    operation_id="getVerification",
    summary="How far a verification is, and what it found",
    responses=problems(404),
    sync_to_thread=True,
)
def verification(services: NamedDependency[Services], verification: FromPath[str]) -> Verification:
    return find_verification(services, verification)


@get(
    "/leaderboards/{benchmark:str}",
    operation_id="getLeaderboard",
    summary="The board of a benchmark's track, setting and ranked parameters",
    responses=problems(404, 422, 502, 503),
    sync_to_thread=True,
)
def leaderboard(
    services: NamedDependency[Services], request: Request[Any, Any, Any], benchmark: FromPath[str]
) -> Board:
    """Pool each model's scored public submissions. Query: track, setting, version and ranked parameters."""
    query = list(request.query_params.multi_items())
    card = services.cards.get(benchmark, version_of(query)).card
    wanted = board_query(card, query)
    if card.corpus is not None:
        return empty_board(card, card.corpus.notice, wanted.track, wanted.setting, wanted.parameters)
    return board(services, card, wanted.track, wanted.setting, wanted.parameters)


HANDLERS = [report, revealed, commitments, new_verification, verification, leaderboard]
