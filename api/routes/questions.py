"""Open questions of a submission, and the answers to them."""

from collections.abc import AsyncIterator, Iterator
from typing import Annotated, Any

from litestar import Request, Response, get, post
from litestar.concurrency import sync_to_thread
from litestar.di import NamedDependency
from litestar.params import QueryParameter, RawBody
from litestar.response import Stream

from api.context import AppContext
from api.errors import DomainError, SourceUnavailableError
from api.http.documents import key, png, problems, tar
from api.http.guards import needs
from api.http.negotiation import VARY, chosen_format, format_query
from api.http.page_links import Cursor, PageLimit, page_links
from api.http.path_ids import ItemIndex, PictureName, SubmissionId
from api.http.state import HttpState
from api.paging import position_of
from api.submissions.asking import as_lines, open_questions, pages, parse_pictures
from api.submissions.bundle import ARCHIVES, TAR, bundle, pack_pictures
from api.submissions.pausing import fetch_picture
from api.submissions.sealing import answerable, seal
from api.submissions.uploads import MOST_BYTES, NDJSON, read_upload
from api.teams.access import Caller
from tetrad.contracts.answers import SealReceipt
from tetrad.contracts.submissions import QuestionPage

FORMS = {"json": ("application/json",), "ndjson": (NDJSON,), "tar": (TAR,)}
PRIVATE = {"Cache-Control": "private, no-store", **VARY}


@get(
    "/submissions/{submission:str}/questions",
    guards=needs("submit"),
    security=key("submit"),
    operation_id="listOpenQuestions",
    summary="Open questions: answer them and ask again until none is open",
    responses=problems(400, 401, 403, 404, 406, 409, 422, 502, 503),
    sync_to_thread=True,
)
def questions(
    *,
    context: NamedDependency[AppContext],
    caller: NamedDependency[Caller],
    request: Request[Any, Any, Any],
    submission: SubmissionId,
    cursor: Cursor = None,
    limit: PageLimit = 100,
    items: Annotated[str | None, QueryParameter(description="these items alone, up to 100, such as 3,7,12")] = None,
    form: Annotated[str | None, format_query(FORMS)] = None,
) -> Response[QuestionPage]:
    """Give the open questions of up to `limit` items; as lines of JSON or as a tar bundle with pictures all of them."""
    chosen = chosen_format(request, FORMS, form)
    page = open_questions(context, caller, submission, position_of("questions", cursor, 0), limit, listed=items)
    if chosen == "ndjson":
        return _stream(_lines(context, caller, submission, page, items), NDJSON, {})
    if chosen == "tar":
        named = {"Content-Disposition": f'attachment; filename="{submission}.tar"'}
        return _stream(bundle(context, caller, submission, page, items), TAR, named)
    return Response(page, headers={**PRIVATE, **page_links(context.settings, request, page.next)})


def _stream(parts: Iterator[bytes] | AsyncIterator[bytes], kind: str, headers: dict[str, str]) -> Response[Any]:
    streamed: Any = Stream(parts, media_type=kind, headers={**PRIVATE, **headers})
    return streamed  # type: ignore[no-any-return]  # a response of Litestar's, though not of this type


def _lines(
    context: AppContext, caller: Caller, submission: str, first: QuestionPage, listed: str | None
) -> Iterator[bytes]:
    try:
        for page in pages(context, caller, submission, first, listed):
            yield as_lines(page.questions)
    except DomainError:
        return  # finished meanwhile, or the generator is away: a pass may be begun again at any time


@post(
    "/submissions/{submission:str}/answers",
    status_code=200,
    guards=needs("submit"),
    security=key("submit"),
    operation_id="sealAnswers",
    summary="Seal answers: all of an upload or nothing",
    responses=problems(400, 401, 403, 404, 409, 413, 415, 422, 503),
    request_max_body_size=MOST_BYTES,
    sync_to_thread=True,
)
def answers(
    *,
    context: NamedDependency[AppContext],
    caller: NamedDependency[Caller],
    request: Request[Any, Any, Any],
    submission: SubmissionId,
    body: RawBody,
    dry_run: Annotated[bool, QueryParameter(description="check everything, keep nothing")] = False,
) -> SealReceipt:
    """Take JSON, lines of JSON or CSV, also gzip, up to 64 MiB unpacked (JSON 4 MiB) and 100,000 answers.

    All replies of a submission may take 192 MiB, counted as JSON text; options always fit. CSV has a header with the
    columns item, question, answer and response, the last two as needed. The same answer again is fine, a different
    one is 409. The reply never depends on what is right.
    """
    row, headers = answerable(context.engine, caller, submission), request.headers
    upload = read_upload(body, headers.get("content-type", ""), headers.get("content-encoding", ""))
    return seal(context.engine, context.notifier, row, upload, dry_run=dry_run)


@get(
    "/submissions/{submission:str}/items/{item:int}/images/{name:str}",
    guards=needs("submit"),
    security=key("submit"),
    operation_id="getSubmissionPicture",
    summary="A picture of a question that has opened",
    responses={**png(), **problems(401, 403, 404, 502, 503)},
)
async def picture(
    *,
    context: NamedDependency[AppContext],
    http_state: NamedDependency[HttpState],
    caller: NamedDependency[Caller],
    submission: SubmissionId,
    item: ItemIndex,
    name: PictureName,
) -> Response[bytes]:
    """Give a PNG to the team that answers. It is shown only once its question is open, and no cache may keep it."""
    shown = http_state.shown
    is_known = shown.is_known(caller, submission, item, name)
    paused = None if is_known else await sync_to_thread(shown.allow, caller, submission, item, name)
    try:
        pixels = await fetch_picture(context, submission, item, name, paused)
    except SourceUnavailableError:
        shown.forget(caller, submission, item)
        raise
    return Response(pixels, media_type="image/png", headers={"Cache-Control": "private, no-store"})


@get(
    "/submissions/{submission:str}/images",
    guards=needs("submit"),
    security=key("submit"),
    operation_id="getSubmissionPictures",
    summary="Several pictures of questions that have opened, as one archive",
    responses={
        **tar("An archive: each picture under its item's number and its name"),
        **problems(400, 401, 403, 404, 406, 422, 502, 503),
    },
)
async def several_pictures(
    *,
    context: NamedDependency[AppContext],
    http_state: NamedDependency[HttpState],
    caller: NamedDependency[Caller],
    request: Request[Any, Any, Any],
    submission: SubmissionId,
    pictures: Annotated[str, QueryParameter(description="items and names, up to 32, such as 3/what-0-1,3/what-0-2")],
    form: Annotated[str | None, format_query(ARCHIVES)] = None,
) -> Response[bytes]:
    """Give up to 32 pictures at once, as tar or zip.

    They count as so many requests, and one that is not shown refuses all.
    """
    chosen = chosen_format(request, ARCHIVES, form)
    wanted = parse_pictures(pictures)
    await http_state.limits.count_further(request.scope, sum(map(len, wanted.values())) - 1)
    paused = await sync_to_thread(http_state.shown.allow_all, caller, submission, wanted)
    try:
        archive = await pack_pictures(context, submission, wanted, paused, chosen)
    except SourceUnavailableError:
        for item in wanted:
            http_state.shown.forget(caller, submission, item)
        raise
    return Response(archive, media_type=ARCHIVES[chosen][0], headers=PRIVATE)


HANDLERS = [questions, answers, picture, several_pictures]
