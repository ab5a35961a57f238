"""Upgrades a database to this version's tables with Alembic, once, even if many processes start together.

A service has a folder of migrations; the environment that they run in (env.py) is here.

A migration with which the release before can live says so in its id: `0003_since_0002` lets processes go on, and start
again, whose newest migration is 0002 or a later one. That is how an upgrade goes from host to host.
"""

import logging
import re
from pathlib import Path
from typing import TYPE_CHECKING

import sqlalchemy as sa

if TYPE_CHECKING:
    from alembic.script import ScriptDirectory

SINCE = re.compile(r"(?P<number>\d{4})(?:_since_(?P<oldest>\d{4}))?")
log = logging.getLogger(__name__)


class NewerDatabaseError(Exception):
    """The database has tables of a newer release, with which this one can't live. The message names the revision."""


def migrate(connection: sa.Connection, versions: Path, *, lock: int, version_table: str = "alembic_version") -> bool:
    """Run the migrations of this folder that the database lacks, inside a write transaction of the caller's.

    A failed one leaves nothing behind. SQLite's write transaction keeps other processes out; on Postgres the advisory
    lock of this number does. `version_table` separates different services in one database.

    Return whether the tables are those of this folder now; False where they are a newer release's.

    Raises:
        NewerDatabaseError: they are a newer release's, and this one can't live with them.
    """
    from alembic import command  # noqa: PLC0415 -- a fifth of a second, and few processes upgrade tables
    from alembic.config import Config  # noqa: PLC0415 -- same
    from alembic.script import ScriptDirectory  # noqa: PLC0415 -- same

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
    newer = _find_newer(connection, ScriptDirectory.from_config(config), version_table)
    if newer is None:
        command.upgrade(config, "head")
    else:
        log.warning("the database is a newer release's", extra={"revision": newer})
    return newer is None


def _find_newer(connection: sa.Connection, scripts: "ScriptDirectory", version_table: str) -> str | None:
    """Return the revision of the database if it is a newer release's, with which this one can live; else None.

    Raises:
        NewerDatabaseError: it is, and this one can't.
    """
    if not sa.inspect(connection).has_table(version_table):
        return None
    current = connection.execute(sa.select(sa.column("version_num")).select_from(sa.table(version_table))).scalar()
    if current is None or current in {script.revision for script in scripts.walk_revisions()}:
        return None
    found, here = SINCE.fullmatch(current), scripts.get_current_head() or ""
    if found is None or found["oldest"] is None or here[:4] < found["oldest"]:
        raise NewerDatabaseError(
            f"the database is a newer release's (revision {current}; this one's is {here}): start that release"
        )
    return str(current)


def _escape(path: Path) -> str:
    return str(path).replace("%", "%%")
