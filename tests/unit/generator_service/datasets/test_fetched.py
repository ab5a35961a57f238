"""A data set in a folder: every shard is checked by its digest, and a sample against rows that are made anew."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from generator_service.datasets.rows import rows_of_draw
from generator_service.datasets.settings import ShardSettings
from generator_service.datasets.shards import WANTED, make_shard, open_practice
from generator_service.practice import Chosen, Practice
from tests.unit.generator_service.conftest import TOYS
from tests.unit.generator_service.datasets.test_shards import ASKED, FORMS, plan_of
from tetrad.cli.team.fetched_datasets import DatasetFolderError, find_faults
from tetrad.contracts.datasets import DatasetForm, DatasetManifest
from tetrad.contracts.rows import Row
from tetrad.rows.dataset_plans import id_of
from tetrad.rows.plan import DATA, MANIFEST


@pytest.fixture(scope="module")
def practice(tmp_path_factory: pytest.TempPathFactory, bank_folder: Path) -> Practice:
    own = tmp_path_factory.mktemp("sources")
    return open_practice(ShardSettings(sources_url=f"file://{own},file://{bank_folder}", benchmark_folders=str(TOYS)))


class Rows:
    """Gives the rows of the toy benchmark as the service does, its pictures by the service's own compressor."""

    def __init__(self, practice: Practice, seed: str = "5") -> None:
        self._chosen = practice.choose(replace(ASKED, seed=seed))

    def rows(self, *_: object, offset: int, **__: object) -> Iterator[Row]:
        chosen = Chosen(self._chosen.mounted, self._chosen.draw, [offset], None)
        return (row for _, rows in rows_of_draw(chosen, WANTED) for row in rows)


def fetched(practice: Practice, folder: Path, form: DatasetForm) -> Path:
    """Write a whole data set to a folder; return its second shard."""
    plan = plan_of(practice, form)
    shards = [make_shard(plan, number, folder / DATA, practice) for number in range(3)]
    manifest = DatasetManifest(id=id_of(plan), plan=plan, shards=shards, is_complete=True)
    (folder / MANIFEST).write_bytes(msgspec.json.encode(manifest))
    return folder / DATA / shards[1].file


def faults(client: Any, folder: Path) -> list[str]:
    return list(find_faults(client, folder, 3, lambda _: None))


@pytest.mark.parametrize("form", FORMS)
def test_one_flipped_byte_is_found_and_a_whole_data_set_has_no_fault(
    practice: Practice, tmp_path: Path, form: DatasetForm
) -> None:
    shard = fetched(practice, tmp_path, form)
    assert faults(Rows(practice), tmp_path) == []
    body = bytearray(shard.read_bytes())
    body[len(body) // 2] ^= 1
    shard.write_bytes(body)
    assert faults(None, tmp_path) == [f"{shard.name}: its bytes are not those of its digest"]
    shard.unlink()
    assert faults(None, tmp_path) == [f"{shard.name}: it is missing"]


def test_rows_that_the_service_makes_otherwise_are_found(practice: Practice, tmp_path: Path) -> None:
    fetched(practice, tmp_path, "rows")
    found = faults(Rows(practice, seed="6"), tmp_path)
    assert len(found) == 7
    assert "item 0 is not what the service makes of the plan" in found[0]


def test_a_plan_that_is_not_that_of_the_id_is_found(practice: Practice, tmp_path: Path) -> None:
    fetched(practice, tmp_path, "rows")
    manifest = msgspec.json.decode((tmp_path / MANIFEST).read_bytes(), type=DatasetManifest)
    (tmp_path / MANIFEST).write_bytes(msgspec.json.encode(replace(manifest, plan=replace(manifest.plan, seed="6"))))
    assert "is not that of its plan" in faults(None, tmp_path)[0]
    with pytest.raises(DatasetFolderError, match="holds no data set"):
        faults(None, tmp_path / DATA)
