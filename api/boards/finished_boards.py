"""Keeps each finished board until it changes, so that reading a board does not pool its submissions again.

The database counts the changes of every board (migration 0009), whoever makes them. A look compares the number of the
newest change with that of the board it has, in one small query. Only the rows that have changed since are pooled anew.
Nothing is told between processes: each compares for itself, so that each shows what the database says. The first look
of a process at a large board begins with the pools that another process has kept (kept_pools.py).
"""

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import sqlalchemy as sa
from msgspec import json
from msgspec.structs import replace

from api.boards.board_key import board_of
from api.boards.kept_pools import LEAST_SUBMISSIONS, MOST_CHANGED_ROWS, KeptPools, keep_pools, read_pools
from api.boards.leaderboards import (
    BY_THE_TEAM,
    Entrant,
    board_page,
    chance_on,
    empty_board,
    entrants_of,
    fetched_on,
    hidden_on,
    hidden_row,
    pool_by_model,
    ranked_rows,
    row_name,
    void_on,
)
from api.boards.pooling import Pool
from api.boards.queries import BoardQuery
from api.boards.robustness import with_flips
from api.boards.run_costs import RunCosts
from api.database.schema import board_changes, board_versions
from tetrad.contracts.benchmarks import Card
from tetrad.contracts.leaderboards import Board
from tetrad.server.database import read_rows, read_transaction

NAMES = ""  # the row of `board_versions` that counts changes of names, which stand on every board
MOST_ROWS = 50_000  # of all boards that are kept: some 2 kB each
MOST_BOARDS = 1_000
MOST_CHANGED = 500  # rows or teams that are read one by one; of more, all are


@dataclass(frozen=True)
class Versions:
    """The numbers of the newest change of a board and of the names; 0 where nothing was ever counted."""

    board: int
    names: int


@dataclass(frozen=True)
class FinishedBoard:
    """A board with all its rows. `digest` stands for all that it shows."""

    whole: Board
    digest: str
    places: Mapping[str, int] = field(repr=False)

    @classmethod
    def of(cls, whole: Board) -> "FinishedBoard":
        places = {row_name(row): place for place, row in enumerate(whole.rows)}
        return cls(whole, hashlib.sha256(json.encode(whole)).hexdigest(), places)

    def page(self, after: str, limit: int) -> Board:
        """Return up to `limit` rows after the row of this name."""
        return board_page(self.whole, self.places, after, limit)


@dataclass(frozen=True)
class _Kept:
    """A finished board, and the pools from which it is made again when something has changed."""

    card: Card
    versions: Versions
    pools: Mapping[str, Pool]
    entrants: Mapping[str, Entrant]
    board: FinishedBoard


class FinishedBoards:
    """The boards of one process, safe to use from any thread. If several threads want one board, one makes it."""

    def __init__(self, engine: sa.Engine, most_rows: int = MOST_ROWS) -> None:
        self._engine = engine
        self._most_rows = most_rows
        self._kept: OrderedDict[str, _Kept] = OrderedDict()
        self._making: dict[str, tuple[threading.Lock, int]] = {}
        self._lock = threading.Lock()
        self._costs = RunCosts()

    def get(self, card: Card, where: BoardQuery, bank: str) -> FinishedBoard:
        """Return the board of draws from the sources of this digest, as the database has it now.

        Models below the card's least number of items come after the ranked ones, without a rank.
        """
        if card.corpus is not None:
            return FinishedBoard.of(empty_board(card, where, bank))
        name = board_of(card, where, bank)
        current = self._current(name, card)
        if current is not None:
            return current
        with self._alone(name):
            current = self._current(name, card)
            if current is not None:
                return current
            made = self._make(name, card, where, bank)
            self._keep(name, made)
            return made.board

    def _current(self, name: str, card: Card) -> FinishedBoard | None:
        """Return the board that is kept, if it is of this card and nothing has changed since."""
        with self._lock:
            kept = self._kept.get(name)
            if kept is None or kept.card != card:
                return None
            self._kept.move_to_end(name)
        found = versions_of(name, read_rows(self._engine, versions_query(name)))
        return kept.board if found == kept.versions else None

    def _make(self, name: str, card: Card, where: BoardQuery, bank: str) -> _Kept:
        """Make the board of one moment: versions, submissions and names are read in one transaction."""
        with self._lock:
            old = self._kept.get(name)
        if old is not None and old.card != card:
            old = None
        least = card.headline.least_items
        with read_transaction(self._engine) as connection:
            versions = versions_of(name, connection.execute(versions_query(name)))
            known_pools = None if old is None else KeptPools(old.versions.board, old.pools)
            pools, is_to_keep = _pool(connection, name, least, known_pools, versions.board)
            renamed = None if old is None else changes(connection, NAMES, old.versions.names, versions.names)
            known = {} if old is None or renamed is None else old.entrants
            entrants = {
                model: entrant
                for model, entrant in known.items()
                if model in pools and entrant.team_id not in (renamed or ())
            }
            entrants |= entrants_of(connection, [model for model in pools if model not in entrants])
            hidden, void = hidden_on(connection, name), void_on(connection, name)
            is_known = old is not None and bool(old.pools)  # all draws of a board have one chance
            chance = old.board.whole.chance if old is not None and is_known else chance_on(connection, name)
            asked = [model for model in pools if entrants[model].origin != BY_THE_TEAM]
            costs = self._costs.on_board(connection, name, asked)
        if is_to_keep:
            keep_pools(self._engine, name, least, KeptPools(versions.board, pools))
        off = {row.model_id for row in hidden}
        ranked = ranked_rows(entrants, {model: pool for model, pool in pools.items() if model not in off})
        rows = [replace(row, cost=costs[model]) if model in costs else row for model, row in ranked.items()]
        shown = {
            "rows": with_flips(rows),
            "hidden": [hidden_row(row) for row in hidden],
            "void": void,
            "chance": chance,
        }
        board = FinishedBoard.of(replace(empty_board(card, where, bank), **shown))
        return _Kept(card, versions, pools, entrants, board)

    def _keep(self, name: str, made: _Kept) -> None:
        """Keep the board, and give up those that were not asked for longest.

        An empty one is not kept: it costs nothing to make, and anybody can name one that nobody has ever drawn for.
        """
        with self._lock:
            self._kept.pop(name, None)
            if made.pools:
                self._kept[name] = made
            while len(self._kept) > 1 and (
                len(self._kept) > MOST_BOARDS or sum(len(kept.pools) for kept in self._kept.values()) > self._most_rows
            ):
                self._kept.popitem(last=False)

    @contextmanager
    def _alone(self, name: str) -> Iterator[None]:
        """Let one thread at a time make the board of this name."""
        with self._lock:
            lock, waiting = self._making.get(name, (threading.Lock(), 0))
            self._making[name] = (lock, waiting + 1)
        try:
            with lock:
                yield
        finally:
            with self._lock:
                _, waiting = self._making.pop(name)
                if waiting > 1:
                    self._making[name] = (lock, waiting - 1)


def _pool(
    connection: sa.Connection, name: str, least: int, known: KeptPools | None, version: int
) -> tuple[Mapping[str, Pool], bool]:
    """Return the pools of a board at this version, by model id, and whether they are worth keeping for others."""
    is_first = known is None
    known = known or read_pools(connection, name, least)
    rows = None if known is None else changes(connection, name, known.version, version)
    if known is None or rows is None:
        fetched = fetched_on(connection, name)
        return pool_by_model(fetched, least), sum(map(len, fetched.values())) >= LEAST_SUBMISSIONS
    unchanged = {model: pool for model, pool in known.pools.items() if model not in rows}
    pools = unchanged | pool_by_model(fetched_on(connection, name, rows), least)
    return pools, is_first and len(rows) > MOST_CHANGED_ROWS


def versions_query(name: str) -> sa.Select[tuple[str, int]]:
    v = board_versions.c
    return sa.select(v.board, v.version).where(v.board.in_((name, NAMES)))


def versions_of(name: str, rows: Iterable[sa.Row[Any]]) -> Versions:
    """Return the versions that the rows of `versions_query` give."""
    found = {row.board: row.version for row in rows}
    return Versions(found.get(name, 0), found.get(NAMES, 0))


def changes(connection: sa.Connection, name: str, after: int, newest: int) -> list[str] | None:
    """Return what has changed on a board after this version: models, or of the board `NAMES` teams, by id.

    None stands for more than are read one by one, and for a database that was set back to an older version.
    """
    if after == newest:
        return []
    c = board_changes.c
    query = sa.select(c.subject).where(c.board == name, c.version > after).limit(MOST_CHANGED + 1)
    found = list(connection.execute(query).scalars())
    return found if newest > after and len(found) <= MOST_CHANGED else None
