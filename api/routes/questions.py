"""Open questions of a submission, and the answers to them."""

from collections.abc import Iterator
from typing import Annotated, Any

from litestar import Request, Response, get, post
from litestar.concurrency import sync_to_thread
from litestar.di import NamedDependency
from litestar.params import FromPath, QueryParameter, RawBody
from litestar.response import Stream
from msgspec import json

from api.access import Caller, needs
from api.documents import KEY, png, problems
from api.links import PageLimit, next_header
from api.services import Services
from api.submissions.asking import open_questions
from api.submissions.pictures import allow_picture
from api.submissions.sealing import seal
from api.submissions.uploads import MOST_BYTES, NDJSON, read_upload
from tetrad.contracts.answers import SealReceipt
from tetrad.contracts.submissions import QuestionPage
from tetrad.serving.problems import ProblemError

JSON = "application/json"


@get(
    "/submissions/{submission:str}/questions",
    dependencies=needs("submit"),
    security=KEY,
    operation_id="listOpenQuestions",
    summary="Open questions: answer them and ask again until none is open",
    responses=problems(400, 401, 403, 404, 409, 502, 503),
    sync_to_thread=True,
)
def questions(
    *,
    services: NamedDependency[Services],
    caller: NamedDependency[Caller],
    request: Request[Any, Any, Any],
    submission: FromPath[str],
    cursor: Annotated[int, QueryParameter(ge=0, le=2**31 - 1, description="`next` of the page before")] = 0,
    limit: PageLimit = 100,
) -> Response[QuestionPage]:
    """Give the open questions of up to `limit` items, or with `Accept: application/x-ndjson` of all, one a line."""
    page = open_questions(services, caller, submission, cursor, limit)
    if request.accept.best_match([JSON, NDJSON], default=JSON) == NDJSON:
        return _stream(services, caller, submission, page, limit)
    headers = {"Cache-Control": "private, no-store", **next_header(services.settings, request, cursor=page.next)}
    return Response(page, headers=headers)


def _stream(services: Services, caller: Caller, submission: str, first: QuestionPage, limit: int) -> Response[Any]:
    """Return all pages as lines. The first page is made already: what is refused is refused with a status."""

    def lines() -> Iterator[bytes]:
        page = first
        while True:
            yield b"".join(json.encode(question) + b"\n" for question in page.questions)
            if page.next is None:
                return
            try:
                page = open_questions(services, caller, submission, int(page.next), limit)
            except ProblemError:
                return  # finished meanwhile, or the generator is away: a pass may be begun again at any time

    return Stream(lines, media_type=NDJSON, headers={"Cache-Control": "private, no-store"})


@post(
    "/submissions/{submission:str}/answers",
    status_code=200,
    dependencies=needs("submit"),
    security=KEY,
    operation_id="sealAnswers",
    summary="Seal answers: all of an upload or nothing",
    responses=problems(400, 401, 403, 404, 409, 413, 415, 422),
    request_max_body_size=MOST_BYTES,
    sync_to_thread=True,
)
def answers(
    *,
    services: NamedDependency[Services],
    caller: NamedDependency[Caller],
    request: Request[Any, Any, Any],
    submission: FromPath[str],
    body: RawBody,
    dry_run: Annotated[bool, QueryParameter(description="check everything, keep nothing")] = False,
) -> SealReceipt:
    """Take JSON or lines of JSON, also gzip, up to 64 MiB unpacked and 100,000 answers.

    The same answer again is fine, a different one is 409. The reply never depends on what is right.
    """
    headers = request.headers
    upload = read_upload(body, headers.get("content-type", ""), headers.get("content-encoding", ""))
    return seal(services, caller, submission, upload, dry_run=dry_run)


@get(
    "/submissions/{submission:str}/items/{item:int}/images/{name:str}",
    dependencies=needs("submit"),
    security=KEY,
    operation_id="getSubmissionPicture",
    summary="A picture of a question that has opened",
    responses={**png(), **problems(401, 403, 404, 502, 503)},
)
async def picture(
    services: NamedDependency[Services],
    caller: NamedDependency[Caller],
    submission: FromPath[str],
    item: FromPath[int],
    name: FromPath[str],
) -> Response[bytes]:
    await sync_to_thread(allow_picture, services, caller, submission, item, name)
    pixels = await services.generator.sealed_picture(submission, item, name)
    return Response(pixels, media_type="image/png", headers={"Cache-Control": "private, no-store"})


HANDLERS = [questions, answers, picture]
