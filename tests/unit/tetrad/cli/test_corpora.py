"""`tetrad corpus`: what an operator types, and what is then mounted in the home."""

import json
from pathlib import Path

import pytest

from tests.published import write_marvel
from tetrad.cli.main import main


@pytest.fixture
def published(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A small published set, and a home of its own to mount it in."""
    monkeypatch.setenv("TETRAD_HOME", str(tmp_path / "home"))
    return write_marvel(tmp_path / "marvel", count=5)


def run(capfd: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    capfd.readouterr()
    status = 0
    try:
        main(["corpus", *arguments])
    except SystemExit as ended:
        status = int(ended.code or 0)
    said = capfd.readouterr()
    return status, said.out, said.err


def test_a_corpus_is_added_listed_checked_and_removed(published: Path, capfd: pytest.CaptureFixture[str]) -> None:
    status, said, _ = run(capfd, "add", "marvel", str(published))
    assert (status, "Corpus marvel-published: 5 items" in said, "the teams you approve" in said) == (0, True, True)
    (listed,) = json.loads(run(capfd, "list", "--json")[1])["corpora"]
    assert (listed["name"], listed["items"], len(listed["digest"])) == ("marvel-published", 5, 64)
    assert listed == json.loads(run(capfd, "add", "marvel", str(published), "--json")[1])
    assert "marvel-published" in run(capfd, "list")[1]
    assert "is whole: 5 items" in run(capfd, "check", "marvel-published")[1]
    assert run(capfd, "remove", "marvel-published")[1] == "marvel-published is removed.\n"
    assert json.loads(run(capfd, "list", "--json")[1])["corpora"] == []


def test_a_refused_corpus_names_its_faults_and_changes_nothing(
    published: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (published / "Marvel" / "4.png").unlink()
    status, _, said = run(capfd, "add", "marvel", str(published))
    assert status == 1
    assert "4.png: is missing" in said
    assert "nothing was changed" in said
    status, said, _ = run(capfd, "add", "marvel", str(published), "--partial")
    assert (status, "4 items" in said) == (0, True)
    assert "nothing that can be mounted" in run(capfd, "add", "music", str(published))[2]
    (Path(published.parent) / "home" / "generator.sqlite").touch()
    assert run(capfd, "remove", "marvel-published")[0] == 0
