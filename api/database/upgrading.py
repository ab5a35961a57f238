"""Bringing the api's database to this version's tables, and giving scoring its rights on them."""

from pathlib import Path

import sqlalchemy as sa

from api.database.grants import grant_to_scoring
from tetrad.server.database import write_transaction
from tetrad.server.migrations import migrate

VERSIONS = Path(__file__).parent / "migrations" / "versions"
UPGRADE_LOCK = 0x7465_7472_6164  # "tetrad": an advisory lock is a number


def upgrade(engine: sa.Engine, scoring_role: str = "") -> None:
    """Run the migrations that are missing, all in one transaction: a failed upgrade leaves nothing behind.

    On Postgres, `scoring_role` names the user whose rights are then set to what scoring needs.
    """
    with write_transaction(engine) as connection:
        migrate(connection, VERSIONS, lock=UPGRADE_LOCK)
        if scoring_role:
            grant_to_scoring(connection, scoring_role)
