"""Run a program that ends when its parent does: `python -m ...die_with_parent PROGRAM ...` or `... -m MODULE ...`.

Who kills the supervisor outright, as the kernel does when memory runs out, would otherwise leave its programs behind,
on the home's files and ports, with nobody to stop or restart them. And a server that is killed would leave its workers
behind, which go on sharing its port with the next one. Linux tells a process of its parent's death; elsewhere this
only starts the program.
"""

import ctypes
import os
import runpy
import signal
import sys
from collections.abc import Sequence

SET_PARENT_DEATH_SIGNAL = 1  # PR_SET_PDEATHSIG of <linux/prctl.h>; kept over exec, not over fork


def run(command: Sequence[str]) -> None:
    """Become the program; a module of ours stays in this process, and whatever it forks is tied to it likewise."""
    tie_to(os.getppid())
    if command[0] == "-m":
        tie_forks()
        sys.argv = list(command[1:])
        runpy.run_module(command[1], run_name="__main__", alter_sys=True)
    else:
        os.execv(command[0], list(command))  # noqa: S606 -- no shell is meant


def tie_to(parent: int) -> None:
    """Have this process told to stop when its parent dies, or now if it died already."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(SET_PARENT_DEATH_SIGNAL, signal.SIGTERM)
        if os.getppid() != parent:
            os.kill(os.getpid(), signal.SIGTERM)


def tie_forks() -> None:
    """Tie every process that is forked from now on to the one that forks it."""
    forking = [0]

    def remember() -> None:
        forking[0] = os.getpid()

    os.register_at_fork(before=remember, after_in_child=lambda: tie_to(forking[0]))


if __name__ == "__main__":
    run(sys.argv[1:])
