"""Pages of a board. Its rows move as scores arrive, so a page begins after a model, wherever that stands by then."""

from msgspec.structs import replace

from api.http.cursors import cursor_at
from tetrad.contracts.leaderboards import Board, BoardRow


def board_page(whole: Board, after: str, limit: int) -> Board:
    """Return up to `limit` rows after the model of the cursor; a model that is gone begins the board again."""
    places = [_name(row) for row in whole.rows]
    begin = places.index(after) + 1 if after in places else 0
    shown = whole.rows[begin : begin + limit]
    is_last = begin + limit >= len(whole.rows)
    return replace(whole, rows=shown, next=None if is_last else cursor_at("board", _name(shown[-1])))


def _name(row: BoardRow) -> str:
    return f"{row.team} {row.model}"
