"""A benchmark that is being written is not served."""

from pathlib import Path

from generator_service.registry import find_benchmarks

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
    found = {one.name for one in find_benchmarks([tmp_path])}
    assert {"kiva", "visanalog"} <= found
    assert "written" not in found
    other = tmp_path / "more" / "written_too"
    other.mkdir(parents=True)
    (other / "__init__.py").write_text(WRITTEN.format(name="BENCHMARK").replace("written", "written_too"))
    assert "written_too" in {one.name for one in find_benchmarks([other.parent])}
