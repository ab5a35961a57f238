"""Make a shard of a data set: one pure function, for RQ workers and for whatever else divides work by number.

    from generator_service.datasets.shards import make_shard
    make_shard(plan, 7, Path("shards"))

The bytes follow from the plan and the number alone: times and the settings of writers are fixed, pictures are
compressed by zlib, and a process whose libraries are other versions than the plan's refuses. Only practice parts of
sources are drawn from.
"""

import os
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import msgspec

from generator_service.benchmark import PictureArray
from generator_service.datasets.rows import rows_of_draw
from generator_service.datasets.settings import PREFIX, ShardSettings
from generator_service.drawing.png import encode_png
from generator_service.finding import FOLDER_VARIABLES, benchmark_folders, find_benchmarks
from generator_service.practice import Chosen, Practice
from generator_service.registry import mount
from generator_service.sources.packaged import PHOTOGRAPHS
from generator_service.sources.store import open_sources
from tetrad.contracts.datasets import DatasetForm, DatasetPlan, DatasetShard
from tetrad.contracts.rows import Row, RowPicture
from tetrad.files import whole_file
from tetrad.internal.practice import RowsWanted
from tetrad.prompting import picture_address
from tetrad.rows.dataset_plans import file_of, items_of
from tetrad.rows.plan import digest_of
from tetrad.rows.writers import ReadPicture, write_parquet, write_tar
from tetrad.server.settings import load_settings

FILES = 1
"""The version of the files: a change of what we write needs another."""
WANTED = RowsWanted(form="rows", pictures="inline", answers=True, every=True, address="")


class WriterError(Exception):
    """This process can't write the bytes of a plan: its libraries are other versions."""


def make_shard(plan: DatasetPlan, number: int, folder: Path, practice: Practice | None = None) -> DatasetShard:
    """Write a shard of a plan to a folder, and return what the manifest says of it.

    Without `practice`, the variables TETRAD_BULK_* of the process say what is drawn from.

    Raises:
        WriterError: the plan's writer is another than this process has.
        ValueError: the plan has no such shard.
        IdentityError: nothing here makes these items: the benchmark or the source is another version.
    """
    check_writer(plan)
    indexes = items_of(plan, number)
    mounted, draw = (practice or opened_practice()).open_draw(plan.identity, plan.seed)
    path = folder / file_of(plan, number)
    counted, kept = 0, KeptPictures()
    name = picture_address if plan.form == "rows" else kept.keep

    def rows() -> Iterator[Row]:
        nonlocal counted
        for _, found in rows_of_draw(Chosen(mounted, draw, list(indexes), None), WANTED, encode_by_zlib, name):
            counted += len(found)
            yield from found
            kept.forget()

    if plan.form == "rows":
        write_inline(path, rows())
    else:
        WRITERS[plan.form](path, rows(), kept.png)
    return DatasetShard(
        number=number,
        file=path.name,
        items=len(indexes),
        rows=counted,
        bytes=path.stat().st_size,
        sha256=digest_of(path),
    )


class KeptPictures:
    """The pictures of the item whose rows are being written. Base64 and back took a tenth as long as drawing them."""

    def __init__(self) -> None:
        self._pngs: dict[str, bytes] = {}

    def keep(self, png: bytes) -> str:
        """Return what stands for a picture in the rows of its item."""
        name = str(len(self._pngs))
        self._pngs[name] = png
        return name

    def png(self, picture: RowPicture) -> bytes:
        return self._pngs[picture.image or ""]

    def forget(self) -> None:
        """Drop them: the next item begins."""
        self._pngs.clear()


@cache
def opened_practice() -> Practice:
    """Return practice over the sources that the variables of this process name, opened once."""
    return open_practice(load_settings(ShardSettings, PREFIX, os.environ))


def open_practice(settings: ShardSettings) -> Practice:
    benchmarks = list(find_benchmarks(benchmark_folders({FOLDER_VARIABLES[0]: settings.benchmark_folders})))
    store = open_sources(settings.sources_url, Path(settings.sources_cache) if settings.sources_cache else None)
    return Practice(mount(benchmarks, store, "", beside=[PHOTOGRAPHS]))  # it may be made after this process began


def check_writer(plan: DatasetPlan) -> None:
    """Check that this process writes what the plan says. Raises: WriterError: it does not."""
    own = writer_version(plan.form)
    if plan.writer != own:
        remedy = "run a worker of the plan's versions, or order the data set again: its id is then another"
        raise WriterError(f"the plan's writer is {plan.writer}, and this process has {own}; {remedy}")


def writer_version(form: DatasetForm) -> str:
    """Return the version of what this process writes: that of the files, and of each library that they depend on.

    Raises:
        WriterError: a library is not installed.
    """
    found = {"zlib": zlib.ZLIB_RUNTIME_VERSION, **{name: _version_of(name, form) for name in LIBRARIES[form]}}
    return "/".join([str(FILES), *(f"{name}-{found[name]}" for name in sorted(found))]) if form != "recipe" else "1"


def _version_of(library: str, form: DatasetForm) -> str:
    try:
        return version(library)
    except PackageNotFoundError as error:
        raise WriterError(f"{form} needs {library}, which is not installed here; order another form") from error


def encode_by_zlib(picture: PictureArray) -> bytes:
    """Encode a picture as PNG in the same bytes on every machine: our encoder's own compressor differs."""
    return encode_png(picture, zlib.compress)


def write_inline(path: Path, rows: Iterable[Row]) -> None:
    """Write a line of JSON a row, its pictures inline."""
    encoder = msgspec.json.Encoder()
    path.parent.mkdir(parents=True, exist_ok=True)
    with whole_file(path, durable=False) as file:
        for row in rows:
            file.write(encoder.encode(row) + b"\n")


WRITERS: Mapping[DatasetForm, Callable[[Path, Iterable[Row], ReadPicture], None]] = {
    "parquet": write_parquet,
    "webdataset": write_tar,
}
LIBRARIES: Mapping[DatasetForm, tuple[str, ...]] = {
    "recipe": (),
    "rows": ("pillow", "numpy"),
    "parquet": ("pillow", "numpy", "pyarrow"),
    "webdataset": ("pillow", "numpy"),
}
"""What the bytes of a form depend on beside zlib: Pillow and NumPy draw, pyarrow writes Parquet."""
