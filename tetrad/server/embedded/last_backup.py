"""The result of the last backup of a data directory: the command writes it down, the watchdog shows it.

It stands alone because a team's command line has no library for metrics.
"""

import time
from pathlib import Path

import msgspec

from tetrad.files import whole_file


class BackupResult(msgspec.Struct, frozen=True, kw_only=True):
    """The result of the last backup. `made_at`: seconds since the epoch of the newest one that is whole."""

    made_at: float = 0.0
    failure: str = ""


def note_backup(file: Path, failure: str = "") -> None:
    """Write down how a backup went; an earlier whole one stays known."""
    made_at = read_backup(file).made_at if failure else time.time()
    with whole_file(file) as written:
        written.write(msgspec.json.encode(BackupResult(made_at=made_at, failure=failure)))


def read_backup(file: Path) -> BackupResult:
    try:
        return msgspec.json.decode(file.read_bytes(), type=BackupResult)
    except (OSError, msgspec.DecodeError):
        return BackupResult()
