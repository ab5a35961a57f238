"""A start ends the orphans of its own data directory, known by id, start and folder, and nobody else."""

import json
import os
import shutil
import signal
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.unit.tetrad.server.embedded.conftest import Spawn
from tetrad.server.embedded import process_records
from tetrad.server.embedded.data_directory import (
    DataDirectory,
    EmbeddedError,
    is_running,
    take,
)


@pytest.fixture
def recording_folder(data: DataDirectory) -> Path:
    return data.folder


def change_record(data: DataDirectory, pid: int, **fields: object) -> None:
    path = data.folder / process_records.FOLDER / f"{pid}.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | fields))


def test_a_start_ends_what_an_earlier_one_left_behind_and_names_it(data: DataDirectory, spawn: Spawn) -> None:
    orphans = [spawn("generator"), spawn("generator worker")]
    os.kill(orphans[0].pid, signal.SIGSTOP)  # one that hangs ends, too
    ended = take(data)
    assert set(ended) == {
        f"generator (process {orphans[0].pid})",
        f"generator worker (process {orphans[1].pid})",
    }
    assert [one.wait(20) for one in orphans] == [-signal.SIGKILL] * 2


def test_a_process_with_the_id_of_an_orphan_but_another_start_is_left_alone(data: DataDirectory, spawn: Spawn) -> None:
    other = spawn("generator")
    change_record(data, other.pid, started="another boot:17")
    assert take(data) == []
    assert other.poll() is None


def test_an_id_that_is_given_to_another_process_before_the_kill_is_left_alone(
    data: DataDirectory, spawn: Spawn
) -> None:
    other = spawn("generator")
    (known,) = process_records.live(data.folder)
    process_records.end([known._replace(started="another boot:17")], 5)
    assert other.poll() is None


def test_the_processes_of_the_original_are_left_alone_by_a_copy_of_its_data_directory(
    data: DataDirectory, spawn: Spawn, tmp_path: Path
) -> None:
    original = spawn("generator")
    shutil.copytree(data.folder, tmp_path / "copy")
    copy = replace(data, folder=tmp_path / "copy")
    assert take(copy) == []
    assert original.poll() is None


def test_a_start_beside_a_running_supervisor_is_refused_and_ends_nobody(data: DataDirectory, spawn: Spawn) -> None:
    """The other start may be at its beginning: supervisord has written no file yet."""
    running = [spawn(process_records.SUPERVISOR), spawn("generator")]
    assert is_running(data)
    with pytest.raises(EmbeddedError, match="is running already; stop it, or set TETRAD_HOME"):
        take(data)
    assert [one.poll() for one in running] == [None, None]


def test_a_start_is_itself_recorded_as_the_supervisor(data: DataDirectory) -> None:
    assert take(data) == []
    (known,) = process_records.live(data.folder)
    assert (known.name, known.pid) == (process_records.SUPERVISOR, os.getpid())
    assert is_running(data)


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b'{"name": "x"}', b'{"name": "x", "pid": "y"}'])
def test_a_record_that_is_damaged_stops_no_start_and_goes(data: DataDirectory, body: bytes) -> None:
    folder = data.folder / process_records.FOLDER
    folder.mkdir()
    (folder / "1.json").write_bytes(body)
    assert take(data) == []
    assert [path.name for path in folder.iterdir()] == [f"{os.getpid()}.json"]


def test_a_record_is_whole_whenever_another_process_reads_it(data: DataDirectory) -> None:
    folder, done = data.folder / process_records.FOLDER, threading.Event()

    def read() -> list[object]:
        found: list[object] = []
        while not done.is_set():
            found += [known for _, known in process_records._records(folder)]
        return found

    with ThreadPoolExecutor(1) as pool:
        reading = pool.submit(read)
        try:
            for _ in range(500):
                process_records.record(data.folder, "api")
        finally:
            done.set()
    assert reading.result()
    assert None not in reading.result()


def test_records_of_processes_that_are_gone_go_with_the_next_one(data: DataDirectory, spawn: Spawn) -> None:
    gone = spawn("generator")
    gone.kill()
    gone.wait()
    (data.folder / process_records.FOLDER / f"{gone.pid}.part").write_bytes(b'{"na')
    process_records.record(data.folder, "api")
    assert [one.pid for one in process_records.live(data.folder)] == [os.getpid()]
    assert len(list((data.folder / process_records.FOLDER).iterdir())) == 1


def test_one_that_does_not_end_is_named(data: DataDirectory, spawn: Spawn, monkeypatch: pytest.MonkeyPatch) -> None:
    orphan = spawn("api")
    monkeypatch.setattr(signal, "pidfd_send_signal", lambda *_: None)  # as one that waits for a disk for ever
    monkeypatch.setattr("tetrad.server.embedded.data_directory.ORPHAN_SECONDS", 0.2)
    with pytest.raises(EmbeddedError, match=rf"left a process behind: api \(process {orphan.pid}\) was killed"):
        take(data)
