"""Nothing of a folder or an archive leads out of it, and what does is named."""

import io
import os
import tarfile
import zipfile
from pathlib import Path

import pytest

from generator_service.sources.faults import Faults, SourceFaultsError
from generator_service.sources.reader import MIB, Limits, read_members, spool
from generator_service.sources.store import SourceError

LIMITS = Limits(files=1000, file_bytes=MIB, total_bytes=100 * MIB)


def faults_of(path: Path) -> dict[str, str]:
    with pytest.raises(SourceFaultsError) as refused, spool(str(path), LIMITS):
        pass
    return {fault.field: fault.problem for fault in refused.value.faults}


def packed(path: Path, *names: str) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for name in names:
            archive.writestr(name, f"body of {name}")
    return path


def tarred(path: Path, *members: tarfile.TarInfo) -> Path:
    with tarfile.open(path, "w:gz") as archive:
        for member in members:
            body = b"" if member.type != tarfile.REGTYPE else b"body"
            member.size = len(body)
            archive.addfile(member, io.BytesIO(body))
    return path


def entry(name: str, kind: bytes = tarfile.REGTYPE, target: str = "") -> tarfile.TarInfo:
    member = tarfile.TarInfo(name)
    member.type, member.linkname = kind, target
    return member


def test_a_folder_is_read_by_relative_name_without_what_file_managers_leave(tmp_path: Path) -> None:
    for name in ("a.png", "sub/b.png", ".DS_Store", "__MACOSX/c.png", "sub/Thumbs.db"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(name)
    with spool(str(tmp_path), LIMITS) as source:
        assert source.names() == ("a.png", "sub/b.png")
        assert source.read("sub/b.png") == b"sub/b.png"


def test_links_and_special_files_of_a_folder_are_named(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "file.png").symlink_to("/etc/hostname")
    (tmp_path / "folder").symlink_to("/etc")
    os.mkfifo(tmp_path / "real" / "pipe")
    assert set(faults_of(tmp_path)) == {"file.png", "folder", "real/pipe"}


def test_zip_and_tar_give_the_same_files(tmp_path: Path) -> None:
    names = ("sub/a.png", "b.json")
    zipped = packed(tmp_path / "one.zip", *names, ".DS_Store")
    with tarfile.open(tmp_path / "one.tar.xz", "w:xz") as archive:
        for name in names:
            body = f"body of {name}".encode()
            member = entry(name)
            member.size = len(body)
            archive.addfile(member, io.BytesIO(body))
        archive.addfile(entry("sub", tarfile.DIRTYPE))
    for path in (zipped, tmp_path / "one.tar.xz"):
        with spool(str(path), LIMITS) as source:
            assert {name: source.read(name) for name in source.names()} == {
                "b.json": b"body of b.json",
                "sub/a.png": b"body of sub/a.png",
            }


@pytest.mark.parametrize("name", ["../out.png", "/etc/out.png", "a/../../out.png", "C:/out.png", "a\\..\\out.png"])
def test_a_name_that_leads_out_of_an_archive_is_refused(tmp_path: Path, name: str) -> None:
    assert list(faults_of(packed(tmp_path / "one.zip", "fine.png", name)).values()) == [
        "has a name that leads out of the archive"
    ]
    assert len(faults_of(tarred(tmp_path / "one.tgz", entry("fine.png"), entry(name)))) == 1


def test_links_and_devices_of_a_tar_are_refused(tmp_path: Path) -> None:
    found = faults_of(
        tarred(
            tmp_path / "one.tgz",
            entry("soft.png", tarfile.SYMTYPE, "/etc/passwd"),
            entry("hard.png", tarfile.LNKTYPE, "/etc/passwd"),
            entry("device", tarfile.CHRTYPE),
        )
    )
    assert found == dict.fromkeys(("soft.png", "hard.png", "device"), "is a link or a special file")


def test_links_encryption_and_doubled_names_of_a_zip_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "one.zip"
    with zipfile.ZipFile(path, "w") as archive:
        link = zipfile.ZipInfo("link.png")
        link.external_attr = 0o120777 << 16
        archive.writestr(link, "/etc/passwd")
        archive.writestr("twice.png", "one")
        with pytest.warns(UserWarning, match="Duplicate name"):
            archive.writestr("twice.png", "two")
    assert faults_of(path) == {
        "link.png": "is a link or a special file",
        "twice.png": "is in the archive more than once",
    }
    locked = packed(tmp_path / "locked.zip", "a.png")
    body = bytearray(locked.read_bytes())
    for mark in (b"PK\x03\x04", b"PK\x01\x02"):
        body[body.index(mark) + (6 if mark[2] == 3 else 8)] |= 1
    locked.write_bytes(body)
    assert faults_of(locked) == {"a.png": "is encrypted"}


def test_what_is_too_large_or_too_many_is_refused(tmp_path: Path) -> None:
    path = packed(tmp_path / "one.zip", "a.png", "b.png")
    for limits, field in (
        (Limits(files=9, file_bytes=3, total_bytes=MIB), "a.png"),
        (Limits(files=1, file_bytes=MIB, total_bytes=MIB), str(path)),
        (Limits(files=9, file_bytes=MIB, total_bytes=20), str(path)),
    ):
        faults = Faults()
        list(read_members(str(path), limits, faults))
        assert faults.shown[0].field == field
        assert "at most" in faults.shown[0].remedy or "--most-files" in faults.shown[0].remedy


def test_files_come_one_by_one_and_the_first_can_be_passed_over(tmp_path: Path) -> None:
    path = packed(tmp_path / "one.zip", "a.png", "b.png", "c.png")
    found = [(member.name, member.read()) for member in read_members(str(path), LIMITS, Faults(), skip=1)]
    assert found == [("b.png", b"body of b.png"), ("c.png", b"body of c.png")]


def test_a_file_that_is_no_archive_or_broken_is_said_to_be_unreadable(tmp_path: Path) -> None:
    (tmp_path / "text.txt").write_text("no archive")
    whole = packed(tmp_path / "whole.zip", "a.png").read_bytes()
    (tmp_path / "broken.zip").write_bytes(whole.replace(b"body", b"Body"))
    for name, said in (
        ("text.txt", "neither a folder nor"),
        ("broken.zip", "can't be read"),
        ("none", "does not exist"),
    ):
        with pytest.raises(SourceError, match=said), spool(str(tmp_path / name), LIMITS):
            pass


def test_an_archive_unpacks_no_more_than_it_claims(tmp_path: Path) -> None:
    path = tmp_path / "liar.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.png", b"0" * 100_000)
    body = bytearray(path.read_bytes())
    entry_at = body.index(b"PK\x01\x02")
    body[entry_at + 24 : entry_at + 28] = (10).to_bytes(4, "little")
    path.write_bytes(body)
    try:
        with spool(str(path), LIMITS) as source:
            assert len(source.read("a.png")) <= 10
    except SourceError as error:
        assert "can't be read" in str(error)  # noqa: PT017 - newer Pythons notice by themselves
