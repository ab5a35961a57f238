"""A benchmark whose source is not mined yet: it says so on its card, refuses with the command, and hinders nobody."""

import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from litestar import Litestar
from litestar.testing import TestClient
from msgspec.structs import replace

from generator_service.app import create_app
from generator_service.commands.__main__ import main
from generator_service.mining.catalogue import jobs
from generator_service.settings import GeneratorSettings
from generator_service.sources.store import SourceStore
from tests.photographs import write_photographs
from tests.unit.generator_service.sources.pictures import add, at
from tetrad.contracts.benchmarks import BenchmarkInfo, BenchmarkList
from tetrad.contracts.problems import Problem

FOLDER = Path(__file__).parents[3] / "source_benchmarks"
VIVID: dict[str, Any] = {"benchmark": "vivid", "track": "photographs", "setting": "full", "seed": "7"}
GLIMPSE = VIVID | {"benchmark": "glimpse"}
SEALED = {name: value for name, value in VIVID.items() if name != "seed"} | {
    "submission": "sub_1",
    "nonce": "n",
    "parameters": {},
    "size": 3,
    "allowed": ["teams"],
}


@pytest.fixture
def served(settings: GeneratorSettings, store: SourceStore) -> GeneratorSettings:
    return replace(settings, sources_url=f"file://{store.folder},{settings.sources_url}", benchmark_folders=str(FOLDER))


@pytest.fixture
def unmined(served: GeneratorSettings, store: SourceStore, tmp_path: Path) -> Iterator[TestClient[Litestar]]:
    add(store, "photographs", write_photographs(tmp_path / "one", 12), "one", access="public")
    with TestClient(create_app(served)) as client:
        yield client


def door(settings: GeneratorSettings, name: str = "practice") -> dict[str, str]:
    return {"Authorization": f"Bearer {getattr(settings, f'{name}_token')}"}


def info_of(client: TestClient[Litestar], settings: GeneratorSettings, name: str) -> BenchmarkInfo:
    body = client.get("/internal/benchmarks", headers=door(settings)).content
    return next(
        benchmark
        for benchmark in msgspec.json.decode(body, type=BenchmarkList).benchmarks
        if benchmark.card.name == name
    )


def test_a_source_that_is_not_mined_takes_nothing_else_down(
    unmined: TestClient[Litestar], served: GeneratorSettings
) -> None:
    assert unmined.get("/health/ready").status_code == 200
    assert unmined.post("/internal/practice/items", json=GLIMPSE, headers=door(served)).status_code == 200
    info = info_of(unmined, served, "vivid")
    assert "tetrad source mine photographs:one vivid" in info.lacking["photographs"]
    (source,) = info.sources
    assert source.lacking == info.lacking["photographs"]
    assert not info_of(unmined, served, "glimpse").lacking


def test_its_items_are_503_with_the_command_that_mends_it(
    unmined: TestClient[Litestar], served: GeneratorSettings
) -> None:
    practice = unmined.post("/internal/practice/items", json=VIVID, headers=door(served))
    sealed = unmined.post("/internal/sealed/draws", json=SEALED, headers=door(served, "sealed"))
    identity = {name: value for name, value in VIVID.items() if name != "seed"}
    identity |= {"version": 1, "bank": "none", "parameters": {}}
    item = {"identity": identity, "seed": "7", "index": 0}
    picture = unmined.post("/internal/practice/pictures/1", json=item, headers=door(served))
    for refused in (practice, sealed, picture):
        problem = msgspec.json.decode(refused.content, type=Problem)
        (fault,) = problem.faults
        assert (problem.status, fault.field, fault.value) == (503, "track", "photographs"), problem
        assert fault.remedy == "make it, then start again: tetrad source mine photographs:one vivid"


def test_the_command_works_as_it_stands(
    unmined: TestClient[Litestar], served: GeneratorSettings, store: SourceStore, capsys: pytest.CaptureFixture[str]
) -> None:
    remedy = info_of(unmined, served, "vivid").lacking["photographs"]
    words = shlex.split(remedy.partition("tetrad source ")[2])
    assert main([*words, *at(store), "--folder", str(FOLDER)]) == 0
    made = [stage["table"] for stage in msgspec.json.decode(capsys.readouterr().out)]
    assert made[-1] == jobs()["vivid"].table("ranks")
    with TestClient(create_app(served)) as client:
        given = client.post("/internal/practice/items", json=VIVID, headers=door(served))
        assert (given.status_code, len(given.json()["items"])) == (200, 10)
        assert not info_of(client, served, "vivid").lacking


def test_a_named_source_that_is_not_mined_is_503_and_one_that_does_not_fit_is_on_the_card(
    served: GeneratorSettings, store: SourceStore, tmp_path: Path
) -> None:
    add(store, "photographs", write_photographs(tmp_path / "few", 3), "few", access="public")
    assert main(["mine", "photographs:few", "vivid", *at(store), "--folder", str(FOLDER)]) == 0
    add(store, "photographs", write_photographs(tmp_path / "later", 12, first=40), "later", access="public")
    with TestClient(create_app(served)) as client:
        assert client.get("/health/ready").status_code == 200
        info = info_of(client, served, "vivid")
        assert "3 photographs that differ in colour; add a source with 4 or more" in info.lacking["photographs"]
        body = VIVID | {"sources": ["photographs:later"]}
        refused = client.post("/internal/practice/items", json=body, headers=door(served))
        assert (refused.status_code, "mine photographs:later vivid" in refused.json()["detail"]) == (503, True)
        assert main(["mine", "photographs:later", "vivid", *at(store), "--folder", str(FOLDER)]) == 0
    with TestClient(create_app(served)) as client:
        given = client.post("/internal/practice/items", json=body, headers=door(served))
        assert given.status_code == 200, "a named source that fits is drawn from"


def test_a_damaged_file_is_named_to_us_and_not_to_the_public(
    served: GeneratorSettings, store: SourceStore, tmp_path: Path
) -> None:
    add(store, "photographs", write_photographs(tmp_path / "one", 4), "one", access="public")
    for pack in (tmp_path / "sources" / "packs").rglob("*"):
        if pack.is_file():
            pack.write_bytes(b"\0" * pack.stat().st_size)
    with TestClient(create_app(served)) as client:
        batch = client.post("/internal/practice/items", json=GLIMPSE, headers=door(served)).json()
        item = {"identity": batch["identity"], "seed": batch["seed"], "index": 0}
        refused = client.post("/internal/practice/pictures/1", json=item, headers=door(served))
    problem = msgspec.json.decode(refused.content, type=Problem)
    (fault,) = problem.faults
    assert (problem.status, fault.field, fault.value) == (503, "source", "photographs:one")
    assert "jumping_" in problem.detail
    assert "jumping_" not in f"{fault.problem} {fault.remedy}"
