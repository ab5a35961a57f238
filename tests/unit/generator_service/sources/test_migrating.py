"""Files of earlier versions are moved into the store once, under the same digests, or left and named in the log."""

import hashlib
import shutil
import zlib
from pathlib import Path

import msgspec
import numpy as np
import pytest

from generator_service.benchmarks.marvel.published import LAYOUT
from generator_service.drawing.bank import Drawn, bank_digest, finished
from generator_service.sources.migrating import OldBank, OldEntry, OldLayer, OldStage, migrate
from generator_service.sources.objects import open_bank
from generator_service.sources.published import digest_of, open_published
from generator_service.sources.stage import open_stage
from generator_service.sources.store import SourceStore, of_folder
from tests.unit.generator_service.sources.pictures import add_corpus, hook


@pytest.fixture
def drawn() -> list[Drawn]:
    return [finished(hook(number, side=256), name=f"hook-{number}", kind=f"k{number}", variant=0) for number in (1, 2)]


@pytest.fixture
def banks(tmp_path: Path, drawn: list[Drawn]) -> Path:
    """The folder of banks as versions before the store wrote it: one bank and a stage of one layer."""
    folder = tmp_path / "bank"
    folder.mkdir()
    entries, body = [], b""
    for one in drawn:
        entries.append(OldEntry(one.id, one.kind, one.variant, len(body), len(one.compressed)))
        body += one.compressed
    digest = bank_digest((one.id, one.pixels) for one in drawn)
    index = OldBank("mine", digest, len(body), hashlib.sha256(body).hexdigest(), tuple(entries), 1000, ("By Ann",))
    (folder / "mine-0123456789abcdef.json").write_bytes(msgspec.json.encode(index))
    (folder / "mine-0123456789abcdef.pictures").write_bytes(body)
    raw = bytes(range(24)) + bytes(12)
    layer = zlib.compress(raw)
    entry = OldLayer(0, len(layer), True, 1, 2, 2, 3, False)
    stage = OldStage("d" * 64, len(layer), hashlib.sha256(layer).hexdigest(), {"ware mug 0 x 0": entry})
    (folder / "stage-0123456789abcdef.json").write_bytes(msgspec.json.encode(stage))
    (folder / "stage-0123456789abcdef.layers").write_bytes(layer)
    return folder


@pytest.fixture
def corpora(tmp_path: Path, marvel_folder: Path) -> Path:
    """The folder of corpora as versions before the store wrote it."""
    made = of_folder(tmp_path / "made")
    corpus = add_corpus(made, LAYOUT, marvel_folder)
    source = made.open(made.head("published", "marvel-published"))
    folder = tmp_path / "corpora" / "marvel-published" / corpus.digest
    (folder / "pictures").mkdir(parents=True)
    for name in source.by_name:
        path = folder / name if name == "corpus.json" else folder / "pictures" / f"{name}.png"
        path.write_bytes(source.read(name))
    return tmp_path / "corpora"


def test_banks_the_stage_and_corpora_are_taken_over_once_under_their_digests(
    store: SourceStore, banks: Path, corpora: Path, drawn: list[Drawn]
) -> None:
    assert {head.title for head in migrate(store, banks, corpora)} == {
        "objects:mine",
        "stage:stage",
        "published:marvel-published",
    }
    bank = open_bank(store, "mine")
    assert bank.digest == bank_digest((one.id, one.pixels) for one in drawn)
    assert bank.credits == ("By Ann",)
    assert np.array_equal(bank.picture("hook-2"), hook(2, side=256))
    assert bank.visibility["hook-1"] == drawn[0].appearance
    layer = open_stage(store, store.head("stage", "stage")).read("ware mug 0 x 0")
    assert (layer.left, layer.top, layer.pixels.shape) == (1, 2, (2, 3, 4))
    assert store.head("stage", "stage").digest == "d" * 64
    head = store.head("published", "marvel-published")
    assert (corpora / "marvel-published" / head.digest).is_dir()
    assert len(open_published(store, head).items) == 12
    assert migrate(store, banks, corpora) == []
    store.remove([head])
    assert migrate(store, banks, corpora) == [], "what was removed later does not come back"


@pytest.mark.parametrize("damage", ["pictures", "cut", "index", "label", "picture"])
def test_what_is_damaged_is_left_and_told(  # noqa: PLR0917 -- fixtures
    store: SourceStore,
    banks: Path,
    corpora: Path,
    damage: str,
    capsys: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    pictures = banks / "mine-0123456789abcdef.pictures"
    contents = next(corpora.rglob("corpus.json"))
    if damage == "pictures":
        pictures.write_bytes(pictures.read_bytes()[:-1] + b"x")
    elif damage == "cut":
        pictures.write_bytes(b"")
    elif damage == "index":
        place = banks / "mine-0123456789abcdef.json"
        body = place.read_bytes()
        index = msgspec.json.decode(body, type=OldBank)
        place.write_bytes(body.replace(index.digest.encode(), b"e" * 64))
    elif damage == "label":
        contents.write_bytes(contents.read_bytes().replace(b'"answer":1', b'"answer":2', 1))
    else:
        next((contents.parent / "pictures").iterdir()).write_bytes(b"x")
    lost = "published:marvel-published" if damage in {"label", "picture"} else "objects:mine"
    expected = {"objects:mine", "stage:stage", "published:marvel-published"} - {lost}
    assert {head.title for head in migrate(store, banks, corpora)} == expected
    assert {head.title for head in store.heads()} == expected
    assert "source not taken over" in "".join(capsys.readouterr()) + caplog.text


def test_folders_that_are_not_there_are_nothing_to_take_over(store: SourceStore, tmp_path: Path) -> None:
    assert migrate(store, tmp_path / "bank", tmp_path / "corpora") == []
    assert migrate(store) == []


def test_a_corpus_with_changed_contents_keeps_its_old_digest_nowhere(store: SourceStore, corpora: Path) -> None:
    contents = next(corpora.rglob("corpus.json"))
    assert digest_of(contents.read_bytes()) == contents.parent.name
    shutil.rmtree(contents.parent / "pictures")
    assert migrate(store, None, corpora) == []
