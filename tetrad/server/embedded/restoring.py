"""Putting a backup into an empty home: every file is checked before anything is written, and again as it is.

A marker stands in the home while files are put there; `tetrad up` refuses a home that has one, and the next restore
clears what the broken-off one left. So the home is either as before or whole.
"""

import shutil
from importlib import resources
from pathlib import Path, PurePosixPath

import msgspec

from tetrad import __version__
from tetrad.server.embedded.backups import (
    FORMAT,
    MANIFEST,
    Manifest,
    Report,
    StoredFile,
    copied,
    digest_of,
    silent,
    sync_folders,
    written,
)
from tetrad.server.embedded.data_directory import EmbeddedError, Home, is_running, sync_folder

MIGRATIONS = "api.database.migrations.versions"
DATABASES = ("tetrad.sqlite", "generator.sqlite")
# SQLite would play the log of a database that was taken away into the one put in its place.
LEFTOVERS = tuple(f"{name}-{log}" for name in DATABASES for log in ("wal", "journal"))
DATA = (*DATABASES, *LEFTOVERS, "objects", "valkey")


class DamagedBackupError(EmbeddedError):
    """The backup is not what its manifest says; the message names the file."""


def restore(home: Home, backup: Path, report: Report = silent) -> Manifest:
    """Fill the home from the backup.

    Raises:
        EmbeddedError: the home runs or is not empty, or the backup is damaged or newer than this version.
    """
    manifest = read_manifest(backup)
    check_files(backup, manifest)
    home.folder.mkdir(parents=True, exist_ok=True)
    _check_home(home, manifest)
    written(home.unfinished_restore, msgspec.json.encode(list(manifest.files)))
    try:
        for done, (name, known) in enumerate(manifest.files.items(), 1):
            _put(backup / name, home.folder / name, known)
            report(done, len(manifest.files))
    except BaseException:
        _clear(home)
        raise
    sync_folders(home.folder, manifest.files)
    return manifest


def finish(home: Home) -> None:
    """Take the marker away: from here on the home may be started."""
    home.unfinished_restore.unlink()
    sync_folder(home.folder)


def read_manifest(backup: Path) -> Manifest:
    """Return the backup's manifest.

    Raises:
        EmbeddedError: there is none, it is damaged, or it is of a newer version.
    """
    path = backup / MANIFEST
    try:
        body = path.read_bytes()
        made_by = msgspec.json.decode(body, type=dict[str, object])
        if made_by.get("format") != FORMAT:
            raise EmbeddedError(f"{backup} has format {made_by.get('format')}; this version reads {FORMAT}")
        manifest = msgspec.convert(made_by, type=Manifest)
    except (OSError, msgspec.MsgspecError) as error:
        raise DamagedBackupError(f"{path} can't be read ({error}); is this a backup?") from error
    if not _knows(manifest.database_revision):
        newer = f"made by tetrad {manifest.tetrad} with database revision {manifest.database_revision}"
        raise EmbeddedError(f"{backup} is newer than this tetrad {__version__}: {newer}; restore it with that version")
    return manifest


def check_files(backup: Path, manifest: Manifest) -> None:
    """Compare every file with the manifest.

    Raises:
        DamagedBackupError: one is missing, too many, changed, or would lie outside the home.
    """
    there = {str(path.relative_to(backup)) for path in backup.rglob("*") if path.is_file()} - {MANIFEST}
    for name, known in manifest.files.items():
        if PurePosixPath(name).is_absolute() or ".." in PurePosixPath(name).parts:
            raise DamagedBackupError(f"{backup / MANIFEST} names {name!r}, which is no file of a home")
        if name not in there:
            raise DamagedBackupError(f"{backup / name} is missing")
        if digest_of(backup / name) != known:
            raise DamagedBackupError(f"{backup / name} is damaged: its digest is not the manifest's")
    if surplus := sorted(there - manifest.files.keys()):
        raise DamagedBackupError(f"{backup / surplus[0]} is not in the manifest")


def _check_home(home: Home, manifest: Manifest) -> None:
    if is_running(home):
        raise EmbeddedError(f"{home.folder} is running; stop it, or set TETRAD_HOME to another folder")
    if home.unfinished_restore.exists():
        _clear(home)
    holds = [name for name in (*DATA, *manifest.files) if _is_data(home.folder / name)]
    if holds:
        raise EmbeddedError(f"{home.folder} is not empty: it has {holds[0]}; set TETRAD_HOME to an empty folder")


def _is_data(path: Path) -> bool:
    return path.is_file() or (path.is_dir() and any(path.iterdir()))


def _put(source: Path, target: Path, known: StoredFile) -> None:
    if copied(source, target) != known:
        raise DamagedBackupError(f"{source} changed while it was read; nothing was restored")


def _clear(home: Home) -> None:
    """Remove what a restore put into a home that held no data before it; the marker names the files."""
    try:
        names = msgspec.json.decode(home.unfinished_restore.read_bytes(), type=list[str])
    except msgspec.DecodeError:
        names = []  # broken off while the marker was written: no file was put there yet
    for name in names:
        (home.folder / name).unlink(missing_ok=True)
    shutil.rmtree(home.objects, ignore_errors=True)
    home.unfinished_restore.unlink(missing_ok=True)


def _knows(revision: str) -> bool:
    """Whether the api of this version has this migration; its package is only looked into, not imported."""
    return any(entry.name.startswith(f"{revision}_") for entry in resources.files(MIGRATIONS).iterdir())
