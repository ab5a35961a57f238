"""The forms of a team's page: signing in and out, API keys, models, and what steers evaluations.

Each asks the domain as the API's route does, and leads back to the team's page.
"""

import hashlib
from collections.abc import Callable
from typing import Any

import msgspec
from litestar import Request, Response, post
from litestar.concurrency import sync_to_thread
from litestar.di import NamedDependency
from litestar.params import FromPath

from api.context import AppContext
from api.evaluations.steering import cancel, pause, resume
from api.http.sessions import (
    check_may_sign_in,
    check_session,
    convert_form,
    once_of_form,
    read_form,
    token_cookie,
)
from api.http.state import HttpState
from api.pages.frame import PAGE, Frame, at, page_response, render, see_other
from api.teams.access import Caller
from api.teams.accounts import make_api_key, make_api_key_again, revoke_api_key
from api.teams.models import register_model
from api.teams.sessions import BEGINNING, end_session, open_session
from tetrad.contracts.accounts import KeyRequest, ModelRequest, NewApiKey
from tetrad.contracts.evaluations import PauseRequest, ResumeRequest

Parts = Request[Any, Any, Any]


@post("/team/sign-in", include_in_schema=False, opt=PAGE)
async def sign_in(
    context: NamedDependency[AppContext], http_state: NamedDependency[HttpState], request: Parts
) -> Response[Any]:
    """Open a session by an API key. The cookie gets a new token, whatever it held."""
    form = await read_form(request, "key")
    check_may_sign_in(context, http_state, request.scope)
    key = form["key"]
    await http_state.limits.count_sign_in(request.scope, hashlib.sha256(key.encode()).hexdigest())
    token = await sync_to_thread(open_session, context.engine, key)
    if form.token.startswith(BEGINNING):
        await sync_to_thread(end_session, context.engine, form.token)
    reply = see_other(at(context.settings.root, "team"))
    reply.set_cookie(token_cookie(context, http_state, request.scope, token))
    return reply


@post("/team/sign-out", include_in_schema=False, opt=PAGE)
async def sign_out(
    context: NamedDependency[AppContext], http_state: NamedDependency[HttpState], request: Parts
) -> Response[Any]:
    form = await read_form(request)
    await sync_to_thread(end_session, context.engine, form.token)
    reply = see_other(at(context.settings.root, "team"))
    reply.set_cookie(token_cookie(context, http_state, request.scope, ""))
    return reply


@post("/team/keys", include_in_schema=False, opt=PAGE, status_code=200)
async def new_key(context: NamedDependency[AppContext], request: Parts) -> Response[Any]:
    """Make an API key and show it, this once: no cache keeps the page, and a reload revokes the key for another."""
    form = await read_form(request, "name", "scope", repeated=("scope",))
    caller = check_session(request, "admin")
    wanted = convert_form(request, {"name": form["name"], "scopes": form.all("scope")}, KeyRequest)

    def make() -> NewApiKey:
        reply: Response[Any] = once_of_form(request, form).with_api_key(
            lambda keep: make_api_key(context.engine, caller, wanted, keep),
            lambda lost, keep: make_api_key_again(context.engine, lost, keep),
            lambda _: {},
        )
        return msgspec.json.decode(reply.content, type=NewApiKey)

    made = await sync_to_thread(make)
    frame = Frame(root=context.settings.root, title="A new key · Tetrad", tab="team")
    return page_response(request, render(request, "new_key.html", frame, made))


@post("/team/keys/{key:str}/revoke", include_in_schema=False, opt=PAGE)
async def revoke_key(context: NamedDependency[AppContext], request: Parts, key: FromPath[str]) -> Response[Any]:
    await read_form(request)
    caller = check_session(request, "admin")
    await sync_to_thread(revoke_api_key, context.engine, caller, key)
    return see_other(at(context.settings.root, "team") + "#keys")


@post("/team/models", include_in_schema=False, opt=PAGE)
async def new_model(context: NamedDependency[AppContext], request: Parts) -> Response[Any]:
    form = await read_form(request, "name", "title", "url")
    caller = check_session(request, "submit")
    given = {name: form[name] for name in ("name", "title", "url") if form[name] or name == "name"}
    wanted = convert_form(request, given, ModelRequest)
    await sync_to_thread(register_model, context.engine, context.settings, caller, wanted)
    return see_other(at(context.settings.root, "team") + "#models")


@post("/team/evaluations/{evaluation:str}/pause", include_in_schema=False, opt=PAGE)
async def pause_evaluation(
    context: NamedDependency[AppContext], request: Parts, evaluation: FromPath[str]
) -> Response[Any]:
    return await _steer(context, request, lambda caller: pause(context, caller, evaluation, PauseRequest()))


@post("/team/evaluations/{evaluation:str}/resume", include_in_schema=False, opt=PAGE)
async def resume_evaluation(
    context: NamedDependency[AppContext], request: Parts, evaluation: FromPath[str]
) -> Response[Any]:
    return await _steer(context, request, lambda caller: resume(context, caller, evaluation, ResumeRequest()))


@post("/team/evaluations/{evaluation:str}/cancel", include_in_schema=False, opt=PAGE)
async def cancel_evaluation(
    context: NamedDependency[AppContext], request: Parts, evaluation: FromPath[str]
) -> Response[Any]:
    return await _steer(context, request, lambda caller: cancel(context, caller, evaluation))


async def _steer(context: AppContext, request: Parts, act: Callable[[Caller], object]) -> Response[Any]:
    """Do what a button of an evaluation asks for, and lead back to those that run."""
    await read_form(request)
    await sync_to_thread(act, check_session(request, "submit"))
    return see_other(at(context.settings.root, "team") + "#running")


HANDLERS = [
    sign_in,
    sign_out,
    new_key,
    revoke_key,
    new_model,
    pause_evaluation,
    resume_evaluation,
    cancel_evaluation,
]
