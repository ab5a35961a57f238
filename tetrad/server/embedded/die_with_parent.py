"""Run a program that ends when its parent does, and that a later start finds if it has not ended.

    python -m tetrad.server.embedded.die_with_parent PARENT FOLDER NAME PROGRAM ...     (or: NAME -m MODULE ...)

PARENT is the process id of the parent, FOLDER the data directory, NAME the name of the process in its record. If FOLDER
is -, there is no record: the process works for a command and not for the instance, so a later start must not end it.

The kernel kills the supervisor when memory runs out. Without this module the programs would then keep running, with
nobody to stop or restart them, and hold the data directory's files and ports. A killed server would leave its workers
behind, which would share its port with the next server. Linux tells a process of its parent's death by a signal. The
signal is SIGKILL, because a worker that is loading has its server's handler, which ignores SIGTERM. Nothing is lost:
confirmed data survives a kill at any moment. On systems other than Linux this only starts the program.

It stands alone because it runs as a program.
"""

import ctypes
import gc
import importlib
import os
import runpy
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

from tetrad.server.embedded import process_records
from tetrad.server.trace_variables import ENDPOINT

UNRECORDED = "-"
DRAWS_PROGRESS = "generator_service.commands"  # the one module that needs rich
SERVER = "granian"
RARELY = (50_000, 20, 100)
"""Thresholds of Python's cyclic collector. By default it walks what is being imported 700 objects at a time, for a
seventh of the time of a start."""
SET_PARENT_DEATH_SIGNAL = 1  # PR_SET_PDEATHSIG of <linux/prctl.h>; kept over exec, not over fork


def wrap_command(program: Sequence[str], name: str, data_directory: Path | None) -> list[str]:
    """Return the command line of a program, or of -m MODULE, that ends with this process, which is to start it."""
    module = "tetrad.server.embedded.die_with_parent"
    return [sys.executable, "-m", module, str(os.getpid()), str(data_directory or UNRECORDED), name, *program]


def run(parent: int, name: str, data_directory: Path | None, program: Sequence[str]) -> None:
    """Become the program; a module of ours stays in this process, and its forks end with it.

    `parent` is the id that the parent passed on. If the parent has died already, this process has another parent.
    """
    end_with(parent)
    _record(name, data_directory)
    if program[0] == "-m":
        _leave_out(program[1])
        gc.set_threshold(*RARELY)
        _prepare_forks(name, data_directory)
        sys.argv = list(program[1:])
        if program[1] == SERVER and int(_option(program, "--workers")) > 1:
            importlib.import_module(_option(program, "--factory").partition(":")[0])  # once, for all that it forks
        runpy.run_module(program[1], run_name="__main__", alter_sys=True)
    else:
        os.execv(program[0], list(program))  # noqa: S606 -- no shell is meant


def _leave_out(module: str) -> None:
    """Keep libraries from importing what they take where it is there, and what no service of ours has a use for.

    Colours, models of Pydantic, and redis-py's own numbers: 0.3 core seconds of each process's start, and its memory.
    """
    unused = ["pydantic", "rich"] if module != DRAWS_PROGRESS else []
    unused += ["opentelemetry.sdk.metrics"] if ENDPOINT not in os.environ else []
    for name in unused:
        sys.modules[name] = None  # type: ignore[assignment]


def _option(program: Sequence[str], name: str) -> str:
    return program[program.index(name) + 1]


def end_with(parent: int) -> None:
    """Ask the kernel to kill this process when its parent dies; end it now if the parent is dead."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(SET_PARENT_DEATH_SIGNAL, signal.SIGKILL)
        if os.getppid() != parent:
            os.kill(os.getpid(), signal.SIGKILL)


def _prepare_forks(name: str, data_directory: Path | None) -> None:
    """Make every process that is forked from now on end with the process that forks it, and leave a record."""
    forking = [0]

    def remember() -> None:
        forking[0] = os.getpid()

    def begin() -> None:
        end_with(forking[0])
        _record(f"{name} worker", data_directory)

    os.register_at_fork(before=remember, after_in_child=begin)


def _record(name: str, data_directory: Path | None) -> None:
    if data_directory is not None:
        try:
            process_records.record(data_directory, name)
        except OSError as error:  # the process runs even if the disk is full
            print(f"{name}: process {os.getpid()} leaves no record in {data_directory} ({error})", file=sys.stderr)  # noqa: T201


if __name__ == "__main__":
    parent, folder, name, *program = sys.argv[1:]
    run(int(parent), name, None if folder == UNRECORDED else Path(folder), program)
