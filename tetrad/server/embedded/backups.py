"""A backup of an embedded instance, taken while it runs: a folder of files and a manifest with their digests.

The api writes an answer before the generator gates on it, and the generator seals a draw before the api opens its
submission. So both databases are looked at in the same moment: for the blink in which the two snapshots begin, nobody
may write to the api's; then everybody goes on, and the copies are made from the snapshots. Objects come last: they
never change, and a row is only written after its object.
"""

import hashlib
import os
import shutil
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import Literal

import msgspec

from tetrad import __version__
from tetrad.server.embedded.data_directory import EmbeddedError, Home, sync_folder
from tetrad.server.write_lock import write_turn

FORMAT = 1
MANIFEST = "manifest.json"
CHUNK = 2**20
BUSY_SECONDS = 20
OBJECT_TABLES = ("reports", "superseded_reports", "verifications")
Report = Callable[[int, int], None]
"""Told how many files are done, of how many."""


class StoredFile(msgspec.Struct, frozen=True, kw_only=True):
    bytes: int
    sha256: str


class Manifest(msgspec.Struct, frozen=True, kw_only=True):
    """What a backup holds. `log_head` is the newest entry of the log of commitments, of `log_entries`."""

    format: int
    tetrad: str
    made_at: str
    database_revision: str
    log_entries: int
    log_head: str
    secrets: Literal["included", "left out"]
    files: dict[str, StoredFile]


def silent(done: int, total: int) -> None:
    """Report nothing."""


def back_up(home: Home, destination: Path, *, with_secrets: bool, report: Report = silent) -> Manifest:
    """Write a backup of the home to a folder that is not there yet: whole, or not at all.

    Raises:
        EmbeddedError: there is nothing to back up, the destination is taken, a database can't be read, or an object
            vanished meanwhile.
    """
    if not home.database.exists() or not home.record.exists():
        raise EmbeddedError(f"{home.folder} holds no instance; set TETRAD_HOME to the folder of one")
    if destination.exists():
        raise EmbeddedError(f"{destination} is there already; name a folder that is not")
    part = destination.with_name(f".{destination.name}.part-{os.getpid()}")
    part.mkdir(parents=True, mode=0o700)
    try:
        _snapshot(home, part)
        files = dict(_digests(part, [Path(home.database.name), Path(home.record.name)]))
        if with_secrets:
            files |= {home.secrets.name: copied(home.secrets, part / home.secrets.name)}
        files |= _objects(home, part, report)
        manifest = _manifest(part, files, with_secrets=with_secrets)
        written(part / MANIFEST, msgspec.json.format(msgspec.json.encode(manifest)))
        sync_folders(part, files)
        part.rename(destination)
        sync_folder(destination.parent)
    except BaseException as error:
        shutil.rmtree(part, ignore_errors=True)
        if isinstance(error, sqlite3.Error):
            raise EmbeddedError(
                f"{home.folder}: a database can't be copied ({error}); start it once, or try again"
            ) from error
        raise
    return manifest


def copied(source: Path, target: Path) -> StoredFile:
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


def written(target: Path, body: bytes) -> None:
    with target.open("xb") as file:
        file.write(body)
        file.flush()
        os.fsync(file.fileno())
    sync_folder(target.parent)


def sync_folders(folder: Path, names: Iterable[str]) -> None:
    """Bring the folder and those of the named files in it to disk: a file is safe only with its entry there."""
    within = {parent for name in names for parent in PurePosixPath(name).parents}
    for each in sorted(within | {PurePosixPath()}, reverse=True):
        sync_folder(folder / each)


def digest_of(path: Path) -> StoredFile:
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return StoredFile(bytes=path.stat().st_size, sha256=digest)


def opened(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None)


def _snapshot(home: Home, part: Path) -> None:
    with _same_moment(home) as (api, record):
        for source, name in ((api, home.database.name), (record, home.record.name)):
            with closing(opened(part / name)) as target:
                source.backup(target)
                target.execute("PRAGMA journal_mode=DELETE")  # one file, whole in itself


@contextmanager
def _same_moment(home: Home) -> Iterator[tuple[sqlite3.Connection, sqlite3.Connection]]:
    """Open a read transaction on each database, begun while nobody could write to the api's."""
    with closing(opened(home.database)) as api, closing(opened(home.record)) as record:
        with write_turn(str(home.database)), closing(opened(home.database)) as gate:
            gate.execute("BEGIN IMMEDIATE")
            for connection in (api, record):
                connection.execute("BEGIN")
                connection.execute("SELECT count(*) FROM sqlite_master").fetchone()  # a snapshot begins with a read
            gate.execute("ROLLBACK")
        yield api, record


def _objects(home: Home, part: Path, report: Report) -> dict[str, StoredFile]:
    """Copy the objects.

    Raises:
        EmbeddedError: one that the database names is gone: a team was deleted just now.
    """
    paths = sorted(path for path in home.objects.rglob("*") if path.is_file() and not path.name.startswith(".part-"))
    files: dict[str, StoredFile] = {}
    for done, path in enumerate(paths, 1):
        name = str(path.relative_to(home.folder))
        try:
            files[name] = copied(path, part / name)
        except FileNotFoundError:
            continue  # deleted since it was listed: named below, if it had to be there
        report(done, len(paths))
    lost = [name for name in _named(part / home.database.name) if f"objects/{name}" not in files]
    if lost:
        raise EmbeddedError(f"{len(lost)} objects are not in the store, the first {lost[0]!r}; run the backup again")
    return files


def _named(database: Path) -> Iterator[str]:
    with closing(opened(database)) as connection:
        for table in OBJECT_TABLES:
            yield from (name for (name,) in connection.execute(f"SELECT object FROM {table}"))  # noqa: S608 -- ours


def _digests(folder: Path, names: list[Path]) -> Iterator[tuple[str, StoredFile]]:
    for name in names:
        with (folder / name).open("rb") as file:
            os.fsync(file.fileno())
        yield str(name), digest_of(folder / name)


def _manifest(part: Path, files: dict[str, StoredFile], *, with_secrets: bool) -> Manifest:
    with closing(opened(part / "tetrad.sqlite")) as connection:
        (revision,) = connection.execute("SELECT version_num FROM alembic_version").fetchone()
        newest = connection.execute("SELECT number, entry FROM commitments ORDER BY number DESC LIMIT 1").fetchone()
    number, head = newest or (0, "")
    return Manifest(
        format=FORMAT,
        tetrad=__version__,
        made_at=datetime.now(UTC).isoformat(timespec="seconds"),
        database_revision=revision,
        log_entries=number,
        log_head=head,
        secrets="included" if with_secrets else "left out",
        files=files,
    )
