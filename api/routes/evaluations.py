"""Evaluations: the service answers submissions itself, with models of its gateway."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from functools import partial
from typing import Any

from litestar import Request, Response, get, post
from litestar.concurrency import sync_to_thread
from litestar.di import NamedDependency
from litestar.params import JSONBody
from litestar.response.sse import ServerSentEventMessage
from msgspec import json

from api.context import AppContext
from api.evaluations.finding import find_own, find_queue, list_calls, list_own
from api.evaluations.opening import open_evaluation
from api.evaluations.results import result_of
from api.evaluations.steering import cancel, pause, resume
from api.http.documents import key, problems
from api.http.event_streams import PRIVATE, QUIET_SECONDS, RETRY_MS, stream_events
from api.http.guards import needs
from api.http.idempotency import Once
from api.http.page_links import Cursor, PageLimit, page_links
from api.http.path_ids import EvaluationId, SubmissionId
from api.http.state import HttpState
from api.paging import link
from api.teams.access import Caller
from tetrad.contracts.evaluations import (
    Evaluation,
    EvaluationList,
    EvaluationQueue,
    EvaluationRequest,
    EvaluationResult,
    ModelCallPage,
    PauseRequest,
    ResumeRequest,
)

LOOK_SECONDS = 0.5


@post(
    "/evaluations",
    status_code=202,
    guards=needs("submit"),
    security=key("submit"),
    operation_id="openEvaluation",
    summary="Evaluate models of this service on a sealed draw",
    responses=problems(400, 401, 403, 404, 409, 422, 429, 502, 503),
    sync_to_thread=True,
)
def new_evaluation(
    *,
    context: NamedDependency[AppContext],
    http_state: NamedDependency[HttpState],
    request: Request[Any, Any, Any],
    caller: NamedDependency[Caller],
    once: NamedDependency[Callable[[], Once]],
    data: JSONBody[EvaluationRequest],
) -> Response[Evaluation]:
    """Seal a draw, queue a run for each model, and say what is expected before anything is spent.

    Several models share the draw. It is revealed when the last one is done. `expected` has the questions, the cost and
    the least difference that this size can decide.
    """
    address = http_state.addresses.of(request.scope)

    def headers(opened: Evaluation) -> dict[str, str]:
        return {"Location": link(context.settings, "evaluations", opened.id), "Retry-After": "1"}

    return once()(lambda keep: open_evaluation(context, caller, data, keep, address=address), headers, 202)


@get(
    "/evaluations",
    guards=needs("read"),
    security=key("read"),
    operation_id="listEvaluations",
    summary="Your team's evaluations, newest first",
    responses=problems(400, 401, 403, 422),
    sync_to_thread=True,
)
def evaluations(
    context: NamedDependency[AppContext],
    caller: NamedDependency[Caller],
    request: Request[Any, Any, Any],
    cursor: Cursor = None,
    limit: PageLimit = 50,
) -> Response[EvaluationList]:
    """Give each as `GET /v1/evaluations/{evaluation}` does."""
    page = list_own(context.engine, context.settings, caller, cursor, limit)
    return Response(page, headers=page_links(context.settings, request, page.next))


@get(
    "/evaluations/queue",
    operation_id="getEvaluationQueue",
    summary="How many runs wait and run, of all teams together",
    responses=problems(422),
    sync_to_thread=True,
)
def queue(context: NamedDependency[AppContext]) -> EvaluationQueue:
    """Count runs, not evaluations: each model and repeat is a run of its own. Nothing tells whose they are."""
    return find_queue(context.engine)


@get(
    "/evaluations/{evaluation:str}",
    guards=needs("read"),
    security=key("read"),
    operation_id="getEvaluation",
    summary="State, progress and cost of an evaluation",
    responses=problems(401, 403, 404),
    sync_to_thread=True,
)
def evaluation(
    context: NamedDependency[AppContext], caller: NamedDependency[Caller], evaluation: EvaluationId
) -> Evaluation:
    """Tell how far it is and what it cost so far, never whether an answer is right."""
    return find_own(context.engine, context.settings, caller, evaluation)


@post(
    "/evaluations/{evaluation:str}/pause",
    status_code=200,
    guards=needs("submit"),
    security=key("submit"),
    operation_id="pauseEvaluation",
    summary="Pause for some hours: questions in flight are still answered",
    responses=problems(400, 401, 403, 404, 409, 422),
    sync_to_thread=True,
)
def pause_runs(
    context: NamedDependency[AppContext],
    caller: NamedDependency[Caller],
    evaluation: EvaluationId,
    data: JSONBody[PauseRequest],
) -> Evaluation:
    """Ask no further question until it is resumed or the hours have passed. Its deadline does not move."""
    return pause(context, caller, evaluation, data)


@post(
    "/evaluations/{evaluation:str}/resume",
    status_code=200,
    guards=needs("submit"),
    security=key("submit"),
    operation_id="resumeEvaluation",
    summary="Go on with a paused evaluation",
    responses=problems(400, 401, 403, 404, 409, 422),
    sync_to_thread=True,
)
def resume_runs(
    context: NamedDependency[AppContext],
    caller: NamedDependency[Caller],
    evaluation: EvaluationId,
    data: JSONBody[ResumeRequest | None] = None,
) -> Evaluation:
    """Queue its runs again. A body is needed only for another budget."""
    return resume(context, caller, evaluation, data or ResumeRequest())


@post(
    "/evaluations/{evaluation:str}/cancel",
    status_code=200,
    guards=needs("submit"),
    security=key("submit"),
    operation_id="cancelEvaluation",
    summary="End now: what is unanswered is as the rule of its request says",
    responses=problems(401, 403, 404, 409),
    sync_to_thread=True,
)
def cancel_runs(
    context: NamedDependency[AppContext], caller: NamedDependency[Caller], evaluation: EvaluationId
) -> Evaluation:
    """Finish every run. What was answered stays sealed, and reports are written of it."""
    return cancel(context, caller, evaluation)


@get(
    "/evaluations/{evaluation:str}/events",
    guards=needs("read"),
    security=key("read"),
    operation_id="followEvaluation",
    summary="Progress as server-sent events: questions and cost",
    responses=problems(401, 403, 404, 429),
    sync_to_thread=True,
)
def events(
    context: NamedDependency[AppContext],
    http_state: NamedDependency[HttpState],
    caller: NamedDependency[Caller],
    evaluation: EvaluationId,
) -> Response[Evaluation]:
    """Send the evaluation whenever something of it has changed, until it is done.

    Each event is the whole state, so a client that was away needs none of those it has missed.
    """
    first = find_own(context.engine, context.settings, caller, evaluation)
    return stream_events(context.engine, http_state.streams, caller, partial(_follow, context, caller, first))


async def _follow(
    context: AppContext, caller: Caller, first: Evaluation, end: Callable[[], None]
) -> AsyncGenerator[ServerSentEventMessage]:
    """Yield a message for each change, and a comment now and then; then call `end`."""
    try:
        yield ServerSentEventMessage(retry=RETRY_MS, comment="progress follows", data=None)
        told, quiet, number = b"", 0.0, 0
        shown = first
        while True:
            body = json.encode(shown)
            if body != told:
                number += 1
                kind = "done" if shown.state == "done" else "progress"
                yield ServerSentEventMessage(id=str(number), event=kind, data=body)
                told, quiet = body, 0.0
            elif quiet > QUIET_SECONDS:
                yield ServerSentEventMessage(comment="waiting", data=None)
                quiet = 0.0
            if shown.state == "done":
                return
            await asyncio.sleep(LOOK_SECONDS)
            quiet += LOOK_SECONDS
            shown = await sync_to_thread(find_own, context.engine, context.settings, caller, first.id)
    finally:
        end()


@get(
    "/evaluations/{evaluation:str}/result",
    guards=needs("read"),
    security=key("read"),
    operation_id="getEvaluationResult",
    summary="Scores, cost, tokens and latency, by stage and domain",
    responses=problems(401, 403, 404, 409, 503),
    sync_to_thread=True,
)
def result(
    context: NamedDependency[AppContext], caller: NamedDependency[Caller], evaluation: EvaluationId
) -> Response[EvaluationResult]:
    """Give the result once every run has its report; before, it is 409 and says when to ask again."""
    return Response(result_of(context, caller, evaluation), headers=PRIVATE)


@get(
    "/evaluations/calls/{submission:str}",
    guards=needs("read"),
    security=key("read"),
    operation_id="listModelCalls",
    summary="The calls of one run: usage, waits, stop reasons",
    responses=problems(400, 401, 403, 404, 422),
    sync_to_thread=True,
)
def calls(
    *,
    context: NamedDependency[AppContext],
    caller: NamedDependency[Caller],
    request: Request[Any, Any, Any],
    submission: SubmissionId,
    cursor: Cursor = None,
    limit: PageLimit = 500,
) -> Response[ModelCallPage]:
    """Give every call that gave a reply, by item, question and step. A run is named by its submission."""
    page = list_calls(context.engine, caller, submission, cursor, limit)
    return Response(page, headers={**PRIVATE, **page_links(context.settings, request, page.next)})


HANDLERS = [
    new_evaluation,
    evaluations,
    queue,
    evaluation,
    pause_runs,
    resume_runs,
    cancel_runs,
    events,
    result,
    calls,
]
