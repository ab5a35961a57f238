"""The record of a kind of source: its limits, how it takes a file, and how benchmarks open it."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any, NamedTuple

from generator_service.sources.parts import Part
from generator_service.sources.reader import MIB, Limits
from generator_service.sources.store import Access, Head, Payload, SourceStore, StoredFile, digest_of_files
from tetrad.contracts.problems import Fault

PICTURES = frozenset({".png", ".webp", ".gif", ".tif", ".tiff", ".bmp", ".jpg", ".jpeg", ".avif"})
ANNOTATIONS = frozenset({".json", ".jsonl", ".csv", ".txt"})
PUBLISHED = "published"


class Given(NamedTuple):
    """A file as an operator gives it."""

    name: str
    body: bytes


@dataclass(frozen=True, kw_only=True)
class Kind:
    """One kind of source.

    take: file -> its payload, or the fault that it is refused for; pure, and run on all cores.
    suffixes: of the files that it takes; other files are skipped. None: it takes whole layouts (see `published`).
    clashes: stored files -> faults of files that can't be in one source together.
    order: files -> the files in the order that the source keeps. digest: ordered files -> the source's digest.
    finish: store and head -> tables that every source of this kind has, made before it is published.
    open: (store, head, part) -> what a benchmark draws from; `part` is "practice", "sealed" or None.
    divides: its pictures are finite, so practice and sealed draws get different ones.
    """

    name: str
    help: str
    limits: Limits
    open: Callable[[SourceStore, Head, Part | None], Any]
    suffixes: frozenset[str] | None = None
    take: Callable[[Given], Payload | Fault] | None = None
    clashes: Callable[[Iterable[StoredFile]], Iterable[Fault]] = lambda _files: ()
    order: Callable[[Iterable[StoredFile]], Sequence[StoredFile]] = lambda files: sorted(
        files, key=lambda file: file.name
    )
    digest: Callable[[Sequence[StoredFile]], str] | None = None
    finish: Callable[[SourceStore, Head, Callable[[int, int], None]], None] = lambda _store, _head, _progress: None
    access: Access = "approved"
    divides: bool = False

    def wants(self, name: str) -> bool:
        return self.suffixes is not None and PurePosixPath(name).suffix.lower() in self.suffixes

    def digest_of(self, files: Sequence[StoredFile]) -> str:
        return digest_of_files(self.name, files) if self.digest is None else self.digest(files)


OBJECT_LIMITS = Limits(files=20_000, file_bytes=32 * MIB, total_bytes=4096 * MIB)
PHOTOGRAPH_LIMITS = Limits(files=500_000, file_bytes=32 * MIB, total_bytes=64 * 1024 * MIB)
PUBLISHED_LIMITS = Limits(files=100_000, file_bytes=512 * MIB, total_bytes=4096 * MIB)  # Parquet comes in 500 MB
