"""A program ends with its parent, whatever killed that, and so do the processes that it forked."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[5]
MODULE = "tetrad.server.embedded.die_with_parent"
PARENT = f"import subprocess, sys; subprocess.run([sys.executable, '-m', '{MODULE}', *sys.argv[1:]])"
FORKING = """
import os, time
worker = os.fork()
if worker:
    print(os.getpid(), worker, flush=True)
time.sleep(60)
"""
SLEEPING = "import os, time; print(os.getpid(), flush=True); time.sleep(60)"


@pytest.fixture
def module(tmp_path: Path) -> str:
    (tmp_path / "forking.py").write_text(FORKING)
    return "forking"


@contextmanager
def started(folder: Path, *command: str) -> Iterator[tuple["subprocess.Popen[str]", list[int]]]:
    """Start a parent of the tied command; yield it, and the process ids that the command prints."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join((str(ROOT), str(folder)))}
    with subprocess.Popen(
        [sys.executable, "-c", PARENT, *command], env=environment, stdout=subprocess.PIPE, text=True
    ) as parent:
        assert parent.stdout is not None
        yield parent, [int(pid) for pid in parent.stdout.readline().split()]


def is_alive(pid: int) -> bool:
    try:
        return (Path("/proc") / str(pid) / "stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def have_ended(pids: list[int]) -> bool:
    end = time.monotonic() + 10
    while time.monotonic() < end and any(map(is_alive, pids)):
        time.sleep(0.02)
    return not any(map(is_alive, pids))


def test_a_program_ends_when_its_parent_is_killed(tmp_path: Path) -> None:
    with started(tmp_path, sys.executable, "-c", SLEEPING) as (parent, pids):
        assert [is_alive(pid) for pid in pids] == [True]
        parent.kill()
        assert have_ended(pids)


def test_a_module_and_what_it_forked_end_when_its_parent_is_killed(tmp_path: Path, module: str) -> None:
    with started(tmp_path, "-m", module) as (parent, pids):
        assert [is_alive(pid) for pid in pids] == [True, True]
        parent.kill()
        assert have_ended(pids)


def test_what_a_module_forked_ends_when_only_the_module_is_killed(tmp_path: Path, module: str) -> None:
    with started(tmp_path, "-m", module) as (_, (own, worker)):
        os.kill(own, signal.SIGKILL)
        assert have_ended([worker])
