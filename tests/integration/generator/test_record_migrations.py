"""The record's migrations make just the tables that the code speaks of, and bring up the records of every release."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext

from generator_service.sealing import record as records
from generator_service.sealing.record import VERSION_TABLE, VERSIONS, Record, metadata
from tests.integration.generator.test_record import DRAW, ROOT, SECRET, answered, said
from tetrad.server.database import make_engine

NEWEST = max(path.name.partition("_")[0] for path in VERSIONS.glob("0*.py"))
OPEN = "import sys; from generator_service.sealing.record import Record; Record(sys.argv[1])"

# The tables as release b1a7143 made them, and as the first release did.
DRAWS = """CREATE TABLE sealed_draws (submission VARCHAR(64) NOT NULL, nonce VARCHAR(128) NOT NULL,
    identity TEXT NOT NULL, size INTEGER NOT NULL, commitment VARCHAR(64) NOT NULL, sealed_at BIGINT NOT NULL,
    revealed_at BIGINT, answers VARCHAR(64), {}PRIMARY KEY (submission))"""
GATED = """CREATE TABLE gated_answers (submission VARCHAR(64) NOT NULL, item INTEGER NOT NULL,
    question VARCHAR(64) NOT NULL, digest VARCHAR(64) NOT NULL, {}PRIMARY KEY (submission, item, question))"""
RELEASES = {
    "b1a7143": ("secret VARCHAR(16), seed VARCHAR(64), ranges TEXT, closed_at BIGINT, ", "reading TEXT, "),
    "the first": ("", ""),
}


@pytest.fixture
def engine(url: str) -> Iterator[sa.Engine]:
    engine = make_engine(url)
    yield engine
    engine.dispose()


@pytest.fixture(params=RELEASES)
def older(request: pytest.FixtureRequest, engine: sa.Engine) -> sa.Engine:
    """The record of an older release, with a draw and an answer."""
    draws, reading = RELEASES[request.param]
    values = {"identity": '{"benchmark":"toy","version":1,"bank":"b","track":"t","setting":"s","parameters":{}}'}
    with engine.begin() as connection:
        for statement in (DRAWS.format(draws), GATED.format(reading)):
            connection.execute(sa.text(statement))
        connection.execute(
            sa.text(
                "INSERT INTO sealed_draws (submission, nonce, identity, size, commitment, sealed_at)"
                " VALUES ('sub_0', 'n', :identity, 3, 'c', 1)"
            ),
            values,
        )
        connection.execute(
            sa.text("INSERT INTO gated_answers (submission, item, question, digest) VALUES ('sub_0', 1, 'name', 'd')")
        )
    return engine


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


def test_a_record_of_an_older_release_is_brought_up_with_what_it_holds(url: str, older: sa.Engine) -> None:
    for _ in range(2):  # the second start changes nothing
        record = Record(url)
        assert differences(older) == []
        assert version(older) == [NEWEST]
        stored = record.find("sub_0")
        assert stored is not None
        assert (stored.nonce, stored.sealed.size, stored.revealed, stored.secret) == ("n", 3, False, None)
        assert record.gated("sub_0", [1]) == {(1, "name"): ("d", False, None)}
        record.close()
    record = Record(url)
    record.seal(DRAW, "nonce", SECRET)
    record.gate("sub_1", answered([said("A")]))
    assert record.extracted("sub_1", range(1)) == {0: {"name": "A"}}
    record.close()


def test_processes_that_start_together_on_an_older_record_upgrade_it_once(url: str, older: sa.Engine) -> None:
    started = [
        subprocess.Popen([sys.executable, "-c", OPEN, url], cwd=ROOT, stderr=subprocess.PIPE, text=True)
        for _ in range(4)
    ]
    assert [process.communicate(timeout=120)[1] for process in started] == [""] * 4
    assert differences(older) == []
    assert version(older) == [NEWEST]


def test_a_failed_upgrade_leaves_nothing_behind(
    url: str, older: sa.Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = sorted(column["name"] for column in sa.inspect(older).get_columns("sealed_draws"))
    broken = tmp_path / "a folder, with %20 and : in it"
    broken.mkdir()
    for path in VERSIONS.glob("0*.py"):
        (broken / path.name).write_text(path.read_text())
    (broken / "9999_fails.py").write_text(
        f'revision = "9999"\ndown_revision = "{NEWEST}"\n\ndef upgrade():\n    raise RuntimeError("half done")\n'
    )
    monkeypatch.setattr(records, "VERSIONS", broken)
    with pytest.raises(RuntimeError, match="half done"):
        Record(url)
    inspector = sa.inspect(older)
    assert sorted(column["name"] for column in inspector.get_columns("sealed_draws")) == before
    assert not inspector.has_table(VERSION_TABLE)


def test_a_record_and_the_api_s_tables_may_share_a_database(url: str, engine: sa.Engine) -> None:
    from api.database.upgrading import upgrade  # noqa: PLC0415

    upgrade(engine)
    Record(url).close()
    upgrade(engine)
    assert version(engine) == [NEWEST]
    assert sa.inspect(engine).has_table("submissions")
