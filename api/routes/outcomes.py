"""Results of submissions: reports, revealed items, the log of commitments, verifications, boards."""

import hashlib
import math
from collections.abc import Callable
from typing import Annotated, Any

from litestar import Request, Response, get, post
from litestar.concurrency import sync_to_thread
from litestar.di import NamedDependency
from litestar.params import QueryParameter, RawBody

from api.boards.queries import board_query
from api.boards.source_names import sources_digest, split_sources
from api.context import AppContext
from api.errors import DomainError
from api.http.bodies import without_key
from api.http.documents import OPEN, problems
from api.http.guards import ANYONE, CARD_NAMES
from api.http.idempotency import Once
from api.http.negotiation import VARY, chosen_format, format_query
from api.http.page_links import Cursor, PageLimit, page_links
from api.http.path_ids import BenchmarkName, SubmissionId, VerificationId
from api.http.pictures import is_known_to
from api.http.practice_room import track_of
from api.http.state import HttpState
from api.paging import cursor_at, link, position_of
from api.practice.queries import version_of
from api.submissions.finding import find_readable, identity_of, show
from api.submissions.log import log_page
from api.submissions.revealing import list_revisions, parse_report, report_body, revealed_page
from api.submissions.uploads import MOST_BYTES
from api.submissions.verifications import (
    LARGEST_WITHOUT_KEY,
    Asker,
    find_verification,
    queue_verification,
    read_claim,
)
from api.teams.access import Caller
from tetrad.contracts.benchmarks import Card
from tetrad.contracts.leaderboards import Board
from tetrad.contracts.log import LogPage
from tetrad.contracts.reports import Report, Verification
from tetrad.contracts.rescoring import RevisionList
from tetrad.contracts.submissions import RevealedPage
from tetrad.reporting.csv_table import report_csv
from tetrad.reporting.junit import report_junit
from tetrad.reporting.markdown import report_markdown

FORMS = {
    "json": ("application/json",),
    "markdown": ("text/markdown",),
    "csv": ("text/csv",),
    "junit": ("application/xml", "text/xml", "application/junit+xml"),
}
FORMAT = "goes before Accept; csv has one line a question, junit one suite a stage"
FAIL_UNDER = "for junit: a test case fails if the headline is below this share"
PageOf100 = Annotated[int, QueryParameter(ge=1, le=100, description="the most items on one page")]
PageOf1000 = Annotated[int, QueryParameter(ge=1, le=1000, description="the most entries on one page")]


@get(
    "/submissions/{submission:str}/report",
    guards=ANYONE,
    operation_id="getReport",
    summary="The report, once scored: anyone may read a public one",
    security=OPEN,
    responses=problems(400, 401, 404, 406, 409, 503),
    sync_to_thread=True,
)
def report(
    *,
    context: NamedDependency[AppContext],
    caller: NamedDependency[Caller | None],
    request: Request[Any, Any, Any],
    submission: SubmissionId,
    revision: Annotated[int | None, QueryParameter(ge=1, le=2**31 - 1, description="an earlier report")] = None,
    form: Annotated[str | None, format_query(FORMS, FORMAT)] = None,
    fail_under: Annotated[float | None, QueryParameter(ge=0, le=1, description=FAIL_UNDER)] = None,
) -> Response[Report]:
    """Give JSON, a page to read, a table, or what CI systems read.

    In CSV a cell that a spreadsheet would run as a formula begins with an apostrophe. In JUnit XML a wrong answer is a
    skipped test case: a build fails by `fail_under` alone.
    """
    chosen = chosen_format(request, FORMS, form)
    row = find_readable(context.engine, caller, submission)
    body = report_body(context.engine, context.store, row, revision)
    match chosen:
        case "json":
            content: Any = body
        case "junit":
            content = report_junit(parse_report(body), fail_under=fail_under)
        case "csv":
            content = report_csv(parse_report(body))
        case _:
            read = parse_report(body)
            opened = show(context.settings, row).progress.questions_opened
            content = report_markdown(read, _card(context, read), opened=opened)
    return Response(content, media_type=FORMS[chosen][0], headers=VARY)


def _card(context: AppContext, report: Report) -> Card | None:
    """Return the card that explains a report's metrics; None if it can't be had, for a report can be read without."""
    try:
        return context.cards.get(report.identity.benchmark, report.identity.version).card
    except DomainError:
        return None


@get(
    "/submissions/{submission:str}/revisions",
    guards=ANYONE,
    operation_id="listRevisions",
    summary="Every report the submission has had: the newest counts",
    security=OPEN,
    responses=problems(400, 401, 404, 422),
    sync_to_thread=True,
)
def revisions(
    *,
    context: NamedDependency[AppContext],
    caller: NamedDependency[Caller | None],
    request: Request[Any, Any, Any],
    submission: SubmissionId,
    cursor: Cursor = None,
    limit: PageLimit = 50,
) -> Response[RevisionList]:
    """List them, oldest first. A report gets another revision when an operator has it scored by a newer scorer."""
    page = list_revisions(
        context.engine, context.settings, find_readable(context.engine, caller, submission), cursor, limit
    )
    return Response(page, headers=page_links(context.settings, request, page.next))


@get(
    "/submissions/{submission:str}/items",
    guards=ANYONE,
    operation_id="listRevealedItems",
    summary="The items, once scored: with keys, answers and replies",
    security=OPEN,
    responses=problems(400, 401, 403, 404, 409, 422, 502, 503),
)
async def revealed_items(
    *,
    context: NamedDependency[AppContext],
    http_state: NamedDependency[HttpState],
    caller: NamedDependency[Caller | None],
    request: Request[Any, Any, Any],
    submission: SubmissionId,
    cursor: Cursor = None,
    limit: PageOf100 = 20,
) -> Response[RevealedPage]:
    """Give each item with its keys, the answers given and the replies. The items of a fixed corpus stay hidden."""
    begin = position_of("revealed", cursor, 0)
    row = await sync_to_thread(find_readable, context.engine, caller, submission)
    track = await sync_to_thread(track_of, context.cards, identity_of(row))
    async with http_state.practice.enter(request.scope, limit * track.cost):
        page = await sync_to_thread(revealed_page, context, caller, row, begin, limit)
    previous = cursor_at("revealed", max(0, begin - limit)) if begin else None
    return Response(page, headers=page_links(context.settings, request, page.next, previous))


@get(
    "/commitments",
    operation_id="listCommitments",
    summary="The hash-chained log of all sealed draws",
    responses=problems(400, 422),
    sync_to_thread=True,
)
def commitments(
    context: NamedDependency[AppContext],
    request: Request[Any, Any, Any],
    after: Annotated[int, QueryParameter(ge=0, le=2**31 - 1, description="number of the last entry you have")] = 0,
    cursor: Cursor = None,
    limit: PageOf1000 = 100,
) -> Response[LogPage]:
    """Give the entries numbered above `after`, or the page of a cursor, and the head of the whole log."""
    begin = position_of("commitments", cursor, after)
    page = log_page(context.engine, begin, limit)
    previous = cursor_at("commitments", max(0, begin - limit)) if cursor is not None and begin else None
    return Response(page, headers=page_links(context.settings, request, page.next, previous))


@post(
    "/verifications",
    status_code=202,
    guards=ANYONE,
    security=OPEN,
    operation_id="verifyReport",
    summary="Regenerate a revealed draw here and check another instance's report",
    responses=problems(401, 409, 413, 422, 429, 503),
    request_max_body_size=MOST_BYTES,
    opt=without_key(LARGEST_WITHOUT_KEY),
)
async def new_verification(
    *,
    context: NamedDependency[AppContext],
    http_state: NamedDependency[HttpState],
    caller: NamedDependency[Caller | None],
    request: Request[Any, Any, Any],
    once: NamedDependency[Callable[[], Once]],
    body: RawBody,
) -> Response[Verification]:
    """Take a report of up to 1,000 items from anybody, few at a time; with an API key, larger ones and more.

    Its items count as practice: they are made again.
    """
    claimed = await sync_to_thread(read_claim, body)
    track = await sync_to_thread(track_of, context.cards, claimed.identity)
    await http_state.limits.count_items(request.scope, max(1, math.ceil(claimed.size * track.cost)))
    asker = Asker(None if caller is None else caller.team_id, http_state.addresses.of(request.scope))

    def headers(queued: Verification) -> dict[str, str]:
        return {"Location": link(context.settings, "verifications", queued.id), "Retry-After": "1"}

    def queue() -> Response[Verification]:
        return once()(lambda keep: queue_verification(context, asker, claimed, len(body), keep), headers, 202)

    return await sync_to_thread(queue)


@get(
    "/verifications/{verification:str}",
    operation_id="getVerification",
    summary="How far a verification is, and what it found",
    responses=problems(404),
    sync_to_thread=True,
)
def verification(context: NamedDependency[AppContext], verification: VerificationId) -> Verification:
    """Tell how far it is; once it is done, each claim that was checked, failures first."""
    return find_verification(context.engine, verification)


@get(
    "/leaderboards/{benchmark:str}",
    operation_id="getLeaderboard",
    summary="The board of a benchmark's track, setting, ranked parameters and way of putting questions",
    opt=CARD_NAMES,
    responses=problems(400, 404, 422, 502, 503),
    sync_to_thread=True,
)
def leaderboard(
    context: NamedDependency[AppContext],
    request: Request[Any, Any, Any],
    benchmark: BenchmarkName,
    cursor: Cursor = None,
    limit: PageLimit = 500,
) -> Response[Board]:
    """Pool each model's public submissions, in the order in which their questions were first fetched.

    What is scored waits for what was fetched before it and is not (`waiting`, `unfinished`). A page that the client has
    (If-None-Match) is not sent again.
    Query: track, setting, version, ranked parameters, conversation (as-card if it is left out, joined or fresh), and
    source (KIND:NAME, may be repeated; the default ones if it is left out; the digest of an identity's sources for
    those that are no longer served).
    """
    query = [(name, value) for name, value in request.query_params.multi_items() if name not in PAGING]
    sources, query = split_sources(query)
    info = context.cards.get(benchmark, version_of(query))
    wanted = board_query(info.card, query)
    board = context.boards.get(info.card, wanted, sources_digest(info, wanted.track, sources))
    after = position_of("board", cursor, "")
    tagged = {"ETag": page_etag(board.digest, after, limit), "Cache-Control": "no-cache"}
    if is_known_to(request.headers.get("if-none-match"), tagged["ETag"]):
        unchanged: Response[Any] = Response(None, status_code=304, headers=tagged)
        return unchanged
    page = board.page(after, limit)
    return Response(page, headers=tagged | page_links(context.settings, request, page.next))


def page_etag(digest: str, after: str, limit: int) -> str:
    """Return the strong tag of a board's page: another one as soon as anything on the board is another."""
    return f'"{hashlib.sha256(f"{digest}/{limit}/{after}".encode()).hexdigest()[:32]}"'


PAGING = ("cursor", "limit")


HANDLERS = [report, revisions, revealed_items, commitments, new_verification, verification, leaderboard]
