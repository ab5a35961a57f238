"""The wheel of the package `tetrad` that runs here, for those who use this service.

It is made from the files of the package when the process starts: a wheel is a zip file with three lists in it. So an
image needs neither git nor a build tool, and what is served is what runs. The same files make the same bytes: entries
are sorted, have one date and one mode, and are stored, because versions of zlib deflate differently.
"""

import base64
import hashlib
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from io import BytesIO
from pathlib import Path
from typing import Any
from urllib.parse import quote
from zipfile import ZipFile, ZipInfo

from api.settings import ApiSettings
from tetrad.contracts.versions import ClientWheel
from tetrad.versions import ROOT, find_version

FOLDER = "/client"
SUFFIXES = (".py", ".html", ".css", ".js")
DATE = (2020, 2, 2, 0, 0, 0)  # as hatchling has it
MODE = 0o100644 << 16
DESCRIPTION = """Description-Content-Type: text/markdown

{project[description]}.

This is its client, with the command line `tetrad`. An instance serves it: `tetrad versions` prints the line for pip.
"""


@dataclass(frozen=True)
class Wheel:
    """A wheel by its file name, with its bytes and their SHA-256."""

    name: str
    body: bytes
    sha256: str

    def locate(self, settings: ApiSettings) -> ClientWheel:
        """Return where it is served: below the address of the settings, never below one that a request names."""
        return ClientWheel(url=f"{settings.address}{FOLDER}/{quote(self.name)}", sha256=self.sha256)


@lru_cache(maxsize=1)
def client_wheel() -> Wheel:
    """Return the wheel of this process's package."""
    return make_wheel(ROOT, find_version())


def make_wheel(root: Path, version: str) -> Wheel:
    """Return the wheel of the package below a folder that has its pyproject.toml and LICENSE."""
    project = tomllib.loads((root / "pyproject.toml").read_text())["project"]
    about = f"tetrad-{version}.dist-info"
    files = [path for path in sorted((root / "tetrad").rglob("*")) if path.suffix in SUFFIXES]
    entries = {path.relative_to(root).as_posix(): path.read_bytes() for path in files}
    entries |= {
        f"{about}/METADATA": "".join(_metadata(project, version)).encode(),
        f"{about}/WHEEL": b"Wheel-Version: 1.0\nGenerator: tetrad\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{about}/entry_points.txt": "".join(_entry_points(project)).encode(),
        f"{about}/licenses/LICENSE": (root / "LICENSE").read_bytes(),
    }
    record = f"{about}/RECORD"
    entries[record] = "".join(
        [*(_write_record(name, body) for name, body in entries.items()), f"{record},,\n"]
    ).encode()
    packed = BytesIO()
    with ZipFile(packed, "w") as archive:
        for name, body in entries.items():
            entry = ZipInfo(name, DATE)
            entry.create_system, entry.external_attr = 3, MODE  # Unix
            archive.writestr(entry, body)
    body = packed.getvalue()
    return Wheel(f"tetrad-{version}-py3-none-any.whl", body, hashlib.sha256(body).hexdigest())


def _write_record(name: str, body: bytes) -> str:
    digest = base64.urlsafe_b64encode(hashlib.sha256(body).digest()).decode().rstrip("=")
    return f"{name},sha256={digest},{len(body)}\n"


def _metadata(project: Mapping[str, Any], version: str) -> Iterator[str]:
    yield f"Metadata-Version: 2.4\nName: {project['name']}\nVersion: {version}\nSummary: {project['description']}\n"
    yield from (f"Author: {author['name']}\n" for author in project["authors"])
    yield f"License-Expression: {project['license']}\nLicense-File: LICENSE\n"
    yield f"Requires-Python: {project['requires-python']}\n"
    yield from (f"Requires-Dist: {requirement}\n" for requirement in project["dependencies"])
    for extra, requirements in project["optional-dependencies"].items():
        yield f"Provides-Extra: {extra}\n"
        yield from (f"Requires-Dist: {requirement}; extra == '{extra}'\n" for requirement in requirements)
    yield DESCRIPTION.format(project=project)


def _entry_points(project: Mapping[str, Any]) -> Iterator[str]:
    for group, points in {"console_scripts": project["scripts"], **project["entry-points"]}.items():
        yield f"[{group}]\n"
        yield from (f"{name} = {place}\n" for name, place in points.items())
