"""Write an export: shards one after the other, from the last one that is there, and the files that describe it."""

from collections.abc import Callable, Iterable, Iterator
from itertools import chain, groupby, islice
from pathlib import Path

import msgspec

from tetrad.client import Client
from tetrad.contracts.rows import Row
from tetrad.rows.cards import CROISSANT, LICENCES, README
from tetrad.rows.lmms_task import task_files
from tetrad.rows.plan import DATA, MANIFEST, ExportError, Manifest, Plan, Shard, Split, digest_of, load_manifest
from tetrad.rows.writers import WRITERS

CARDS = (README, CROISSANT, LICENCES)
Tell = Callable[[Row, Path], None]
"""Called with each row as it is written, and its shard."""


def begin_export(folder: Path, plan: Plan, *, replace: bool) -> Manifest:
    """Return the manifest of the folder's export, which may be half done, or a new one.

    Raises:
        ExportError: the folder holds something else, or another export.
    """
    folder.mkdir(parents=True, exist_ok=True)
    if replace:
        remove_export(folder)
    manifest = load_manifest(folder)
    if manifest is not None and manifest.plan == plan:
        return manifest
    if manifest is not None:
        raise ExportError(f"{folder} holds another export; name another folder, or add --replace")
    if any(folder.iterdir()):
        raise ExportError(f"{folder} is not empty; name another folder, or add --replace if it holds an earlier export")
    manifest = Manifest(plan=plan, shards=[])
    manifest.keep(folder)
    return manifest


def write_export(client: Client, folder: Path, manifest: Manifest, tell: Tell) -> None:
    """Write the shards that are still to come."""
    for split in manifest.plan.splits:
        _write_split(client, folder, manifest, split, tell)
    manifest.is_complete = True
    manifest.keep(folder)


def _write_split(client: Client, folder: Path, manifest: Manifest, split: Split, tell: Tell) -> None:
    plan, done = manifest.plan, manifest.of(split)
    left = split.count - sum(shard.items for shard in done)
    offset = done[-1].next_offset if done else split.offset
    if left <= 0:
        return
    rows = client.rows(
        plan.benchmark,
        count=left,
        track=plan.track,
        setting=plan.setting,
        seed=split.seed,
        offset=offset,
        version=plan.version,
        source=plan.named_sources or None,
        questions=plan.questions,
        parameters={**plan.parameters, **plan.filters},
    )
    items = (list(rows_of_item) for _, rows_of_item in groupby(rows, key=lambda row: row.index))
    for number in range(len(done), len(done) + -(-left // plan.shard_items)):
        shard = write_shard(folder, plan, split, number, islice(items, plan.shard_items), tell)
        if shard is None:  # no further item has these facets
            return
        manifest.shards.append(shard)
        manifest.keep(folder)


def write_shard(  # noqa: PLR0917 -- where a shard is in its export
    folder: Path, plan: Plan, split: Split, number: int, items: Iterator[list[Row]], tell: Tell
) -> Shard | None:
    """Write a shard of these items; None where there are none."""
    first = next(items, None)
    if first is None:
        return None
    counts = {"items": 0, "rows": 0, "next_offset": 0}
    path = folder / plan.file_of(split, number)

    def count_rows() -> Iterable[Row]:
        for rows in chain([first], items):
            for row in rows:
                yield row
                tell(row, path)
            counts["items"] += 1
            counts["rows"] += len(rows)
            counts["next_offset"] = rows[0].index + 1

    WRITERS[plan.form](path, count_rows())
    return Shard(
        split=split.name,
        file=plan.file_of(split, number),
        bytes=path.stat().st_size,
        sha256=digest_of(path),
        **counts,
    )


def remove_export(folder: Path) -> None:
    """Remove what an earlier export wrote to a folder, and nothing else."""
    manifest = load_manifest(folder)
    if manifest is None:
        return
    ending = Path(manifest.plan.file_of(manifest.plan.splits[0], 0)).suffix
    for split in manifest.plan.splits:
        for path in sorted((folder / DATA).glob(f"{split.name}-[0-9]*")):
            if path.is_dir():
                for picture in path.glob("*.png"):
                    picture.unlink()
                path.rmdir()
            elif path.suffix == ending:
                path.unlink()
    if (folder / DATA).is_dir() and not any((folder / DATA).iterdir()):
        (folder / DATA).rmdir()
    config, utils = task_files(manifest.plan)
    for name in (MANIFEST, *CARDS, *([config, utils] if (folder / config).is_file() else [])):
        (folder / name).unlink(missing_ok=True)


def size_of(row: Row) -> int:
    """Return about how many bytes a row takes."""
    return len(msgspec.json.encode(row)) * 3 // 4  # base64
