"""The migrations make just the tables that the code speaks of, once, and keep the rows that are there."""

import shutil
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from subprocess import run
from sys import executable

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext

from api.database.schema import metadata
from api.database.upgrading import UPGRADE_LOCK, VERSIONS, upgrade
from tetrad.server.database import make_engine, write_transaction
from tetrad.server.migrations import NewerDatabaseError, migrate

NEWEST = max(path.name.partition("_")[0] for path in VERSIONS.glob("0*.py"))
START = "import sys; from api.database.upgrading import upgrade; from tetrad.server.database import make_engine;"

TEAM = "INSERT INTO teams (id, name, title, created_at) VALUES ('team_1', 'north', 'North', 1)"
MOTTOS = """
import sqlalchemy as sa
from alembic import op

revision = "9999"
down_revision = "{before}"


def upgrade() -> None:
    op.add_column("teams", sa.Column("motto", sa.Text()))
    op.execute("UPDATE teams SET motto = 'of ' || title")
"""


@pytest.fixture(params=["sqlite", "postgres"])
def url(request: pytest.FixtureRequest, tmp_path: Path, new_postgres: Callable[[str], str]) -> str:
    return f"sqlite:///{tmp_path / 'empty.db'}" if request.param == "sqlite" else new_postgres("empty")


@pytest.fixture
def newer(tmp_path: Path) -> Path:
    """Return this version's migrations with one more, which changes a table and its rows."""
    versions = tmp_path / "versions"
    shutil.copytree(VERSIONS, versions, ignore=shutil.ignore_patterns("__pycache__"))
    (versions / "9999_mottos.py").write_text(MOTTOS.format(before=NEWEST))
    return versions


@pytest.fixture
def empty(url: str) -> Iterator[sa.Engine]:
    engine = make_engine(url)
    yield engine
    engine.dispose()


def test_the_migrations_make_the_tables_of_the_schema(empty: sa.Engine) -> None:
    upgrade(empty)
    with empty.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True, "compare_server_default": True})
        assert compare_metadata(context, metadata) == []


def test_an_upgrade_of_what_is_up_to_date_changes_nothing(empty: sa.Engine) -> None:
    upgrade(empty)
    with empty.begin() as connection:
        connection.execute(sa.text(TEAM))
    upgrade(empty)
    with empty.connect() as connection:
        assert connection.execute(sa.text("SELECT count(*) FROM teams")).scalar() == 1


def test_processes_that_start_together_upgrade_once(url: str, empty: sa.Engine) -> None:
    command = [executable, "-c", f"{START} upgrade(make_engine(sys.argv[1]))", url]
    with ThreadPoolExecutor(4) as pool:
        ended = list(pool.map(lambda _: run(command, capture_output=True, check=False), range(4)))
    assert [process.returncode for process in ended] == [0] * 4, [process.stderr for process in ended]
    with empty.connect() as connection:
        assert connection.execute(sa.text("SELECT version_num FROM alembic_version")).scalars().all() == [NEWEST]


def test_a_failed_upgrade_leaves_nothing_behind(empty: sa.Engine) -> None:
    with empty.begin() as connection:
        connection.execute(sa.text("CREATE TABLE verifications (id INTEGER)"))
    with pytest.raises(sa.exc.DBAPIError):
        upgrade(empty)
    assert sa.inspect(empty).get_table_names() == ["verifications"]


def test_rows_of_an_older_version_are_there_after_an_upgrade(empty: sa.Engine, newer: Path) -> None:
    upgrade(empty)
    with empty.begin() as connection:
        connection.execute(sa.text(TEAM))
    migrate_to(empty, newer)
    with empty.connect() as connection:
        assert connection.execute(sa.text("SELECT name, motto FROM teams")).all() == [("north", "of North")]
        assert connection.execute(sa.text("SELECT version_num FROM alembic_version")).scalars().all() == ["9999"]


def test_a_migration_that_fails_leaves_the_older_version_as_it_was(empty: sa.Engine, newer: Path) -> None:
    upgrade(empty)
    with empty.begin() as connection:
        connection.execute(sa.text(TEAM))
    with (newer / "9999_mottos.py").open("a") as migration:
        migration.write("    op.execute('UPDATE nothing SET motto = 1')\n")
    with pytest.raises(sa.exc.DBAPIError, match="nothing"):
        migrate_to(empty, newer)
    with empty.connect() as connection:
        assert "motto" not in {column["name"] for column in sa.inspect(connection).get_columns("teams")}
        assert connection.execute(sa.text("SELECT version_num FROM alembic_version")).scalars().all() == [NEWEST]
    upgrade(empty)


def test_an_older_release_starts_on_a_newer_database_that_says_it_can_live_with_it(
    empty: sa.Engine, newer: Path
) -> None:
    upgrade(empty)
    path = newer / "9999_mottos.py"
    path.write_text(path.read_text().replace('revision = "9999"', f'revision = "9999_since_{NEWEST}"', 1))
    migrate_to(empty, newer)
    with write_transaction(empty) as connection:
        assert not migrate(connection, VERSIONS, lock=UPGRADE_LOCK)
    for revision in ("9999_since_9998", "9999"):
        with write_transaction(empty) as connection:
            connection.execute(sa.text("UPDATE alembic_version SET version_num = :it"), {"it": revision})
        with pytest.raises(NewerDatabaseError, match=f"revision {revision}; this one's is {NEWEST}"):
            upgrade(empty)


def test_an_operator_s_act_is_never_changed_or_deleted(empty: sa.Engine) -> None:
    upgrade(empty)
    act = {"at": 1, "operator": "ada", "act": "void", "subject": "sub_1", "reason": "leaked", "details": "{}"}
    with empty.begin() as connection:
        connection.execute(sa.insert(metadata.tables["operator_acts"]).values(act))
    for statement in ("UPDATE operator_acts SET reason = 'none'", "DELETE FROM operator_acts"):
        with empty.begin() as connection, pytest.raises(sa.exc.DBAPIError, match="append-only"):
            connection.execute(sa.text(statement))
    with empty.connect() as connection:
        assert connection.execute(sa.text("SELECT reason FROM operator_acts")).scalars().all() == ["leaked"]


def migrate_to(engine: sa.Engine, versions: Path) -> None:
    """Upgrade as `upgrade` does, to the version of this folder."""
    with write_transaction(engine) as connection:
        migrate(connection, versions, lock=UPGRADE_LOCK)
