"""An operator's own pictures: all of them or none, every fault by name."""

import os
import shutil
import tarfile
import zipfile
from pathlib import Path, PurePosixPath

import numpy as np
import pytest
from PIL import Image

from generator_service.benchmarks.kiva import BENCHMARK
from generator_service.draws import Draw
from generator_service.items import make_item
from generator_service.registry import mount
from generator_service.sources.adding import fault_lines
from generator_service.sources.faults import SourceFaultsError
from generator_service.sources.objects import kind_of, open_bank
from generator_service.sources.reader import UnreadableSourceError
from generator_service.sources.store import SourceError, SourceMissingError, SourceStore, of_folder
from tests.unit.generator_service.sources.pictures import add, hook, png, write
from tetrad.contracts.problems import Fault

GOOD = {
    f"{kind}/{kind}-{number}.png": png(hook(2 * row + number)) for row, kind in enumerate("abc") for number in (1, 2)
}


@pytest.fixture
def store(tmp_path: Path) -> SourceStore:
    return of_folder(tmp_path / "sources")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write(
        tmp_path / "pictures", GOOD | {"README.md": b"no picture", ".hidden/x.png": b"", "__MACOSX/y.png": b""}
    )


def _kept(store: SourceStore) -> list[str]:
    return [head.name for head in store.heads()]


def test_a_folder_of_pictures_becomes_a_bank_with_groups_kinds_and_tables(store: SourceStore, folder: Path) -> None:
    mounted = add(store, "objects", folder, "shapes")
    bank = open_bank(store, "shapes")
    assert bank.digest == mounted.head.digest
    assert [(record.id, record.kind, record.group) for record in bank.objects][:3] == [
        ("a/a-1", "a", "a"),
        ("a/a-2", "a", "a"),
        ("b/b-1", "b", "b"),
    ]
    assert all(record.chiral for record in bank.objects)
    assert bank.visible("a/a-1", "plain", "rotation:90")
    picture = bank.picture("a/a-1")
    assert picture.shape == (256, 256, 4)
    rows, columns = np.nonzero(picture[..., 3])
    reach = np.sqrt((rows - 127.5) ** 2 + (columns - 127.5) ** 2).max()
    assert 116 < reach < 123, "it just fits the circle of any turn"


def test_zip_tar_and_folder_make_the_same_bank(store: SourceStore, folder: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "p.zip", "w") as archive:
        for name, content in GOOD.items():
            archive.writestr(name, content)
    with tarfile.open(tmp_path / "p.tar.gz", "w:gz") as archive:
        archive.add(folder, arcname=".")
    digests = [
        add(store, "objects", path, name).head.digest
        for name, path in (("one", folder), ("two", tmp_path / "p.zip"), ("three", tmp_path / "p.tar.gz"))
    ]
    assert len(set(digests)) == 1


def test_kiva_items_are_made_from_a_mounted_bank_and_from_nothing_else(store: SourceStore, folder: Path) -> None:
    add(store, "objects", folder, "shapes")
    mounted = mount([BENCHMARK], store, "shapes").newest("kiva")
    assert mounted is not None
    assert (mounted.bank_name, mounted.bank_digest) == ("shapes", open_bank(store, "shapes").digest)
    draw = Draw(BENCHMARK, mounted.identity("kiva", "full", {}), "3")
    scenes = [make_item(mounted, draw, index).scene for index in range(12)]
    assert {scene.given.object for scene in scenes} <= {record.id for record in open_bank(store, "shapes").objects}
    assert BENCHMARK.render(mounted.bank, scenes[0], "1").any()


@pytest.mark.parametrize(
    ("spoilt", "said"),
    [
        (png(np.zeros((80, 80, 4), np.uint8)), "bad.png: is empty"),
        (png(np.full((80, 80, 4), 255, np.uint8)), "bad.png: is opaque"),
        (png(np.full((80, 80, 3), 255, np.uint8)), "bad.png: is opaque"),
        (png(hook(1, side=36)), "bad.png: is tiny: its object has 21 x 30 pixels"),
        (GOOD["a/a-1.png"], "bad.png: is the same picture as a/a-1.png"),
        (b"no picture at all", "bad.png: is not a readable JPEG or PNG"),
        (GOOD["a/a-1.png"][:200], "bad.png: is not a readable JPEG or PNG"),
        (png(np.zeros((4100, 2, 4), np.uint8)), "is 2 x 4100 pixels; 8 to 4096 a side can be shown"),
    ],
    ids=["empty", "opaque", "without alpha", "tiny", "doubled", "text", "cut", "long"],
)
def test_one_spoilt_picture_is_named_and_nothing_is_mounted(
    store: SourceStore, folder: Path, spoilt: bytes, said: str
) -> None:
    write(folder, {"z/bad.png": spoilt})
    with pytest.raises(SourceFaultsError, match="1 fault; nothing was added") as refused:
        add(store, "objects", folder, "shapes")
    assert said in str(refused.value)
    assert refused.value.faults[0].remedy
    assert [*store.objects.names("packs"), *store.objects.names("adding")] == [], "nothing is left of it"
    assert _kept(store) == []
    left_out = add(store, "objects", folder, "shapes", leave_out=True)
    assert [fault.field for fault in left_out.left_out] == ["z/bad.png"]
    assert left_out.head.files == 6


def test_all_faults_are_told_at_once_and_no_more_than_a_hundred() -> None:
    many = [Fault(field=f"{number}.png", problem="is empty", remedy="leave it out") for number in range(130)]
    lines = list(fault_lines(many))
    assert len(lines) == 101
    assert lines[99].startswith("99.png")
    assert lines[100] == "... and 30 more"


def test_two_files_that_name_one_object_are_refused(store: SourceStore, folder: Path) -> None:
    write(folder, {"a/a-1.webp": png(hook(9))})
    with pytest.raises(SourceFaultsError) as refused:
        add(store, "objects", folder, "shapes")
    assert "a/a-1.webp: has the name of a/a-1.png; rename" in str(refused.value)


@pytest.mark.parametrize("name", ["", "Big", "1st", "a b", "a/b", "x" * 49, "household", "builtin", "household-by"])
def test_a_name_that_is_none_or_ours_is_refused(store: SourceStore, folder: Path, name: str) -> None:
    with pytest.raises(SourceError, match=r"can't name a source|source of our own"):
        add(store, "objects", folder, name)


def test_a_name_is_given_once_and_the_same_content_again_changes_nothing(store: SourceStore, folder: Path) -> None:
    first = add(store, "objects", folder, "shapes").head
    before = list(store.objects.names("packs"))
    assert add(store, "objects", folder, "shapes").head.digest == first.digest
    assert list(store.objects.names("packs")) == before
    write(folder, {"d/d-1.png": png(hook(17))})
    with pytest.raises(SourceError, match="tetrad source remove objects:shapes"):
        add(store, "objects", folder, "shapes")
    assert list(store.objects.names("packs")) == before
    assert len(open_bank(store, "shapes").objects) == 6


def test_a_source_without_pictures_is_refused(store: SourceStore, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(UnreadableSourceError, match="holds no file that the kind objects takes"):
        add(store, "objects", tmp_path / "empty", "shapes")


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


def test_a_bank_that_is_not_there_is_named_with_the_remedy(store: SourceStore) -> None:
    with pytest.raises(
        SourceMissingError, match=r"there are: none; add it: tetrad source add objects PATH --name shapes"
    ):
        open_bank(store, "shapes")
    with pytest.raises(SourceMissingError, match="commands build household"):
        open_bank(store, "household")


def test_kiva_s_own_objects_can_be_mounted(store: SourceStore, tmp_path: Path) -> None:
    data = Path(os.environ.get("TETRAD_DATA", Path(__file__).parents[5] / "shared" / "data")) / "kiva" / "objects"
    if not data.is_dir():
        pytest.skip(f"KiVA's object pictures are not at {data}: set TETRAD_DATA to try them")
    few = sorted(data.rglob("*.png"))[::30]
    for path in few:
        group = tmp_path / "few" / path.parent.name
        group.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, group)
    mounted = add(store, "objects", tmp_path / "few", "kiva-objects", leave_out=True)
    assert mounted.head.files + len(mounted.left_out) == len(few)
    assert mounted.head.files >= 8
    assert len({record.group for record in open_bank(store, "kiva-objects").objects}) == 3
    with Image.open(few[0]) as original:
        assert original.mode == "RGBA"
