"""Tokens for the gateway, and what teams may spend there: granted, listed, revoked and set by operators.

A team without rights gets no tokens, and loses its own.

The gateway checks signature and expiry by itself, and asks every few seconds which tokens are revoked.
"""

import sqlalchemy as sa
from msgspec import json

from api.database.schema import gateway_tokens, teams
from api.errors import NotPermittedError, not_found
from api.inputs import storable
from api.operator.access import Operator
from api.operator.audit_log import note
from api.operator.teams import living_team, team_id_of
from api.paging import cursor_at, position_of
from api.settings import ApiSettings
from api.spending import spent_by
from tetrad.contracts.inference import (
    GatewayTokenList,
    GatewayTokenRecord,
    GatewayTokenRequest,
    GrantedGatewayToken,
    ModelBudget,
    ModelBudgetRequest,
    RevokedTokens,
)
from tetrad.server.clock import DAY_MS, now_ms, rfc3339
from tetrad.server.database import read_transaction, write_transaction
from tetrad.server.ids import new_id


def make_token(
    engine: sa.Engine, settings: ApiSettings, operator: Operator, request: GatewayTokenRequest
) -> GrantedGatewayToken:
    """Record a token for a team, the operator and the reason. The operator's command signs it.

    Raises:
        InvalidInputError: a model's name can't be stored.
        NotFoundError, DeletedTeamError: there is no such team.
        NotPermittedError: the team is not active.
    """
    models = [model for model in request.models if storable("models", model)]
    now = now_ms()
    with write_transaction(engine) as connection:
        team_id = living_team(connection, request.team)
        row = connection.execute(sa.select(teams.c.name, teams.c.state).where(teams.c.id == team_id)).one()
        if row.state != "active":
            raise NotPermittedError(f"team {row.name} is {row.state}; approve it first")
        values = {
            "id": new_id("gwt"),
            "team_id": team_id,
            "purpose": request.purpose,
            "models": json.encode(models).decode(),
            "budget": request.budget,
            "created_at": now,
            "expires_at": now + int(request.days * DAY_MS),
        }
        connection.execute(sa.insert(gateway_tokens).values(values))
        told = {"token": values["id"], "purpose": request.purpose, "models": models, "budget": request.budget}
        note(connection, operator, "make-gateway-token", team_id, reason=request.reason, **told)
        made = connection.execute(_records().where(gateway_tokens.c.id == values["id"])).one()
    return GrantedGatewayToken(team_id=made.team_id, url=settings.gateway_public_url, about=_record(made))


def list_tokens(engine: sa.Engine, cursor: str | None, limit: int, team: str | None) -> GatewayTokenList:
    """Return a page of tokens, oldest first, without the tokens themselves."""
    after = position_of("gateway-tokens", cursor, "")
    query = _records().where(gateway_tokens.c.id > after).order_by(gateway_tokens.c.id).limit(limit + 1)
    if team is not None:
        named = storable("team", team)
        query = query.where(sa.or_(teams.c.id == named, teams.c.name == named))
    with read_transaction(engine) as connection:
        rows = connection.execute(query).all()
    shown = rows[:limit]
    following = cursor_at("gateway-tokens", shown[-1].id) if len(rows) > limit else None
    return GatewayTokenList(tokens=[_record(row) for row in shown], next=following)


def revoke_token(engine: sa.Engine, operator: Operator, token: str, reason: str) -> GatewayTokenRecord:
    """Revoke a token: within seconds gateways refuse it. A second time changes nothing.

    Raises:
        NotFoundError: there is none of this id.
    """
    with write_transaction(engine) as connection:
        one = gateway_tokens.c.id == storable("token", token)
        row = connection.execute(_records().where(one)).one_or_none()
        if row is None:
            raise not_found("token", token)
        if row.revoked_at is None:
            connection.execute(sa.update(gateway_tokens).where(one).values(revoked_at=now_ms()))
            note(connection, operator, "revoke-gateway-token", str(row.team_id), reason=reason, token=row.id)
        return _record(connection.execute(_records().where(one)).one())


def revoked_tokens(engine: sa.Engine) -> RevokedTokens:
    """Return the unexpired tokens that gateways must refuse: revoked ones, and those of teams that are not active."""
    is_out = sa.or_(gateway_tokens.c.revoked_at.is_not(None), teams.c.state != "active")
    query = sa.select(gateway_tokens.c.id).join_from(gateway_tokens, teams)
    query = query.where(is_out, gateway_tokens.c.expires_at > now_ms()).order_by(gateway_tokens.c.id)
    bounds = sa.select(teams.c.id, teams.c.model_budget).where(teams.c.model_budget.is_not(None))
    with read_transaction(engine) as connection:
        budgets = {row.id: row.model_budget for row in connection.execute(bounds)}
        return RevokedTokens(revoked=list(connection.execute(query).scalars()), budgets=budgets)


def set_budget(engine: sa.Engine, operator: Operator, team: str, request: ModelBudgetRequest) -> ModelBudget:
    """Bound what a team spends on models, or take the bound away; gateways hear of it within seconds.

    Raises:
        NotFoundError: there is no such team.
        DeletedTeamError: it is deleted.
    """
    with write_transaction(engine) as connection:
        team_id = living_team(connection, team)
        connection.execute(sa.update(teams).where(teams.c.id == team_id).values(model_budget=request.budget))
        note(connection, operator, "set model budget", team_id, reason=request.reason, budget=request.budget)
    return show_budget(engine, team_id)


def show_budget(engine: sa.Engine, team: str) -> ModelBudget:
    """Return a team's bound on spending on models, and what it has spent. Raises: NotFoundError: no such team."""
    with read_transaction(engine) as connection:
        team_id = team_id_of(connection, team)
        row = connection.execute(sa.select(teams.c.name, teams.c.model_budget).where(teams.c.id == team_id)).one()
    return ModelBudget(team=row.name, budget=row.model_budget, spent=spent_by(engine, team_id))


def _records() -> sa.Select[tuple[object, ...]]:
    return sa.select(*gateway_tokens.c, teams.c.name.label("team")).join_from(gateway_tokens, teams)


def _record(row: sa.Row[tuple[object, ...]]) -> GatewayTokenRecord:
    return GatewayTokenRecord(
        id=row.id,
        team=row.team,
        purpose=row.purpose,
        models=json.decode(row.models),
        budget=row.budget,
        created_at=rfc3339(row.created_at),
        expires_at=rfc3339(row.expires_at),
        revoked_at=None if row.revoked_at is None else rfc3339(row.revoked_at),
    )
