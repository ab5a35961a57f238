"""A .sh3f library: a zip of models with a properties catalogue that names, turns and credits each."""

import hashlib
import re
import zipfile
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

import numpy as np

from generator_service.drawing.exact import Floats

CATALOGUE = "PluginFurnitureCatalog.properties"
_LINE = re.compile(r"(\w+)#(\d+)\s*=(.*)")
_TURN = 3  # a rotation has three rows of three
_UNTURNED = tuple(float(value) for value in np.eye(_TURN).ravel())


class UnreadableLibrary(Exception):  # noqa: N818 - named for what went wrong
    """The file is no furniture library; the message names it and what was expected."""


@dataclass(frozen=True)
class CatalogueEntry:
    """One model: `name` is its file's without the suffix, `turn` a rotation (nine numbers, by rows) to stand it up."""

    name: str
    path: str
    title: str
    creator: str
    turn: tuple[float, ...] = _UNTURNED

    def rotation(self) -> Floats:
        """Return the rotation as (3, 3)."""
        return np.array(self.turn, np.float64).reshape(_TURN, _TURN)


@dataclass(frozen=True)
class Library:
    """One .sh3f file, its entries by name, and the SHA-256 of the file."""

    path: Path
    entries: dict[str, CatalogueEntry]
    checksum: str


def read_library(path: Path) -> Library:
    """Read a library's catalogue.

    Raises:
        UnreadableLibrary: the file is not a zip, or has no catalogue.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            text = archive.read(CATALOGUE).decode("latin-1")  # what Java's properties are written in
    except (zipfile.BadZipFile, KeyError, OSError) as error:
        raise UnreadableLibrary(f"{path} is not a .sh3f library: {error}") from error
    fields: dict[str, dict[str, str]] = {}
    for line in text.splitlines():
        if found := _LINE.match(line):
            fields.setdefault(found[2], {})[found[1]] = found[3].strip()
    entries = [_entry(entry) for entry in fields.values() if "model" in entry]
    return Library(path, {entry.name: entry for entry in entries}, hashlib.sha256(path.read_bytes()).hexdigest())


def _entry(fields: dict[str, str]) -> CatalogueEntry:
    path = fields["model"].lstrip("/")
    turn = tuple(float(value) for value in fields.get("modelRotation", "").split())
    return CatalogueEntry(
        name=PurePosixPath(path).stem,
        path=path,
        title=fields.get("name", ""),
        creator=fields.get("creator", ""),
        turn=turn if len(turn) == _TURN * _TURN else _UNTURNED,
    )
