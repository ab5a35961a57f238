"""An operator's own pictures: all of them or none, every fault by name."""

import os
import tarfile
import zipfile
from pathlib import Path, PurePosixPath

import numpy as np
import pytest
from PIL import Image

from generator_service.banks import mounting, sources
from generator_service.banks.mounting import NameTaken, PicturesRefused, fault_lines, kind_of, mount_pictures
from generator_service.banks.shelf import BankMissing, Shelf
from generator_service.banks.sources import Named, UnreadableSource, read_source
from generator_service.benchmarks.kiva import BENCHMARK
from generator_service.drawing.bank import silent
from generator_service.draws import Draw
from generator_service.items import make_item
from generator_service.registry import mount
from tests.unit.generator_service.banks.pictures import hook, png, write

GOOD = {
    f"{kind}/{kind}-{number}.png": png(hook(2 * row + number)) for row, kind in enumerate("abc") for number in (1, 2)
}


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    return Shelf(tmp_path / "banks")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write(
        tmp_path / "pictures", GOOD | {"README.md": b"no picture", ".hidden/x.png": b"", "__MACOSX/y.png": b""}
    )


def _kept(shelf: Shelf) -> list[str]:
    return [index.name for _, index in shelf.kept()]


def test_a_folder_of_pictures_becomes_a_bank_with_groups_kinds_and_tables(shelf: Shelf, folder: Path) -> None:
    mounted = mount_pictures(shelf, folder, "shapes", silent)
    bank = shelf.open("shapes")
    assert bank.digest == mounted.index.digest
    assert [(one.id, one.kind, one.group) for one in bank.objects][:3] == [
        ("a/a-1", "a", "a"),
        ("a/a-2", "a", "a"),
        ("b/b-1", "b", "b"),
    ]
    assert all(one.chiral for one in bank.objects)
    assert bank.visible("a/a-1", "plain", "rotation:90")
    picture = bank.picture("a/a-1")
    assert picture.shape == (256, 256, 4)
    rows, columns = np.nonzero(picture[..., 3])
    reach = np.sqrt((rows - 127.5) ** 2 + (columns - 127.5) ** 2).max()
    assert 116 < reach < 123, "it just fits the circle of any turn"


def test_zip_tar_and_folder_make_the_same_bank(shelf: Shelf, folder: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "p.zip", "w") as archive:
        for name, content in GOOD.items():
            archive.writestr(name, content)
    with tarfile.open(tmp_path / "p.tar.gz", "w:gz") as archive:
        archive.add(folder, arcname=".")
    digests = [
        mount_pictures(shelf, path, name, silent).index.digest
        for name, path in (("one", folder), ("two", tmp_path / "p.zip"), ("three", tmp_path / "p.tar.gz"))
    ]
    assert len(set(digests)) == 1


def test_kiva_items_are_made_from_a_mounted_bank_and_from_nothing_else(shelf: Shelf, folder: Path) -> None:
    mount_pictures(shelf, folder, "shapes", silent)
    mounted = mount([BENCHMARK], shelf.folder, "shapes").newest("kiva")
    assert mounted is not None
    assert (mounted.bank_name, mounted.bank_digest) == ("shapes", shelf.open("shapes").digest)
    draw = Draw(BENCHMARK, mounted.identity("kiva", "full", {}), "3")
    scenes = [make_item(mounted, draw, index).scene for index in range(12)]
    assert {scene.given.object for scene in scenes} <= {one.id for one in shelf.open("shapes").objects}
    assert BENCHMARK.render(mounted.bank, scenes[0], "1").any()


@pytest.mark.parametrize(
    ("spoilt", "said"),
    [
        (png(np.zeros((80, 80, 4), np.uint8)), "bad.png: is empty"),
        (png(np.full((80, 80, 4), 255, np.uint8)), "bad.png: is opaque"),
        (png(np.full((80, 80, 3), 255, np.uint8)), "bad.png: is opaque"),
        (png(hook(1, side=36)), "bad.png: is tiny: its object has 21 x 30 pixels"),
        (GOOD["a/a-1.png"], "bad.png: is the same picture as a/a-1.png"),
        (b"no picture at all", "bad.png: can't be read as a picture"),
        (GOOD["a/a-1.png"][:200], "bad.png: can't be read as a picture"),
        (png(np.zeros((4100, 2, 4), np.uint8)), "4100 pixels are more than 4096 a side"),
    ],
    ids=["empty", "opaque", "without alpha", "tiny", "doubled", "text", "cut", "long"],
)
def test_one_spoilt_picture_is_named_and_nothing_is_mounted(
    shelf: Shelf, folder: Path, spoilt: bytes, said: str
) -> None:
    write(folder, {"z/bad.png": spoilt})
    with pytest.raises(PicturesRefused, match="1 of 7 pictures are refused, nothing was mounted") as refused:
        mount_pictures(shelf, folder, "shapes", silent)
    assert said in str(refused.value.refusals[0])
    assert "; " in str(refused.value.refusals[0]), "what to do stands behind it"
    assert _kept(shelf) == []
    left_out = mount_pictures(shelf, folder, "shapes", silent, leave_out=True)
    assert [refusal.path for refusal in left_out.left_out] == ["z/bad.png"]
    assert len(left_out.index.entries) == 6


def test_all_faults_are_told_at_once_and_no_more_than_a_hundred() -> None:
    many = [mounting.Refusal(f"{number}.png", "is empty", "leave it out") for number in range(130)]
    lines = list(fault_lines(many))
    assert len(lines) == 101
    assert lines[99].startswith("99.png")
    assert lines[100] == "... and 30 more"


def test_two_files_that_name_one_object_are_refused(shelf: Shelf, folder: Path) -> None:
    write(folder, {"a/a-1.webp": png(hook(9))})
    with pytest.raises(PicturesRefused) as refused:
        mount_pictures(shelf, folder, "shapes", silent)
    assert "a/a-1.webp: has the name of a/a-1.png; rename" in str(refused.value.refusals[0])


@pytest.mark.parametrize("name", ["", "Big", "1st", "a b", "a/b", "x" * 33, "household", "builtin", "household-by"])
def test_a_name_that_is_none_or_ours_is_refused(shelf: Shelf, folder: Path, name: str) -> None:
    with pytest.raises(NameTaken, match=r"no bank's name|bank of our own"):
        mount_pictures(shelf, folder, name, silent)


def test_a_name_is_given_once(shelf: Shelf, folder: Path) -> None:
    mount_pictures(shelf, folder, "shapes", silent)
    with pytest.raises(NameTaken, match="tetrad corpus remove shapes"):
        mount_pictures(shelf, folder, "shapes", silent)


def test_a_source_without_pictures_is_refused(shelf: Shelf, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(UnreadableSource, match="holds no pictures"):
        mount_pictures(shelf, tmp_path / "empty", "shapes", silent)
    (tmp_path / "words.txt").write_text("words")
    for path in (tmp_path / "words.txt", tmp_path / "nowhere"):
        with pytest.raises(UnreadableSource, match="no folder, zip or tar"):
            list(read_source(path))


def test_a_damaged_archive_is_refused(folder: Path, tmp_path: Path) -> None:
    with tarfile.open(tmp_path / "p.tar.gz", "w:gz") as archive:
        archive.add(folder, arcname="p")
    cut = tmp_path / "cut.tar.gz"
    whole = (tmp_path / "p.tar.gz").read_bytes()
    cut.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(UnreadableSource, match=r"cut\.tar\.gz"):
        list(read_source(cut))


def test_sources_have_bounds(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "LARGEST_FILE", 100)
    assert {named.content for named in read_source(folder)} == {None}
    refused = mounting.drawn_or_refused(Named(PurePosixPath("x.png"), None))
    assert "is larger than" in str(refused)
    monkeypatch.setattr(sources, "MOST_FILES", 3)
    with pytest.raises(UnreadableSource, match="more than 3 pictures"):
        list(read_source(folder))


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("mugs/mug-2.png", "mug"),
        ("Sofa2.png", "sofa"),
        ("teapot/017.png", "teapot"),
        ("assets/1f431.webp", "1f431"),
        ("7.png", "7"),
        ("tea pot.png", "tea pot"),
    ],
)
def test_a_kind_is_the_name_without_its_number(path: str, kind: str) -> None:
    assert kind_of(PurePosixPath(path)) == kind


def test_a_bank_that_is_not_there_is_named_with_the_remedy(shelf: Shelf) -> None:
    with pytest.raises(BankMissing, match=r"serve one of builtin, or mount it: tetrad corpus add objects PATH"):
        shelf.open("shapes")
    with pytest.raises(BankMissing, match="banks build household"):
        shelf.open("household")


def test_kiva_s_own_objects_can_be_mounted(shelf: Shelf, tmp_path: Path) -> None:
    data = Path(os.environ.get("TETRAD_DATA", Path(__file__).parents[5] / "shared" / "data")) / "kiva" / "objects"
    if not data.is_dir():
        pytest.skip(f"KiVA's object pictures are not at {data}: set TETRAD_DATA to try them")
    few = sorted(data.rglob("*.png"))[::30]
    for path in few:
        group = tmp_path / "few" / path.parent.name
        group.mkdir(parents=True, exist_ok=True)
        (group / path.name).symlink_to(path)
    mounted = mount_pictures(shelf, tmp_path / "few", "kiva-objects", silent, leave_out=True)
    assert len(mounted.index.entries) + len(mounted.left_out) == len(few)
    assert len(mounted.index.entries) >= 8
    assert len({entry.group for entry in mounted.index.entries}) == 3
    with Image.open(few[0]) as original:
        assert original.mode == "RGBA"
