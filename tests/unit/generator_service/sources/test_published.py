"""Published items are there whole or not at all, and a change of any byte is noticed."""

import dataclasses
import stat
import tarfile
from pathlib import Path

import pytest

from generator_service.benchmarks.kiva.published import LAYOUT as KIVA
from generator_service.benchmarks.marvel.published import LAYOUT as MARVEL
from generator_service.sources import published
from generator_service.sources.published import add_published, check_pictures, digest_of, keep_published, open_published
from generator_service.sources.store import SourceDamagedError, SourceError, SourceStore, of_folder
from tests.published import write_marvel
from tests.unit.generator_service.sources.pictures import add_corpus


def files_below(folder: Path) -> list[Path]:
    return sorted(path.relative_to(folder) for path in folder.rglob("*") if path.name != ".lock")


def test_a_folder_and_its_archive_are_one_source(store: SourceStore, marvel_folder: Path, tmp_path: Path) -> None:
    first = add_published(store, MARVEL, str(marvel_folder))
    with tarfile.open(tmp_path / "marvel.tar.gz", "w:gz") as archive:
        archive.add(marvel_folder, arcname="MARVEL-main")
    before = files_below(tmp_path / "sources")
    assert add_published(store, MARVEL, str(tmp_path / "marvel.tar.gz")).digest == first.digest
    assert files_below(tmp_path / "sources") == before
    assert digest_of(bytes(store.open(first).read("corpus.json"))) == first.digest


def test_other_content_under_the_same_name_is_refused_until_the_first_is_removed(
    store: SourceStore, marvel_folder: Path, tmp_path: Path
) -> None:
    first = add_published(store, MARVEL, str(marvel_folder))
    other = write_marvel(tmp_path / "other", count=8)
    with pytest.raises(SourceError, match="remove it first"):
        add_corpus(store, MARVEL, other)
    assert [head.digest for head in store.heads()] == [first.digest]
    store.remove([first])
    assert store.heads() == []
    assert list(store.objects.names("packs")) == []
    assert len(add_corpus(store, MARVEL, other).items) == 8


def test_the_labels_lie_where_only_the_owner_looks(store: SourceStore, marvel_folder: Path, tmp_path: Path) -> None:
    add_published(store, MARVEL, str(marvel_folder))
    assert stat.S_IMODE((tmp_path / "sources").stat().st_mode) == 0o700


def test_what_was_not_published_is_never_served(
    store: SourceStore, marvel_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(SourceStore, "publish", killed)
    with pytest.raises(KeyboardInterrupt):
        add_published(store, MARVEL, str(marvel_folder))
    monkeypatch.undo()
    assert store.heads() == []
    assert len(add_corpus(of_folder(tmp_path / "sources"), MARVEL, marvel_folder).items) == 12


@pytest.mark.parametrize("damage", ["label", "picture", "gone", "manifest", "no-manifest"])
def test_a_changed_byte_is_found(store: SourceStore, marvel_folder: Path, tmp_path: Path, damage: str) -> None:
    head = add_published(store, MARVEL, str(marvel_folder))
    (pack,) = (path for path in (tmp_path / "sources" / "packs").rglob("*") if path.is_file())
    (manifest,) = (tmp_path / "sources" / "manifests").iterdir()
    body = pack.read_bytes()
    if damage == "label":
        pack.write_bytes(body.replace(b'"answer":1', b'"answer":2', 1))
    elif damage == "picture":
        pack.write_bytes(body[:-20] + b"0" * 20)
    elif damage == "gone":
        pack.unlink()
    elif damage == "manifest":
        manifest.write_bytes(manifest.read_bytes().replace(b"0", b"1", 1))
    else:
        manifest.unlink()
    again = of_folder(tmp_path / "sources")
    with pytest.raises(SourceDamagedError, match="published:marvel-published"):
        list(again.open(head).check())
    if damage != "picture":
        with pytest.raises(SourceDamagedError):
            open_published(again, head)


def test_items_of_an_older_layout_or_an_unknown_one_must_be_added_again(
    store: SourceStore, marvel_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    head = add_published(store, MARVEL, str(marvel_folder))
    monkeypatch.setattr(published, "layouts", lambda: {"marvel": dataclasses.replace(MARVEL, version=2)})
    with pytest.raises(SourceDamagedError, match="version 1 of the layout, now 2"):
        open_published(store, head)
    monkeypatch.setattr(published, "layouts", lambda: {"kiva": KIVA})
    with pytest.raises(SourceDamagedError, match="this version does not know its layout"):
        open_published(store, head)


def test_checking_decodes_every_picture(store: SourceStore, marvel_folder: Path) -> None:
    head = add_published(store, MARVEL, str(marvel_folder))
    check_pictures(store, head)
    source = store.open(head)
    pictures = {name: bytes(source.read(name)) for name in source.by_name if name != "corpus.json"}
    first = min(pictures)
    store.remove([head])
    forged = keep_published(store, head.name, bytes(source.read("corpus.json")), pictures | {first: b"no picture"})
    with pytest.raises(SourceDamagedError, match="not a readable JPEG or PNG"):
        check_pictures(store, forged)
