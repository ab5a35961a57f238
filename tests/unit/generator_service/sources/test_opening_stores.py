"""Tests of the folder of the store of sources. It is closed to other users, so it has to be the store's own."""

import errno
from contextlib import nullcontext
from pathlib import Path

import pytest

from generator_service.commands.__main__ import main
from generator_service.sources.store import SourceError, of_folder, open_sources
from tests.photographs import write_photographs
from tests.unit.generator_service.sources.pictures import add


def mode(folder: Path) -> int:
    return folder.stat().st_mode & 0o777


def test_a_folder_that_it_makes_an_empty_one_and_a_store_are_closed(tmp_path: Path) -> None:
    made, empty = tmp_path / "made", tmp_path / "empty"
    empty.mkdir(mode=0o755)
    for folder in (made, empty):
        add(of_folder(folder), "photographs", write_photographs(tmp_path / "p", 2), "p")
        assert mode(folder) == 0o700
        folder.chmod(0o755)
        assert of_folder(folder).head("photographs", "p").files == 2
        assert mode(folder) == 0o700


@pytest.mark.parametrize("code", [errno.EROFS, errno.EPERM])
def test_one_that_can_only_be_read_is_opened_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    """As in a container whose volume is mounted for reading. Another's folder that can't be closed is an error."""
    folder = tmp_path / "sources"
    add(of_folder(folder), "photographs", write_photographs(tmp_path / "p", 2), "p")
    folder.chmod(0o755)

    def refuse(_path: Path, _mode: int) -> None:
        raise OSError(code, "refused")

    monkeypatch.setattr(Path, "chmod", refuse)
    with nullcontext() if code == errno.EROFS else pytest.raises(OSError, match="refused"):
        assert of_folder(folder).head("photographs", "p").files == 2


def test_a_folder_of_somebody_s_own_is_refused_by_name_and_left_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("mine")
    tmp_path.chmod(0o755)
    with pytest.raises(
        SourceError, match=r"it holds README\.md; name an empty folder, one that is to be made, such as"
    ):
        of_folder(tmp_path)
    assert (mode(tmp_path), [path.name for path in tmp_path.iterdir()]) == (0o755, ["README.md"])


@pytest.mark.parametrize("url", ["", "file://", "file://relative/path", "file:///", "var/sources"])
def test_an_address_that_is_empty_or_relative_is_refused(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    tmp_path.chmod(0o755)
    with pytest.raises(SourceError, match="store of sources"):
        open_sources(url)
    assert main(["list", "--store", url]) == 1
    assert "store of sources" in capsys.readouterr().err
    assert (mode(tmp_path), list(tmp_path.iterdir())) == (0o755, [])


def test_an_empty_path_does_not_stand_for_the_folder_that_we_run_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    tmp_path.chmod(0o755)
    with pytest.raises(SourceError, match="the path of the store of sources is empty"):
        of_folder(Path())
    assert mode(tmp_path) == 0o755
