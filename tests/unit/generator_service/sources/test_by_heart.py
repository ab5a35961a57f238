"""A solver that knows the practice half of a divided source by heart: run when it is added, shown on the card."""

from io import BytesIO
from pathlib import Path
from typing import Any

import msgspec
import pytest
from litestar.testing import TestClient
from msgspec.structs import replace
from PIL import Image

from generator_service.app import create_app
from generator_service.commands.__main__ import main
from generator_service.settings import GeneratorSettings
from generator_service.sources.memorised import NAME, load_memorised
from generator_service.sources.parts import part_digest, part_of
from generator_service.sources.store import SourceStore
from tests.photographs import jpeg, write_photographs
from tests.unit.generator_service.sources.pictures import at
from tetrad.contracts.benchmarks import BenchmarkList

FOLDER = Path(__file__).parents[3] / "source_benchmarks"


def said(capsys: pytest.CaptureFixture[str]) -> Any:
    """Return the answer; in the tests' own process log lines stand before it."""
    return msgspec.json.decode(capsys.readouterr().out.splitlines()[-1])


def added(store: SourceStore, folder: Path, capsys: pytest.CaptureFixture[str], *words: str) -> list[str]:
    options = ["--practice-share", "0.5", "--access", "public", *words]
    command = ["add", "photographs", str(folder), "--name", "p", *options, *at(store), "--folder", str(FOLDER)]
    assert main(command) == 0
    told: list[str] = said(capsys)["by_heart"]
    return told


def test_it_is_run_when_a_divided_source_is_added_and_stands_on_the_board_of_that_source(
    store: SourceStore, settings: GeneratorSettings, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    told = added(store, write_photographs(tmp_path / "p", 60), capsys)
    assert [line.partition(":")[0] for line in told] == ["glimpse, photographs, full"]
    assert "guessing gives 25.0%" in told[0]
    head = store.head("photographs", "p")
    [score] = load_memorised(store, head)
    assert (score.asked, score.bank) == (200, part_digest(head.digest, "sealed", 500))
    assert 20 <= score.right <= 90, "the halves share nothing, so that it does about as well as guessing"
    settings = replace(
        settings, sources_url=f"file://{store.folder},{settings.sources_url}", benchmark_folders=str(FOLDER)
    )
    with TestClient(create_app(settings)) as client:
        body = client.get(
            "/internal/benchmarks", headers={"Authorization": f"Bearer {settings.practice_token}"}
        ).content
    cards = {benchmark.card.name: benchmark for benchmark in msgspec.json.decode(body, type=BenchmarkList).benchmarks}
    [row] = cards["glimpse"].card.reference
    assert (row.name, row.kind, row.value, row.bank) == (NAME, "baseline", score.right / 200, score.bank)
    assert row.bank == cards["glimpse"].bank_of("photographs")
    assert not any(row.kind == "baseline" for name in ("kiva", "vivid") for row in cards[name].card.reference)


def test_it_is_run_again_when_a_table_that_a_benchmark_waits_for_is_mined(
    store: SourceStore, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    added(store, write_photographs(tmp_path / "p", 60), capsys)
    assert main(["mine", "photographs:p", "vivid", *at(store), "--folder", str(FOLDER)]) == 0
    stages = said(capsys)
    assert [stage["told"].partition(",")[0] for stage in stages if stage["stage"] == "by heart"] == ["glimpse", "vivid"]


def test_halves_that_share_what_tells_are_found_out(
    store: SourceStore, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of `vivid` the right one is the most colourful: with few levels of colour, practice teaches each by heart."""
    folder = tmp_path / "p"
    folder.mkdir()
    for number in range(120):  # a dozen pictures, each there ten times, better or worse packed
        with Image.open(BytesIO(jpeg(number % 12))) as picture:
            picture.save(folder / f"{number}.jpg", quality=60 + 3 * (number // 12))
    added(store, folder, capsys)
    head = store.head("photographs", "p")
    assert {part_of(head.digest, f"{number}.jpg", 500) for number in range(12)} == {"practice", "sealed"}
    assert main(["mine", "photographs:p", "vivid", *at(store), "--folder", str(FOLDER)]) == 0
    score = next(score for score in load_memorised(store, head) if score.benchmark == "vivid")
    assert score.right / score.asked > 0.5


def test_a_source_with_too_few_pictures_for_it_is_added_all_the_same(
    store: SourceStore, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert added(store, write_photographs(tmp_path / "p", 4), capsys) == []
    assert store.head("photographs", "p").files == 4


def test_a_source_that_is_not_divided_has_none(
    store: SourceStore, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["add", "photographs", str(write_photographs(tmp_path / "p", 12)), "--name", "p"]
    assert main([*command, *at(store), "--folder", str(FOLDER)]) == 0
    assert said(capsys)["by_heart"] == []
    assert store.tables(store.head("photographs", "p").digest) == []
