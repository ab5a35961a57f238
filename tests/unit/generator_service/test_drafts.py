"""A benchmark that is being written is not served."""

from pathlib import Path

import pytest

from generator_service.finding import RegistryError, find_benchmarks, named_benchmarks

WRITTEN = """
from dataclasses import replace
from generator_service.benchmarks.kiva import BENCHMARK as KIVA
import msgspec

{name} = replace(KIVA, card=msgspec.structs.replace(KIVA.card, name="written"))
"""


def test_a_draft_is_left_out_and_a_benchmark_is_found(tmp_path: Path) -> None:
    package = tmp_path / "written"
    package.mkdir()
    (package / "__init__.py").write_text(WRITTEN.format(name="DRAFT"))
    found = {benchmark.name for benchmark in find_benchmarks([tmp_path])}
    assert {"kiva", "visanalog"} <= found
    assert "written" not in found
    other = tmp_path / "more" / "written_too"
    other.mkdir(parents=True)
    (other / "__init__.py").write_text(WRITTEN.format(name="BENCHMARK").replace("written", "written_too"))
    assert "written_too" in {benchmark.name for benchmark in find_benchmarks([other.parent])}


def test_a_draft_is_found_by_its_name_alone(tmp_path: Path) -> None:
    package = tmp_path / "sketched"
    package.mkdir()
    (package / "__init__.py").write_text(WRITTEN.format(name="DRAFT").replace("written", "sketched"))
    assert [benchmark.name for benchmark in named_benchmarks(["sketched"], [tmp_path])] == ["sketched"]
    assert "sketched" not in {benchmark.name for benchmark in named_benchmarks([], [tmp_path])}
    misnamed = tmp_path / "misnamed"
    misnamed.mkdir()
    (misnamed / "__init__.py").write_text(WRITTEN.format(name="DRAFT"))
    with pytest.raises(RegistryError, match="must be a Benchmark named 'misnamed'"):
        named_benchmarks(["misnamed"], [tmp_path])
