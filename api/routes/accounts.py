"""Teams, their keys and their models."""

from collections.abc import Callable
from typing import Any

from litestar import Request, Response, delete, get, post
from litestar.di import NamedDependency
from litestar.params import JSONBody

from api.context import AppContext
from api.http.documents import OPEN, key, problems
from api.http.guards import ANYONE, needs
from api.http.idempotency import Once
from api.http.page_links import Cursor, PageLimit, page_links
from api.http.path_ids import KeyId
from api.http.state import HttpState
from api.paging import link
from api.teams.access import Caller
from api.teams.accounts import (
    find_team,
    list_api_keys,
    make_api_key,
    make_api_key_again,
    register,
    register_again,
    revoke_api_key,
)
from api.teams.models import list_models, register_model
from tetrad.contracts.accounts import (
    KeyList,
    KeyRequest,
    Model,
    ModelList,
    ModelRequest,
    NewApiKey,
    Registration,
    Team,
    TeamRequest,
)


@post(
    "/teams",
    operation_id="registerTeam",
    summary="Register a team and get its first key, shown only now",
    responses=problems(400, 403, 409, 422, 429),
    sync_to_thread=True,
)
def new_team(
    *,
    context: NamedDependency[AppContext],
    http_state: NamedDependency[HttpState],
    request: Request[Any, Any, Any],
    once: NamedDependency[Callable[[], Once]],
    data: JSONBody[TeamRequest],
) -> Response[Registration]:
    """Register a team under a name that nobody has. The key is in this reply alone: the service keeps its hash."""
    address = http_state.addresses.of(request.scope)
    location = {"Location": link(context.settings, "teams", "me"), "Cache-Control": "no-store"}
    return once().with_api_key(
        lambda keep: register(context.engine, context.settings, data, keep, address=address),
        lambda lost, keep: register_again(context.engine, context.settings, lost, keep),
        lambda _: location,
    )


@get(
    "/teams/me",
    guards=needs("read"),
    security=key("read"),
    operation_id="getTeam",
    summary="The team of this key",
    responses=problems(401, 403),
    sync_to_thread=True,
)
def team(context: NamedDependency[AppContext], caller: NamedDependency[Caller]) -> Team:
    """Tell the team's state, its caps and what counts against them now."""
    return find_team(context.engine, context.settings, caller)


@get(
    "/keys",
    guards=needs("admin"),
    security=key("admin"),
    operation_id="listKeys",
    summary="The team's keys, without the keys themselves",
    responses=problems(400, 401, 403, 422),
    sync_to_thread=True,
)
def keys(
    context: NamedDependency[AppContext],
    caller: NamedDependency[Caller],
    request: Request[Any, Any, Any],
    cursor: Cursor = None,
    limit: PageLimit = 100,
) -> Response[KeyList]:
    """Give every API key of the team, also revoked ones. A key's text is in none of them."""
    page = list_api_keys(context.engine, caller, cursor, limit)
    return Response(page, headers=page_links(context.settings, request, page.next))


@post(
    "/keys",
    guards=needs("admin"),
    security=key("admin"),
    operation_id="createKey",
    summary="Make a further key, shown only now",
    responses=problems(400, 401, 403, 409, 422),
    sync_to_thread=True,
)
def new_key(
    context: NamedDependency[AppContext],
    caller: NamedDependency[Caller],
    once: NamedDependency[Callable[[], Once]],
    data: JSONBody[KeyRequest],
) -> Response[NewApiKey]:
    """Make an API key with some scopes. The service keeps its hash alone, so a lost one can't be shown again."""

    def headers(made: NewApiKey) -> dict[str, str]:
        return {"Location": link(context.settings, "keys", made.about.id), "Cache-Control": "no-store"}

    return once().with_api_key(
        lambda keep: make_api_key(context.engine, caller, data, keep),
        lambda lost, keep: make_api_key_again(context.engine, lost, keep),
        headers,
    )


@delete(
    "/keys/{key:str}",
    guards=needs("admin"),
    security=key("admin"),
    operation_id="revokeKey",
    summary="Revoke a key, from this moment on",
    responses=problems(401, 403, 404, 409),
    sync_to_thread=True,
)
def old_key(context: NamedDependency[AppContext], caller: NamedDependency[Caller], key: KeyId) -> None:
    """Let the key open nothing any more. The team's last valid key with scope admin can't be revoked."""
    revoke_api_key(context.engine, caller, key)


@get(
    "/models",
    guards=ANYONE,
    operation_id="listModels",
    summary="Your team's models and those this service runs",
    security=OPEN,
    responses=problems(400, 401, 422),
    sync_to_thread=True,
)
def models(
    context: NamedDependency[AppContext],
    caller: NamedDependency[Caller | None],
    request: Request[Any, Any, Any],
    cursor: Cursor = None,
    limit: PageLimit = 100,
) -> Response[ModelList]:
    """Give the models that an evaluation may name (kind service). With a key, the team's own come first (kind team)."""
    page = list_models(context.engine, context.gateway, caller, cursor, limit)
    return Response(page, headers=page_links(context.settings, request, page.next))


@post(
    "/models",
    guards=needs("submit"),
    security=key("submit"),
    operation_id="registerModel",
    summary="Register a model under a name that never changes",
    responses=problems(400, 401, 403, 409, 422),
    sync_to_thread=True,
)
def new_model(
    context: NamedDependency[AppContext],
    caller: NamedDependency[Caller],
    once: NamedDependency[Callable[[], Once]],
    data: JSONBody[ModelRequest],
) -> Response[Model]:
    """Register a name of your team's. A title and an address are shown to others, and need a key with scope admin.

    Keys without admin leave a tenth of the team's cap on models free.
    """
    location = {"Location": link(context.settings, "models")}
    return once()(lambda keep: register_model(context.engine, context.settings, caller, data, keep), lambda _: location)


HANDLERS = [new_team, team, keys, new_key, old_key, models, new_model]
