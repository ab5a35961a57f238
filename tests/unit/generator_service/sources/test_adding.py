"""Adding photographs: streamed, in bounded memory, resumed where it was killed, published in one step."""

import signal
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import msgspec
import numpy as np
import pytest

from generator_service.sources import adding
from generator_service.sources import store as store_module
from generator_service.sources.adding import list_unfinished
from generator_service.sources.faults import SourceFaultsError
from generator_service.sources.photographs import open_photographs
from generator_service.sources.reader import MIB, Limits
from generator_service.sources.store import SourceDamagedError, SourceError, SourceStore, of_folder
from tests.photographs import jpeg, write_photographs, write_tar
from tests.unit.generator_service.sources.pictures import add, at

MANY = 3000
MOST_MIB = 400  # of the adding process and its workers together


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_tar(tmp_path_factory.mktemp("many") / "many.tar", MANY)


def start(path: Path, store: SourceStore) -> subprocess.Popen[bytes]:
    """Start an addition with packs of 4 MiB, so that there are some dozen."""
    program = (
        "import sys; from generator_service.sources import store; store.PACK = 4 * 2**20;"
        "from generator_service.commands.__main__ import main; sys.exit(main(sys.argv[1:]))"
    )
    words = ["add", "photographs", str(path), "--name", "many", *at(store)]
    return subprocess.Popen([sys.executable, "-c", program, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def memory_of(pid: int) -> float:
    """Return the MiB that a process and its children hold now."""
    total = 0.0
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdecimal():
                words = (entry / "stat").read_text().rpartition(")")[2].split()
                if int(entry.name) == pid or int(words[1]) == pid:
                    total += int(words[21]) * 4096 / MIB
        except (OSError, IndexError):
            continue
    return total


def test_an_addition_that_is_killed_goes_on_where_it_was_in_bounded_memory(archive: Path, tmp_path: Path) -> None:
    store = of_folder(tmp_path / "sources")
    with start(archive, store) as first:
        end = time.monotonic() + 120
        while len(list(store.objects.names("adding"))) < 3:
            assert first.poll() is None, "it ended before it could be killed"
            assert time.monotonic() < end
            time.sleep(0.01)
        first.send_signal(signal.SIGKILL)
    assert store.heads() == [], "nothing of it is served"
    ((kind, name, done),) = list_unfinished(store)
    assert (kind, name) == ("photographs", "many")
    assert 0 < done < MANY
    with start(archive, store) as again:
        peak = 0.0
        while again.poll() is None:
            peak = max(peak, memory_of(again.pid))
            time.sleep(0.05)
        assert again.stdout is not None
        line = msgspec.json.decode(again.stdout.read())
    assert again.returncode == 0
    assert line["resumed"] >= done
    assert line["files"] == MANY
    assert 50 < peak < MOST_MIB
    assert list_unfinished(store) == []
    whole = of_folder(tmp_path / "whole")
    assert add(whole, "photographs", archive, "many").head.digest == line["digest"], "as if it had not been killed"
    names = set(of_folder(tmp_path / "sources").open(store.head("photographs", "many")).check())
    assert len(names) == MANY


def test_what_an_earlier_try_had_done_counts_for_the_same_source_only(
    tmp_path: Path, store: SourceStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store_module, "PACK", 1)
    monkeypatch.setattr(adding, "BATCH_FILES", 4)
    monkeypatch.setattr(adding, "_publish", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
    path = write_tar(tmp_path / "a.tar", 12)
    with pytest.raises(KeyboardInterrupt):
        add(store, "photographs", path, "p")
    assert list_unfinished(store) == [("photographs", "p", 12)]
    monkeypatch.undo()
    other = write_tar(tmp_path / "b.tar", 5)
    added = add(store, "photographs", other, "p")
    assert (added.head.files, added.resumed) == (5, 0)


def test_jpeg_png_and_annotations_are_taken_and_names_never_leave(tmp_path: Path, store: SourceStore) -> None:
    folder = write_photographs(tmp_path / "p", 3)
    (folder / "boxes.json").write_text('{"jumping_0.jpg": [1, 2, 3, 4]}')
    (folder / "readme.md").write_text("passed over")
    head = add(store, "photographs", folder, "p", licence="CC BY 4.0", credits=("By Ann",)).head
    assert (head.files, head.access, head.licence, head.credits) == (4, "approved", "CC BY 4.0", ("By Ann",))
    opened = open_photographs(store, head)
    assert opened.pictures == ("jumping_0.jpg", "jumping_1.jpg", "jumping_2.jpg")
    assert list(opened.annotations()) == ["boxes.json"]
    picture = opened.picture("jumping_1.jpg")
    assert picture.shape == (64, 64, 4)
    assert (picture[..., 3] == 255).all()
    assert (opened.about("jumping_1.jpg").width, opened.about("jumping_1.jpg").height) == (64, 64)
    stored = [path.name for path in (tmp_path / "sources").rglob("*")]
    assert not [name for name in stored if "jumping" in name]


def test_folder_zip_and_tar_are_one_source(tmp_path: Path) -> None:
    folder = write_photographs(tmp_path / "p", 9)
    with zipfile.ZipFile(tmp_path / "p.zip", "w") as archive:
        for path in sorted(folder.iterdir(), reverse=True):
            archive.write(path, path.name)
    digests = {
        add(of_folder(tmp_path / str(number)), "photographs", path, "p").head.digest
        for number, path in enumerate((folder, tmp_path / "p.zip"))
    }
    assert len(digests) == 1


@pytest.mark.parametrize(
    ("name", "body", "said"),
    [
        ("bad.jpg", b"no picture", "bad.jpg: is not a readable JPEG or PNG or WEBP"),
        ("cut.jpg", jpeg(1)[:300], "cut.jpg: is not a readable JPEG"),
        ("small.jpg", jpeg(1, side=4), "small.jpg: is 4 x 4 pixels; 8 to 4096"),
        ("bad.json", b"{", "bad.json: can't be read"),
        ("bad.csv", b"\xff\xfe\xfa", "bad.csv: can't be read"),
    ],
)
def test_what_can_t_be_shown_is_named_and_nothing_is_left_behind(
    tmp_path: Path, store: SourceStore, name: str, body: bytes, said: str
) -> None:
    folder = write_photographs(tmp_path / "p", 2)
    (folder / name).write_bytes(body)
    with pytest.raises(SourceFaultsError, match=said):
        add(store, "photographs", folder, "p")
    assert [*store.objects.names("packs"), *store.objects.names("adding"), *store.objects.names("heads")] == []
    added = add(store, "photographs", folder, "p", leave_out=True)
    assert (added.head.files, [fault.field for fault in added.left_out]) == (2, [name])


def test_limits_are_settings(tmp_path: Path, store: SourceStore) -> None:
    folder = write_photographs(tmp_path / "p", 4)
    with pytest.raises(SourceFaultsError, match=r"more than 3 files or 1 MiB; add it in parts"):
        add(store, "photographs", folder, "p", limits=Limits(files=3, file_bytes=MIB, total_bytes=MIB))
    with pytest.raises(SourceFaultsError, match=r"jumping_0.jpg: has \d+ bytes"):
        add(store, "photographs", folder, "p", limits=Limits(files=9, file_bytes=10, total_bytes=MIB))
    with pytest.raises(SourceError, match="is not divided"):
        add(store, "objects", folder, "p", practice_permille=200)
    with pytest.raises(SourceError, match="leaves one part empty"):
        add(store, "photographs", folder, "p", practice_permille=1000)


def test_a_changed_byte_is_an_alarm_that_names_the_file(
    tmp_path: Path, store: SourceStore, caplog: pytest.LogCaptureFixture
) -> None:
    head = add(store, "photographs", write_photographs(tmp_path / "p", 3), "p").head
    (pack,) = (path for path in (tmp_path / "sources" / "packs").rglob("*") if path.is_file())
    file = store.open(head).by_name["jumping_1.jpg"]
    body = bytearray(pack.read_bytes())
    body[file.offset + 200] ^= 1
    pack.write_bytes(body)
    opened = open_photographs(of_folder(tmp_path / "sources"), head)
    assert np.array_equal(opened.picture("jumping_0.jpg"), opened.picture("jumping_0.jpg"))
    with pytest.raises(SourceDamagedError, match=r"photographs:p: file 'jumping_1\.jpg' is not what it was"):
        opened.picture("jumping_1.jpg")
    assert [vars(record)["file"] for record in caplog.records if record.message == "source damaged"] == [
        "jumping_1.jpg"
    ]


def test_pixels_of_another_decoder_are_an_alarm(
    tmp_path: Path, store: SourceStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    head = add(store, "photographs", write_photographs(tmp_path / "p", 1), "p").head
    monkeypatch.setattr(
        "generator_service.sources.photographs.decode_picture", lambda *_: np.zeros((64, 64, 4), np.uint8)
    )
    with pytest.raises(SourceDamagedError, match="decodes to other pixels"):
        open_photographs(store, head).picture("jumping_0.jpg")
