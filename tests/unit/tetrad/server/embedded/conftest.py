"""Processes that record themselves for a data directory and sleep."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

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
