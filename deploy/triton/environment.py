"""Make a virtual environment from a lock, beside the project's own: `python -m deploy.triton.environment LOCK FOLDER`.

An environment that was made from the same lock is left as it is. Two processes that want it at once make it once.
"""

import fcntl
import hashlib
import shutil
import subprocess
import sys
from pathlib import Path

MADE_FROM = "made-from"


class EnvironmentMissingError(Exception):
    """The environment can't be made here; the message ends with what the installer says."""


def make_environment(lock: Path, folder: Path) -> Path:
    """Return the folder with the environment of this lock in it.

    Raises:
        EnvironmentMissingError: a package can't be had, or not for this Python.
    """
    folder.parent.mkdir(parents=True, exist_ok=True)
    wanted = hashlib.sha256(lock.read_bytes() + sys.version.encode()).hexdigest()
    mark = folder / MADE_FROM
    with folder.with_name(f"{folder.name}.lock").open("w") as turn:
        fcntl.flock(turn, fcntl.LOCK_EX)
        if mark.exists() and mark.read_text() == wanted:
            return folder
        shutil.rmtree(folder, ignore_errors=True)
        _run(sys.executable, "-m", "venv", "--without-pip", str(folder))
        uv = Path(sys.executable).with_name("uv")
        installing = ["pip", "install", "--no-deps", "--require-hashes"]
        if uv.exists():
            _run(str(uv), *installing, "--quiet", "--python", str(folder / "bin" / "python"), "-r", str(lock))
        else:
            _run(
                sys.executable,
                "-m",
                "pip",
                "--python",
                str(folder / "bin" / "python"),
                *installing[1:],
                "-r",
                str(lock),
            )
        mark.write_text(wanted)
    return folder


def _run(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 - our own words
    if done.returncode:
        raise EnvironmentMissingError(f"{command[0]} {command[1]} ended with {done.returncode}: {done.stderr[-600:]}")


if __name__ == "__main__":
    print(make_environment(Path(sys.argv[1]), Path(sys.argv[2])))
