"""Taking a model's row off a board, with a public reason, and putting it back."""

import sqlalchemy as sa

from api.boards.board_key import board_of
from api.boards.leaderboards import board
from api.boards.queries import checked_board
from api.boards.source_names import sources_digest
from api.context import Services
from api.database.operator_tables import hidden_rows
from api.database.schema import models
from api.http.known_ids import not_found
from api.http.texts import storable
from api.operator.access import Operator
from api.operator.acts import note
from api.operator.teams import team_id_of
from tetrad.contracts.leaderboards import Board
from tetrad.contracts.operator import RowRequest
from tetrad.server.clock import now_ms
from tetrad.server.database import write_transaction
from tetrad.server.problems import ProblemError


def hide(services: Services, operator: Operator, request: RowRequest) -> Board:
    """Hide the row, or change the reason of a hidden one; return the board as all see it now.

    Raises:
        ProblemError: 404 or 422, no such team, model or board.
    """
    return _change(services, operator, request, hidden=True)


def show(services: Services, operator: Operator, request: RowRequest) -> Board:
    """Put a hidden row back.

    Raises:
        ProblemError: 404 or 422, no such team, model or board; 409, the row is not hidden.
    """
    return _change(services, operator, request, hidden=False)


def _change(services: Services, operator: Operator, request: RowRequest, *, hidden: bool) -> Board:
    info = services.cards.get(request.benchmark, request.version)
    card = info.card
    where = checked_board(card, request.track, request.setting, request.parameters)
    bank = sources_digest(info, where.track, request.source)
    name = board_of(card, where.track, where.setting, where.parameters, bank)
    h = hidden_rows.c
    with write_transaction(services.engine) as connection:
        model = _model_id(connection, request)
        put_back = sa.delete(hidden_rows).where(h.board == name, h.model_id == model)
        was_hidden = connection.execute(put_back).rowcount == 1
        if hidden:
            row = {"board": name, "model_id": model, "reason": storable("reason", request.reason)}
            connection.execute(sa.insert(hidden_rows).values(**row, hidden_at=now_ms()))
        elif not was_hidden:
            raise ProblemError(409, f"the row of {request.team}/{request.model} is not hidden on this board")
        act = "hide row" if hidden else "show row"
        note(connection, operator, act, model, reason=request.reason, board=name, benchmark=card.name)
    return board(services, card, where, bank)


def _model_id(connection: sa.Connection, request: RowRequest) -> str:
    team = team_id_of(connection, request.team)
    query = sa.select(models.c.id).where(models.c.team_id == team, models.c.name == storable("model", request.model))
    found = connection.execute(query).scalar()
    if found is None:
        raise not_found("model", f"{request.team}/{request.model}")
    return str(found)
