"""The plan of an export: what is drawn, how it is divided into shards, and which of them are written.

`manifest.json` in the folder holds it. An export that was stopped goes on after the last shard that it names. The plan
tells all that the rows depend on, so whoever holds it can make any shard.
"""

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Literal, TypeAlias

import msgspec

from tetrad.contracts.wire import ParameterValue
from tetrad.errors import TetradError
from tetrad.files import whole_file

ExportForm: TypeAlias = Literal["jsonl", "hf", "webdataset"]
MANIFEST = "manifest.json"
DATA = "data"
WRITER = 1
"""The version of the files that are written: a change of them needs another."""
SHARD_ITEMS = 1_000
ENDINGS: dict[ExportForm, str] = {"jsonl": "jsonl", "hf": "parquet", "webdataset": "tar"}


class ExportError(TetradError):
    """The items can't be written in this form, or not to this folder."""


class Split(msgspec.Struct, frozen=True, kw_only=True):
    """A part of an export: `count` items of a seed, from `offset` on."""

    name: str
    seed: str
    offset: int
    count: int


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """All that the rows of an export depend on.

    digest: that of the sources. named_sources: those that replace the default ones of their kinds.
    """

    benchmark: str
    version: int
    track: str
    setting: str
    parameters: dict[str, ParameterValue]
    filters: dict[str, ParameterValue]
    digest: str
    named_sources: list[str]
    form: ExportForm
    questions: Literal["open", "all"]
    splits: list[Split]
    shard_items: int = SHARD_ITEMS
    writer: int = WRITER

    @property
    def count(self) -> int:
        return sum(split.count for split in self.splits)

    def file_of(self, split: Split, number: int) -> str:
        """Return the path of a shard in the folder."""
        return f"{DATA}/{split.name}-{number:05d}.{ENDINGS[self.form]}"


class Shard(msgspec.Struct, frozen=True, kw_only=True):
    """A shard that is written. `next_offset`: the place in the draw after its last item."""

    split: str
    file: str
    items: int
    rows: int
    bytes: int
    sha256: str
    next_offset: int


class Manifest(msgspec.Struct, kw_only=True):
    """The plan of an export, and its shards so far. `is_complete`: no more are to come."""

    plan: Plan
    shards: list[Shard]
    is_complete: bool = False

    @property
    def items(self) -> int:
        return sum(shard.items for shard in self.shards)

    def of(self, split: Split) -> list[Shard]:
        return [shard for shard in self.shards if shard.split == split.name]

    def keep(self, folder: Path) -> None:
        """Write it to the folder, whole or not at all."""
        with whole_file(folder / MANIFEST) as file:
            file.write(msgspec.json.format(msgspec.json.encode(self), indent=1) + b"\n")


def load_manifest(folder: Path) -> Manifest | None:
    """Return the manifest of an earlier export to this folder; None where there is none.

    Raises:
        ExportError: it can't be read.
    """
    path = folder / MANIFEST
    if not path.is_file():
        return None
    try:
        return msgspec.json.decode(path.read_bytes(), type=Manifest)
    except msgspec.DecodeError as error:
        raise ExportError(f"{path} is no manifest of an export ({error}); name another folder") from error


def written_shards(folder: Path) -> Iterator[Path]:
    """Yield the shards of an export, in order.

    Raises:
        ExportError: the folder holds none.
    """
    manifest = load_manifest(folder)
    if manifest is None:
        raise ExportError(f"{folder} is no folder of items; write one with tetrad items")
    yield from (folder / shard.file for shard in manifest.shards)


def digest_of(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
