"""A program ends with its parent, whatever killed that, and so do the processes that it forked."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from tetrad.server.embedded import process_records
from tetrad.server.embedded.die_with_parent import wrap_command
from tetrad.server.trace_variables import ENDPOINT

ROOT = Path(__file__).parents[5]
PARENT = """
import subprocess, sys
from pathlib import Path
from tetrad.server.embedded.die_with_parent import wrap_command
from tetrad.server.trace_variables import ENDPOINT
subprocess.run(wrap_command(sys.argv[2:], "program", Path(sys.argv[1])))
"""
FORKING = """
import os, signal, time
signal.signal(signal.SIGTERM, lambda *_: None)  # as a worker that loads: its server's handler, and nobody to look
worker = os.fork()
if worker:
    print(os.getpid(), worker, flush=True)
while True:
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
        [sys.executable, "-c", PARENT, str(folder), *command], env=environment, stdout=subprocess.PIPE, text=True
    ) as parent:
        assert parent.stdout is not None
        pids = [int(pid) for pid in parent.stdout.readline().split()]
        try:
            yield parent, pids
        finally:
            for one in process_records.live(folder):
                with suppress(ProcessLookupError):  # it ended with a process that was killed before it
                    os.kill(one.pid, signal.SIGKILL)


def is_alive(pid: int) -> bool:
    return process_records.started_at(pid) is not None


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


def test_a_stopped_program_ends_when_its_parent_is_killed(tmp_path: Path) -> None:
    with started(tmp_path, sys.executable, "-c", SLEEPING) as (parent, pids):
        os.kill(pids[0], signal.SIGSTOP)
        parent.kill()
        assert have_ended(pids)


def test_a_program_whose_parent_has_died_already_does_not_begin(tmp_path: Path) -> None:
    """The supervisor may be killed before the kernel was asked to tell of it: the parent is another one then."""
    begun = tmp_path / "begun"
    command = wrap_command([sys.executable, "-c", f"open({str(begun)!r}, 'w')"], "program", tmp_path)
    through = f"import subprocess, sys; sys.exit(subprocess.run({command!r}).returncode)"
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-c", through], env=environment, check=False)
    assert done.returncode == 256 - signal.SIGKILL
    assert not begun.exists()
    assert subprocess.run(command, env=environment, check=False).returncode == 0
    assert begun.exists()


def test_a_module_and_its_forks_leave_a_record_and_a_program_keeps_its_own(tmp_path: Path, module: str) -> None:
    with started(tmp_path, "-m", module) as (_, (own, worker)):
        end = time.monotonic() + 10
        while len(process_records.live(tmp_path)) < 2 and time.monotonic() < end:
            time.sleep(0.02)
        assert {(one.name, one.pid) for one in process_records.live(tmp_path)} == {
            ("program", own),
            ("program worker", worker),
        }
    with started(tmp_path, sys.executable, "-c", SLEEPING) as (_, (own,)):
        assert [(one.name, one.pid) for one in process_records.live(tmp_path)] == [("program", own)]


def test_what_works_for_a_command_leaves_no_record(tmp_path: Path) -> None:
    command = wrap_command([sys.executable, "-c", "pass"], "program", None)
    assert (
        subprocess.run(command, env={**os.environ, "PYTHONPATH": str(ROOT)}, cwd=tmp_path, check=False).returncode == 0
    )
    assert list(tmp_path.iterdir()) == []


def test_a_server_of_several_workers_imports_its_app_once_for_all(tmp_path: Path) -> None:
    (tmp_path / "app.py").write_text("import os; print('imported', os.getpid(), flush=True)\ncreate_app = None\n")
    server = "import os, sys; assert 'app' in sys.modules; print('forks', os.getpid(), flush=True)"
    (tmp_path / "granian.py").write_text(server)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join((str(tmp_path), str(ROOT)))}
    module = ["-m", "granian", "--factory", "app:create_app", "--workers", "2"]
    command = wrap_command(module, "server", None)
    text = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True).stdout
    (_, first), (_, second) = (line.split() for line in text.splitlines())
    assert first == second


def test_a_module_is_kept_from_importing_what_nothing_of_it_uses(tmp_path: Path) -> None:
    names = ("rich", "pydantic", "opentelemetry.sdk.metrics")
    (tmp_path / "looking.py").write_text(f"import sys; print(*[name in sys.modules for name in {names}])")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join((str(tmp_path), str(ROOT)))}
    command = wrap_command(["-m", "looking"], "looking", None)
    for more, kept_out in (({}, "True True True"), ({ENDPOINT: "http://127.0.0.1:9"}, "True True False")):
        found = subprocess.run(command, env={**environment, **more}, stdout=subprocess.PIPE, text=True, check=True)
        assert found.stdout.strip() == kept_out
