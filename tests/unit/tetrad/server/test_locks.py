"""Locks between threads and processes: every wait has an end, and a wait that was given up holds nothing."""

import fcntl
import os
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa

from tetrad.server import locks
from tetrad.server.database import make_engine, write_transaction
from tetrad.server.locks import LockHeldError, hold_lock, write_lock

HOLDING = """
import fcntl, sys, time
file = open(sys.argv[1], "a")
fcntl.flock(file, fcntl.LOCK_EX)
print("held", flush=True)
time.sleep(60)
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "lock"


@pytest.fixture
def holder(path: Path) -> Iterator["subprocess.Popen[str]"]:
    """Another process that holds the lock and hangs."""
    command = [sys.executable, "-c", HOLDING, str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        yield process
        process.kill()


def waiting_threads() -> int:
    return sum(thread.name == "lock" for thread in threading.enumerate())


def is_free(path: Path) -> bool:
    with path.open() as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


def test_a_lock_that_is_held_is_waited_for_so_long_and_named(path: Path, holder: "subprocess.Popen[str]") -> None:
    begun = time.monotonic()
    with (
        pytest.raises(LockHeldError, match=rf"{path} was held by another process for 0 s.*fuser -v {path}"),
        hold_lock(path, 0.3),
    ):
        pass
    assert 0.3 <= time.monotonic() - begun < 30


def test_a_lock_that_is_freed_while_one_waits_is_had(path: Path, holder: "subprocess.Popen[str]") -> None:
    threading.Timer(0.3, holder.kill).start()
    with hold_lock(path, 20):
        assert not is_free(path)
    assert is_free(path)


def test_waits_that_were_given_up_leave_one_thread_and_no_lock(path: Path, holder: "subprocess.Popen[str]") -> None:
    for _ in range(20):
        with pytest.raises(LockHeldError), hold_lock(path, 0.01):
            pass
    assert waiting_threads() == 1
    holder.kill()
    end = time.monotonic() + 10
    while (waiting_threads() or not is_free(path)) and time.monotonic() < end:
        time.sleep(0.01)
    assert waiting_threads() == 0
    assert is_free(path)
    assert locks._abandoned == []


def test_a_wait_that_was_given_up_is_taken_over(path: Path, holder: "subprocess.Popen[str]") -> None:
    with pytest.raises(LockHeldError), hold_lock(path, 0.01):
        pass
    threading.Timer(0.3, holder.kill).start()
    with hold_lock(path, 20):
        assert not is_free(path)
    assert is_free(path)


def test_a_wait_that_a_signal_ends_holds_nothing_later(
    path: Path, holder: "subprocess.Popen[str]", monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> bool:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(threading.Event, "wait", interrupted)
        with pytest.raises(KeyboardInterrupt), hold_lock(path, 20):
            pass
    holder.kill()
    end = time.monotonic() + 10
    while (waiting_threads() or not is_free(path)) and time.monotonic() < end:
        time.sleep(0.01)
    assert is_free(path)


def test_threads_keep_each_other_out(path: Path) -> None:
    counted = 0

    def count() -> None:
        nonlocal counted
        for _ in range(50):
            with write_lock(str(path)):
                before = counted
                time.sleep(0)
                counted = before + 1

    threads = [threading.Thread(target=count) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert counted == 400


def test_a_write_beside_a_process_that_hangs_fails_as_the_database_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(locks, "PATIENCE_SECONDS", 0.3)
    engine = make_engine(f"sqlite:///{tmp_path}/x.sqlite")
    command = [sys.executable, "-c", HOLDING, f"{tmp_path}/x.sqlite{locks.TURN}"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        process.stdout.readline()
        with (
            pytest.raises(sa.exc.OperationalError, match=r"x\.sqlite-turn was held by another process"),
            write_transaction(engine),
        ):
            pass
        process.kill()
    with write_transaction(engine) as connection:
        connection.exec_driver_sql("CREATE TABLE t (a)")
    engine.dispose()


def test_only_its_owner_can_open_a_lock_s_file(path: Path) -> None:
    before = os.umask(0)
    try:
        with hold_lock(path, 1):
            pass
    finally:
        os.umask(before)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
