"""Upgrades a database to this version's tables with Alembic, once, even if many processes start together.

A service has a folder of migrations; the environment that they run in (env.py) is here.
"""

from pathlib import Path

import sqlalchemy as sa


def migrate(connection: sa.Connection, versions: Path, *, lock: int, version_table: str = "alembic_version") -> None:
    """Run the migrations of this folder that the database lacks, inside a write transaction of the caller's.

    A failed one leaves nothing behind. SQLite's write transaction keeps other processes out; on Postgres the advisory
    lock of this number does. `version_table` separates different services in one database.
    """
    from alembic import command  # noqa: PLC0415 -- a fifth of a second, and few processes upgrade tables
    from alembic.config import Config  # noqa: PLC0415 -- same

    if connection.dialect.name == "postgresql":
        for bound in ("lock_timeout", "idle_in_transaction_session_timeout"):
            connection.execute(sa.text(f"SET LOCAL {bound} = 0"))  # a migration of a large table takes long
        connection.execute(sa.select(sa.func.pg_advisory_xact_lock(lock)))
    config = Config()
    config.set_main_option("script_location", _escape(Path(__file__).parent))
    config.set_main_option("path_separator", "newline")  # otherwise a folder's name must hold no space
    config.set_main_option("version_locations", _escape(versions))
    config.attributes["connection"] = connection
    config.attributes["version_table"] = version_table
    command.upgrade(config, "head")


def _escape(path: Path) -> str:
    return str(path).replace("%", "%%")
