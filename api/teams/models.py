"""Models: a team's own, registered once under an immutable name, and those this service runs itself."""

import sqlalchemy as sa

from api.database.idempotency import Keep, unkept
from api.database.schema import models, teams
from api.errors import InvalidInputError, NameTakenError, NotPermittedError
from api.inputs import storable
from api.paging import page_of
from api.settings import ApiSettings
from api.teams.access import Caller
from api.teams.caps import allow_model
from api.upstream.gateway import SERVICE, Gateway
from tetrad.contracts.accounts import Model, ModelList, ModelRequest
from tetrad.server.clock import now_ms, rfc3339
from tetrad.server.database import read_rows, write_transaction
from tetrad.server.ids import new_id


def register_model(
    engine: sa.Engine, settings: ApiSettings, caller: Caller, request: ModelRequest, keep: Keep[Model] = unkept
) -> Model:
    """Register a model under the caller's team.

    An API key that may only submit lies where jobs run, and may leak. So it registers names alone: what others read
    under them, a title and an address, needs the scope admin, and so does the last tenth of the cap.

    Raises:
        NotPermittedError: a title or an address comes with a key without admin.
        TooManyModelsError: the team has as many as it may.
        NameTakenError: it has a model of this name.
    """
    is_admin = "admin" in caller.scopes
    for field, text in (("title", request.title), ("url", request.url)):
        if text is not None and not is_admin:
            remedy = "leave it out, or send a key with scope admin"
            raise NotPermittedError.at(field, text, "is shown to others, and this key has no scope admin", remedy)
    row = {
        "id": new_id("mdl"),
        "team_id": caller.team_id,
        "name": request.name,
        "title": storable("title", request.title) or request.name,
        "url": storable("url", request.url),
        "created_at": now_ms(),
    }
    try:
        with write_transaction(engine) as connection:
            allow_model(connection, settings, caller.team_id, is_admin=is_admin)
            connection.execute(sa.insert(models).values(row))
            kept = connection.execute(sa.select(models).where(models.c.id == row["id"])).one()
            made = _model(kept, caller)
            keep(connection, made)
    except sa.exc.IntegrityError as error:
        problem, remedy = "your team has a model of this name", "names never change: choose another one"
        raise NameTakenError.at("name", request.name, problem, remedy) from error
    return made


def list_models(
    engine: sa.Engine, gateway: Gateway, caller: Caller | None, cursor: str | None, limit: int
) -> ModelList:
    """Return a page of the caller's own models, oldest first, and the service's after them."""
    own: list[Model] = []
    if caller is not None:
        query = sa.select(models).where(models.c.team_id == caller.team_id, models.c.origin == "team")
        query = query.order_by(models.c.id)
        own = [_model(row, caller) for row in read_rows(engine, query)]
    of_service = sorted(gateway.models(), key=_place)
    shown, following = page_of("models", [*own, *of_service], _place, cursor, limit)
    return ModelList(models=shown, next=following)


def _place(model: Model) -> str:
    return f"{'1' if model.kind == SERVICE else '0'} {model.id}"


def find_named(engine: sa.Engine, team: str, model: str) -> tuple[str, str] | None:
    """Return the ids of a team and of its model, by their names; None where there is none."""
    query = sa.select(models.c.team_id, models.c.id).join(teams, teams.c.id == models.c.team_id)
    found = read_rows(engine, query.where(teams.c.name == team, models.c.name == model))
    return (found[0].team_id, found[0].id) if found else None


def own_model(engine: sa.Engine, gateway: Gateway, caller: Caller, name: str) -> str:
    """Return the id of the caller's model of this name.

    Raises:
        InvalidInputError: the team has none.
    """
    storable("model", name)
    query = sa.select(models.c.id).where(models.c.team_id == caller.team_id, models.c.name == name)
    query = query.where(models.c.origin == "team")
    found = read_rows(engine, query)
    if not found:
        raise _not_own(gateway, name)
    return str(found[0].id)


def _not_own(gateway: Gateway, name: str) -> InvalidInputError:
    if any(model.name == name for model in gateway.models()):
        problem = f"your team has no model of this name; {name} is a model that this service runs"
        remedy = "register your own model with POST /v1/models under another name, so that the two are not confused"
        return InvalidInputError.at("model", name, problem, remedy)
    remedy = "register it with POST /v1/models, or name one that GET /v1/models lists with kind team"
    return InvalidInputError.at("model", name, "your team has no model of this name", remedy)


def _model(row: sa.Row[tuple[object, ...]], caller: Caller) -> Model:
    return Model(
        id=row.id,
        name=row.name,
        title=row.title,
        team=caller.team,
        kind="team",
        url=row.url,
        created_at=rfc3339(row.created_at),
    )
