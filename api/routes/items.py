"""Practice items, one at a time. Sealed items never resolve here: their ids are no practice ids."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Annotated, Any

from litestar import Request, Response, get, post
from litestar.concurrency import sync_to_thread
from litestar.di import NamedDependency
from litestar.params import JSONBody, QueryParameter
from litestar.response.base import ASGIResponse
from msgspec.structs import replace

from api.context import AppContext
from api.http.documents import png, problems, tar
from api.http.guards import allowed_by_request
from api.http.limits import UNCOUNTED
from api.http.negotiation import VARY, chosen_format, format_query
from api.http.path_ids import ItemId, PictureName
from api.http.pictures import FOREVER, is_known_to, not_modified, picture_etag
from api.http.practice_room import track_of
from api.http.state import HttpState
from api.inputs import split_pictures
from api.practice.items import check_answers, find_item, find_solution, read_item_id, refuse_unmade
from api.submissions.bundle import ARCHIVES, pack_named
from tetrad.contracts.answers import PracticeAnswers, PracticeFeedback
from tetrad.contracts.benchmarks import Track
from tetrad.contracts.items import DrawIdentity, PracticeItem, Solution
from tetrad.internal.practice import PracticeItemRequest

PRIVATELY_FOREVER = "private, max-age=31536000, immutable"
CHARACTERS_AN_ITEM = 100  # of a reply: the slowest to extract an answer from take 0.03 core ms for so many


@get(
    "/items/{item:str}",
    operation_id="getPracticeItem",
    summary="One practice item",
    responses=problems(404, 502, 503),
)
async def item(
    context: NamedDependency[AppContext],
    http_state: NamedDependency[HttpState],
    request: Request[Any, Any, Any],
    item: ItemId,
) -> PracticeItem:
    """Give the item that the id stands for. It is made again from its seed: nothing of it is stored."""
    async with room_for_item(context, http_state, request, item) as allowed:
        return await sync_to_thread(find_item, context.settings, context.generator, item, allowed)


@get(
    "/items/{item:str}/solution",
    operation_id="getSolution",
    summary="The solution of a practice item",
    responses=problems(404, 502, 503),
)
async def solution(
    context: NamedDependency[AppContext],
    http_state: NamedDependency[HttpState],
    request: Request[Any, Any, Any],
    item: ItemId,
) -> Solution:
    """Give keys, facets, the explanation and the scene that the item was made from."""
    async with room_for_item(context, http_state, request, item) as allowed:
        return await sync_to_thread(find_solution, context.generator, item, allowed)


@post(
    "/items/{item:str}/answers",
    status_code=200,
    operation_id="checkPracticeAnswers",
    summary="Check answers to a practice item",
    responses=problems(400, 404, 409, 422, 502, 503),
)
async def answers(
    context: NamedDependency[AppContext],
    http_state: NamedDependency[HttpState],
    request: Request[Any, Any, Any],
    item: ItemId,
    data: JSONBody[PracticeAnswers],
) -> PracticeFeedback:
    """Say what was read of each answer and whether it is right, in their order, and which questions are open next."""
    reading = sum(len(answer.response or "") for answer in data.answers) / CHARACTERS_AN_ITEM
    async with room_for_item(context, http_state, request, item, reading) as allowed:
        return await check_answers(context.settings, context.generator, item, data, allowed)


async def _look_up_track(context: AppContext, identity: DrawIdentity) -> Track:
    """Return the track of an identity that anybody may have sent, by way of a thread only if that may have to wait."""
    if context.cards.are_fresh:
        return track_of(context.cards, identity)
    return await sync_to_thread(track_of, context.cards, identity)


@asynccontextmanager
async def room_for_item(
    context: AppContext, http_state: HttpState, request: Request[Any, Any, Any], item: str, further_cost: float = 0
) -> AsyncIterator[list[str]]:
    """Make room for one item, and for what costs as much as `further_cost` items of KiVA.

    Yield what the caller may draw from beside public sources.
    """
    wanted = read_item_id(item)
    track = await _look_up_track(context, wanted.identity)
    async with http_state.practice.enter(request.scope, track.cost + further_cost):
        is_restricted = context.cards.has_restricted_sources(wanted.identity.benchmark)
        yield await sync_to_thread(allowed_by_request, context, request, wanted.seed) if is_restricted else []


@get(
    "/items/{item:str}/images/{name:str}",
    operation_id="getPracticePicture",
    summary="A picture of a practice item",
    opt=UNCOUNTED,
    responses={**png(), **problems(404, 502, 503)},
)
async def picture(
    *,
    context: NamedDependency[AppContext],
    http_state: NamedDependency[HttpState],
    request: Request[Any, Any, Any],
    item: ItemId,
    name: PictureName,
) -> ASGIResponse:
    """Give a PNG that never changes: keep it for ever, or ask again with If-None-Match."""
    kept = http_state.pictures.get(item, name)
    if kept is None:
        wanted = read_item_id(item)
        await http_state.limits.count(request.scope)  # one that is kept costs nothing, and is not counted
        track = await _look_up_track(context, wanted.identity)
        async with http_state.practice.enter(request.scope, track.picture_cost):
            if context.cards.has_restricted_sources(wanted.identity.benchmark):
                return await _restrict(context, request, wanted, item, name)
            with refuse_unmade():
                kept = http_state.pictures.keep(item, name, await context.generator.practice_picture(wanted, name))
    if is_known_to(request.headers.get("if-none-match"), etag := picture_etag(item, name)):
        return not_modified(etag)
    return kept


@get(
    "/items/{item:str}/images",
    operation_id="getPracticePictures",
    summary="Several pictures of a practice item, as one archive",
    opt=UNCOUNTED,
    responses={**tar("An archive: each picture under its name"), **problems(400, 404, 406, 422, 502, 503)},
)
async def several_pictures(
    *,
    context: NamedDependency[AppContext],
    http_state: NamedDependency[HttpState],
    request: Request[Any, Any, Any],
    item: ItemId,
    pictures: Annotated[str, QueryParameter(description="names, up to 32, such as 1,2,3")],
    form: Annotated[str | None, format_query(ARCHIVES)] = None,
) -> Response[bytes]:
    """Give up to 32 pictures at once, as tar or zip. They count as if each were asked for alone."""
    chosen = chosen_format(request, ARCHIVES, form)
    wanted, names, kept = read_item_id(item), split_pictures(pictures), http_state.pictures
    found = {name: bytes(response.body) for name in names if (response := kept.get(item, name)) is not None}
    missing = [name for name in names if name not in found]
    policy = FOREVER
    if missing:
        await http_state.limits.count(request.scope, len(missing))
        track = await _look_up_track(context, wanted.identity)
        async with http_state.practice.enter(request.scope, track.picture_cost * len(missing)):
            is_restricted = context.cards.has_restricted_sources(wanted.identity.benchmark)
            if is_restricted:
                allowed = await sync_to_thread(allowed_by_request, context, request, wanted.seed)
                wanted, policy = replace(wanted, allowed=allowed), PRIVATELY_FOREVER
            with refuse_unmade():
                made = await context.generator.practice_pictures(wanted, missing)
        for name, png_bytes in made.items() if not is_restricted else ():
            kept.keep(item, name, png_bytes)
        found |= made
    archive = pack_named({name: found[name] for name in names}, chosen)
    file = f"{wanted.identity.benchmark}-{wanted.index}.{chosen}"
    headers = {"Cache-Control": policy, "Content-Disposition": f'attachment; filename="{file}"', **VARY}
    return Response(archive, media_type=ARCHIVES[chosen][0], headers=headers)


async def _restrict(
    context: AppContext, request: Request[Any, Any, Any], wanted: PracticeItemRequest, item: str, name: str
) -> ASGIResponse:
    """Give a picture of a benchmark with sources that not everybody may draw from; no shared cache may keep it."""
    allowed = await sync_to_thread(allowed_by_request, context, request, wanted.seed)
    with refuse_unmade():
        body = await context.generator.practice_picture(replace(wanted, allowed=allowed), name)
    headers = {"ETag": picture_etag(item, name), "Cache-Control": PRIVATELY_FOREVER}
    return ASGIResponse(body=body, media_type="image/png", headers=headers)


HANDLERS = [item, solution, answers, picture, several_pictures]
