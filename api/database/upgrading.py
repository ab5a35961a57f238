"""Bringing a database to this version's tables, once, however many processes start together."""

from pathlib import Path

import sqlalchemy as sa
from alembic import command
from alembic.config import Config

from api.database.grants import grant_to_scoring
from tetrad.server.database import write_transaction

MIGRATIONS = Path(__file__).parent / "migrations"
UPGRADE_LOCK = 0x7465_7472_6164  # "tetrad": an advisory lock is a number


def upgrade(engine: sa.Engine, scoring_role: str = "") -> None:
    """Run the migrations that are missing, all in one transaction: a failed upgrade leaves nothing behind.

    On Postgres, `scoring_role` names the user whose rights are then set to what scoring needs. SQLite's write
    transaction keeps other processes out; on Postgres an advisory lock does.
    """
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    with write_transaction(engine) as connection:
        if connection.dialect.name == "postgresql":
            connection.execute(sa.select(sa.func.pg_advisory_xact_lock(UPGRADE_LOCK)))
        config.attributes["connection"] = connection
        command.upgrade(config, "head")
        if scoring_role:
            grant_to_scoring(connection, scoring_role)
