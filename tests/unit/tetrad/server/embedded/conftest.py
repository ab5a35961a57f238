"""Data directories at free ports, and processes that look like those of one."""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.ports import free_port
from tetrad.server.embedded.data_directory import DataDirectory, open_data_directory

ROOT = Path(__file__).parents[5]
RECORDED = """
import sys, time
from pathlib import Path
from tetrad.server.embedded import process_records
process_records.record(Path(sys.argv[1]), sys.argv[2])
print("recorded", flush=True)
time.sleep(60)
"""
Spawn = Callable[[str], "subprocess.Popen[str]"]


def at_free_ports(folder: Path) -> dict[str, str]:
    names = ("TETRAD_PORT", "TETRAD_GATEWAY_PORT", "TETRAD_METRICS_PORT")
    return {"TETRAD_HOME": str(folder), **dict(zip(names, (str(free_port()) for _ in names), strict=True))}


@pytest.fixture
def data(tmp_path: Path) -> DataDirectory:
    return open_data_directory(at_free_ports(tmp_path / "var"))


@contextmanager
def looking_like_a_supervisor(data: DataDirectory) -> Iterator["subprocess.Popen[bytes]"]:
    """Run a process that looks like this data directory's supervisor."""
    process = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)", str(data.supervisor_conf)])
    while not (Path("/proc") / str(process.pid) / "cmdline").read_bytes():
        time.sleep(0.01)  # it is between two programs
    yield process
    process.kill()
    process.wait()


@pytest.fixture
def recording_folder(tmp_path: Path) -> Path:
    """The data directory that spawned processes record themselves for."""
    return tmp_path


@pytest.fixture
def spawn(recording_folder: Path) -> Iterator[Spawn]:
    """Start a process of this name that records itself and sleeps."""
    started: list[subprocess.Popen[str]] = []

    def spawned(name: str) -> "subprocess.Popen[str]":
        command = [sys.executable, "-c", RECORDED, str(recording_folder), name]
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)
        started.append(process)
        assert process.stdout is not None
        assert process.stdout.readline() == "recorded\n"
        return process

    yield spawned
    for process in started:
        process.kill()
        process.wait()
        assert process.stdout is not None
        process.stdout.close()
