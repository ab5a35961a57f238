"""Get the furniture libraries: Debian's package without root, or a file or folder that an operator gives."""

import lzma
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory

from generator_service.sources.fetching import PackageUnavailable, fetch

PACKAGE = "sweethome3d-furniture"
PUBLIC_DOMAIN = "BlendSwap-CC-0"
_LONGEST_FETCH = 300  # seconds for 120 MB
_APT = ("-q", "-o", "Acquire::Retries=1", "-o", "Acquire::http::Timeout=20", "-o", "Acquire::https::Timeout=20")
_AR_MAGIC = b"!<arch>\n"
_AR_HEAD = 60  # bytes of a member's header: name in the first 16, size in decimal at 48 to 58


@contextmanager
def libraries(given: Path | None) -> Iterator[dict[str, Path]]:
    """Yield the libraries' files by name ("BlendSwap-CC-0"), from `given` or from Debian's package.

    `given` is a .deb, a .sh3f or a folder that holds either kind. Unpacked files are deleted afterwards.

    Raises:
        PackageUnavailable: nothing was given and apt has no package here, or what was given holds no library.
    """
    with TemporaryDirectory(prefix="tetrad-household-") as temporary:
        work = Path(temporary)
        source = given if given is not None else download(work)
        found = _find_libraries(source, work)
        if not found:
            raise PackageUnavailable(f"{source} holds no .sh3f library")
        yield found


def _find_libraries(source: Path, work: Path) -> dict[str, Path]:
    if source.suffix == ".sh3f" and source.is_file():
        return {source.stem: source}
    if source.suffix == ".deb" and source.is_file():
        unpack(source, work / "unpacked")
        source = work / "unpacked"
    if not source.is_dir():
        raise PackageUnavailable(f"{source} is neither a .deb, a .sh3f nor a folder")
    found = {path.stem: path for path in sorted(source.rglob("*.sh3f"))}
    inner = sorted(source.glob("*.deb"))
    return found if found or not inner else _find_libraries(inner[-1], work)


def download(work: Path, package: str = PACKAGE) -> Path:
    """Let apt download a package into a folder of ours, which needs no root. Return the file.

    Raises:
        PackageUnavailable: there is no apt here, or it fails.
    """
    fetch(("apt-get", *_APT, "download", package), package, work, longest=_LONGEST_FETCH)
    files = sorted(work.glob(f"{package}_*.deb"))
    if not files:
        raise PackageUnavailable(f"apt-get download {package} left no file")
    return files[-1]


def unpack(deb: Path, into: Path) -> None:
    """Unpack a Debian package: an `ar` archive with a tar inside. This needs neither dpkg nor root.

    Raises:
        PackageUnavailable: the file is not a Debian package.
    """
    content = deb.read_bytes()
    try:
        with _data(content) as archive:
            archive.extractall(into, filter="data")
    except (tarfile.TarError, lzma.LZMAError, ValueError, OSError) as error:
        raise PackageUnavailable(f"{deb} is not a Debian package: {error}") from error


def _data(content: bytes) -> tarfile.TarFile:
    if not content.startswith(_AR_MAGIC):
        raise ValueError("it is not an ar archive")
    at = len(_AR_MAGIC)
    while at + _AR_HEAD <= len(content):
        name = content[at : at + 16].decode("ascii", "replace").strip(" /")
        size = int(content[at + 48 : at + 58])
        start = at + _AR_HEAD
        if name.startswith("data.tar"):
            return tarfile.open(fileobj=BytesIO(content[start : start + size]))
        at = start + size + size % 2  # members begin at even places
    raise ValueError("it has no data.tar that Python can read")
