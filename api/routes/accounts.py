"""Teams, their keys and their models."""

from litestar import Response, delete, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath, JSONBody

from api.access import ANYONE, Caller, needs
from api.accounts import find_team, list_keys, make_key, register, revoke
from api.documents import KEY, OPEN, problems
from api.links import link
from api.models import list_models, register_model
from api.services import Services
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
    responses=problems(400, 403, 409, 422),
    sync_to_thread=True,
)
def new_team(services: NamedDependency[Services], data: JSONBody[TeamRequest]) -> Response[Registration]:
    location = {"Location": link(services.settings, "teams", "me"), "Cache-Control": "no-store"}
    return Response(register(services, data), headers=location)


@get(
    "/teams/me",
    dependencies=needs("read"),
    security=KEY,
    operation_id="getTeam",
    summary="The team of this key",
    responses=problems(401, 403),
    sync_to_thread=True,
)
def team(services: NamedDependency[Services], caller: NamedDependency[Caller]) -> Team:
    return find_team(services, caller)


@get(
    "/keys",
    dependencies=needs("admin"),
    security=KEY,
    operation_id="listKeys",
    summary="The team's keys, without the keys themselves",
    responses=problems(401, 403),
    sync_to_thread=True,
)
def keys(services: NamedDependency[Services], caller: NamedDependency[Caller]) -> KeyList:
    return list_keys(services, caller)


@post(
    "/keys",
    dependencies=needs("admin"),
    security=KEY,
    operation_id="createKey",
    summary="Make a further key, shown only now",
    responses=problems(400, 401, 403),
    sync_to_thread=True,
)
def new_key(
    services: NamedDependency[Services], caller: NamedDependency[Caller], data: JSONBody[KeyRequest]
) -> Response[NewApiKey]:
    made = make_key(services, caller, data)
    headers = {"Location": link(services.settings, "keys", made.about.id), "Cache-Control": "no-store"}
    return Response(made, headers=headers)


@delete(
    "/keys/{key:str}",
    dependencies=needs("admin"),
    security=KEY,
    operation_id="revokeKey",
    summary="Revoke a key, from this moment on",
    responses=problems(401, 403, 404, 409),
    sync_to_thread=True,
)
def old_key(services: NamedDependency[Services], caller: NamedDependency[Caller], key: FromPath[str]) -> None:
    revoke(services, caller, key)


@get(
    "/models",
    dependencies=ANYONE,
    operation_id="listModels",
    summary="Your team's models and those this service runs",
    security=OPEN,
    responses=problems(401),
    sync_to_thread=True,
)
def models(services: NamedDependency[Services], caller: NamedDependency[Caller | None]) -> ModelList:
    return list_models(services, caller)


@post(
    "/models",
    dependencies=needs("admin"),
    security=KEY,
    operation_id="registerModel",
    summary="Register a model under a name that never changes",
    responses=problems(400, 401, 403, 409, 422),
    sync_to_thread=True,
)
def new_model(
    services: NamedDependency[Services], caller: NamedDependency[Caller], data: JSONBody[ModelRequest]
) -> Response[Model]:
    return Response(register_model(services, caller, data), headers={"Location": link(services.settings, "models")})


HANDLERS = [new_team, team, keys, new_key, old_key, models, new_model]
