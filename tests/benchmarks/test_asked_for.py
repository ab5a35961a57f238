"""Tests of the commands' choice of benchmarks: an unknown name is refused, and none is skipped silently."""

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from generator_service.finding import RegistryError, benchmark_folders, named_benchmarks
from generator_service.proving import conformance, gallery, golden
from generator_service.proving.__main__ import main as prove

TESTS = Path(__file__).parents[1]
TOYS, SOURCES = TESTS / "toy_benchmarks", TESTS / "source_benchmarks"
COMMANDS: dict[str, Callable[[Sequence[str]], int]] = {
    "conformance": conformance.main,
    "golden": golden.main,
    "proof": prove,
    "gallery": gallery.main,
}


@pytest.mark.parametrize("name", COMMANDS)
def test_a_wrong_name_and_an_empty_folder_are_refused_with_what_there_is(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = ["--out", str(tmp_path / "out")] if name in {"proof", "gallery"} else []
    bank = ["--bank", str(tmp_path / "bank"), *out]
    assert COMMANDS[name](["chess", *bank, "--folder", str(TOYS)]) == 2
    said = capsys.readouterr().err
    assert "there is no benchmark chess" in said
    assert all(known in said for known in ("kiva", "toy"))
    (tmp_path / "empty").mkdir()
    for folder, problem in (
        (tmp_path / "empty", "holds no benchmark"),
        (tmp_path / "nowhere", "is not a folder"),
        (TOYS / "toy", f"is a benchmark itself: name the folder around it, {TOYS}"),
    ):
        assert COMMANDS[name]([*bank, "--folder", str(folder)]) == 2
        assert f"{folder} {problem}" in capsys.readouterr().err
    assert not (tmp_path / "bank").exists(), "nothing was drawn"


def test_a_benchmark_whose_source_is_not_there_was_not_looked_at(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["vivid", "--folder", str(SOURCES), "--bank", str(tmp_path / "bank")]
    assert conformance.main(arguments) == 1
    said = capsys.readouterr().out
    assert "vivid, photographs: sources: not looked at: there is no source of the kind photographs" in said
    assert "tetrad source add photographs PATH --name NAME" in said
    assert golden.main(arguments) == 1
    assert not (SOURCES / "vivid" / "golden.json").exists()


def test_the_variable_and_the_option_name_the_same_folders(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ("TETRAD_BENCHMARK_FOLDERS", "TETRAD_GENERATOR_BENCHMARK_FOLDERS"):
        assert benchmark_folders({variable: f"{TOYS}:{SOURCES}"}) == [TOYS, SOURCES]
    monkeypatch.chdir(TESTS)
    assert benchmark_folders({"TETRAD_BENCHMARK_FOLDERS": "toy_benchmarks"}, [TOYS]) == [TOYS]
    with pytest.raises(RegistryError, match="there is no benchmark chess"):
        named_benchmarks(["toy", "chess"], [TOYS])
