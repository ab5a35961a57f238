"""Run a program that ends when its parent does: `python -m ...die_with_parent PROGRAM ...` or `... -m MODULE ...`.

The kernel kills the supervisor when memory runs out. Without this module the programs would then go on with nobody to
stop or restart them, and hold the data directory's files and ports. A server that is killed would leave its workers
behind, which share its port with the next server. Linux tells a process of its parent's death. Elsewhere this only
starts the program.

It stands alone because it runs as a program.
"""

import ctypes
import os
import runpy
import signal
import sys
from collections.abc import Sequence

SET_PARENT_DEATH_SIGNAL = 1  # PR_SET_PDEATHSIG of <linux/prctl.h>; kept over exec, not over fork


def run(command: Sequence[str]) -> None:
    """Become the program; a module of ours stays in this process, and its forks end with it."""
    end_with(os.getppid())
    if command[0] == "-m":
        end_forks_with_parents()
        sys.argv = list(command[1:])
        runpy.run_module(command[1], run_name="__main__", alter_sys=True)
    else:
        os.execv(command[0], list(command))  # noqa: S606 -- no shell is meant


def end_with(parent: int) -> None:
    """Ask the kernel to send SIGTERM to this process when its parent dies; send it now if the parent is dead."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(SET_PARENT_DEATH_SIGNAL, signal.SIGTERM)
        if os.getppid() != parent:
            os.kill(os.getpid(), signal.SIGTERM)


def end_forks_with_parents() -> None:
    """Make every process that is forked from now on end with the process that forks it."""
    forking = [0]

    def remember() -> None:
        forking[0] = os.getpid()

    os.register_at_fork(before=remember, after_in_child=lambda: end_with(forking[0]))


if __name__ == "__main__":
    run(sys.argv[1:])
