"""Practice items, one at a time. Sealed items never resolve here: their ids are no practice ids."""

from typing import Any

from litestar import Request, get, post
from litestar.concurrency import sync_to_thread
from litestar.di import NamedDependency
from litestar.params import FromPath, JSONBody
from litestar.response.base import ASGIResponse
from msgspec.structs import replace

from api.context import Services
from api.http.documents import png, problems
from api.http.limits import ITEMS, UNCOUNTED
from api.practice.allowed import allowed_by_request
from api.practice.items import check_answers, find_item, find_solution, requested, unmade
from api.practice.pictures import is_known_to, not_modified, picture_etag
from tetrad.contracts.answers import PracticeAnswers, PracticeFeedback
from tetrad.contracts.items import PracticeItem, Solution
from tetrad.internal.practice import PracticeItemRequest
from tetrad.server.problems import ProblemError


@get(
    "/items/{item:str}",
    operation_id="getPracticeItem",
    summary="One practice item",
    opt=ITEMS,
    responses=problems(404, 502, 503),
    sync_to_thread=True,
)
def item(services: NamedDependency[Services], request: Request[Any, Any, Any], item: FromPath[str]) -> PracticeItem:
    return find_item(services, item, allowed_by_request(services, request))


@get(
    "/items/{item:str}/solution",
    operation_id="getSolution",
    summary="The solution of a practice item",
    opt=ITEMS,
    responses=problems(404, 502, 503),
    sync_to_thread=True,
)
def solution(services: NamedDependency[Services], request: Request[Any, Any, Any], item: FromPath[str]) -> Solution:
    return find_solution(services, item, allowed_by_request(services, request))


@post(
    "/items/{item:str}/answers",
    status_code=200,
    operation_id="checkPracticeAnswers",
    summary="Check answers to a practice item",
    opt=ITEMS,
    responses=problems(400, 404, 409, 422, 502, 503),
    sync_to_thread=True,
)
def answers(
    services: NamedDependency[Services],
    request: Request[Any, Any, Any],
    item: FromPath[str],
    data: JSONBody[PracticeAnswers],
) -> PracticeFeedback:
    """Say what was read of each answer and whether it is right, and which questions are open next."""
    return check_answers(services, item, data, allowed_by_request(services, request))


@get(
    "/items/{item:str}/images/{name:str}",
    operation_id="getPracticePicture",
    summary="A picture of a practice item",
    opt=UNCOUNTED,
    responses={**png(), **problems(404, 502, 503)},
)
async def picture(
    services: NamedDependency[Services], request: Request[Any, Any, Any], item: FromPath[str], name: FromPath[str]
) -> ASGIResponse:
    """Give a PNG that never changes: keep it for ever, or ask again with If-None-Match."""
    kept = services.pictures.get(item, name)
    if kept is None:
        wanted = requested(item)
        if services.cards.has_restricted_sources(wanted.identity.benchmark):
            return await _restricted(services, request, wanted, item, name)
        await services.limits.count(request.scope, "items")  # one that is kept costs nothing, and is not counted
        try:
            kept = services.pictures.keep(item, name, await services.generator.practice_picture(wanted, name))
        except ProblemError as error:
            raise unmade(error) from error
    if is_known_to(request.headers.get("if-none-match"), etag := picture_etag(item, name)):
        return not_modified(etag)
    return kept


async def _restricted(
    services: Services, request: Request[Any, Any, Any], wanted: PracticeItemRequest, item: str, name: str
) -> ASGIResponse:
    """Give a picture of a benchmark with sources that not everybody may draw from; no shared cache may keep it."""
    await services.limits.count(request.scope, "items")
    allowed = await sync_to_thread(allowed_by_request, services, request)
    try:
        body = await services.generator.practice_picture(replace(wanted, allowed=allowed), name)
    except ProblemError as error:
        raise unmade(error) from error
    headers = {"ETag": picture_etag(item, name), "Cache-Control": "private, max-age=31536000, immutable"}
    return ASGIResponse(body=body, media_type="image/png", headers=headers)


HANDLERS = [item, solution, answers, picture]
