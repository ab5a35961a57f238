"""Files that are there whole or not at all."""

import os
import stat
from pathlib import Path
from typing import IO

import pytest

from tetrad.files import make_folder, whole_file


def write(path: Path, body: bytes, **how: bool) -> None:
    with whole_file(path, **how) as file:
        file.write(body)


def interrupted(file: IO[bytes]) -> None:
    file.write(b"tw")
    raise KeyboardInterrupt


def test_a_file_is_there_whole_and_its_owner_s_alone(tmp_path: Path) -> None:
    path = tmp_path / "kept"
    write(path, b"one")
    write(path, b"two")
    assert path.read_bytes() == b"two"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_is_not_there_before_the_block_ends(tmp_path: Path) -> None:
    path = tmp_path / "kept"
    with whole_file(path) as file:
        file.write(b"one")
        file.flush()
        assert not path.exists()


@pytest.mark.parametrize("replace", [True, False])
def test_what_was_not_written_to_its_end_leaves_nothing(tmp_path: Path, *, replace: bool) -> None:
    path = tmp_path / "kept"
    write(path, b"one")
    with pytest.raises(KeyboardInterrupt), whole_file(path, replace=replace) as file:
        interrupted(file)
    assert path.read_bytes() == b"one"
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_that_is_there_can_be_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "kept"
    write(path, b"one", replace=False)
    write(path, b"two", replace=False)
    assert path.read_bytes() == b"one"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("replace", [True, False])
def test_a_file_is_on_disk_before_its_name_is_and_its_name_before_the_block_has_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, replace: bool
) -> None:
    path = tmp_path / "kept"
    synced: list[tuple[str, bool]] = []

    def noting(descriptor: int) -> None:
        kind = "folder" if stat.S_ISDIR(os.fstat(descriptor).st_mode) else "file"
        synced.append((kind, path.exists()))

    monkeypatch.setattr(os, "fsync", noting)
    write(path, b"one", replace=replace)
    assert synced == [("file", False), ("folder", True)]
    write(tmp_path / "other", b"one", durable=False)
    assert len(synced) == 2


def test_folders_are_made_with_those_above_them_each_on_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[int] = []
    monkeypatch.setattr(os, "fsync", lambda descriptor: synced.append(os.fstat(descriptor).st_ino))
    make_folder(tmp_path / "a" / "b")
    assert synced == [tmp_path.stat().st_ino, (tmp_path / "a").stat().st_ino]
    make_folder(tmp_path / "a" / "b")
    assert len(synced) == 2
