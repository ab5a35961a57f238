"""Locks and disks, real ones: what holds a lock is another process, and what fills a disk is a small file system."""

import logging
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
import sqlalchemy as sa
from litestar import Litestar, post
from litestar.testing import TestClient

from tetrad.server import shortages
from tetrad.server.database import make_engine, write_transaction
from tetrad.server.database_errors import DATABASE_HANDLERS
from tetrad.server.shortages import Disk, DiskWatch, LockWatch, disks_of

HOLD_TURN = "import fcntl, sys; f = open(sys.argv[1] + '-turn', 'a'); fcntl.flock(f, fcntl.LOCK_EX)"
HOLD_SQLITE = "import sqlite3, sys; c = sqlite3.connect(sys.argv[1]); c.execute('BEGIN EXCLUSIVE')"
WAITS = "; print('held', flush=True); sys.stdin.read()"


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[sa.Engine]:
    engine = make_engine(f"sqlite:///{tmp_path}/tetrad.db")
    with write_transaction(engine) as connection:
        connection.exec_driver_sql("CREATE TABLE t (x)")
    yield engine
    engine.dispose()


@contextmanager
def held(engine: sa.Engine, how: str) -> Iterator[None]:
    """Have another process hold the lock for the block."""
    holder = subprocess.Popen(
        [sys.executable, "-c", how + WAITS, str(engine.url.database)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert holder.stdout is not None
    assert holder.stdin is not None
    assert holder.stdout.readline() == b"held\n"
    try:
        yield
    finally:
        holder.stdin.close()
        holder.wait(10)
        holder.stdout.close()


@pytest.mark.parametrize("how", [HOLD_TURN, HOLD_SQLITE])
def test_a_lock_that_somebody_holds_is_told_and_so_is_its_end(
    engine: sa.Engine, how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shortages, "LOCKED_SECONDS", 1.0)
    monkeypatch.setattr(shortages, "FRESH_SECONDS", 0.0)
    watch = LockWatch(engine)
    assert watch.shortage() is None
    with held(engine, how):
        assert watch.shortage() is None, "a writer that waits for another one is no alarm"
        time.sleep(1.2)
        told = watch.shortage()
        assert told is not None
        assert "fuser -v tetrad.db-turn tetrad.db" in told
    end = time.monotonic() + 30
    while watch.shortage() is not None and time.monotonic() < end:
        time.sleep(0.05)
    assert watch.shortage() is None


def test_only_one_look_waits_at_a_time(engine: sa.Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shortages, "FRESH_SECONDS", 0.0)
    monkeypatch.setattr(shortages, "WAIT_SECONDS", 0.0)
    watch = LockWatch(engine)
    looks: list[int] = []
    whole = watch._look

    def look() -> None:
        looks.append(1)
        whole()

    monkeypatch.setattr(watch, "_look", look)
    with held(engine, HOLD_TURN):
        for _ in range(20):
            watch.shortage()
        assert len(looks) == 1
    assert watch._ended.wait(30)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root mounts a file system")
def test_a_full_disk_is_told_once_and_so_is_its_end(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    small = tmp_path / "small"
    small.mkdir()
    mount: list[str | Path] = ["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", small]
    if subprocess.run(mount, check=False, capture_output=True).returncode:
        pytest.skip("this container mounts nothing")
    try:
        caplog.set_level(logging.WARNING)
        watch = DiskWatch([Disk("database", small)], 2)
        assert watch.shortages() == {}
        filler = small / "filler"
        filler.write_bytes(bytes(3 * 2**20))
        assert watch.shortages() == watch.shortages() != {}
        assert "1 MiB are free" in watch.shortages()["database"]
        filler.unlink()
        assert watch.shortages() == {}
        assert [message.partition(":")[0] for message in caplog.messages] == [
            "the disk is full",
            "there is room on the disk again",
        ]
    finally:
        subprocess.run(["umount", small], check=True)


def test_a_write_on_a_full_disk_is_told_as_that_and_one_with_room_again_is_done(tmp_path: Path) -> None:
    mount: list[str | Path] = ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", tmp_path]
    if subprocess.run(mount, capture_output=True, check=False).returncode != 0:
        pytest.skip("this container mounts nothing")
    engine = make_engine(f"sqlite:///{tmp_path}/tetrad.db")

    @post("/", sync_to_thread=True)
    def write() -> None:
        with write_transaction(engine) as connection:
            connection.exec_driver_sql("CREATE TABLE IF NOT EXISTS t (x)")
            connection.exec_driver_sql("INSERT INTO t VALUES (zeroblob(100000))")

    try:
        with TestClient(Litestar([write], exception_handlers=DATABASE_HANDLERS)) as client:
            assert client.post("/").status_code == 201
            filler = tmp_path / "filler"
            with suppress(OSError), filler.open("wb", buffering=0) as full:
                while True:
                    full.write(bytes(4096))
            reply = client.post("/")
            assert reply.status_code == 503
            assert "the disk of the database is full" in reply.json()["detail"]
            assert "out of reach" not in reply.json()["detail"]
            assert reply.headers["Retry-After"]
            filler.unlink()
            assert client.post("/").status_code == 201
    finally:
        engine.dispose()
        subprocess.run(["umount", tmp_path], check=True)


def test_a_folder_that_is_not_there_yet_is_looked_at_by_its_parent(tmp_path: Path) -> None:
    watch = DiskWatch([Disk("objects", tmp_path / "not" / "yet")], 2**40)
    assert set(watch.shortages()) == {"objects"}


@pytest.mark.parametrize(
    ("database", "store", "what"),
    [
        ("sqlite:////data/tetrad.db", "file:///data/objects", ["database", "objects"]),
        ("postgresql+psycopg://u:p@h/d", "s3://bucket", []),
        ("sqlite://", "s3://bucket", []),
    ],
)
def test_only_disks_of_this_machine_are_watched(database: str, store: str, what: list[str]) -> None:
    assert [disk.what for disk in disks_of(database, store)] == what
