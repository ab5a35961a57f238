"""Read the rows of a shard back, whatever its form, their pictures inline."""

import base64
import json
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from tetrad.contracts.rows import Row
from tetrad.extras import how_to_install
from tetrad.rows.plan import ExportError
from tetrad.rows.writers import read_lines


def read_shard(path: Path) -> Iterator[Row]:
    """Yield the rows of a shard of a data set, in order.

    Raises:
        ExportError: it can't be read, or is Parquet and pyarrow is not installed.
    """
    reader = {".jsonl": read_lines, ".parquet": _read_parquet, ".tar": _read_tar}.get(path.suffix)
    if reader is None:
        raise ExportError(f"{path} is no shard: its name ends in none of .jsonl, .parquet and .tar")
    try:
        yield from reader(path)
    except (OSError, ValueError, tarfile.TarError) as error:  # msgspec's and pyarrow's errors are ValueErrors
        raise ExportError(f"{path} can't be read ({error}); fetch it again") from error


def _read_parquet(path: Path) -> Iterator[Row]:
    try:
        from pyarrow import parquet  # noqa: PLC0415 -- of an extra
    except ImportError as error:
        raise ExportError(f"Parquet needs pyarrow, which an extra installs: {how_to_install('parquet')}") from error
    with parquet.ParquetFile(path) as file:
        for batch in file.iter_batches(batch_size=100):
            for record in batch.to_pylist():
                yield _row_of(record, [picture["image"]["bytes"] for picture in record["pictures"]])


def _read_tar(path: Path) -> Iterator[Row]:
    """Read KEY.json and the pictures behind it, one row at a time."""
    with tarfile.open(path) as archive:
        record: dict[str, Any] = {}
        pngs: list[bytes] = []
        for member in archive:
            file = archive.extractfile(member)
            body = b"" if file is None else file.read()
            if member.name.endswith(".json"):
                if record:
                    yield _row_of(record, pngs)
                record, pngs = json.loads(body), []
            else:
                pngs.append(body)
        if record:
            yield _row_of(record, pngs)


def _row_of(record: dict[str, Any], pngs: list[bytes]) -> Row:
    for picture, png in zip(record["pictures"], pngs, strict=True):
        picture["image"] = f"data:image/png;base64,{base64.b64encode(png).decode()}"
    return msgspec.convert(record, type=Row)
