"""Backup and restore of a data directory: of one moment, whole or not at all, and checked byte by byte."""

import hashlib
import json
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import msgspec
import pytest
import sqlalchemy as sa

from api.database.schema import operator_acts as acts
from api.database.upgrading import upgrade
from generator_service.sealing.record import Record
from tests.damaging import zero_pages
from tests.unit.tetrad.server.embedded.conftest import at_free_ports, looking_like_a_supervisor
from tetrad.commitments import GENESIS, commitment_of, entry_of
from tetrad.contracts.items import DrawIdentity
from tetrad.server.database import make_engine
from tetrad.server.database_damage import DatabaseDamagedError
from tetrad.server.embedded import audit_log
from tetrad.server.embedded.backups import (
    MANIFEST,
    DamagedBackupError,
    DamagedDataError,
    Manifest,
    back_up,
    check_databases,
    check_files,
    digest_of,
    finish,
    open_database,
    restore,
)
from tetrad.server.embedded.data_directory import (
    DataDirectory,
    EmbeddedError,
    check_free,
    load_secrets,
    open_data_directory,
    rotate_seed_secret,
)

BODY = b'{"a": "report"}'
DIGEST = hashlib.sha256(BODY).hexdigest()
REPORT = f"reports/sub_1/1-{DIGEST}.json"
ROW = "INSERT INTO reports VALUES ('sub_1', 1, ?, ?, 's', 'm', 'h', 1, 1, 1, 0, 0, 1, '[]', 1, '[]')"
SEALED = "INSERT INTO answers (submission_id, item, question, sealed_at) VALUES ('sub_1', ?, 'q', 1)"
Damage = Callable[[Path], object]


@pytest.fixture
def data(tmp_path: Path) -> DataDirectory:
    """A data directory with the tables of a real one, a report and its object."""
    data = open_data_directory({"TETRAD_HOME": str(tmp_path / "data")})
    load_secrets(data)
    engine = make_engine(f"sqlite:///{data.database}")
    upgrade(engine)
    engine.dispose()
    Record(f"sqlite:///{data.record}").close()
    (data.objects / "reports" / "sub_1").mkdir(parents=True)
    (data.objects / REPORT).write_bytes(BODY)
    with closing(open_database(data.database)) as connection:
        connection.execute(ROW, (REPORT, DIGEST))
    return data


@pytest.fixture
def backup(data: DataDirectory, tmp_path: Path) -> Path:
    back_up(data, tmp_path / "backup", with_secrets=True)
    return tmp_path / "backup"


@pytest.fixture
def other(tmp_path: Path) -> DataDirectory:
    return DataDirectory(folder=tmp_path / "other", port=8000)


def manifest_of(backup: Path) -> Manifest:
    return msgspec.json.decode((backup / MANIFEST).read_bytes(), type=Manifest)


def rewrite(backup: Path, **fields: object) -> None:
    kept = json.loads((backup / MANIFEST).read_text())
    (backup / MANIFEST).write_text(json.dumps(kept | fields))


def test_what_is_backed_up_is_restored_byte_for_byte(data: DataDirectory, backup: Path, other: DataDirectory) -> None:
    told: list[tuple[int, int]] = []
    manifest = restore(other, backup, lambda done, total: told.append((done, total)))
    finish(other)
    assert told[-1] == (4, 4)
    assert manifest == manifest_of(backup)
    assert {name: digest_of(other.folder / name) for name in manifest.files} == manifest.files
    assert (other.objects / REPORT).read_bytes() == BODY
    assert load_secrets(other) == load_secrets(data)
    assert stat.S_IMODE(other.secrets.stat().st_mode) == 0o600
    check_free(open_data_directory(at_free_ports(other.folder)))


def test_secrets_are_left_out_unless_asked_for(data: DataDirectory, tmp_path: Path, other: DataDirectory) -> None:
    manifest = back_up(data, tmp_path / "open", with_secrets=False)
    assert (manifest.secrets, "secrets.json" in manifest.files) == ("left out", False)
    texts = [path.read_bytes() for path in (tmp_path / "open").rglob("*") if path.is_file()]
    assert not any(load_secrets(data).seed_secret.encode() in text for text in texts)
    other.folder.mkdir()
    other.secrets.write_bytes(data.secrets.read_bytes())
    restore(other, tmp_path / "open")
    assert load_secrets(other) == load_secrets(data), "the operator may put them there first"


def test_both_databases_are_of_one_moment_whatever_is_written_meanwhile(data: DataDirectory, tmp_path: Path) -> None:
    """The writer seals an answer in the api's database, then gates on it in the record's, as the services do."""
    begun, done = threading.Event(), threading.Event()

    def write() -> None:
        with closing(open_database(data.database)) as api, closing(open_database(data.record)) as record:
            number = 0
            while not done.is_set():
                number += 1
                api.execute(SEALED, (number,))
                record.execute("INSERT INTO gated_answers VALUES ('sub_1', ?, 'q', 'd', 'A')", (number,))
                begun.set()

    writer = threading.Thread(target=write)
    writer.start()
    try:
        assert begun.wait(30)
        for place in range(5):
            time.sleep(0.05)
            back_up(data, tmp_path / str(place), with_secrets=False)
    finally:
        done.set()
        writer.join()
    made = [tmp_path / str(place) for place in range(5)]
    counts = [(_count(one, "tetrad", "answers"), _count(one, "generator", "gated_answers")) for one in made]
    assert all(gated <= sealed <= gated + 1 for sealed, gated in counts), counts
    assert counts[-1][0] > counts[0][0] > 0, "it was written while it was copied"


def _count(backup: Path, database: str, table: str) -> int:
    with closing(open_database(backup / f"{database}.sqlite")) as connection:
        query = f"SELECT count(*) FROM {table}"  # noqa: S608 -- a name of the tests
        return int(connection.execute(query).fetchone()[0])


def test_a_backup_is_whole_or_not_there(data: DataDirectory, tmp_path: Path) -> None:
    with pytest.raises(EmbeddedError, match="exists already"):
        back_up(data, data.folder, with_secrets=False)
    (data.objects / REPORT).unlink()
    with pytest.raises(EmbeddedError, match=r"1 objects are not in the store, the first 'objects/reports/sub_1/1-"):
        back_up(data, tmp_path / "backup", with_secrets=False)
    nothing = DataDirectory(folder=tmp_path / "nothing", port=1)
    with pytest.raises(EmbeddedError, match="holds no instance"):
        back_up(nothing, tmp_path / "backup", with_secrets=False)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["data"]


def test_a_database_without_tables_is_refused_with_what_to_do(data: DataDirectory, tmp_path: Path) -> None:
    data.database.unlink()
    data.database.touch()
    with pytest.raises(EmbeddedError, match=r"data: a database can't be copied \(no such table.*\); start it once"):
        back_up(data, tmp_path / "backup", with_secrets=False)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["data"]


def add_rows(data: DataDirectory) -> None:
    """Seal two draws: their entries stand in the log, and one of them is revealed."""
    identity = DrawIdentity(benchmark="b", version=1, bank="", track="t", setting="s", parameters={})
    previous = GENESIS
    with closing(open_database(data.database)) as connection:
        for number in (1, 2):
            entry = entry_of(number, f"sub_{number}", "c", "now", previous)
            row = (number, entry.submission, "c", "now", previous, entry.entry)
            connection.execute("INSERT INTO commitments VALUES (?, ?, ?, ?, ?, ?)", row)
            previous = entry.entry
    draw = ("sub_1", "n", msgspec.json.encode(identity).decode(), commitment_of(identity, "5eed", 3))
    with closing(open_database(data.record)) as connection:
        columns = "submission, nonce, identity, commitment, size, sealed_at, seed"
        connection.execute(f"INSERT INTO sealed_draws ({columns}) VALUES (?, ?, ?, ?, 3, 1, '5eed')", draw)  # noqa: S608


def execute(path: Path, statement: str) -> None:
    with closing(open_database(path)) as connection:
        connection.execute(statement)


def add_harmed_report(data: DataDirectory) -> None:
    """Keep a report whose name has no digest, and change it: its row alone tells."""
    name = "reports/sub_1/2.json"
    (data.objects / name).write_bytes(b"x")
    execute(data.database, f"UPDATE reports SET object = '{name}'")  # noqa: S608 -- a name of the tests


HARMS: dict[str, tuple[Callable[[DataDirectory], object], str]] = {
    "a report changed": (lambda data: (data.objects / REPORT).write_bytes(b"x"), r"1 objects are damaged.*sub_1/1-"),
    "half a report": (lambda data: (data.objects / REPORT).write_bytes(BODY[:5]), r"1 objects are damaged.*sub_1/1-"),
    "a report without a digest in its name": (add_harmed_report, r"1 objects are damaged.*sub_1/2\.json"),
    "an unnamed object": (
        lambda data: (data.objects / "reports" / f"1-{'0' * 64}.json").write_bytes(BODY),
        "1 objects are damaged.*1-0000",
    ),
    "a page of the api's database": (lambda data: zero_pages(data.database, "reports"), r"tetrad\.sqlite is damaged"),
    "a page of the record": (lambda data: zero_pages(data.record, "gated_answers"), r"generator\.sqlite is damaged"),
    "no database": (lambda data: data.record.write_bytes(b"x" * 8192), "is damaged"),
    "an entry of the log": (
        lambda data: execute(data.database, "UPDATE commitments SET at = 'then' WHERE number = 2"),
        r"entry 2 of the log in .*tetrad\.sqlite is damaged",
    ),
    "a seed": (
        lambda data: execute(data.record, "UPDATE sealed_draws SET seed = 'feed'"),
        r"the draw of sub_1 in .*generator\.sqlite is damaged",
    ),
}


@pytest.mark.parametrize(("harm", "told"), HARMS.values(), ids=HARMS)
def test_damaged_data_is_not_backed_up_and_a_good_backup_stays(
    harm: Callable[[DataDirectory], object], told: str, data: DataDirectory, tmp_path: Path
) -> None:
    add_rows(data)
    manifest = back_up(data, tmp_path / "good", with_secrets=False)
    harm(data)
    with pytest.raises(DamagedDataError, match=told):
        back_up(data, tmp_path / "bad", with_secrets=False)
    with pytest.raises(EmbeddedError, match="exists already"):
        back_up(data, tmp_path / "good", with_secrets=False)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["data", "good"]
    check_files(tmp_path / "good", manifest)


def test_a_start_refuses_a_damaged_database(data: DataDirectory) -> None:
    check_databases(data)
    zero_pages(data.record, "sealed_draws")
    with pytest.raises(DamagedDataError, match=r"generator\.sqlite is damaged"):
        check_databases(data)
    with pytest.raises(DatabaseDamagedError, match=r"generator\.sqlite is damaged"):
        Record(f"sqlite:///{data.record}")


DAMAGES: dict[str, tuple[Damage, str]] = {
    "a bit": (lambda backup: (backup / "objects" / REPORT).write_bytes(b'{"a": "Report"}'), "json is damaged"),
    "a file gone": (lambda backup: (backup / "generator.sqlite").unlink(), "generator.sqlite is missing"),
    "a file more": (lambda backup: (backup / "more.txt").write_text("x"), "more.txt is not in the manifest"),
    "no manifest": (lambda backup: (backup / MANIFEST).unlink(), "is this a backup"),
    "half a manifest": (lambda backup: (backup / MANIFEST).write_text("{"), "is this a backup"),
    "no fields": (lambda backup: (backup / MANIFEST).write_text('{"format": 1}'), "is this a backup"),
    "a path outside": (
        lambda backup: rewrite(backup, files={"../x": {"bytes": 1, "sha256": "0"}}),
        "'../x', which is not a file of a data",
    ),
    "another folder's": (lambda backup: (backup / MANIFEST).write_text("{}"), "none of a backup"),
    "a newer format": (lambda backup: rewrite(backup, format=2), "has format 2; this version reads 1"),
    "a newer database": (
        lambda backup: rewrite(backup, database_revision="0999"),
        "is newer than this tetrad .* database revision 0999; restore it with that version",
    ),
}


@pytest.mark.parametrize("name", DAMAGES)
def test_a_damaged_or_newer_backup_is_refused_by_name_and_nothing_is_written(
    backup: Path, other: DataDirectory, name: str
) -> None:
    damage, message = DAMAGES[name]
    damage(backup)
    with pytest.raises(EmbeddedError, match=message):
        restore(other, backup)
    assert not other.folder.exists()


def test_a_data_directory_that_holds_anything_is_refused_by_its_name(
    backup: Path, data: DataDirectory, other: DataDirectory
) -> None:
    with pytest.raises(EmbeddedError, match=r"data is not empty: it has tetrad\.sqlite"):
        restore(data, backup)
    other.folder.mkdir()
    (other.folder / "secrets.json").write_text("{}")
    with pytest.raises(EmbeddedError, match=r"it has secrets\.json"):
        restore(other, backup)
    assert (other.folder / "secrets.json").read_text() == "{}"


@pytest.mark.parametrize("log", ["tetrad.sqlite-wal", "generator.sqlite-wal", "tetrad.sqlite-journal"])
def test_a_log_that_a_removed_database_left_behind_is_refused(backup: Path, other: DataDirectory, log: str) -> None:
    other.folder.mkdir()
    (other.folder / log).write_bytes(b"pages of another database")
    with pytest.raises(EmbeddedError, match=f"it has {log}"):
        restore(other, backup)
    assert not other.database.exists()


@pytest.fixture
def supervisor(other: DataDirectory) -> Iterator["subprocess.Popen[bytes]"]:
    other.run.mkdir(parents=True)
    with looking_like_a_supervisor(other) as process:
        other.pid_file.write_text(str(process.pid))
        yield process


@pytest.mark.usefixtures("supervisor")
def test_a_running_data_directory_is_refused(backup: Path, other: DataDirectory) -> None:
    with pytest.raises(EmbeddedError, match="is running; stop it"):
        restore(other, backup)
    assert not other.database.exists()


def test_a_file_that_changes_while_it_is_read_takes_everything_back(
    backup: Path, other: DataDirectory, monkeypatch: pytest.MonkeyPatch
) -> None:
    def change(done: int, _total: int) -> None:
        if done == 1:
            (backup / "objects" / REPORT).write_bytes(b"other")

    with pytest.raises(DamagedBackupError, match="changed while it was read; nothing was restored"):
        restore(other, backup, change)
    assert [path.name for path in other.folder.rglob("*") if path.is_file()] == []


def test_a_broken_off_restore_is_neither_started_nor_in_the_way_of_the_next(
    backup: Path, other: DataDirectory, tmp_path: Path
) -> None:
    script = (
        "import os, sys; from pathlib import Path; from tetrad.server.embedded.data_directory import DataDirectory\n"
        "from tetrad.server.embedded.backups import restore\n"
        "stop = lambda done, total: done == 3 and os._exit(9)\n"
        "restore(DataDirectory(folder=Path(sys.argv[1]), port=8000), Path(sys.argv[2]), stop)"
    )
    killed = subprocess.run([sys.executable, "-c", script, str(other.folder), str(backup)], check=False)
    assert killed.returncode == 9
    assert other.database.exists()
    with pytest.raises(EmbeddedError, match="was broken off; run `tetrad admin restore` again"):
        check_free(other)
    restore(other, backup)
    finish(other)
    assert not other.unfinished_restore.exists()
    assert (other.objects / REPORT).exists()


def test_a_restore_broken_off_while_its_marker_was_written_is_not_in_the_way(
    backup: Path, other: DataDirectory
) -> None:
    other.folder.mkdir()
    other.unfinished_restore.write_bytes(b'["tetrad.sqlite", "gener')
    restore(other, backup)
    finish(other)
    assert (other.objects / REPORT).exists()


def test_what_is_done_to_files_is_in_the_audit_log(data: DataDirectory, other: DataDirectory) -> None:
    audit_log.note(data, "backup", reason="nightly", files=4)
    audit_log.note(other, "rotate secret")
    engine = make_engine(f"sqlite:///{data.database}")
    with engine.connect() as connection:
        (row,) = connection.execute(sa.select(acts)).all()
    engine.dispose()
    assert (row.operator, row.act, row.subject, row.reason) == ("local", "backup", "instance", "nightly")
    assert json.loads(row.details) == {"files": 4}
    assert abs(row.at / 1000 - time.time()) < 60


def test_a_database_without_a_log_says_what_to_do(data: DataDirectory) -> None:
    with closing(open_database(data.database)) as connection:
        connection.execute("DROP TABLE operator_acts")
    with pytest.raises(EmbeddedError, match="start this version once"):
        audit_log.note(data, "backup")


def test_rotating_puts_a_new_secret_before_the_old_and_dropping_keeps_what_is_needed(
    data: DataDirectory, other: DataDirectory
) -> None:
    first = load_secrets(data).seed_secret
    second, kept = rotate_seed_secret(data).seed_secret.split(",")
    assert kept == first
    third = rotate_seed_secret(data).seed_secret.split(",")[0]
    assert rotate_seed_secret(data, keep=[first]).seed_secret == f"{third},{first}"
    assert load_secrets(data).seed_secret == f"{third},{first}"
    assert second not in data.secrets.read_text()
    assert stat.S_IMODE(data.secrets.stat().st_mode) == 0o600
    with pytest.raises(EmbeddedError, match="has no secrets to rotate"):
        rotate_seed_secret(other)
