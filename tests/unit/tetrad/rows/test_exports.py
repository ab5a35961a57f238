"""Exports, read as their users read them: `datasets`, pandas, WebDataset, Croissant, and a plain reader of tar."""

import json
import os
import subprocess
import sys
import tarfile
import warnings
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import webdataset
from pyarrow import parquet

from tests.unit.tetrad.rows.written import export, info, picture, row
from tetrad.cli.team.exports import begin_export, remove_export
from tetrad.cli.team.items import _check_room, command_of, parse_splits
from tetrad.contracts.benchmarks import SourceInfo
from tetrad.contracts.datasets import DatasetForm, DatasetManifest, DatasetPlan, DatasetShard
from tetrad.contracts.items import DrawIdentity
from tetrad.rows.columns import COLUMNS
from tetrad.rows.dataset_cards import write_dataset_cards
from tetrad.rows.dataset_plans import file_of
from tetrad.rows.licences import licences_of
from tetrad.rows.making import key_of, question_of
from tetrad.rows.plan import ExportError, ExportForm
from tetrad.rows.writers import read_lines, write_parquet

LOAD = """
import sys
from datasets import concatenate_datasets, load_dataset
one, other = (load_dataset(folder) for folder in sys.argv[1:])
both = concatenate_datasets([one["train"], other["train"]])
first, second = one["train"][0], one["train"][1]
picture = first["pictures"][0]["image"]
print(len(one["train"]), len(one["validation"]), len(both), sorted(set(both["benchmark"])), picture.size, picture.mode)
print(first["answer_text"], first["answer_index"], second["answer"], second["options"], first["options"][1])
print([part["index"] for turn in first["prompt"] for part in turn["content"] if part["type"] == "image"])
"""

READ_CROISSANT = """
import sys
import mlcroissant
found = [mlcroissant.Dataset(jsonld=path) for path in sys.argv[1:]]
for one in found:
    issues = one.metadata.ctx.issues
    print([*issues.errors], [*issues.warnings])
"""


def test_two_data_sets_are_loaded_joined_and_shown_as_pictures(tmp_path: Path) -> None:
    for name in ("toy", "other"):
        export(tmp_path / name, "hf", {"train": 130, "validation": 3}, shard_items=100, benchmark=name)
    environment = os.environ | {"HF_HUB_OFFLINE": "1", "HF_HOME": str(tmp_path / "cache")}
    command = [sys.executable, "-c", LOAD, str(tmp_path / "toy"), str(tmp_path / "other")]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        "260 6 520 ['other', 'toy'] (9, 6) RGB",
        "picture candidate 1 0 [] {'label': 'B', 'text': None, 'picture': 'candidate'}",
        "[0, 1]",
    ]


def test_pandas_reads_parquet_and_lines_alike(tmp_path: Path) -> None:
    export(tmp_path / "hf", "hf", {"train": 3})
    export(tmp_path / "lines", "jsonl", {"train": 3})
    frame = pd.read_parquet(tmp_path / "hf" / "data" / "train-00000.parquet")
    lines = pd.read_json(tmp_path / "lines" / "data" / "train-00000.jsonl", lines=True)
    assert list(frame.columns) == list(lines.columns) == [column.name for column in COLUMNS]
    assert list(frame["answer"]) == ["B", "0", "B", "1", "B", "2"]
    assert frame["pictures"][0][0]["image"]["bytes"] == picture(40)
    file = lines["pictures"][0][0]["image"]
    assert (tmp_path / "lines" / "data" / file).read_bytes() == picture(40)
    about = parquet.ParquetFile(tmp_path / "hf" / "data" / "train-00000.parquet").metadata
    assert about.num_row_groups == 1


def test_a_tar_has_the_parts_of_a_row_together_and_webdataset_reads_them(tmp_path: Path) -> None:
    export(tmp_path, "webdataset", {"train": 3}, shard_items=2)
    shards = sorted((tmp_path / "data").iterdir())
    assert [path.name for path in shards] == ["train-00000.tar", "train-00001.tar"]
    with tarfile.open(shards[0]) as archive:
        entries = list(archive)
    assert [entry.name for entry in entries][:4] == [
        "000000-which.json",
        "000000-which.0.png",
        "000000-which.1.png",
        "000000-count.json",
    ]
    assert {entry.mtime for entry in entries} == {0}
    with warnings.catch_warnings(action="ignore"):  # WebDataset's own
        samples: Any = webdataset.WebDataset([str(path) for path in shards], shardshuffle=False).decode("pil")
        found = list(samples)
    assert [sample["__key__"] for sample in found][:3] == ["000000-which", "000000-count", "000001-which"]
    assert found[0]["json"]["answer"] == "B"
    assert found[0]["0.png"].size == (9, 6)
    assert len(found) == 6


def test_croissant_validates_without_a_warning(tmp_path: Path) -> None:
    forms: tuple[ExportForm, ...] = ("hf", "jsonl", "webdataset")
    for form in forms:
        export(tmp_path / form, form, {"train": 4, "validation": 2}, shard_items=3)
        write_data_set(tmp_path / f"ordered-{form}", form)
    command = [sys.executable, "-c", READ_CROISSANT, *map(str, sorted(tmp_path.glob("*/croissant.json")))]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == ["[] []"] * 6


def write_data_set(folder: Path, form: ExportForm, bank: str = "d") -> None:
    """Write what `tetrad datasets get` writes beside two shards."""
    forms: dict[ExportForm, DatasetForm] = {"hf": "parquet", "jsonl": "rows", "webdataset": "webdataset"}
    identity = DrawIdentity(benchmark="toy", version=1, bank=bank, track="toy", setting="full", parameters={"n": True})
    plan = DatasetPlan(identity=identity, seed="5", count=3, form=forms[form], shard_items=2, writer="1")
    shards = [
        DatasetShard(number=number, file=file_of(plan, number), items=2 - number, rows=2, bytes=9, sha256="0" * 64)
        for number in range(2)
    ]
    folder.mkdir(exist_ok=True)
    write_dataset_cards(folder, info(), DatasetManifest(id="dst_1", plan=plan, shards=shards, is_complete=True))


def test_a_data_set_s_card_names_its_shards_its_command_and_its_licences(tmp_path: Path) -> None:
    write_data_set(tmp_path, "hf")
    told, croissant = (tmp_path / "README.md").read_text(), json.loads((tmp_path / "croissant.json").read_text())
    assert "path: data/toy-*.parquet" in told
    command = "tetrad datasets make toy --track toy --setting full --seed 5 --count 3 --form parquet --shard-items 2"
    assert f"{command} --parameter=n=true" in told
    assert [file["contentUrl"] for file in croissant["distribution"][:2]] == [
        f"data/toy-0000{number}.parquet" for number in range(2)
    ]
    assert croissant["license"] == "Apache-2.0"
    write_data_set(tmp_path, "hf", bank="another")
    licences = json.loads((tmp_path / "licences.json").read_text())["toy"]
    assert [(licence["spdx"], licence["may_train"]) for licence in licences][1:] == [("LicenseRef-not-stated", False)]
    assert "LicenseRef-not-stated" in json.loads((tmp_path / "croissant.json").read_text())["license"]


@pytest.mark.parametrize("form", ["hf", "jsonl", "webdataset"])
def test_a_shard_is_a_pure_function_of_its_rows(tmp_path: Path, form: ExportForm) -> None:
    made = [export(tmp_path / name, form, {"train": 3}).shards for name in ("one", "other")]
    assert made[0] == made[1]
    assert made[0][0].sha256 != export(tmp_path / "third", form, {"train": 4}).shards[0].sha256


def test_every_column_is_described_where_readers_look(tmp_path: Path) -> None:
    export(tmp_path, "hf", {"train": 1})
    told, croissant = (tmp_path / "README.md").read_text(), json.loads((tmp_path / "croissant.json").read_text())
    fields = {field["name"].partition("/")[2]: field["description"] for field in croissant["recordSet"][0]["field"]}
    for column in COLUMNS:
        assert column.description, column.name
        assert f"| `{column.name}` | {column.type_words} | {column.description} |" in told
        assert fields[column.name] == column.description
        assert all(below.description for below in column.fields), column.name


def test_a_row_holds_all_that_extraction_and_verdicts_need() -> None:
    made = row(3)
    assert question_of(made).shape == question_of(row(4)).shape
    assert key_of(made).label == made.answer == "B"
    assert [(picture.role, picture.name) for picture in made.pictures] == [("given", "given"), ("option", "candidate")]
    assert [(wrong.label, wrong.name) for wrong in made.mistakes] == [("A", "too light")]


def test_an_earlier_export_is_replaced_and_what_is_not_of_it_stays(tmp_path: Path) -> None:
    manifest = export(tmp_path, "jsonl", {"train": 1})
    (tmp_path / "mine.txt").write_text("kept")
    assert len(list((tmp_path / "data" / "train-00000").glob("*.png"))) == 2
    assert len(list(read_lines(tmp_path / "data" / "train-00000.jsonl"))) == 2
    remove_export(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]
    with pytest.raises(ExportError, match="is not empty; name another folder, or add --replace"):
        begin_export(tmp_path, manifest.plan, replace=False)


def test_without_the_extra_it_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ExportError, match=r"tetrad\[parquet\]"):
        write_parquet(tmp_path / "train.parquet", [row(1)])


@pytest.mark.parametrize(
    ("split", "seed", "count", "words"),
    [
        (["train=1"], "3", "5", "leave out --seed"),
        (["train"], None, "5", "is not NAME=SEED"),
        (["train=1", "validation=1"], None, "5", "one seed"),
        (["train=1", "train=2"], None, "5", "one name"),
        (["train=1", "validation=2"], None, "5,6,7", "does not fit"),
        ([], None, "0", "does not fit"),
        ([], None, "ten", "is no whole number"),
    ],
)
def test_splits_that_don_t_fit_are_refused(split: list[str], seed: str | None, count: str, words: str) -> None:
    with pytest.raises(ExportError, match=words):
        parse_splits(split, seed, count, 0)


def test_the_command_of_an_export_names_all_that_was_left_out(tmp_path: Path) -> None:
    splits = parse_splits(["train=1", "validation=2"], None, "10000,500", 20)
    assert [(one.name, one.seed, one.count, one.offset) for one in splits] == [
        ("train", "1", 10000, 20),
        ("validation", "2", 500, 20),
    ]
    plan = export(tmp_path, "jsonl", {"train": 2, "validation": 1}).plan
    assert " ".join(command_of(plan)) == (
        "tetrad items toy --track toy --setting full --split train=1 --split validation=2 --count 2,1 --format jsonl "
        "--parameter n=1"
    )


def test_licences_are_those_of_the_track_s_sources_alone() -> None:
    def source(kind: str, name: str, *, default: bool, tracks: tuple[str, ...]) -> SourceInfo:
        return SourceInfo(
            kind=kind, name=name, digest="d", default=default, access="public", labels_public=True, tracks=tracks,
            spdx=f"LicenseRef-{name}", credits=(name,), may_train=default, may_redistribute=True,
        )  # fmt: skip

    found = info(
        source("objects", "one", default=True, tracks=("toy",)),
        source("objects", "two", default=False, tracks=("toy",)),
        source("photographs", "three", default=True, tracks=("other",)),
    )
    assert [licence.source for licence in licences_of(found, "toy")][1:] == ["objects:one"]
    assert [licence.source for licence in licences_of(found, "toy", ["objects:two"])][1:] == ["objects:two"]
    assert [licence.source for licence in licences_of(found, "other")][1:] == ["photographs:three"]


def test_a_large_export_says_how_large_and_asks_for_a_word(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gigabyte = 10**9
    monkeypatch.setattr("shutil.disk_usage", lambda _: type("Usage", (), {"free": 40 * gigabyte}))
    with pytest.raises(ExportError, match=r"100000 items take about 15\.0 GB, and .* has 40\.0 GB free; add --yes"):
        _check_room(tmp_path, 15 * gigabyte, 100_000, yes=False)
    _check_room(tmp_path, 15 * gigabyte, 100_000, yes=True)
    _check_room(tmp_path, gigabyte // 2, 100, yes=False)
    with pytest.raises(ExportError, match="ask for fewer"):
        _check_room(tmp_path, 50 * gigabyte, 100_000, yes=True)
