"""The few colour photographs that two Python packages carry: a small source of photographs to try things with.

`tetrad source build photographs` adds them as `photographs:packaged`. The packages are scikit-image and scikit-learn,
of one version each, fetched with pip and not installed; each photograph is compared with its digest.
"""

import hashlib
import sys
import zipfile
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from types import MappingProxyType

from generator_service.sources.adding import Wanted, add_source
from generator_service.sources.fetching import PackageUnavailable, fetch
from generator_service.sources.kinds import kinds
from generator_service.sources.store import Head, SourceStore

PHOTOGRAPHS, NAME = "photographs", "packaged"
PACKAGES = ("scikit-image==0.26.0", "scikit-learn==1.9.1")
_PIP = (sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps")
_FETCH = (*_PIP, "--only-binary", ":all:", *PACKAGES)
_PATTERN = "scikit_*.whl"
_LONGEST_FETCH = 300  # seconds for 23 MB
FILES: Mapping[str, str] = MappingProxyType(
    {
        "skimage/data/astronaut.png": "88431cd9653ccd539741b555fb0a46b61558b301d4110412b5bc28b5e3ea6cb5",
        "skimage/data/chelsea.png": "596aa1e7cb875eb79f437e310381d26b338a81c2da23439704a73c4651e8c4bb",
        "skimage/data/coffee.png": "cc02f8ca188b167c775a7101b5d767d1e71792cf762c33d6fa15a4599b5a8de7",
        "skimage/data/ihc.png": "f8dd1aa387ddd1f49d8ad13b50921b237df8e9b262606d258770687b0ef93cef",
        "skimage/data/retina.jpg": "38a07f36f27f095e818aea7b96d34202c05176d30253c66733f2e00379e9e0e6",
        "skimage/data/rocket.jpg": "c2dd0de7c538df8d111e479619b129464d0269d0ae5fd18ca91d33a7fdfea95c",
        "sklearn/datasets/images/china.jpg": "8378025ad2519d649d02e32bd98990db4ab572357d9f09841c2fbfbb4fefad29",
        "sklearn/datasets/images/flower.jpg": "a77f6ec41e353afdf8bdff2ea981b2955535d8d83294f8cfa49cf4e423dd5638",
    }
)
"""The files within the packages, with their SHA-256."""
_LICENCE = "public domain or CC0, but for two under CC BY 2.0"
_CREDITS = (
    "astronaut, rocket: NASA and SpaceX (public domain, CC0), as packaged by scikit-image",
    "chelsea: Stefan van der Walt (CC0); coffee: Rachel Michetti (CC0), as packaged by scikit-image",
    "retina: Mikael Häggström (CC0); ihc: no known restrictions, as packaged by scikit-image",
    "china: danielbuechele (CC BY 2.0); flower: vultilion (CC BY 2.0), as packaged by scikit-learn",
)


def build_photographs(store: SourceStore, given: Path | None) -> Head:
    """Add the photographs from wheels in `given`, or fetch the wheels with pip. A repeat changes nothing.

    Raises:
        PackageUnavailable: a wheel can't be had, or lacks a photograph.
        SourceError: another source has this name.
    """
    with TemporaryDirectory(prefix="tetrad-photographs-") as temporary:
        folder = Path(temporary)
        if given is None:
            fetch(_FETCH, " and ".join(PACKAGES), folder, longest=_LONGEST_FETCH)
        pictures = folder / "pictures"
        pictures.mkdir()
        found = _read(folder if given is None else given)
        missing = [name for name in FILES if name not in found]
        if missing:
            where = given or " and ".join(PACKAGES)
            raise PackageUnavailable(f"{where} has no {', '.join(missing)}; give a folder with {_PATTERN} of these")
        for name, body in found.items():
            (pictures / Path(name).name).write_bytes(body)
        wanted = Wanted(name=NAME, licence=_LICENCE, credits=_CREDITS, access="public")
        return add_source(store, kinds()[PHOTOGRAPHS], str(pictures), wanted, lambda _files, _bytes: None).head


def _read(folder: Path) -> dict[str, bytes]:
    """Return the photographs of all wheels in a folder.

    Raises:
        PackageUnavailable: one has other bytes.
    """
    found = {}
    for wheel in sorted(folder.glob(_PATTERN)):
        with zipfile.ZipFile(wheel) as archive:
            for name in FILES.keys() & set(archive.namelist()):
                found[name] = archive.read(name)
                if hashlib.sha256(found[name]).hexdigest() != FILES[name]:
                    raise PackageUnavailable(f"{wheel} has another {name} than {' and '.join(PACKAGES)}")
    return {name: found[name] for name in FILES if name in found}
