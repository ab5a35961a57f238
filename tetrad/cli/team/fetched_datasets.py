"""Data sets in a folder: fetch shards that are missing or damaged, and check all against the manifest and the service.

It stands beside the commands because it knows files and rows, and they know options and words.
"""

import random
from collections.abc import Callable, Iterator
from itertools import groupby
from pathlib import Path

import msgspec
from msgspec.structs import replace

from tetrad.client import Client
from tetrad.contracts.datasets import DatasetManifest, DatasetShard
from tetrad.contracts.rows import Row
from tetrad.errors import TetradError
from tetrad.files import whole_file
from tetrad.rows.dataset_cards import write_dataset_cards
from tetrad.rows.dataset_plans import count_shards, file_of, id_of, items_of
from tetrad.rows.plan import DATA, MANIFEST, digest_of
from tetrad.rows.png_content import png_content
from tetrad.rows.reading import read_shard

SAMPLED_ITEMS = 3
"""The items of a shard that are made anew."""
Tell = Callable[[DatasetShard], None]


class DatasetFolderError(TetradError):
    """The folder holds another data set, or none."""


def fetch_dataset(client: Client, dataset: str, folder: Path, tell: Tell) -> DatasetManifest:
    """Fetch the shards that are made and not in the folder yet, each whole or not at all, and what describes them.

    Raises:
        DatasetFolderError: the folder holds another data set, or a shard arrived damaged.
    """
    known = _load(folder)
    if known is not None and known.id != dataset:
        raise DatasetFolderError(f"{folder} holds data set {known.id}; name another folder with --out")
    manifest = client.dataset_manifest(dataset)
    (folder / DATA).mkdir(parents=True, exist_ok=True)
    with whole_file(folder / MANIFEST) as file:
        file.write(msgspec.json.format(msgspec.json.encode(manifest), indent=1) + b"\n")
    write_dataset_cards(folder, client.benchmark(manifest.plan.identity.benchmark), manifest)
    for shard in manifest.shards:
        if not _is_whole(folder, shard):
            _fetch(client, dataset, folder, shard)
        tell(shard)
    return manifest


def _fetch(client: Client, dataset: str, folder: Path, shard: DatasetShard) -> None:
    with whole_file(folder / DATA / shard.file) as file:
        client.dataset_shard(dataset, shard.number, file)
        file.flush()
        if digest_of(Path(file.name)) != shard.sha256:
            raise DatasetFolderError(f"{shard.file} arrived damaged; run the command again")


def _load(folder: Path) -> DatasetManifest | None:
    path = folder / MANIFEST
    if not path.is_file():
        return None
    try:
        return msgspec.json.decode(path.read_bytes(), type=DatasetManifest)
    except msgspec.DecodeError as error:
        raise DatasetFolderError(f"{path} is no manifest of a data set ({error}); name another folder") from error


def _is_whole(folder: Path, shard: DatasetShard) -> bool:
    path = folder / DATA / shard.file
    return path.is_file() and path.stat().st_size == shard.bytes and digest_of(path) == shard.sha256


def find_faults(client: Client | None, folder: Path, sample: int, tell: Tell) -> Iterator[str]:
    """Yield what is wrong with a fetched data set, one sentence a fault.

    Every shard is compared with its digest, and the id with the plan. Of `sample` shards at random, some items are
    made anew by the service and compared with the rows of the shard, their pictures pixel by pixel.

    Raises:
        DatasetFolderError: the folder holds no data set.
    """
    manifest = _load(folder)
    if manifest is None:
        raise DatasetFolderError(f"{folder} holds no data set; fetch one with tetrad datasets get")
    if id_of(manifest.plan) != manifest.id:
        yield f"{MANIFEST}: the id {manifest.id} is not that of its plan, which is {id_of(manifest.plan)}"
    missing = set(range(count_shards(manifest.plan))) - {shard.number for shard in manifest.shards}
    if missing:
        yield f"{MANIFEST}: {len(missing)} shards are not made yet, the first {file_of(manifest.plan, min(missing))}"
    whole = []
    for shard in manifest.shards:
        if _is_whole(folder, shard):
            whole.append(shard)
        else:
            there = (folder / DATA / shard.file).is_file()
            yield f"{shard.file}: {'its bytes are not those of its digest' if there else 'it is missing'}"
        tell(shard)
    for shard in sorted(random.sample(whole, min(sample, len(whole))), key=lambda shard: shard.number):
        if client is not None:
            yield from _find_other_rows(client, folder, manifest, shard)


def _find_other_rows(client: Client, folder: Path, manifest: DatasetManifest, shard: DatasetShard) -> Iterator[str]:
    """Yield the rows of a shard that the service makes otherwise."""
    plan = manifest.plan
    indexes = list(items_of(plan, shard.number))
    chosen = set(random.sample(indexes, min(SAMPLED_ITEMS, len(indexes))))
    rows = read_shard(folder / DATA / shard.file)
    for index, found in groupby(rows, key=lambda row: row.index):
        if index not in chosen:
            continue
        chosen.discard(index)
        made = client.rows(
            plan.identity.benchmark,
            count=1,
            track=plan.identity.track,
            setting=plan.identity.setting,
            seed=plan.seed,
            offset=index,
            version=plan.identity.version,
            questions="all",
            parameters=plan.identity.parameters,
        )
        if list(map(_content, found)) != list(map(_content, made)):
            yield f"{shard.file}: item {index} is not what the service makes of the plan"
    yield from (f"{shard.file}: item {index} is missing" for index in sorted(chosen))


def _content(row: Row) -> tuple[Row, list[tuple[bytes, bytes]]]:
    """Return what a row says, and what its pictures show: another compressor is no difference."""
    plain = replace(row, pictures=tuple(replace(picture, image=None) for picture in row.pictures))
    return plain, [png_content(picture.png()) for picture in row.pictures]
