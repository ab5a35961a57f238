"""Corpora are there whole or not at all, and a change of any byte is noticed."""

import dataclasses
import hashlib
import json
import shutil
import stat
import tarfile
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from generator_service.benchmarks.kiva.published import LAYOUT as KIVA
from generator_service.benchmarks.marvel.published import LAYOUT as MARVEL
from generator_service.corpora.commands import main
from generator_service.corpora.corpus import Contents, digest_of
from generator_service.corpora.faults import CorpusError
from generator_service.corpora.store import CorpusDamagedError, CorpusStore
from generator_service.sealing.record import Record
from tests.published import write_marvel
from tetrad.contracts.items import DrawIdentity
from tetrad.internal.draws import SealedDraw


def files_below(folder: Path) -> list[Path]:
    return sorted(path.relative_to(folder) for path in folder.rglob("*") if path.name != ".lock")


def test_a_folder_and_its_archive_are_one_corpus(store: CorpusStore, marvel_folder: Path, tmp_path: Path) -> None:
    first = store.add(MARVEL, marvel_folder)
    with tarfile.open(tmp_path / "marvel.tar.gz", "w:gz") as archive:
        archive.add(marvel_folder, arcname="MARVEL-main")
    before = files_below(tmp_path / "corpora")
    assert store.add(MARVEL, tmp_path / "marvel.tar.gz").digest == first.digest
    assert files_below(tmp_path / "corpora") == before
    (body,) = (tmp_path / "corpora").rglob("corpus.json")
    assert digest_of(body.read_bytes()) == first.digest == body.parent.name


def test_other_content_under_the_same_name_is_refused_until_the_first_is_removed(
    store: CorpusStore, marvel_folder: Path, tmp_path: Path
) -> None:
    first = store.add(MARVEL, marvel_folder)
    other = write_marvel(tmp_path / "other", count=8)
    with pytest.raises(CorpusError, match="remove it first"):
        store.add(MARVEL, other)
    assert [corpus.digest for corpus in store.load_all()] == [first.digest]
    assert store.remove("marvel-published") == first.digest
    assert store.load_all() == []
    assert len(store.add(MARVEL, other).items) == 8


def test_the_labels_lie_where_only_the_owner_looks(store: CorpusStore, marvel_folder: Path, tmp_path: Path) -> None:
    store.add(MARVEL, marvel_folder)
    assert stat.S_IMODE((tmp_path / "corpora").stat().st_mode) == 0o700


def test_what_a_killed_writer_left_is_never_served_and_cleared_away(
    store: CorpusStore, marvel_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, "rename", killed)
    with pytest.raises(KeyboardInterrupt):
        store.add(MARVEL, marvel_folder)
    monkeypatch.undo()
    assert store.load_all() == []
    assert any(path.name.startswith(".unfinished") for path in (tmp_path / "corpora").iterdir())
    corpus = store.add(MARVEL, marvel_folder)
    assert not any(path.name.startswith(".unfinished") for path in (tmp_path / "corpora").iterdir())
    assert corpus.folder.is_dir()


@pytest.mark.parametrize("damage", ["label", "picture", "gone", "no-contents"])
def test_a_changed_byte_is_found_before_anything_is_served(
    store: CorpusStore, marvel_folder: Path, damage: str
) -> None:
    corpus = store.add(MARVEL, marvel_folder)
    contents, picture = corpus.folder / "corpus.json", next((corpus.folder / "pictures").iterdir())
    if damage == "label":
        contents.write_bytes(contents.read_bytes().replace(b'"answer":1', b'"answer":2', 1))
    elif damage == "picture":
        picture.write_bytes(picture.read_bytes() + b"0")
    else:
        (picture if damage == "gone" else contents).unlink()
    with pytest.raises(CorpusDamagedError, match="add it again"):
        store.load_all()
    with pytest.raises(CorpusDamagedError):
        store.check("marvel-published")


def test_a_corpus_of_an_older_layout_or_an_unknown_one_must_be_added_again(
    store: CorpusStore, marvel_folder: Path, tmp_path: Path
) -> None:
    store.add(MARVEL, marvel_folder)
    newer = CorpusStore(tmp_path / "corpora", {"marvel": dataclasses.replace(MARVEL, version=2)})
    with pytest.raises(CorpusDamagedError, match="version 1 of the layout, now 2"):
        newer.load_all()
    with pytest.raises(CorpusDamagedError, match="no layout that this version knows"):
        CorpusStore(tmp_path / "corpora", {"kiva": KIVA}).load_all()


def test_checking_decodes_every_picture(store: CorpusStore, marvel_folder: Path, tmp_path: Path) -> None:
    assert store.add(MARVEL, marvel_folder).digest == store.check("marvel-published").digest
    corpus = store.load_all()[0]
    body = b"no picture, but one whose digest is right"
    contents = msgspec.json.decode((corpus.folder / "corpus.json").read_bytes(), type=Contents)
    sha = hashlib.sha256(body).hexdigest()
    forged = replace(contents, pictures=(*contents.pictures, sha)).encoded()
    folder = Path(shutil.move(corpus.folder, corpus.folder.parent / digest_of(forged)))
    (folder / "corpus.json").write_bytes(forged)
    (folder / "pictures" / f"{sha}.png").write_bytes(body)
    with pytest.raises(CorpusDamagedError, match="no readable PNG"):
        store.check("marvel-published")


def test_removing_or_checking_what_is_not_there_says_what_is(store: CorpusStore, marvel_folder: Path) -> None:
    with pytest.raises(CorpusError, match="mounted: none"):
        store.check("kiva-published")
    store.add(MARVEL, marvel_folder)
    with pytest.raises(CorpusError, match="mounted: marvel-published"):
        store.remove("../marvel-published")


def test_the_commands_add_list_check_and_remove(
    kiva_folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def run(*arguments: str) -> tuple[int, Any]:
        status = main([*arguments, "--folder", str(tmp_path / "home")])
        said = capsys.readouterr()
        return status, json.loads(said.out) if status == 0 else said.err

    assert run("list") == (0, [])
    status, line = run("add", "kiva", str(kiva_folder))
    assert (status, line["name"], line["layout"], line["items"]) == (0, "kiva-published", "kiva", 14)
    assert run("list") == (0, [line])
    assert run("check", "kiva-published") == (0, line)
    status, reason = run("add", "marvel", str(kiva_folder))
    assert status == 1
    assert "JSON: there must be one .json file" in reason
    assert run("remove", "kiva-published") == (0, {"name": "kiva-published", "digest": line["digest"]})
    assert run("remove", "kiva-published")[0] == 1


def test_a_corpus_that_open_draws_need_is_not_removed(
    store: CorpusStore, marvel_folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    corpus = store.add(MARVEL, marvel_folder)
    url = f"sqlite:///{tmp_path}/generator.sqlite"
    record = Record(url)
    identity = DrawIdentity(
        benchmark=corpus.name, version=1, bank=corpus.digest, track=corpus.name, setting="full", parameters={}
    )
    record.seal(SealedDraw(submission="sub_1", identity=identity, size=3, commitment="0" * 64), "n", "s")
    removing = ["remove", corpus.name, "--folder", str(tmp_path / "corpora"), "--record", url]
    assert main(removing) == 1
    assert "1 open draws need marvel-published" in capsys.readouterr().err
    record.reveal("sub_1", [], "0" * 64)
    record.close()
    assert main(removing) == 0
    assert store.load_all() == []
