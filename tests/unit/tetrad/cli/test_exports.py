"""Exports, read as their users read them: `datasets`, pandas, and a tar reader that knows nothing of ours."""

import io
import json
import os
import subprocess
import sys
import tarfile
from pathlib import Path

import pandas as pd
import pytest
from PIL import Image
from pyarrow import parquet

from tetrad.cli.team import exports
from tetrad.cli.team.exports import ExportError, Fetched, parquet_writer, remove_export, writer_of
from tetrad.cli.team.items import _check_room, _make_ready
from tetrad.contracts.items import (
    Choice,
    ChoiceKey,
    DrawIdentity,
    Key,
    Option,
    Picture,
    PracticeItem,
    Question,
    Solution,
)

SHAPE = Choice(labels=("A", "B"))
ROLES = ["given", "candidate"]
LOAD = """
import sys
from datasets import load_dataset
rows = load_dataset(sys.argv[1], split="train")
first = rows[0]
print(len(rows), first["given"].size, first["given"].mode, first["answer"], first["options"], rows[1]["given"])
"""
CARD = """---
configs:
- config_name: default
  data_files:
  - split: train
    path: data/train.parquet
---
"""


def picture(shade: int) -> bytes:
    body = io.BytesIO()
    Image.new("RGB", (9, 6), (shade, shade, shade)).save(body, "PNG")
    return body.getvalue()


def fetched(index: int) -> Fetched:
    """Return an item with two questions, of which each shows one picture."""
    options = (Option(label="A", text="lighter"), Option(label="B", picture="candidate"))
    questions = [
        Question(id="what", kind="what", text="What?", shape=SHAPE, options=options, pictures=(named("given"),)),
        Question(id="which", kind="which", text="Which?", shape=SHAPE, options=options, pictures=(named("candidate"),)),
    ]
    identity = DrawIdentity(benchmark="toy", version=1, bank="d", track="toy", setting="full", parameters={})
    item = PracticeItem(
        id=f"itm_{index}", identity=identity, seed="1", index=index, questions=questions, url="", solution_url=""
    )
    keys: dict[str, Key] = {"what": ChoiceKey(label="A"), "which": ChoiceKey(label="B")}
    solution = Solution(id=item.id, keys=keys, facets={"what": {"shade": "dark"}}, explanation="", scene={})
    return Fetched(item=item, solution=solution, pictures={"given": picture(40), "candidate": picture(90)})


def named(name: str) -> Picture:
    return Picture(name=name, caption=name, url=f"/pictures/{name}")


@pytest.fixture
def exported(tmp_path: Path) -> Path:
    """130 items as Parquet: 260 rows."""
    with writer_of("hf", tmp_path, ROLES) as write:
        for index in range(130):
            write(fetched(index))
    (tmp_path / "README.md").write_text(CARD)
    return tmp_path


def test_load_dataset_shows_pictures_in_a_column_a_role(exported: Path) -> None:
    environment = os.environ | {"HF_HUB_OFFLINE": "1", "HF_HOME": str(exported / "cache")}
    command = [sys.executable, "-c", LOAD, str(exported)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "260 (9, 6) RGB A ['lighter', 'candidate'] None"


def test_pandas_reads_rows_with_answers_and_facets(exported: Path) -> None:
    frame = pd.read_parquet(exported / "data" / "train.parquet")
    assert list(frame["answer"][:2]) == ["A", "B"]
    assert json.loads(frame["facets"][0]) == {"shade": "dark"}
    assert frame["given"][0]["bytes"].startswith(b"\x89PNG")
    assert frame["given"][1] is None


def test_a_group_of_rows_is_small_enough_to_be_shown(exported: Path) -> None:
    about = parquet.ParquetFile(exported / "data" / "train.parquet").metadata
    assert [about.row_group(place).num_rows for place in range(about.num_row_groups)] == [100, 100, 60]


def test_a_shard_has_the_parts_of_a_question_together_under_one_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exports, "ITEMS_A_SHARD", 2)
    with writer_of("webdataset", tmp_path, []) as write:
        for index in range(3):
            write(fetched(index))
    shards = sorted(path.name for path in tmp_path.iterdir())
    assert shards == ["shard-00000.tar", "shard-00001.tar"]
    with tarfile.open(tmp_path / shards[0]) as archive:
        names = archive.getnames()
        row = json.load(archive.extractfile(names[0]) or io.BytesIO())
    assert names[:4] == [
        "000000-what.json",
        "000000-what.given.png",
        "000000-which.json",
        "000000-which.candidate.png",
    ]
    assert row["answer"] == "A"


def test_without_the_extra_it_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ExportError, match=r"tetrad\[parquet\]"), parquet_writer(tmp_path, ROLES):
        pass


def test_an_earlier_export_is_replaced_and_what_is_not_of_it_stays(tmp_path: Path) -> None:
    with writer_of("folder", tmp_path, []) as write:
        write(fetched(7))
    (tmp_path / "mine.txt").write_text("kept")
    assert len(list(tmp_path.glob("*.png"))) == 2
    with pytest.raises(ExportError, match="is not empty; name another folder, or add --replace"):
        _make_ready(tmp_path, replace=False)
    remove_export(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


def test_a_large_export_says_how_large_and_asks_for_a_word(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gigabyte = 10**9
    monkeypatch.setattr("shutil.disk_usage", lambda _: type("Usage", (), {"free": 40 * gigabyte}))
    with pytest.raises(ExportError, match=r"100000 items take about 15\.0 GB, and .* has 40\.0 GB free; add --yes"):
        _check_room(tmp_path, 15 * gigabyte, 100_000, yes=False)
    _check_room(tmp_path, 15 * gigabyte, 100_000, yes=True)
    _check_room(tmp_path, gigabyte // 2, 100, yes=False)
    with pytest.raises(ExportError, match="ask for fewer"):
        _check_room(tmp_path, 50 * gigabyte, 100_000, yes=True)
