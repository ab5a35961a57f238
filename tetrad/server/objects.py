"""The object store: named byte strings. A folder on one host, an S3 bucket elsewhere; one contract for both.

A name is a relative path of plain segments, and no object's name continues another's: a folder can't hold both
`a` and `a/b`. `put` replaces the whole object or nothing. Once it has returned, the object survives a crash.
"""

import logging
import re
import shutil
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Protocol

from botocore.exceptions import BotoCoreError, ClientError

from tetrad.files import make_folder, sync_folder, whole_file

if TYPE_CHECKING:
    from botocore.response import StreamingBody
    from mypy_boto3_s3 import S3Client

PART_BYTES = 2**20
PROBE = "health/probe"
NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]*(/[A-Za-z0-9_][A-Za-z0-9._-]*)*")
log = logging.getLogger(__name__)


class Readable(Protocol):
    def read(self, size: int = -1, /) -> bytes:
        """Return the next bytes, all that are left by default."""

    def close(self) -> None:
        """Close it."""


class ObjectNameError(ValueError):
    """The name is not a relative path of letters, digits, dots, underscores and hyphens."""


class StoreError(OSError):
    """The store cannot be reached or refuses. A put that raised this may still have been done."""


class ObjectStore(Protocol):
    """The interface of stores. Every method raises StoreError if the store fails, ObjectNameError for a wrong name."""

    def put(self, name: str, body: bytes) -> None:
        """Store the object, replacing one of the same name."""

    def get(self, name: str) -> bytes | None:
        """Return the object, or None where there is none."""

    def put_file(self, name: str, path: Path) -> None:
        """Store the file's content as `put` does, without having all of it in memory."""

    def parts(self, name: str) -> Iterator[bytes] | None:
        """Return the object in parts, or None where there is none."""

    def delete(self, name: str) -> None:
        """Remove the object if it is there."""

    def names(self, prefix: str) -> Iterator[str]:
        """Yield the names of the objects below `prefix`, a name of plain segments, in sorted order."""

    def file(self, name: str) -> Path | None:
        """Return the file that holds the object, or None where the store keeps no files on this machine."""


def check_name(name: str) -> str:
    if not NAME.fullmatch(name):
        raise ObjectNameError(f"{name!r} is not an object name; use segments of [A-Za-z0-9._-] joined by /")
    return name


class FolderStore:
    """Objects as files under one folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def put(self, name: str, body: bytes) -> None:
        path = self._folder / check_name(name)
        with _failing_as_store():
            make_folder(path.parent)
            with whole_file(path) as file:
                file.write(body)

    def put_file(self, name: str, path: Path) -> None:
        kept = self._folder / check_name(name)
        with _failing_as_store(), path.open("rb") as content:
            make_folder(kept.parent)
            with whole_file(kept) as file:
                shutil.copyfileobj(content, file, PART_BYTES)

    def parts(self, name: str) -> Iterator[bytes] | None:
        return _parts_of(self._open(name))

    def get(self, name: str) -> bytes | None:
        return _whole_of(self._open(name))

    def _open(self, name: str) -> BinaryIO | None:
        path = self._folder / check_name(name)
        with _failing_as_store():
            try:
                return path.open("rb")
            except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
                return None

    def delete(self, name: str) -> None:
        path = self._folder / check_name(name)
        with _failing_as_store():
            if path.is_file():
                path.unlink(missing_ok=True)
                sync_folder(path.parent)

    def names(self, prefix: str) -> Iterator[str]:
        folder = self._folder / check_name(prefix)
        with _failing_as_store():
            found = [path for path in folder.rglob("*") if path.is_file() and not path.name.startswith(".")]
            yield from sorted(path.relative_to(self._folder).as_posix() for path in found)

    def file(self, name: str) -> Path | None:
        return self._folder / check_name(name)


class S3Store:
    """Objects in one S3 bucket, under a prefix."""

    def __init__(self, client: "S3Client", bucket: str, prefix: str = "") -> None:
        self._client = client
        self._bucket = bucket
        self._prefix = prefix

    def put(self, name: str, body: bytes) -> None:
        key = self._key(name)
        with _failing_as_store():
            self._client.put_object(Bucket=self._bucket, Key=key, Body=body)

    def put_file(self, name: str, path: Path) -> None:
        key = self._key(name)
        with _failing_as_store(), path.open("rb") as content:
            self._client.put_object(Bucket=self._bucket, Key=key, Body=content)

    def parts(self, name: str) -> Iterator[bytes] | None:
        return _parts_of(self._open(name))

    def address(self, name: str, seconds: int) -> str:
        """Return an address at which anybody may read the object for so long."""
        place = {"Bucket": self._bucket, "Key": self._key(name)}
        with _failing_as_store():
            return self._client.generate_presigned_url("get_object", Params=place, ExpiresIn=seconds)

    def get(self, name: str) -> bytes | None:
        return _whole_of(self._open(name))

    def _open(self, name: str) -> "StreamingBody | None":
        key = self._key(name)
        with _failing_as_store():
            try:
                return self._client.get_object(Bucket=self._bucket, Key=key)["Body"]
            except ClientError as error:
                if error.response.get("Error", {}).get("Code") in {"NoSuchKey", "404"}:
                    return None
                raise

    def delete(self, name: str) -> None:
        key = self._key(name)
        with _failing_as_store():
            self._client.delete_object(Bucket=self._bucket, Key=key)

    def names(self, prefix: str) -> Iterator[str]:
        with _failing_as_store():
            pages = self._client.get_paginator("list_objects_v2").paginate(
                Bucket=self._bucket, Prefix=f"{self._key(prefix)}/"
            )
            for page in pages:
                yield from (entry["Key"].removeprefix(self._prefix) for entry in page.get("Contents", []))

    def file(self, name: str) -> Path | None:
        check_name(name)
        return None

    def _key(self, name: str) -> str:
        return self._prefix + check_name(name)


def open_store(url: str, endpoint: str = "") -> ObjectStore:
    """Open the store at file:///FOLDER or s3://BUCKET/PREFIX, with keys from the AWS_* variables.

    Without an `endpoint`, those name it, too.

    Raises:
        ValueError: the address is neither.
    """
    scheme, _, rest = url.partition("://")
    if scheme == "file" and rest.startswith("/"):
        return FolderStore(Path(rest))
    bucket, _, prefix = rest.partition("/")
    if scheme == "s3" and bucket:
        # A fifth of a second, and processes of one host never see a bucket.
        import boto3  # noqa: PLC0415
        from botocore.config import Config  # noqa: PLC0415

        version_4 = Config(signature_version="s3v4")  # boto3 signs addresses by version 2, which many stores refuse
        client: S3Client = boto3.client("s3", endpoint_url=endpoint or None, config=version_4)
        return S3Store(client, bucket, f"{prefix.rstrip('/')}/" if prefix else "")
    raise ValueError(f"object store {url!r}: use file:///FOLDER or s3://BUCKET/PREFIX")


def is_reached(store: ObjectStore, address: str) -> bool:
    """Return whether the store answers when it is asked for an object; if it fails, the log names its address."""
    try:
        store.get(PROBE)
    except StoreError as error:
        log.warning("the store is down", extra={"store": address, "error": str(error)})
        return False
    return True


def _parts_of(file: Readable | None) -> Iterator[bytes] | None:
    return None if file is None else _read_parts(file)


def _read_parts(file: Readable) -> Iterator[bytes]:
    with _failing_as_store(), closing(file):
        while part := file.read(PART_BYTES):
            yield part


def _whole_of(file: Readable | None) -> bytes | None:
    if file is None:
        return None
    with _failing_as_store(), closing(file):
        return file.read()


@contextmanager
def _failing_as_store() -> Iterator[None]:
    try:
        yield
    except (OSError, BotoCoreError, ClientError) as error:
        raise StoreError(f"the object store failed: {error}") from error
