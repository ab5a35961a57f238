"""The record's migrations make just the tables that the code speaks of. A later one brings up what is there."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext

from api.database.upgrading import upgrade
from generator_service.sealing import record as records
from generator_service.sealing.record import VERSION_TABLE, VERSIONS, Record, metadata
from tests.integration.generator.test_record import DRAW, ROOT, SECRET, answered, said
from tetrad.server.database import make_engine

NEWEST = max(path.name.partition("_")[0] for path in VERSIONS.glob("0*.py"))
OPEN = """
import pathlib, sys
from generator_service.sealing import record
record.VERSIONS = pathlib.Path(sys.argv[2])
record.Record(sys.argv[1])
"""
LATER = f"""
import sqlalchemy as sa
from alembic import op

revision = "9998"
down_revision = "{NEWEST}"


def upgrade() -> None:
    op.add_column("sealed_draws", sa.Column("later", sa.Text()))
"""
FAILS = """
revision = "9999"
down_revision = "9998"


def upgrade() -> None:
    raise RuntimeError("half done")
"""


@pytest.fixture
def engine(url: str) -> Iterator[sa.Engine]:
    engine = make_engine(url)
    yield engine
    engine.dispose()


@pytest.fixture
def later(tmp_path: Path) -> Path:
    """Return a folder with our migrations and a further one, which adds a column."""
    folder = tmp_path / "a folder, with %20 and : in it"
    folder.mkdir()
    for path in VERSIONS.glob("0*.py"):
        (folder / path.name).write_text(path.read_text())
    (folder / "9998_adds_a_column.py").write_text(LATER)
    return folder


def columns(engine: sa.Engine) -> list[str]:
    return sorted(column["name"] for column in sa.inspect(engine).get_columns("sealed_draws"))


def differences(engine: sa.Engine) -> list[object]:
    with engine.connect() as connection:
        options = {"compare_type": True, "compare_server_default": True, "version_table": VERSION_TABLE}
        return list(compare_metadata(MigrationContext.configure(connection, opts=options), metadata))


def version(engine: sa.Engine) -> list[str]:
    with engine.connect() as connection:
        return list(
            connection.execute(sa.select(sa.column("version_num")).select_from(sa.table(VERSION_TABLE))).scalars()
        )


def test_the_migrations_make_the_tables_of_the_record(url: str, engine: sa.Engine) -> None:
    Record(url).close()
    assert differences(engine) == []
    assert version(engine) == [NEWEST]


def test_a_record_is_brought_up_by_a_later_migration_with_what_it_holds(
    url: str, engine: sa.Engine, later: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = Record(url)
    record.seal(DRAW, "nonce", SECRET)
    record.gate("sub_1", answered([said("A")]))
    before = record.find("sub_1")
    record.close()
    monkeypatch.setattr(records, "VERSIONS", later)
    for _ in range(2):  # the second start changes nothing
        record = Record(url)
        assert version(engine) == ["9998"]
        assert "later" in columns(engine)
        assert record.find("sub_1") == before
        assert record.extracted_answers("sub_1", range(1)) == {0: {"name": "A"}}
        record.close()


def test_processes_that_start_together_on_an_older_record_upgrade_it_once(
    url: str, engine: sa.Engine, later: Path
) -> None:
    Record(url).close()
    started = [
        subprocess.Popen([sys.executable, "-c", OPEN, url, str(later)], cwd=ROOT, stderr=subprocess.PIPE, text=True)
        for _ in range(4)
    ]
    assert [process.communicate(timeout=120)[1] for process in started] == [""] * 4
    assert columns(engine).count("later") == 1
    assert version(engine) == ["9998"]


def test_a_failed_upgrade_leaves_nothing_behind(
    url: str, engine: sa.Engine, later: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Record(url).close()
    before = columns(engine)
    (later / "9999_fails.py").write_text(FAILS)
    monkeypatch.setattr(records, "VERSIONS", later)
    with pytest.raises(RuntimeError, match="half done"):
        Record(url)
    assert columns(engine) == before
    assert version(engine) == [NEWEST]


def test_a_record_and_the_api_s_tables_may_share_a_database(url: str, engine: sa.Engine) -> None:
    upgrade(engine)
    Record(url).close()
    upgrade(engine)
    assert version(engine) == [NEWEST]
    assert sa.inspect(engine).has_table("submissions")
