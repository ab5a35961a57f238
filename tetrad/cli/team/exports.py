"""The forms in which `tetrad items` writes items: pictures beside lines of JSON, Parquet, or WebDataset shards.

In this file: a question as a row, the three writers, the data card that goes with them, and taking an earlier export
away. Parquet needs pyarrow (the extra `parquet`); the columns are those that `datasets.load_dataset` and pandas read.
"""

import io
import json
import shlex
import tarfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias

import msgspec

from tetrad.client import TetradError
from tetrad.contracts.benchmarks import BenchmarkInfo
from tetrad.contracts.items import Option, PracticeItem, Question, Solution
from tetrad.contracts.wire import Wire
from tetrad.extras import how_to_install
from tetrad.files import whole_file
from tetrad.versions import find_version

Form: TypeAlias = Literal["folder", "hf", "webdataset"]
LINES, CARD, PARQUET, SHARDS = "items.jsonl", "README.md", "data/train.parquet", "shard-*.tar"
ROWS_A_GROUP = 100  # each row holds pictures: a reader takes a whole group into memory
ITEMS_A_SHARD = 1000
TEXTS = ("id", "question", "kind", "text", "instruction", "answer", "facets", "explanation")
LISTS = ("labels", "options")


class ExportError(TetradError):
    """The items can't be written in this form, or not to this folder."""


class SavedItem(Wire, frozen=True, kw_only=True):
    """One line of items.jsonl: the item, its solution, and its picture files by name."""

    item: PracticeItem
    solution: Solution
    pictures: dict[str, str]


@dataclass(frozen=True, kw_only=True)
class Fetched:
    """An item with its solution and its pictures as PNG, by name."""

    item: PracticeItem
    solution: Solution
    pictures: Mapping[str, bytes]

    @property
    def size(self) -> int:
        return sum(map(len, self.pictures.values())) + len(msgspec.json.encode([self.item, self.solution]))

    def as_saved_item(self) -> SavedItem:
        names = {name: f"{self.item.index:05d}-{name}.png" for name in self.pictures}
        return SavedItem(item=self.item, solution=self.solution, pictures=names)


Write: TypeAlias = Callable[[Fetched], None]


def row_of(fetched: Fetched, question: Question) -> dict[str, Any]:
    """Return what is told of a question, beside its pictures. Facets are JSON text, as each benchmark has its own."""
    solution = fetched.solution
    return {
        "id": fetched.item.id,
        "index": fetched.item.index,
        "question": question.id,
        "kind": question.kind,
        "text": question.text,
        "instruction": question.instruction,
        "labels": [option.label for option in question.options],
        "options": [_words(option) for option in question.options],
        "answer": solution.keys[question.id].label,
        "facets": json.dumps(solution.facets.get(question.id, {}), sort_keys=True),
        "explanation": solution.explanation,
    }


def _words(option: Option) -> str:
    return option.text or option.picture or option.label


@contextmanager
def folder_writer(folder: Path) -> Iterator[Write]:
    """Write each picture to a file, and each item to a line of items.jsonl."""
    with (folder / LINES).open("wb") as lines:

        def write(fetched: Fetched) -> None:
            saved = fetched.as_saved_item()
            for name, file in saved.pictures.items():
                (folder / file).write_bytes(fetched.pictures[name])
            lines.write(msgspec.json.encode(saved) + b"\n")
            lines.flush()

        yield write


@contextmanager
def parquet_writer(folder: Path, roles: Sequence[str]) -> Iterator[Write]:
    """Write a row a question and a column a role of pictures, with the schema that makes them pictures in `datasets`.

    Raises:
        ExportError: pyarrow is not installed.
    """
    try:
        import pyarrow as pa  # noqa: PLC0415 -- of an extra
        from pyarrow import parquet  # noqa: PLC0415 -- same
    except ImportError as error:
        remedy = how_to_install("parquet")
        raise ExportError(f"--format hf needs pyarrow, which an extra installs: {remedy}") from error
    picture = pa.struct([("bytes", pa.binary()), ("path", pa.string())])
    fields = [(name, pa.string()) for name in TEXTS] + [(name, pa.list_(pa.string())) for name in LISTS]
    fields += [("index", pa.int64()), *((role, picture) for role in roles)]
    about = json.dumps({"info": {"features": features(roles)}})
    schema = pa.schema(fields, metadata={"huggingface": about})
    path = folder / PARQUET
    path.parent.mkdir(exist_ok=True)
    waiting: list[dict[str, Any]] = []
    with whole_file(path, durable=False) as file, parquet.ParquetWriter(file, schema) as writer:

        def flush() -> None:
            writer.write_table(pa.Table.from_pylist(waiting, schema=schema), row_group_size=ROWS_A_GROUP)
            waiting.clear()

        def write(fetched: Fetched) -> None:
            for question in fetched.item.questions:
                shown = {picture.name for picture in question.pictures}
                pictures = {
                    role: {"bytes": fetched.pictures[role], "path": f"{fetched.item.index:05d}-{role}.png"}
                    for role in roles
                    if role in shown
                }
                waiting.append({**row_of(fetched, question), **pictures})
                if len(waiting) == ROWS_A_GROUP:
                    flush()

        yield write
        if waiting:
            flush()


def features(roles: Sequence[str]) -> dict[str, Any]:
    """Return the columns as the `datasets` library describes them in a schema's metadata."""
    text = {"dtype": "string", "_type": "Value"}
    return {
        **dict.fromkeys(TEXTS, text),
        **{name: {"feature": text, "_type": "Sequence"} for name in LISTS},
        "index": {"dtype": "int64", "_type": "Value"},
        **{role: {"_type": "Image"} for role in roles},
    }


@contextmanager
def shard_writer(folder: Path) -> Iterator[Write]:
    """Write tar files of 1,000 items: for each question KEY.json, KEY.ROLE.png and so on, as WebDataset has them."""
    shards: list[tarfile.TarFile] = []
    written = 0

    def write(fetched: Fetched) -> None:
        nonlocal written
        if written % ITEMS_A_SHARD == 0:
            for shard in shards:
                shard.close()
            shards[:] = [tarfile.open(folder / f"shard-{written // ITEMS_A_SHARD:05d}.tar", "w")]  # noqa: SIM115
        written += 1
        for question in fetched.item.questions:
            key = f"{fetched.item.index:06d}-{question.id}"
            _put(shards[0], f"{key}.json", json.dumps(row_of(fetched, question)).encode())
            for picture in question.pictures:
                if picture.name in fetched.pictures:
                    _put(shards[0], f"{key}.{picture.name}.png", fetched.pictures[picture.name])

    try:
        yield write
    finally:
        for shard in shards:
            shard.close()


def _put(shard: tarfile.TarFile, name: str, body: bytes) -> None:
    entry = tarfile.TarInfo(name)
    entry.size = len(body)
    shard.addfile(entry, io.BytesIO(body))


def writer_of(form: Form, folder: Path, roles: Sequence[str]) -> AbstractContextManager[Write]:
    """Return the writer of a form. `roles` are the names of all pictures, which Parquet needs beforehand."""
    match form:
        case "folder":
            return folder_writer(folder)
        case "hf":
            return parquet_writer(folder, roles)
        case "webdataset":
            return shard_writer(folder)


def data_card(info: BenchmarkInfo, first: PracticeItem, form: Form, command: Sequence[str]) -> str:
    """Return the README of an export: what it is, its licences, and the command that makes it again."""
    card, identity = info.card, first.identity
    parameters = ", ".join(f"{name}={value}" for name, value in sorted(identity.parameters.items())) or "none"
    drawn = [source for source in info.sources if source.default or source.digest == identity.bank]
    licences = [f"- {source.kind}:{source.name}: {source.licence or 'no licence is named'}" for source in drawn]
    licences += [f"  - {line}" for source in drawn for line in source.credits]
    files = {"hf": PARQUET, "webdataset": SHARDS, "folder": LINES}[form]
    version = f"{card.name} {card.version}"
    credit = f"{card.credit.authors}, {card.credit.title} ({card.credit.venue}), <{card.credit.url}>"
    head = ["---", f"pretty_name: {json.dumps(card.title)}", "license: other", "license_name: see-below"]
    if form == "hf":
        head += ["configs:", "- config_name: default", "  data_files:", "  - split: train", f"    path: {PARQUET}"]
    return "\n".join(
        [
            *head,
            "---",
            f"# {card.title}",
            "",
            f"Practice items of {version} with their solutions, made by Tetrad {find_version()}, in `{files}`.",
            "One row is one question. A picture's column is its role.",
            "",
            f"- track {identity.track}, setting {identity.setting}, parameters: {parameters}",
            f"- seed `{first.seed}`",
            f"- sources `{identity.bank}`",
            "",
            "The same command on any instance with this version and these sources makes the same items again:",
            "",
            "```sh",
            shlex.join(command),
            "```",
            "",
            "## Licences",
            "",
            "The pictures are drawn from:",
            "",
            *(licences or ["- no pictures of others: all is drawn by Tetrad (Apache-2.0)"]),
            "",
            f"The benchmark is that of {credit}. Cite it if you report a score.",
            "",
        ]
    )


def remove_export(folder: Path) -> None:
    """Remove what an earlier export wrote to a folder, and nothing else."""
    lines = folder / LINES
    if lines.is_file():
        for line in lines.read_bytes().splitlines():
            try:
                names = msgspec.json.decode(line, type=_Pictures).pictures.values()
            except msgspec.DecodeError:
                continue
            for name in names:
                if Path(name).name == name:
                    (folder / name).unlink(missing_ok=True)
    for path in (lines, folder / CARD, folder / PARQUET, *folder.glob(SHARDS)):
        path.unlink(missing_ok=True)


class _Pictures(msgspec.Struct):
    pictures: dict[str, str] = {}
