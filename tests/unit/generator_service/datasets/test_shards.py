"""Shards of data sets: the same plan is the same bytes, equal to the rows of practice; other writers are refused."""

import base64
import dataclasses
import json
import struct
import tarfile
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from msgspec.structs import replace
from pyarrow import parquet

from generator_service.datasets.planning import plan_dataset
from generator_service.datasets.rows import rows_of_draw
from generator_service.datasets.settings import ShardSettings
from generator_service.datasets.shards import (
    WANTED,
    WriterError,
    encode_by_zlib,
    make_shard,
    open_practice,
    opened_practice,
    writer_version,
)
from generator_service.drawing.png import encode_png
from generator_service.parameters import IdentityError
from generator_service.practice import Practice
from tests.unit.generator_service.conftest import TOYS
from tetrad.contracts.datasets import DatasetForm, DatasetPlan
from tetrad.contracts.rows import Row
from tetrad.internal.practice import PlanRequest, PracticeRequest
from tetrad.rows.dataset_plans import count_shards, file_of, id_of, items_of
from tetrad.rows.png_content import png_content

ASKED = PracticeRequest(benchmark="toy", track="toy", setting="full", seed="5")
FORMS: tuple[DatasetForm, ...] = ("rows", "parquet", "webdataset")


@pytest.fixture(scope="module")
def practice(tmp_path_factory: pytest.TempPathFactory, bank_folder: Path) -> Practice:
    own = tmp_path_factory.mktemp("sources")
    return open_practice(ShardSettings(sources_url=f"file://{own},file://{bank_folder}", benchmark_folders=str(TOYS)))


def plan_of(practice: Practice, form: DatasetForm, **changes: Any) -> DatasetPlan:
    asked = PlanRequest(items=ASKED, count=7, form=form, shard_items=3)
    return replace(plan_dataset(practice, asked).plan, **changes)


def rows_in(path: Path) -> list[Row]:
    """Return the rows of a shard with their pictures inline, whatever its form."""
    match path.suffix:
        case ".jsonl":
            return [msgspec.json.decode(line, type=Row) for line in path.read_bytes().splitlines()]
        case ".parquet":
            return [_of_record(record) for record in parquet.read_table(path).to_pylist()]
        case _:
            with tarfile.open(path) as archive:
                files = {member.name: _body(archive, member) for member in archive}
            return [_of_tar(body, files) for name, body in files.items() if name.endswith(".json")]


def _body(archive: tarfile.TarFile, member: tarfile.TarInfo) -> bytes:
    assert (member.mtime, member.uid, member.uname) == (0, 0, "")
    file = archive.extractfile(member)
    assert file is not None
    return file.read()


def _of_record(record: dict[str, Any]) -> Row:
    for picture in record["pictures"]:
        picture["image"] = _address(picture["image"]["bytes"])
    return msgspec.convert(record, type=Row)


def _of_tar(body: bytes, files: dict[str, bytes]) -> Row:
    row = json.loads(body)
    for picture in row["pictures"]:
        picture["image"] = _address(files[picture["image"]])
    return msgspec.convert(row, type=Row)


def _address(png: bytes) -> str:
    return f"data:image/png;base64,{base64.b64encode(png).decode()}"


@pytest.mark.parametrize("form", FORMS)
def test_shards_join_to_the_rows_of_practice(practice: Practice, tmp_path: Path, form: DatasetForm) -> None:
    plan = plan_of(practice, form)
    shards = [make_shard(plan, number, tmp_path, practice) for number in range(count_shards(plan))]
    assert [shard.file for shard in shards] == [file_of(plan, number) for number in range(3)]
    assert [shard.items for shard in shards] == [3, 3, 1]
    found = [row for shard in shards for row in rows_in(tmp_path / shard.file)]
    chosen = practice.choose(replace(ASKED, limit=7))
    assert found == [row for _, rows in rows_of_draw(chosen, WANTED, encode_by_zlib) for row in rows]
    assert sum(shard.rows for shard in shards) == len(found)
    assert {row.answer is None for row in found} == {False}
    shown = [png_content(picture.png()) for row in found for picture in row.pictures]
    drawn = [rows for _, rows in rows_of_draw(chosen, WANTED, encode_png)]
    assert shown == [png_content(picture.png()) for rows in drawn for row in rows for picture in row.pictures]


@pytest.mark.parametrize("form", FORMS)
def test_a_shard_made_twice_is_the_same_bytes(practice: Practice, tmp_path: Path, form: DatasetForm) -> None:
    plan = plan_of(practice, form)
    first, again = (make_shard(plan, 1, tmp_path / name, practice) for name in ("first", "again"))
    assert first == again
    assert (tmp_path / "first" / first.file).read_bytes() == (tmp_path / "again" / first.file).read_bytes()
    other = make_shard(replace(plan, seed="6"), 1, tmp_path / "other", practice)
    assert other.sha256 != first.sha256


def test_a_process_makes_shards_from_its_variables_alone(
    practice: Practice, tmp_path: Path, bank_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TETRAD_BULK_SOURCES_URL", f"file://{tmp_path},file://{bank_folder}")
    monkeypatch.setenv("TETRAD_BULK_BENCHMARK_FOLDERS", str(TOYS))
    opened_practice.cache_clear()
    plan = plan_of(practice, "rows")
    assert make_shard(plan, 0, tmp_path / "alone") == make_shard(plan, 0, tmp_path / "given", practice)
    opened_practice.cache_clear()


def test_a_plan_of_another_writer_is_refused(practice: Practice, tmp_path: Path) -> None:
    plan = plan_of(practice, "parquet")
    assert plan.writer == writer_version("parquet")
    assert {part.partition("-")[0] for part in plan.writer.split("/")} == {"1", "numpy", "pillow", "pyarrow", "zlib"}
    with pytest.raises(WriterError, match="pyarrow-0"):
        make_shard(replace(plan, writer="1/pyarrow-0"), 0, tmp_path, practice)
    assert not list(tmp_path.iterdir())


def test_a_shard_that_is_not_in_the_plan_is_refused(practice: Practice, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="there is no shard 3"):
        make_shard(plan_of(practice, "rows"), 3, tmp_path, practice)


def test_sealed_parts_of_sources_are_never_drawn_from(
    practice: Practice, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = plan_of(practice, "rows")
    mounted, draw = practice.open_draw(plan.identity, "5")
    sealed = dataclasses.replace(mounted, part="sealed")
    monkeypatch.setattr(practice, "_draw", lambda *_: (sealed, draw))
    with pytest.raises(IdentityError, match="other pictures for practice"):
        make_shard(plan, 0, tmp_path, practice)


def test_an_id_is_the_digest_of_all_that_the_bytes_follow_from(practice: Practice) -> None:
    plan = plan_of(practice, "rows")
    others = [
        replace(plan, identity=replace(plan.identity, bank="0" * 64)),
        replace(plan, seed="6"),
        replace(plan, count=8),
        replace(plan, form="parquet"),
        replace(plan, shard_items=4),
        replace(plan, writer="2"),
    ]
    assert len({id_of(known) for known in [plan, *others]}) == 7
    assert id_of(plan) == id_of(msgspec.json.decode(msgspec.json.encode(plan), type=DatasetPlan))


def test_a_recipe_has_no_shards_and_shards_cover_each_item_once(practice: Practice) -> None:
    assert count_shards(plan_of(practice, "recipe")) == 0
    plan = plan_of(practice, "rows", count=10_000, shard_items=999)
    assert [index for number in range(count_shards(plan)) for index in items_of(plan, number)] == list(range(10_000))


def test_an_estimate_is_near_what_is_made(practice: Practice, tmp_path: Path) -> None:
    asked = PlanRequest(items=ASKED, count=40, form="rows", shard_items=40)
    planned = plan_dataset(practice, asked)
    made = make_shard(planned.plan, 0, tmp_path, practice)
    assert made.bytes == pytest.approx(40 * planned.item_bytes, rel=0.25)
    assert planned.item_pictures > 0


def test_a_damaged_picture_has_no_content() -> None:
    png = encode_png(np.full((2, 2, 4), 255, np.uint8))
    assert png_content(png) == (struct.pack(">IIBBBBB", 2, 2, 8, 0, 0, 0, 0), b"\2\xff\xff\2\0\0")
    for place in (20, len(png) - 20):
        with pytest.raises(ValueError, match="damaged"):
            png_content(png[:place] + bytes([png[place] ^ 1]) + png[place + 1 :])
    for broken in (b"GIF", png[:30]):
        with pytest.raises(ValueError, match="it "):
            png_content(broken)
