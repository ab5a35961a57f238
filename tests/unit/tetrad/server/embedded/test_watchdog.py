"""The watchdog kills what gives no sign of life for its patience, knows a start from a stop, and backs off."""

import os
import signal
import socket
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.unit.tetrad.server.embedded.conftest import Spawn
from tetrad.server.embedded import process_records
from tetrad.server.embedded.programs import Watched
from tetrad.server.embedded.watchdog import Patience, Watchdog, checks


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def silent_port() -> Iterator[int]:
    """A port that takes connections and says nothing, as a process that hangs."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        yield listener.getsockname()[1]


def test_a_program_that_was_up_has_its_patience_and_one_that_starts_a_longer_one() -> None:
    patience = Patience(0, usual=30, at_start=180)
    assert not patience.is_over(179)
    assert patience.is_over(181)
    patience.sign(100)
    assert not patience.is_over(129)
    assert patience.is_over(131)


def test_what_hangs_again_and_again_is_given_twice_as_long_each_time_up_to_an_hour() -> None:
    patience, now, waits = Patience(0, usual=30, at_start=180), 0.0, []
    for _ in range(7):
        begun = now
        while not patience.is_over(now):
            now += 1
        waits.append(round(now - begun, -1))
        patience.count_restart(now)
    assert waits == [180, 360, 720, 1440, 2880, 3600, 3600]


def test_a_program_that_stays_up_has_its_first_patience_again() -> None:
    patience = Patience(0, usual=30, at_start=180)
    patience.sign(1)
    patience.count_restart(40)
    for now in range(50, 200):
        patience.sign(now)
    assert patience.is_over(199 + 31)


def test_a_program_that_gives_no_sign_is_killed_with_its_workers_and_nobody_else(
    tmp_path: Path, spawn: Spawn, silent_port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tetrad.server.embedded.watchdog.ANSWER_SECONDS", 0.1)
    main, worker, other, supervisor = (spawn(name) for name in ("api", "api worker", "gateway", "supervisor"))
    clock = Clock()
    watched = Watched(data_directory=str(tmp_path), http={"api": silent_port}, valkey={}, files={})
    watchdog = Watchdog(watched, clock.now)
    for _ in range(18):
        clock.now += 9.9
        watchdog.look(clock)
    assert main.poll() is None, "178 s are within the patience of a start"
    clock.now += 9.9
    watchdog.look(clock)
    assert [main.wait(5), worker.wait(5)] == [-signal.SIGKILL] * 2
    assert (other.poll(), supervisor.poll()) == (None, None)


def test_a_single_worker_that_is_stopped_is_killed_after_the_patience(tmp_path: Path, spawn: Spawn) -> None:
    stopped, other = spawn("generator worker"), spawn("generator worker")
    os.kill(stopped.pid, signal.SIGSTOP)
    end = time.monotonic() + 5
    while not any(map(process_records.is_stopped, process_records.live(tmp_path))) and time.monotonic() < end:
        time.sleep(0.01)
    beat = tmp_path / "beat"
    beat.touch()
    clock = Clock()
    watched = Watched(data_directory=str(tmp_path), http={}, valkey={}, files={"scoring": str(beat)})
    watchdog = Watchdog(watched, clock.now)
    for _ in range(4):
        watchdog.look(clock)
        clock.now += 10
    assert stopped.poll() is None
    watchdog.look(clock)
    assert stopped.wait(5) == -signal.SIGKILL
    assert other.poll() is None


def test_nobody_is_killed_for_the_time_in_which_the_machine_slept(
    tmp_path: Path, spawn: Spawn, silent_port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tetrad.server.embedded.watchdog.ANSWER_SECONDS", 0.1)
    main, clock = spawn("api"), Clock()
    watchdog = Watchdog(
        Watched(data_directory=str(tmp_path), http={"api": silent_port}, valkey={}, files={}), clock.now
    )
    clock.now += 10_000
    watchdog.look(clock)
    assert main.poll() is None


def test_signs_of_life_are_answers_of_any_kind_and_a_file_that_was_touched_since(
    tmp_path: Path, silent_port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tetrad.server.embedded.watchdog.ANSWER_SECONDS", 0.1)
    beat = tmp_path / "beat"
    watched = Watched(
        data_directory=str(tmp_path),
        http={"api": silent_port},
        valkey={"valkey": silent_port},
        files={"scoring": str(beat)},
    )
    found = checks(watched)
    assert {name: check() for name, check in found.items()} == {"api": False, "valkey": False, "scoring": False}
    beat.touch()
    assert found["scoring"]() is False, "it may have been left by an earlier start"
    os.utime(beat, (1, 1))
    assert found["scoring"]() is True
    assert found["scoring"]() is False
