"""`tetrad source` over a data directory of its own. The generator's module does the work, in its own process.

The first two tests start that process. For the others the module runs in this one: each start takes a second.
"""

from collections.abc import Sequence
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

import msgspec
import numpy as np
import pytest

from generator_service.commands import __main__ as program
from generator_service.sources.objects import open_bank
from generator_service.sources.store import of_folder
from tests.photographs import write_photographs
from tests.published import write_marvel
from tests.unit.generator_service.sources.pictures import hook, png, write
from tetrad.cli.main import main
from tetrad.cli.operator import source
from tetrad.server.embedded.data_directory import EmbeddedError

PICTURES = {f"group/{kind}-{number}.png": png(hook(3 * number + ord(kind))) for kind in "ab" for number in (1, 2)}


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TETRAD_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.fixture
def in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    def run_here(module: str, arguments: Sequence[str], *, variables: Sequence[str] = ()) -> object:
        out = StringIO()
        with redirect_stdout(out):
            status = program.main(list(arguments))
        if status != 0:
            raise EmbeddedError(f"nothing was changed (status {status}); see the reasons above")
        return msgspec.json.decode(out.getvalue().splitlines()[-1])

    monkeypatch.setattr(source, "run_service_module", run_here)


def _run(*words: str, status: int = 0) -> None:
    with pytest.raises(SystemExit) as ended:
        main(list(words))
    assert ended.value.code == status


def test_a_folder_is_added_listed_checked_and_removed(
    home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = write(tmp_path / "2 My Pictures!", PICTURES)
    _run("source", "add", "objects", str(folder), "--credit", "By Ann")
    said = capsys.readouterr().out
    assert "Source objects:my-pictures: 4 files, " in said
    assert "source=objects:my-pictures, or make it the default: TETRAD_BANK=my-pictures make up" in said
    assert len(open_bank(of_folder(home / "sources"), "my-pictures").objects) == 4
    _run("source", "list", "--json")
    listed = msgspec.json.decode(capsys.readouterr().out)
    assert [(one["name"], one["files"]) for one in listed["sources"]] == [("my-pictures", 4)]
    _run("source", "list")
    assert "objects:my-pictures" in capsys.readouterr().out
    _run("source", "list", "--credit")
    assert capsys.readouterr().out == "objects:my-pictures: By Ann\n"
    _run("source", "check", "objects:my-pictures")
    assert "objects:my-pictures is whole: 4 files" in capsys.readouterr().out
    _run("source", "remove", "objects:my-pictures")
    assert of_folder(home / "sources").heads() == []


def test_a_benchmark_s_own_job_is_found_in_the_folder_that_the_variable_names(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """With more pictures than one process takes, so that workers have to find it, too."""
    monkeypatch.setenv("TETRAD_BENCHMARK_FOLDERS", "tests/source_benchmarks")
    _run("source", "add", "photographs", str(write_photographs(tmp_path / "p", 10)), "--name", "p")
    _run("source", "mine", "photographs:p", "vivid")
    assert "ranks" in capfd.readouterr().out
    monkeypatch.setenv("TETRAD_BENCHMARK_FOLDERS", str(tmp_path / "nowhere"))
    _run("source", "mine", "photographs:p", "vivid", status=1)
    assert f"{tmp_path}/nowhere is not a folder: name one that holds folders of benchmarks" in capfd.readouterr().err


@pytest.mark.usefixtures("home")
@pytest.mark.parametrize(
    ("kind", "name", "said"),
    [
        ("people", "people", "`tetrad source build people` goes on"),
        ("objects", "mine", "the same `tetrad source add`"),
    ],
)
def test_what_is_unfinished_is_listed_with_the_command_that_goes_on(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], kind: str, name: str, said: str
) -> None:
    found = {"sources": [], "unfinished": [{"kind": kind, "name": name, "files": 9}]}
    monkeypatch.setattr(source, "run_service_module", lambda *_, **__: found)
    _run("source", "list")
    assert f"Unfinished: {kind}:{name}, 9 files done; {said}" in capsys.readouterr().out


@pytest.mark.usefixtures("in_this_process")
def test_what_is_refused_is_named_and_the_exit_status_says_so(
    home: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    folder = write(tmp_path / "pictures", PICTURES | {"bad.png": png(np.zeros((60, 60, 4), np.uint8))})
    _run("source", "add", "objects", str(folder), "--name", "mine", status=1)
    assert "bad.png: is empty: no pixel is solid; leave it out" in capfd.readouterr().err
    _run("source", "add", "objects", str(folder), "--name", "mine", "--partial", "--json")
    assert len(msgspec.json.decode(capfd.readouterr().out)["left_out"]) == 1
    _run("source", "add", "sounds", str(tmp_path), status=1)
    assert "use one of objects, stage, people, photographs, situations, lexicon" in capfd.readouterr().err


@pytest.mark.usefixtures("in_this_process")
def test_photographs_are_added_mined_and_retired(
    home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = write_photographs(tmp_path / "some", 4)
    _run("source", "add", "photographs", str(folder), "--practice-share", "0.25", "--access", "teams")
    assert "to every team: source=photographs:some" in capsys.readouterr().out
    (head,) = of_folder(home / "sources").heads()
    assert (head.practice_permille, head.access) == (250, "teams")
    _run("source", "mine", "photographs:some", "measures")
    assert "measures of photographs:some" in capsys.readouterr().out
    _run("source", "remove", "photographs:some", "--retire")
    assert "is no longer offered" in capsys.readouterr().out
    (head,) = of_folder(home / "sources").heads()
    assert head.retired


@pytest.mark.usefixtures("in_this_process")
def test_published_items_are_added_by_layout_and_faults_named(
    home: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    published = write_marvel(tmp_path / "marvel", count=5)
    _run("source", "add", "published", str(published), "--layout", "marvel")
    said = capfd.readouterr().out
    assert "Source published:marvel-published: 6 files" in said
    assert "the teams you approve" in said
    (home / "generator.sqlite").touch()
    _run("source", "remove", "published:marvel-published")
    (published / "Marvel" / "4.png").unlink()
    _run("source", "add", "published", str(published), "--layout", "marvel", status=1)
    refused = capfd.readouterr().err
    assert "4.png: is missing" in refused
    assert "nothing was changed" in refused
    _run("source", "add", "published", str(published), "--layout", "marvel", "--name", "mine", status=1)
    assert "published items keep their name" in capfd.readouterr().err


@pytest.mark.parametrize(
    ("path", "name"), [("Emoji_3D.zip", "emoji-3d-zip"), ("42", "objects"), ("é", "objects"), ("x" * 40, "x" * 32)]
)
def test_a_source_is_named_after_its_path_unless_told(path: str, name: str) -> None:
    assert source._name_of(Path(path)) == name
