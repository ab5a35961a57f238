"""Takes a model's row off a board, with a public reason, and puts it back."""

import sqlalchemy as sa

from api.boards.board_key import board_of
from api.boards.finished_boards import FinishedBoards
from api.boards.queries import check_board
from api.boards.source_names import sources_digest
from api.database.schema import hidden_rows, models, submissions
from api.errors import NotFoundError, NotHiddenError, not_found
from api.inputs import storable
from api.operator.access import Operator
from api.operator.audit_log import note
from api.operator.teams import team_id_of
from api.upstream.cards import Cards
from tetrad.contracts.leaderboards import Board
from tetrad.contracts.operator import RowRequest
from tetrad.server.clock import now_ms
from tetrad.server.database import write_transaction


def hide(engine: sa.Engine, cards: Cards, boards: FinishedBoards, operator: Operator, request: RowRequest) -> Board:
    """Hide the row, or change the reason of a hidden one. Return the public board.

    Raises:
        NotFoundError, InvalidInputError: there is no such team, model or board, or the model is not on this board.
    """
    return _change(engine, cards, boards, operator, request, hidden=True)


def show(engine: sa.Engine, cards: Cards, boards: FinishedBoards, operator: Operator, request: RowRequest) -> Board:
    """Put a hidden row back.

    Raises:
        NotFoundError, InvalidInputError: there is no such team, model or board.
        NotHiddenError: the row is not hidden.
    """
    return _change(engine, cards, boards, operator, request, hidden=False)


def _change(
    engine: sa.Engine, cards: Cards, boards: FinishedBoards, operator: Operator, request: RowRequest, *, hidden: bool
) -> Board:
    info = cards.get(request.benchmark, request.version)
    card = info.card
    where = check_board(card, request.track, request.setting, request.parameters, request.conversation)
    bank = sources_digest(info, where.track, request.source)
    name = board_of(card, where, bank)
    h = hidden_rows.c
    with write_transaction(engine) as connection:
        model = _model_id(connection, request)
        if hidden:
            _check_on_board(connection, request, model, name)
        put_back = sa.delete(hidden_rows).where(h.board == name, h.model_id == model)
        was_hidden = connection.execute(put_back).rowcount == 1
        if hidden:
            row = {"board": name, "model_id": model, "reason": storable("reason", request.reason)}
            connection.execute(sa.insert(hidden_rows).values(**row, hidden_at=now_ms()))
        elif not was_hidden:
            raise NotHiddenError(f"the row of {request.team}/{request.model} is not hidden on this board")
        act = "hide row" if hidden else "show row"
        note(connection, operator, act, model, reason=request.reason, board=name, benchmark=card.name)
    return boards.get(card, where, bank).whole


def _check_on_board(connection: sa.Connection, request: RowRequest, model: str, board: str) -> None:
    """Check that the model has a public submission for this board: its row is there, or will be once that is scored."""
    s = submissions.c
    one = sa.select(s.id).where(s.board == board, s.model_id == model, s.visibility == "public").limit(1)
    if connection.execute(one).first() is None:
        raise NotFoundError.at(
            "model",
            f"{request.team}/{request.model}",
            "has no public submission on this board",
            "name the track, setting, parameters and conversation of the board that its row is on",
        )


def _model_id(connection: sa.Connection, request: RowRequest) -> str:
    team = team_id_of(connection, request.team)
    query = sa.select(models.c.id).where(models.c.team_id == team, models.c.name == storable("model", request.model))
    found = connection.execute(query).scalar()
    if found is None:
        raise not_found("model", f"{request.team}/{request.model}")
    return str(found)
