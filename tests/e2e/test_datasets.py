"""`tetrad datasets` on a running instance: ordered, made by its bulk worker, listed, fetched, checked, given up."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.e2e.conftest import Run
from tetrad.contracts.datasets import DatasetForm
from tetrad.rows.reading import read_shard

ORDER = ("toy", "--count", "5", "--seed", "5", "--shard-items", "2")
LOAD = """
import sys
from datasets import load_dataset
print(load_dataset(sys.argv[1], split="train").num_rows)
"""


def make(run: Run, *options: str) -> str:
    """Order a data set, wait for it, and return its id."""
    said = run("datasets", "make", *ORDER, *options, "--wait", "--json")
    assert said.status == 0, said.err
    assert said.json()["state"] == "done"
    return str(said.json()["id"])


def test_a_data_set_is_ordered_fetched_checked_and_given_up(run: Run, tmp_path: Path) -> None:
    planned = run("datasets", "make", *ORDER, "--dry-run", "--json").json()
    assert (planned["state"], planned["shards"], planned["ordered_at"]) == ("estimated", 3, None)
    dataset = make(run)
    assert dataset == planned["id"]
    assert make(run) == dataset, "the same order is the same data set"
    listed = run("datasets", "list", "--json").json()
    assert [(found["id"], found["state"]) for found in listed] == [(dataset, "done")]
    assert dataset in run("datasets", "list").out
    assert run("datasets", "get", dataset).status == 0
    folder = tmp_path / dataset
    shards = sorted((folder / "data").iterdir())
    assert [row.index for shard in shards for row in read_shard(shard)] == [index for index in range(5) for _ in "123"]
    assert {path.name for path in folder.iterdir()} == {
        "data", "manifest.json", "README.md", "croissant.json", "licences.json",
    }  # fmt: skip
    told = json.loads((folder / "croissant.json").read_text())["distribution"]
    assert [file["contentUrl"] for file in told[:3]] == [f"data/{shard.name}" for shard in shards]
    environment = os.environ | {"HF_HUB_OFFLINE": "1", "HF_HOME": str(tmp_path / "cache")}
    command = [sys.executable, "-c", LOAD, str(folder)]
    loaded = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert loaded.stdout == "15\n", loaded.stderr
    assert run("datasets", "verify", str(folder), "--sample", "3").status == 0
    body = shards[1].read_bytes()
    shards[1].write_bytes(body[:-9] + bytes([body[-9] ^ 1]) + body[-8:])
    found = run("datasets", "verify", str(folder))
    assert (found.status, f"{shards[1].name}: its bytes are not those of its digest" in found.err) == (1, True)
    assert run("datasets", "get", dataset, "--out", str(folder)).status == 0
    assert shards[1].read_bytes() == body
    assert run("datasets", "cancel", dataset).status == 0
    assert run("datasets", "list", "--json").json() == []
    gone = run("datasets", "get", dataset)
    assert (gone.status, "404" in gone.err) == (1, True)


@pytest.mark.parametrize("form", ["rows", "webdataset"])
def test_other_forms_are_fetched_and_checked_alike(run: Run, tmp_path: Path, form: DatasetForm) -> None:
    folder = tmp_path / form
    assert run("datasets", "get", make(run, "--form", form), "--out", str(folder)).status == 0
    said = run("datasets", "verify", str(folder), "--sample", "3", "--json")
    assert (said.status, said.json()) == (0, {"faults": []})


def test_a_recipe_has_no_shards_and_a_second_folder_s_data_set_is_not_mixed_in(run: Run, tmp_path: Path) -> None:
    recipe = make(run, "--form", "recipe")
    assert run("datasets", "get", recipe).status == 0
    assert json.loads((tmp_path / recipe / "manifest.json").read_text())["shards"] == []
    other = make(run, "--form", "rows")
    said = run("datasets", "get", other, "--out", str(tmp_path / recipe))
    assert (said.status, f"holds data set {recipe}" in said.err) == (1, True)
