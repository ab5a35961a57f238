"""Write rows to a shard: lines of JSON beside pictures, Parquet, or a tar of WebDataset; and read lines back.

A shard's bytes follow from its rows: times, owners and settings are fixed. A shard is there whole or not at all.
Parquet needs pyarrow (the extra `parquet`).
"""

import io
import json
import shutil
import tarfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import msgspec
from msgspec.structs import replace

from tetrad.contracts.rows import Row, RowPicture
from tetrad.extras import how_to_install
from tetrad.files import whole_file
from tetrad.rows.columns import COLUMNS, Column
from tetrad.rows.plan import ExportError, ExportForm

ROWS_A_GROUP = 100  # each row holds pictures: a reader takes a whole group into memory
WriteShard: TypeAlias = Callable[[Path, Iterable[Row]], None]
ReadPicture: TypeAlias = Callable[[RowPicture], bytes]


def write_lines(path: Path, rows: Iterable[Row]) -> None:
    """Write a line of JSON a row. Its pictures are files in the folder that is named as the shard."""
    folder = path.with_suffix("")
    shutil.rmtree(folder, ignore_errors=True)  # of a shard that was not finished
    folder.mkdir(parents=True)
    encoder = msgspec.json.Encoder()
    with whole_file(path, durable=False) as file:
        for row in rows:
            for picture in row.pictures:
                (folder / picture_file(row, picture.name)).write_bytes(picture.png())
            file.write(encoder.encode(with_files(row, folder.name)) + b"\n")


def picture_file(row: Row, name: str) -> str:
    """Return the name of the file of a picture: questions of an item share theirs."""
    return f"{row.index:06d}-{name.removesuffix('.png')}.png"


def with_files(row: Row, folder: str) -> Row:
    """Return the row with files of a folder in place of its pictures."""
    pictures = [replace(picture, image=f"{folder}/{picture_file(row, picture.name)}") for picture in row.pictures]
    return replace(row, pictures=tuple(pictures))


def read_lines(path: Path) -> Iterator[Row]:
    """Yield the rows of a shard of lines; the files of their pictures are named from its folder on."""
    decoder = msgspec.json.Decoder(Row)
    with path.open("rb") as lines:
        yield from map(decoder.decode, lines)


def write_parquet(path: Path, rows: Iterable[Row], png: ReadPicture = RowPicture.png) -> None:
    """Write a row a row, with the schema that makes pictures pictures in `datasets`; `png` returns a picture of a row.

    Raises:
        ExportError: pyarrow is not installed.
    """
    try:
        import pyarrow as pa  # noqa: PLC0415 -- of an extra
        from pyarrow import parquet  # noqa: PLC0415 -- same
    except ImportError as error:
        remedy = how_to_install("parquet")
        raise ExportError(f"--format hf needs pyarrow, which an extra installs: {remedy}") from error
    about = json.dumps({"info": {"features": features(COLUMNS)}})
    schema = pa.schema([(column.name, _arrow(pa, column)) for column in COLUMNS], metadata={"huggingface": about})
    path.parent.mkdir(parents=True, exist_ok=True)
    options = {"version": "2.6", "compression": "zstd", "write_statistics": False}
    with whole_file(path, durable=False) as file, parquet.ParquetWriter(file, schema, **options) as writer:
        waiting: list[dict[str, Any]] = []
        for row in rows:
            waiting.append(record_of(row, png))
            if len(waiting) == ROWS_A_GROUP:
                writer.write_table(pa.Table.from_pylist(waiting, schema=schema))
                waiting.clear()
        if waiting:
            writer.write_table(pa.Table.from_pylist(waiting, schema=schema))


def record_of(row: Row, png: ReadPicture = RowPicture.png) -> dict[str, Any]:
    """Return the row as plain data, its pictures as `datasets` keeps an image."""
    record: dict[str, Any] = msgspec.to_builtins(row)
    for picture, plain in zip(row.pictures, record["pictures"], strict=True):
        plain["image"] = {"bytes": png(picture), "path": picture_file(row, picture.name)}
    return record


def _arrow(pa: Any, column: Column) -> Any:
    """Return the Arrow type of a column."""
    if column.kind == "record":
        kind = pa.struct([(below.name, _arrow(pa, below)) for below in column.fields])
    elif column.kind == "image":
        kind = pa.struct([("bytes", pa.binary()), ("path", pa.string())])
    else:
        kind = pa.int64() if column.kind == "number" else pa.string()
    return pa.list_(kind) if column.many else kind


def features(columns: Sequence[Column]) -> dict[str, Any]:
    """Return the columns as the `datasets` library (from 4.0 on) describes them in a schema's metadata."""
    return {column.name: _feature(column) for column in columns}


def _feature(column: Column) -> Any:
    found: Any
    match column.kind:
        case "record":
            found = features(column.fields)
        case "image":
            found = {"_type": "Image"}
        case "number":
            found = {"dtype": "int64", "_type": "Value"}
        case "text":
            found = {"dtype": "string", "_type": "Value"}
    return {"feature": found, "_type": "List"} if column.many else found


def write_tar(path: Path, rows: Iterable[Row], png: ReadPicture = RowPicture.png) -> None:
    """Write for each row KEY.json, KEY.0.png and so on, in the order of its pictures, as WebDataset reads them."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with whole_file(path, durable=False) as file, tarfile.open(fileobj=file, mode="w") as archive:
        for row in rows:
            key = f"{row.index:06d}-{row.question}"
            names = [f"{key}.{place}.png" for place in range(len(row.pictures))]
            named = [replace(picture, image=name) for picture, name in zip(row.pictures, names, strict=True)]
            _put(archive, f"{key}.json", msgspec.json.encode(replace(row, pictures=tuple(named))))
            for picture, name in zip(row.pictures, names, strict=True):
                _put(archive, name, png(picture))


def _put(archive: tarfile.TarFile, name: str, body: bytes) -> None:
    entry = tarfile.TarInfo(name)
    entry.size = len(body)
    archive.addfile(entry, io.BytesIO(body))


WRITERS: Mapping[ExportForm, WriteShard] = {"jsonl": write_lines, "hf": write_parquet, "webdataset": write_tar}
