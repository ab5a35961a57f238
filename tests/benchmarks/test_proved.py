"""A benchmark is proved at full size where a file that its items or its proof come from is not the one proved."""

import shutil
from pathlib import Path

import pytest

from generator_service.proving.pages import DIGESTS, DOCS, digests, put_digests
from tests.benchmarks import proved
from tests.benchmarks.proved import AT_FULL_SIZE, FULL, KIND, PART, ROOT, covered_files, digest_of_files, sizes_of

FOLDER = Path("generator_service/benchmarks/carv")
COVERED = {
    "its sampler": FOLDER / "sampler.py",
    "what the proof knows of it": FOLDER / "knowledge.py",
    "its golden items": FOLDER / "golden.json",
    "the checks": Path("generator_service/proving/conformance.py"),
    "what the checks import": Path("generator_service/items.py"),
    "draws": Path("generator_service/draws.py"),
    "streams": Path("tetrad/streams.py"),
    "what its pictures are drawn by": Path("generator_service/drawing/stage/views.py"),
    "the versions of libraries": Path("requirements/generator.txt"),
}


@pytest.mark.parametrize("what", COVERED)
def test_another_content_of_a_file_is_another_digest(tmp_path: Path, what: str) -> None:
    for path in covered_files("carv"):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / path, tmp_path / path)
    assert digest_of_files("carv", tmp_path) == digest_of_files("carv")
    digest_of_files.cache_clear()
    with (tmp_path / COVERED[what]).open("a") as file:
        file.write("# changed\n")
    assert digest_of_files("carv", tmp_path) != digest_of_files("carv")


def test_files_of_other_benchmarks_and_what_is_only_read_by_people_are_not_covered() -> None:
    covered = set(covered_files("carv"))
    assert not {
        path for path in covered if path.parts[:2] == FOLDER.parts[:2] and path.parts[2] not in {"carv", "__init__.py"}
    }
    assert FOLDER / "README.md" not in covered


def test_what_was_proved_is_proved_in_part_until_a_file_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(proved, "digests", lambda kind: digests(kind, tmp_path))
    monkeypatch.delenv(AT_FULL_SIZE, raising=False)
    assert sizes_of("carv") is FULL, "it was never proved"
    put_digests(KIND, {"carv": digest_of_files("carv")}, tmp_path)
    assert sizes_of("carv") is PART
    monkeypatch.setenv(AT_FULL_SIZE, "1")
    assert sizes_of("carv") is FULL
    monkeypatch.delenv(AT_FULL_SIZE)
    put_digests(KIND, {"carv": "of another file"}, tmp_path)
    assert sizes_of("carv") is FULL


def test_digests_are_of_benchmarks_that_are_there() -> None:
    assert (DOCS / DIGESTS).exists()
    assert set(digests(KIND)) <= {path.parent.name for path in ROOT.glob("generator_service/benchmarks/*/__init__.py")}
