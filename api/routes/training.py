"""Rows of practice questions, verdicts by the thousand, and NeMo Gym's two routes: for trainers.

No state is kept between requests: a request carries the answers so far. Only ids of practice items resolve here, so
nothing of a sealed draw can be asked for.
"""

from collections.abc import AsyncIterator, Iterable, Sequence
from functools import lru_cache, partial
from itertools import groupby
from typing import Any

import msgspec
from litestar import Request, Response, get, post
from litestar.concurrency import sync_to_thread
from litestar.di import NamedDependency
from litestar.params import FromPath, RawBody
from litestar.response import Stream

from api.context import AppContext
from api.http.bodies import without_key
from api.http.bulk_rows import rows_of_draw, rows_of_items
from api.http.documents import OPEN, problems
from api.http.guards import ANYONE, CARD_NAMES, allowed_by_request
from api.http.path_ids import BenchmarkName
from api.http.practice_room import find_track, track_of
from api.http.state import HttpState
from api.inputs import check_names
from api.practice.items import refuse_unmade
from api.practice.queries import ROW_NAMES, practice_request, rows_wanted, version_of
from api.practice.replies import KnownItems, check_opened, read_lines, to_judge, verdict_of
from api.practice.rollouts import next_question, read_rollout, reply_of, rolled_verdict
from api.submissions.uploads import MOST_BYTES, NDJSON
from api.teams.access import Caller
from tetrad.contracts.rows import Row
from tetrad.contracts.training import (
    EnvironmentRollout,
    EnvironmentSession,
    EnvironmentVerdict,
    NextRows,
    PracticeReply,
    PracticeVerdict,
)
from tetrad.internal.practice import JudgedReply, JudgeRequest, RowsRequest, RowsWanted
from tetrad.server.problems import ProblemError

MOST_ROWS, ROWS_WITHOUT_KEY = 1_000, 100  # items of a request
MOST_REPLIES, REPLIES_WITHOUT_KEY = 10_000, 1_000
JUDGED_TOGETHER = 1_000
BYTES_WITHOUT_KEY = 8 * 2**20
CHARACTERS_AN_ITEM = 100  # of a reply: the slowest to extract an answer from take 0.03 core ms for so many
PICTURES_AN_ITEM = 4  # of an item whose pictures are counted before they are drawn
STREAMED = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}


@get(
    "/benchmarks/{benchmark:str}/rows",
    guards=ANYONE,
    security=OPEN,
    operation_id="listRows",
    summary="Rows of practice questions, as lines of JSON",
    opt=CARD_NAMES,
    responses=problems(401, 404, 422, 502, 503),
)
async def rows(
    *,
    context: NamedDependency[AppContext],
    http_state: NamedDependency[HttpState],
    caller: NamedDependency[Caller | None],
    request: Request[Any, Any, Any],
    benchmark: FromPath[BenchmarkName],
) -> Response[Row]:
    """Give the questions of up to 1,000 items (100 without an API key), one a line, while they are made.

    A stream that ends early breaks off: go on with the `index` after the last item's as `offset`. The query has the
    names of practice items, and `form`, `pictures`, `answers` and `questions`. By default a line has every column, its
    pictures inline, no answers, and stands for a question that is open at once.
    """
    with http_state.practice.bulk_queue.enter("rows"):
        query = list(request.query_params.multi_items())
        wanted, track = await sync_to_thread(_read_rows, context, request, benchmark, query)
        _check_key(caller, "limit", wanted.items.limit, ROWS_WITHOUT_KEY)
        seed, lines = await rows_of_draw(context.generator, http_state.practice, request.scope, wanted, track)
        return _stream(lines, {"Tetrad-Seed": seed})


def _items_address(context: AppContext) -> str:
    """Return the whole address of practice items: rows are read where their service is not known."""
    return f"{context.settings.address}/v1/items"


def _read_rows(
    context: AppContext, request: Request[Any, Any, Any], benchmark: str, query: Sequence[tuple[str, str]]
) -> tuple[RowsRequest, Any]:
    info = context.cards.get(benchmark, version_of(query))
    allowed = allowed_by_request(context, request)
    items = practice_request(info.card, query, allowed, beside=ROW_NAMES, most=MOST_ROWS)
    wanted = rows_wanted(query, _items_address(context))
    return RowsRequest(items=items, wanted=wanted), find_track(info.card, items.track)


@post(
    "/benchmarks/{benchmark:str}/rows",
    status_code=200,
    guards=ANYONE,
    security=OPEN,
    operation_id="listNextRows",
    summary="Rows of the questions that are open after the answers so far",
    opt={**CARD_NAMES, **without_key(BYTES_WITHOUT_KEY)},
    responses=problems(400, 401, 404, 409, 413, 415, 422, 502, 503),
    request_max_body_size=MOST_BYTES,
)
async def next_rows(
    *,
    context: NamedDependency[AppContext],
    http_state: NamedDependency[HttpState],
    caller: NamedDependency[Caller | None],
    request: Request[Any, Any, Any],
    benchmark: FromPath[BenchmarkName],
    body: RawBody,
) -> Response[Row]:
    """Take lines of JSON, one an item with all answers so far, and give a row for each question that is open then.

    Items are practice items of this benchmark, up to 1,000 (100 without an API key). In a setting whose questions are
    one conversation, the prompt of a row is the whole conversation.
    """
    with http_state.practice.bulk_queue.enter("next_rows"):
        query = list(request.query_params.multi_items())
        check_names(query, ROW_NAMES)
        wanted = rows_wanted(query, _items_address(context))
        lines = await sync_to_thread(read_lines, body, _encoding(request), NextRows, MOST_ROWS)
        _check_key(caller, "body", len(lines), ROWS_WITHOUT_KEY)
        answers = [line.answers for line in lines]
        known = await _find_counted(context, http_state, request, benchmark, lines, answers, wanted)
        items = [
            msgspec.structs.replace(known.requests[known.place_of(line.item)], answers=line.answers) for line in lines
        ]
        with refuse_unmade():
            return _stream(await rows_of_items(context.generator, http_state.practice, items, wanted), {})


@post(
    "/benchmarks/{benchmark:str}/verdicts",
    status_code=200,
    guards=ANYONE,
    security=OPEN,
    operation_id="judgeReplies",
    summary="Verdicts on replies to practice questions, by the thousand",
    opt=without_key(BYTES_WITHOUT_KEY),
    responses=problems(400, 401, 404, 409, 413, 415, 422, 502, 503),
    request_max_body_size=MOST_BYTES,
)
async def verdicts(
    *,
    context: NamedDependency[AppContext],
    http_state: NamedDependency[HttpState],
    caller: NamedDependency[Caller | None],
    request: Request[Any, Any, Any],
    benchmark: FromPath[BenchmarkName],
    body: RawBody,
) -> Response[PracticeVerdict]:
    """Take up to 10,000 lines of JSON (1,000 without an API key), also gzip, and give a verdict on each, in order.

    A reply is judged as one is at `POST /v1/items/{item}/answers`, and in a submission. Every line is checked before
    any is judged.
    """
    with http_state.practice.bulk_queue.enter("verdicts"):
        replies = await sync_to_thread(read_lines, body, _encoding(request), PracticeReply, MOST_REPLIES)
        _check_key(caller, "body", len(replies), REPLIES_WITHOUT_KEY)
        answers = [[reply, *reply.earlier] for reply in replies]
        known = await _find_counted(context, http_state, request, benchmark, replies, answers)
        judged = await _judge_all(context, http_state, known, replies)
        await sync_to_thread(check_opened, replies, judged)
        lines: Any = await sync_to_thread(_lines, replies, judged)
        return Response(lines, media_type=NDJSON, headers=STREAMED)


async def _judge_all(
    context: AppContext, http_state: HttpState, known: KnownItems, replies: Sequence[PracticeReply]
) -> list[JudgedReply]:
    """Judge replies in parts. Items of a part are numbered anew, so that each part is sent with its own alone."""
    judged: list[JudgedReply] = []
    for first in range(0, len(replies), JUDGED_TOGETHER):
        part = replies[first : first + JUDGED_TOGETHER]
        places = list(dict.fromkeys(known.place_of(reply.item) for reply in part))
        number = {place: at for at, place in enumerate(places)}
        asked = JudgeRequest(
            items=[known.requests[place] for place in places],
            replies=[to_judge(number[known.place_of(reply.item)], reply) for reply in part],
        )
        async with http_state.practice.enter_bulk(goes_on=first > 0):
            with refuse_unmade():
                judged += (await context.generator.judge(asked)).replies
    return judged


def _lines(replies: Sequence[PracticeReply], judged: Sequence[JudgedReply]) -> bytes:
    encoder = msgspec.json.Encoder()
    return encoder.encode_lines([verdict_of(*pair) for pair in zip(replies, judged, strict=True)])


@post(
    "/environments/{benchmark:str}/seed_session",
    status_code=200,
    guards=ANYONE,
    security=OPEN,
    operation_id="seedEnvironmentSession",
    summary="NeMo Gym: the next question of a practice item",
    responses=problems(400, 401, 404, 409, 422, 502, 503),
    request_max_body_size=MOST_BYTES,
)
async def seed_session(
    *,
    context: NamedDependency[AppContext],
    http_state: NamedDependency[HttpState],
    request: Request[Any, Any, Any],
    benchmark: FromPath[BenchmarkName],
    body: RawBody,
) -> EnvironmentSession:
    """Take `item` and the `answers` to its questions so far, and give the next question. Other fields are ignored."""
    with http_state.practice.bulk_queue.enter("seed_session"):
        rollout = read_rollout(body)
        await sync_to_thread(context.cards.get, benchmark)
        if rollout.item is None:
            return EnvironmentSession()
        wanted = RowsWanted(
            form="responses", pictures="inline", answers=False, every=False, address=_items_address(context)
        )
        known = await _find_counted(context, http_state, request, benchmark, [rollout], [rollout.answers], wanted)
        item = msgspec.structs.replace(known.requests[0], answers=rollout.answers)
        with refuse_unmade():
            parts = [part async for part in await rows_of_items(context.generator, http_state.practice, [item], wanted)]
        return next_question(rollout.item, b"".join(parts))


@post(
    "/environments/{benchmark:str}/verify",
    status_code=200,
    guards=ANYONE,
    security=OPEN,
    operation_id="verifyEnvironmentResponse",
    summary="NeMo Gym: the verdict on a response",
    responses=problems(400, 401, 404, 409, 422, 502, 503),
    request_max_body_size=MOST_BYTES,
)
async def verify(
    *,
    context: NamedDependency[AppContext],
    http_state: NamedDependency[HttpState],
    request: Request[Any, Any, Any],
    benchmark: FromPath[BenchmarkName],
    body: RawBody,
) -> EnvironmentVerdict:
    """Take a rollout with `item`, `question` and `response`, and give it back with its reward.

    `answers` are the replies before it. A failure of ours is an error, and never a reward of 0.
    """
    with http_state.practice.bulk_queue.enter("verify"):
        rollout = read_rollout(body)
        reply = reply_of(rollout)
        known = await _find_counted(context, http_state, request, benchmark, [reply], [[reply, *reply.earlier]])
        judged = await _judge_all(context, http_state, known, [reply])
        check_opened([reply], judged)
        return rolled_verdict(rollout, verdict_of(reply, judged[0]))


async def _find_counted(  # noqa: PLR0917 - of a request, what its lines name and bring
    context: AppContext,
    http_state: HttpState,
    request: Request[Any, Any, Any],
    benchmark: str,
    lines: Sequence[PracticeReply | NextRows | EnvironmentRollout],
    answers: Sequence[Iterable[Any]],
    wanted: RowsWanted | None = None,
) -> KnownItems:
    """Return the items that lines name, once what they cost is counted: to make them, and to read the answers.

    Rows are made for each line. Verdicts are given on each, and their items are made once.
    """
    known = await sync_to_thread(_find_items, context, request, benchmark, lines)
    count = len(known.requests) if wanted is None else len(lines)
    cost = await sync_to_thread(_cost_of_items, context, known, count, wanted)
    characters = sum(len(reply.response or "") for given in answers for reply in given)
    await http_state.practice.count(request.scope, cost + characters / CHARACTERS_AN_ITEM)
    return known


def _find_items(
    context: AppContext,
    request: Request[Any, Any, Any],
    benchmark: str,
    lines: Iterable[PracticeReply | NextRows | EnvironmentRollout],
) -> KnownItems:
    """Return the items that lines name.

    Raises:
        NotFoundError: there is no such benchmark, or one is no practice item of it.
    """
    context.cards.get(benchmark)
    allowed = lru_cache(maxsize=None)(partial(allowed_by_request, context, request))
    known = KnownItems(benchmark, allowed)
    for line in lines:
        known.place_of(line.item or "")
    return known


def _cost_of_items(context: AppContext, known: KnownItems, count: int, wanted: RowsWanted | None) -> float:
    """Return what it costs to make so many items, and their pictures where rows are to have them."""
    costs = [
        len(list(alike)) * _cost_of(track_of(context.cards, identity), wanted)
        for identity, alike in groupby(known.requests, key=lambda one: one.identity)
    ]
    return sum(costs) * count / len(known.requests)


def _cost_of(track: Any, wanted: RowsWanted | None) -> float:
    is_drawn = wanted is not None and wanted.pictures == "inline"
    return float(track.cost + (PICTURES_AN_ITEM * track.picture_cost if is_drawn else 0))


def _check_key(caller: Caller | None, field: str, count: int, most: int) -> None:
    if caller is None and count > most:
        detail = f"{field}: without an API key at most {most} at once; send a key (tetrad keys new makes one), or fewer"
        raise ProblemError(401, detail)


def _encoding(request: Request[Any, Any, Any]) -> str:
    return request.headers.get("content-encoding", "")


def _stream(lines: AsyncIterator[bytes], headers: dict[str, str]) -> Response[Row]:
    streamed: Any = Stream(lines, media_type=NDJSON, headers={**STREAMED, **headers})
    return streamed  # type: ignore[no-any-return]  # a response of Litestar's, though not of this type


HANDLERS = [rows, next_rows, verdicts, seed_session, verify]
