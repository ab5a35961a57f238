"""Backup and restore of an embedded instance.

A backup is taken while the instance runs: a folder of files and a manifest with their digests. The api writes an
answer before the generator gates on it, and the generator seals a draw before the api opens its submission. So the
snapshots of both databases begin at the same moment: nobody may write to the api's database while they begin. Then
writers go on, and the copies are made from the snapshots. Objects come last: they never change, and a row is only
written after its object.

A restore fills an empty data directory. Every file is checked before anything is written, and again while it is
copied. A marker stands in the data directory meanwhile: `tetrad up` refuses one with a marker, and the next restore
removes what an interrupted one left. So the data directory is either as before or whole.

A backup of damaged data fails and says what is damaged: SQLite's quick_check on both snapshots, the chain of the log of
commitments, the commitment of each revealed draw, and the digest of every object.

In this file: the manifest, backing up, looking for damage, restoring, and files that survive a crash.
"""

import hashlib
import os
import shutil
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import Literal

import msgspec

from tetrad.commitments import commitment_of, first_broken
from tetrad.contracts.items import DrawIdentity
from tetrad.contracts.log import LogEntry
from tetrad.files import UNFINISHED, sync_folder, whole_file
from tetrad.server.damage_codes import is_damage
from tetrad.server.embedded.checkout import find_checkout
from tetrad.server.embedded.data_directory import DataDirectory, EmbeddedError, close_to_others, is_running
from tetrad.server.locks import LockHeldError, write_lock
from tetrad.server.named_objects import Rows, digest_in, every_object
from tetrad.versions import find_version

FORMAT = 1
MANIFEST = "manifest.json"
CHUNK = 2**20
BUSY_SECONDS = 20
MOST_NAMED = 5
AGAIN = "run the backup again; if it fails again, they are lost: docs/upkeep.md says what to do"
REMEDY = "docs/upkeep.md says what to do"
MIGRATIONS = Path("api") / "database" / "migrations" / "versions"  # of the clone
DATABASES = ("tetrad.sqlite", "generator.sqlite")
# SQLite would apply the log of a removed database to its replacement.
LEFTOVERS = tuple(f"{name}-{log}" for name in DATABASES for log in ("wal", "journal"))
DATA = (*DATABASES, *LEFTOVERS, "objects", "valkey")
Report = Callable[[int, int], None]
"""A function that is called with the number of finished files and of all files."""


class StoredFile(msgspec.Struct, frozen=True, kw_only=True):
    bytes: int
    sha256: str


class Manifest(msgspec.Struct, frozen=True, kw_only=True):
    """The contents of a backup. `log_head` is the newest of the `log_entries` entries of the log of commitments."""

    format: int
    tetrad: str
    made_at: str
    database_revision: str
    log_entries: int
    log_head: str
    secrets: Literal["included", "left out"]
    files: dict[str, StoredFile]


class DamagedDataError(EmbeddedError):
    """Data of the instance is damaged; the message names it."""


class DamagedBackupError(EmbeddedError):
    """The backup differs from its manifest; the message names the file."""


def silent(done: int, total: int) -> None:
    """Report nothing."""


def back_up(data: DataDirectory, destination: Path, *, with_secrets: bool, report: Report = silent) -> Manifest:
    """Write a backup of the data directory to a new folder: completely, or not at all.

    Raises:
        EmbeddedError: there is nothing to back up, the destination exists, a database can't be read, or an object
            vanished meanwhile.
        DamagedDataError: something is damaged; there is no backup then, and earlier ones stay as they are.
    """
    if not data.database.exists() or not data.record.exists():
        raise EmbeddedError(f"{data.folder} holds no instance; set TETRAD_HOME to the folder of one")
    if destination.exists():
        raise EmbeddedError(f"{destination} exists already; name a new folder")
    part = destination.with_name(f".{destination.name}.part-{os.getpid()}")
    part.mkdir(parents=True, mode=0o700)
    try:
        _snapshot(data, part)
        _check_snapshots(data, part)
        files = dict(_digests(part, [Path(data.database.name), Path(data.record.name)]))
        if with_secrets:
            files |= {data.secrets.name: _copy(data.secrets, part / data.secrets.name)}
        files |= _objects(data, part, report)
        manifest = _manifest(part, files, with_secrets=with_secrets)
        with whole_file(part / MANIFEST) as file:
            file.write(msgspec.json.format(msgspec.json.encode(manifest)))
        _sync_folders(part, files)
        part.rename(destination)
        sync_folder(destination.parent)
    except BaseException as error:
        shutil.rmtree(part, ignore_errors=True)
        if is_damage(error):
            raise DamagedDataError(f"a database of {data.folder} is damaged ({error}); {REMEDY}") from error
        if isinstance(error, sqlite3.Error | LockHeldError):
            raise EmbeddedError(
                f"{data.folder}: a database can't be copied ({error}); start it once, or try again"
            ) from error
        raise
    return manifest


def _snapshot(data: DataDirectory, part: Path) -> None:
    with _same_moment(data) as (api, record):
        for source, name in ((api, data.database.name), (record, data.record.name)):
            with closing(open_database(part / name)) as target:
                source.backup(target)
                target.execute("PRAGMA journal_mode=DELETE")  # one complete file, without a log beside it


@contextmanager
def _same_moment(data: DataDirectory) -> Iterator[tuple[sqlite3.Connection, sqlite3.Connection]]:
    """Open a read transaction on each database, begun while nobody could write to the api's."""
    with closing(open_database(data.database)) as api, closing(open_database(data.record)) as record:
        with write_lock(str(data.database)), closing(open_database(data.database)) as gate:
            gate.execute("BEGIN IMMEDIATE")
            for connection in (api, record):
                connection.execute("BEGIN")
                connection.execute("SELECT count(*) FROM sqlite_master").fetchone()  # a snapshot begins with a read
            gate.execute("ROLLBACK")
        yield api, record


def _objects(data: DataDirectory, part: Path, report: Report) -> dict[str, StoredFile]:
    """Copy the objects.

    Raises:
        EmbeddedError: one that the database names is gone, because a team was deleted meanwhile.
    """
    paths = sorted(path for path in data.objects.rglob("*") if path.is_file() and not path.name.startswith(UNFINISHED))
    files: dict[str, StoredFile] = {}
    for done, path in enumerate(paths, 1):
        name = str(path.relative_to(data.folder))
        try:
            files[name] = _copy(path, part / name)
        except FileNotFoundError:
            continue  # deleted since it was listed; if the database needs it, the error below names it
        report(done, len(paths))
    _check_objects(data, part, files)
    return files


def _check_objects(data: DataDirectory, part: Path, files: Mapping[str, StoredFile]) -> None:
    """Compare the copied objects with the digests of the rows that name them; of the others, with those in their names.

    Raises:
        EmbeddedError: one that a row names is not there.
        DamagedDataError: one differs.
    """
    with closing(open_database(part / data.database.name)) as connection:
        named = {f"objects/{found.name}": found.digest for found in every_object(_rows_of(connection))}
    if lost := sorted(named.keys() - files.keys()):
        raise EmbeddedError(f"{len(lost)} objects are not in the store, the first {lost[0]!r}; {AGAIN}")
    digests = {name: digest_in(name) for name in files} | named
    differ = sorted(name for name, digest in digests.items() if digest and files[name].sha256 != digest)
    if differ:
        shown = ", ".join(str(data.folder / name) for name in differ[:MOST_NAMED])
        raise DamagedDataError(f"{len(differ)} objects are damaged, their digests differ: {shown}; {REMEDY}")


def check_databases(data: DataDirectory) -> None:
    """Run SQLite's quick_check on the databases that are there.

    Raises:
        DamagedDataError: one is damaged.
    """
    for path in (data.database, data.record):
        if path.exists() and path.stat().st_size:
            _quick_check(path, path)


def _quick_check(path: Path, shown: Path) -> None:
    try:
        with closing(open_database(path)) as connection:
            found = [str(problem) for (problem,) in connection.execute(f"PRAGMA quick_check({MOST_NAMED})")]
    except sqlite3.DatabaseError as error:
        if not is_damage(error):
            raise
        found = [str(error)]
    if found != ["ok"]:
        raise DamagedDataError(f"{shown} is damaged ({'; '.join(found)}); {REMEDY}")


def _check_snapshots(data: DataDirectory, part: Path) -> None:
    """Check the copies of the databases, and the digests that their own rows hold.

    Raises:
        DamagedDataError: something differs.
    """
    for path in (data.database, data.record):
        _quick_check(part / path.name, path)
    with closing(open_database(part / data.database.name)) as connection:
        query = (
            "SELECT number, submission_id AS submission, commitment, at, previous, entry FROM commitments ORDER BY 1"
        )
        connection.row_factory = sqlite3.Row
        broken = first_broken([LogEntry(**dict(row)) for row in connection.execute(query)])
    if broken is not None:
        raise DamagedDataError(f"entry {broken.number} of the log in {data.database} is damaged; {REMEDY}")
    with closing(open_database(part / data.record.name)) as connection:
        query = "SELECT submission, identity, seed, size, commitment FROM sealed_draws WHERE seed IS NOT NULL"
        for submission, identity, seed, size, commitment in connection.execute(query):
            if commitment_of(msgspec.json.decode(identity, type=DrawIdentity), seed, size) != commitment:
                raise DamagedDataError(f"the draw of {submission} in {data.record} is damaged; {REMEDY}")


def _rows_of(connection: sqlite3.Connection) -> Rows:
    return lambda text, parameters: connection.execute(text, parameters).fetchall()


def _digests(folder: Path, names: list[Path]) -> Iterator[tuple[str, StoredFile]]:
    for name in names:
        with (folder / name).open("rb") as file:
            os.fsync(file.fileno())
        yield str(name), digest_of(folder / name)


def _manifest(part: Path, files: dict[str, StoredFile], *, with_secrets: bool) -> Manifest:
    with closing(open_database(part / "tetrad.sqlite")) as connection:
        (revision,) = connection.execute("SELECT version_num FROM alembic_version").fetchone()
        newest = connection.execute("SELECT number, entry FROM commitments ORDER BY number DESC LIMIT 1").fetchone()
    number, head = newest or (0, "")
    return Manifest(
        format=FORMAT,
        tetrad=find_version(),
        made_at=datetime.now(UTC).isoformat(timespec="seconds"),
        database_revision=revision,
        log_entries=number,
        log_head=head,
        secrets="included" if with_secrets else "left out",
        files=files,
    )


def restore(data: DataDirectory, backup: Path, report: Report = silent) -> Manifest:
    """Fill the data directory from the backup.

    Raises:
        EmbeddedError: the data directory runs or is not empty, or the backup is damaged or newer than this version.
    """
    manifest = read_manifest(backup)
    check_files(backup, manifest)
    data.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    close_to_others(data)
    _check_empty(data, manifest)
    with whole_file(data.unfinished_restore) as marker:
        marker.write(msgspec.json.encode(list(manifest.files)))
    try:
        for done, (name, known) in enumerate(manifest.files.items(), 1):
            _put(backup / name, data.folder / name, known)
            report(done, len(manifest.files))
    except BaseException:
        _clear(data)
        raise
    _sync_folders(data.folder, manifest.files)
    return manifest


def finish(data: DataDirectory) -> None:
    """Remove the marker. From here on the data directory may be started."""
    data.unfinished_restore.unlink()
    sync_folder(data.folder)


def read_manifest(backup: Path) -> Manifest:
    """Return the backup's manifest.

    Raises:
        EmbeddedError: there is none, it is damaged, or it is of a newer version.
    """
    path = backup / MANIFEST
    try:
        body = path.read_bytes()
        made_by = msgspec.json.decode(body, type=dict[str, object])
        if "format" not in made_by:
            raise EmbeddedError(f"{path} is none of a backup; name a folder that `tetrad admin backup` made")
        if made_by["format"] != FORMAT:
            raise EmbeddedError(f"{backup} has format {made_by['format']}; this version reads {FORMAT}")
        manifest = msgspec.convert(made_by, type=Manifest)
    except (OSError, msgspec.MsgspecError) as error:
        raise DamagedBackupError(f"{path} can't be read ({error}); is this a backup?") from error
    if not _knows(manifest.database_revision):
        newer = f"made by tetrad {manifest.tetrad} with database revision {manifest.database_revision}"
        here = f"this tetrad {find_version()}"
        raise EmbeddedError(f"{backup} is newer than {here}: {newer}; restore it with that version")
    return manifest


def check_files(backup: Path, manifest: Manifest) -> None:
    """Compare every file with the manifest.

    Raises:
        DamagedBackupError: one is missing, too many, changed, or would lie outside the data directory.
    """
    there = {str(path.relative_to(backup)) for path in backup.rglob("*") if path.is_file()} - {MANIFEST}
    for name, known in manifest.files.items():
        if PurePosixPath(name).is_absolute() or ".." in PurePosixPath(name).parts:
            raise DamagedBackupError(f"{backup / MANIFEST} names {name!r}, which is not a file of a data directory")
        if name not in there:
            raise DamagedBackupError(f"{backup / name} is missing")
        if digest_of(backup / name) != known:
            raise DamagedBackupError(f"{backup / name} is damaged: its digest is not the manifest's")
    if surplus := sorted(there - manifest.files.keys()):
        raise DamagedBackupError(f"{backup / surplus[0]} is not in the manifest")


def _check_empty(data: DataDirectory, manifest: Manifest) -> None:
    if is_running(data):
        raise EmbeddedError(f"{data.folder} is running; stop it, or set TETRAD_HOME to another folder")
    if data.unfinished_restore.exists():
        _clear(data)
    holds = [name for name in (*DATA, *manifest.files) if _is_data(data.folder / name)]
    if holds:
        raise EmbeddedError(f"{data.folder} is not empty: it has {holds[0]}; set TETRAD_HOME to an empty folder")


def _is_data(path: Path) -> bool:
    return path.is_file() or (path.is_dir() and any(path.iterdir()))


def _put(source: Path, target: Path, known: StoredFile) -> None:
    if _copy(source, target) != known:
        raise DamagedBackupError(f"{source} changed while it was read; nothing was restored")


def _clear(data: DataDirectory) -> None:
    """Remove what a restore put into a data directory that held no data before it; the marker names the files."""
    try:
        names = msgspec.json.decode(data.unfinished_restore.read_bytes(), type=list[str])
    except msgspec.DecodeError:
        names = []  # interrupted while the marker was written: no other file is there yet
    for name in names:
        (data.folder / name).unlink(missing_ok=True)
    shutil.rmtree(data.objects, ignore_errors=True)
    data.unfinished_restore.unlink(missing_ok=True)


def _knows(revision: str) -> bool:
    """Return whether the api of this version has this migration. Its files are listed, not imported."""
    return any((find_checkout() / MIGRATIONS).glob(f"{revision}_*.py"))


def _copy(source: Path, target: Path) -> StoredFile:
    """Copy a file, readable by its owner only and safe from a crash, and return its size and digest."""
    target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    digest, size = hashlib.sha256(), 0
    descriptor = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with source.open("rb") as reader, os.fdopen(descriptor, "wb") as writer:
        while chunk := reader.read(CHUNK):
            digest.update(chunk)
            writer.write(chunk)
            size += len(chunk)
        writer.flush()
        os.fsync(writer.fileno())
    return StoredFile(bytes=size, sha256=digest.hexdigest())


def _sync_folders(folder: Path, names: Iterable[str]) -> None:
    """Bring the folder and those of the named files in it to disk: a file is safe only with its entry there."""
    within = {parent for name in names for parent in PurePosixPath(name).parents}
    for each in sorted(within | {PurePosixPath()}, reverse=True):
        sync_folder(folder / each)


def digest_of(path: Path) -> StoredFile:
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return StoredFile(bytes=path.stat().st_size, sha256=digest)


def open_database(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None)
