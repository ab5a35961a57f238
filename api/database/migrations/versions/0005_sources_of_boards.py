"""The sources are part of a board: every row moves to the board of its own identity's sources, with its hidden rows."""

import sqlalchemy as sa
from alembic import op

from tetrad.canonical import hexdigest

revision = "0005"
down_revision = "0004"

PLACES = "SELECT DISTINCT board, bank FROM submissions"
MOVED = "UPDATE submissions SET board = :new WHERE board = :old AND bank = :bank"
HIDDEN = "SELECT board, model_id, reason, hidden_at FROM hidden_rows"
GONE = "DELETE FROM hidden_rows WHERE board = :board AND model_id = :model_id"
KEPT = "INSERT INTO hidden_rows (board, model_id, reason, hidden_at) VALUES (:board, :model_id, :reason, :hidden_at)"


def upgrade() -> None:
    """Give each board its sources. A hidden row stays hidden on every board that its old one becomes."""
    connection = op.get_bind()
    places = [(row.board, row.bank) for row in connection.execute(sa.text(PLACES))]
    hidden = [dict(row._mapping) for row in connection.execute(sa.text(HIDDEN))]  # noqa: SLF001 -- SQLAlchemy's name
    for old, bank in places:
        new = hexdigest("tetrad/board/2", old, bank)
        connection.execute(sa.text(MOVED), {"old": old, "new": new, "bank": bank})
    for row in hidden:
        boards = [hexdigest("tetrad/board/2", old, bank) for old, bank in places if old == row["board"]]
        if boards:
            connection.execute(sa.text(GONE), {"board": row["board"], "model_id": row["model_id"]})
        for board in boards:
            connection.execute(sa.text(KEPT), row | {"board": board})
