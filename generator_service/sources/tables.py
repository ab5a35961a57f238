"""Derived tables: pure functions of a source's digest, a version and every other input, stored beside the source.

A table is named JOB/STAGE-VERSION, with a digest of its other inputs behind it where there are some:
`measures/usable-1-2f0c41d8a9b3e675`. Another version is another table. The name is the same for every source, and
`tetrad source mine` prints it. Its rows are JSON, sorted by key, stored in blocks; a row is read by decoding its block.
Rows that are pictures are files of their own (`write_files`). Its digest covers every key and row.
"""

import hashlib
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from itertools import pairwise
from typing import Any

import msgspec

from generator_service.sources.store import Files, Head, Payload, SourceStore, SourceUnreadyError
from tetrad.canonical import Field, hexdigest

BLOCK_ROWS = 256
TABLE, FILES = "table", "files"
"""Kinds of heads: of a table of rows, and of one of files."""


class Table:
    """The rows of one derived table, by key. `digest` becomes part of the identity of draws that depend on it."""

    def __init__(self, head: Head, files: Files) -> None:
        self.digest = head.digest
        self.name = head.name
        self._files = files
        self._holds_files = head.kind == FILES
        self._last: tuple[str, dict[str, msgspec.Raw]] = ("", {})

    def row(self, key: str) -> Any:
        """Return the row of this key; KeyError where there is none."""
        place = bisect_right(self._firsts, key) - 1
        if place < 0:
            raise KeyError(key)
        return msgspec.json.decode(self._block(self._firsts[place])[key])

    def file(self, key: str) -> memoryview:
        """Return the file of this key, of a table of files; KeyError where there is none."""
        return self._files.read(key)

    def rows(self) -> Iterator[tuple[str, Any]]:
        """Yield every key and row, sorted by key."""
        for first in self._firsts:
            for key, row in self._block(first).items():
                yield key, msgspec.json.decode(row)

    def keys(self) -> list[str]:
        """Return every key, sorted, without decoding the rows."""
        if self._holds_files:
            return sorted(self._firsts)
        return [key for first in self._firsts for key in self._block(first)]

    @property
    def count(self) -> int:
        """Return the number of rows."""
        return len(self.keys())

    @cached_property
    def _firsts(self) -> list[str]:
        return list(self._files.by_name)

    def _block(self, first: str) -> dict[str, msgspec.Raw]:
        if self._last[0] != first or not self._last[1]:
            self._last = (first, msgspec.json.decode(self._files.read(first), type=dict[str, msgspec.Raw]))
        return self._last[1]


def table_name(name: str, version: int, inputs: Mapping[str, Field] | None = None) -> str:
    """Return the stored name of a table: its name, its version and, where it has other inputs, their digest."""
    return f"{name}-{version}" + (f"-{hexdigest('tetrad/table-inputs/1', inputs)[:16]}" if inputs else "")


def find_table(store: SourceStore, digest: str, name: str) -> Table | None:
    """Open the table of this stored name that was derived from the source of this digest; None if it is not made."""
    found = store.table(digest, name)
    return None if found is None else Table(*found)


def needed_table(store: SourceStore, head: Head, name: str) -> Table:
    """Open a table of a source, where something can't do without it.

    Raises:
        SourceUnreadyError: it is not made yet; the message names the command that makes it.
    """
    found = find_table(store, head.digest, name)
    if found is None:
        there = ", ".join(store.tables(head.digest)) or "none"
        raise SourceUnreadyError(
            f"source {head.title} has no table {name} (its tables: {there}); {_remedy(head, name)}"
        )
    return found


def _remedy(head: Head, name: str) -> str:
    job, slash, _ = name.partition("/")
    if not slash:
        return (
            "no job makes a table of this name: give the name that `tetrad source mine` prints, such as "
            "measures/pictures-1"
        )
    return f"make it, then start again: tetrad source mine {head.title} {job}"


def write_table(store: SourceStore, digest: str, name: str, rows: Iterable[tuple[str, object]]) -> Table:
    """Store a table and open it. Rows may come in any order; two rows of one key raise ValueError."""
    encoded = sorted((key, msgspec.json.encode(row, order="deterministic")) for key, row in rows)
    hasher = hashlib.sha256()
    for (key, _), (following, _) in pairwise(encoded):
        if key == following:
            raise ValueError(f"table {name}: two rows have the key {key!r}; give each row its own key")
    for key, row in encoded:
        hasher.update(hexdigest(key, row).encode())
    own = hexdigest("tetrad/table/1", digest, name, hasher.hexdigest())
    head = Head(kind=TABLE, name=name, digest=own)
    store.write(head, _blocks(encoded), at=f"tables/{digest}/{name}")
    return _read_back(store, digest, name)


def write_files(store: SourceStore, digest: str, name: str, files: Iterable[tuple[str, bytes]]) -> Table:
    """Store a table of files, each under its key, and open it. No more than a pack of them is held in memory."""
    hasher = hashlib.sha256()

    def payloads() -> Iterator[Payload]:
        for key, body in files:
            hasher.update(hexdigest(key, body).encode())
            yield Payload(name=key, body=body)

    def own_digest() -> str:
        return hexdigest("tetrad/table-of-files/1", digest, name, hasher.hexdigest())

    head = Head(kind=FILES, name=name, digest="")
    store.write(head, payloads(), at=f"tables/{digest}/{name}", digest=own_digest)
    return _read_back(store, digest, name)


def _read_back(store: SourceStore, digest: str, name: str) -> Table:
    table = find_table(store, digest, name)
    if table is None:
        raise LookupError(f"the new table {name} can't be read back: check the store")
    return table


def _blocks(encoded: list[tuple[str, bytes]]) -> Iterator[Payload]:
    for start in range(0, len(encoded), BLOCK_ROWS):
        block = encoded[start : start + BLOCK_ROWS]
        body = msgspec.json.encode({key: msgspec.Raw(row) for key, row in block})
        yield Payload(name=block[0][0], body=body)
