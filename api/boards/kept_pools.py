"""Keeps the pools of large boards in the database, so that a process begins with those that another one has made.

A process that looks at a board for the first time would else read and pool every submission on it: a core second for
some 100,000. It begins with the kept pools, and pools anew the rows that have changed since. They are a copy: a process
that can't read or keep them makes its own.
"""

import logging
from collections.abc import Mapping
from typing import NamedTuple

import msgspec
import sqlalchemy as sa

from api.boards.pooling import LEVEL, Pool
from api.database.schema import kept_pools
from tetrad import __version__
from tetrad.server.database import insert_into, write_transaction

LEAST_SUBMISSIONS = 1_000  # of a board whose pools are kept: fewer are pooled in some ten milliseconds
MOST_CHANGED_ROWS = 50  # rows that are pooled anew before the pools are kept again

log = logging.getLogger(__name__)
_DECODER = msgspec.msgpack.Decoder(dict[str, Pool])


class KeptPools(NamedTuple):
    """The pools of a board by model id, as they were at this version of the board."""

    version: int
    pools: Mapping[str, Pool]


def read_pools(connection: sa.Connection, board: str, least: int) -> KeptPools | None:
    """Return the kept pools of a board; None where there are none of this release and this least number of items."""
    k = kept_pools.c
    query = sa.select(k.version, k.body).where(k.board == board, k.made_by == _made_by(least))
    row = connection.execute(query).one_or_none()
    if row is None:
        return None
    try:
        return KeptPools(row.version, _DECODER.decode(row.body))
    except msgspec.DecodeError as error:
        log.warning("the kept pools of a board can't be read", extra={"board": board, "error": str(error)})
        return None


def keep_pools(engine: sa.Engine, board: str, least: int, kept: KeptPools) -> None:
    """Keep the pools of a board in place of older ones. A database that takes no writes now does not matter."""
    values = {"version": kept.version, "made_by": _made_by(least), "body": msgspec.msgpack.encode(kept.pools)}
    row = insert_into(engine, kept_pools).values(board=board, **values)
    try:
        with write_transaction(engine) as connection:
            connection.execute(row.on_conflict_do_update(index_elements=["board"], set_=values))
    except sa.exc.SQLAlchemyError as error:
        log.warning("the pools of a board are not kept", extra={"board": board, "error": type(error).__name__})


def _made_by(least: int) -> str:
    return f"{__version__}/{LEVEL}/{least}"[:64]
