import hashlib
import json
import os
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

from generator_service.drawing import bank, bank_file, bank_maker
from generator_service.drawing.bank import ObjectBank, load_bank
from generator_service.drawing.kinds import KINDS
from generator_service.drawing.visibility import measure


def _files(folder: Path, suffix: str) -> list[Path]:
    return sorted(folder.glob(f"builtin-*.{suffix}"))


def test_an_object_drawn_alone_equals_the_same_object_in_the_bank(small_bank: ObjectBank) -> None:
    record = small_bank.objects[4]
    assert (bank_maker.draw(record.kind, record.variant) == small_bank.picture(record.id)).all()


def test_ids_name_kind_and_variant(small_bank: ObjectBank) -> None:
    names = [kind.name for kind in KINDS[:2]]
    assert [record.id for record in small_bank.objects] == [f"{name}-{k:02}" for name in names for k in range(3)]


def test_pictures_are_256_pixels_rgba_and_read_only(small_bank: ObjectBank) -> None:
    picture = small_bank.picture(small_bank.objects[0].id)
    assert picture.shape == (256, 256, 4)
    assert picture.dtype == np.uint8
    with pytest.raises(ValueError, match="read-only"):
        picture[0, 0, 0] = 1


def test_an_unknown_object_is_a_key_error(small_bank: ObjectBank) -> None:
    with pytest.raises(KeyError, match="unicorn-01"):
        small_bank.picture("unicorn-01")


def test_another_process_draws_the_same_digest(small_bank: ObjectBank, tmp_path: Path) -> None:
    program = (
        "from pathlib import Path; from generator_service.drawing.bank import load_bank;"
        f"print(load_bank(Path({str(tmp_path)!r}), kinds=2, variants=3).digest)"
    )
    answer = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    assert answer.stdout.strip() == small_bank.digest


def test_the_digest_depends_on_ids_and_pixels_and_not_on_how_they_run_together() -> None:
    digests = {bank_file.digest(fields) for fields in (["a", "bc"], ["ab", "c"], ["a", "bd"], ["abc"])}
    assert len(digests) == 4


def test_worker_processes_draw_what_one_process_draws(tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []
    many = load_bank(tmp_path, kinds=1, variants=17, progress=lambda done, total: told.append((done, total)))
    assert told == [(done, 17) for done in range(1, 18)]
    kind = many.objects[16].kind
    assert (many.picture(f"{kind}-16") == bank_maker.draw(kind, 16)).all()


def test_a_bank_on_disk_is_not_drawn_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = load_bank(tmp_path, kinds=1, variants=1)
    monkeypatch.setattr(bank_maker, "draw", None)
    again = load_bank(tmp_path, kinds=1, variants=1)
    assert again.digest == first.digest
    assert (again.picture("aeroplane-00") == first.picture("aeroplane-00")).all()


def test_a_bank_on_disk_opens_while_another_is_being_drawn(tmp_path: Path) -> None:
    load_bank(tmp_path, kinds=1, variants=1)
    opened = threading.Event()

    def serve() -> None:
        load_bank(tmp_path, kinds=1, variants=1)
        opened.set()

    with bank_file.locked(tmp_path):
        threading.Thread(target=serve, daemon=True).start()
        assert opened.wait(10)


def _truncate(folder: Path) -> None:
    pictures = _files(folder, "pictures")[0]
    pictures.write_bytes(pictures.read_bytes()[:-1])


def _flip_a_bit(folder: Path) -> None:
    pictures = _files(folder, "pictures")[0]
    content = bytearray(pictures.read_bytes())
    content[100] ^= 1
    pictures.write_bytes(content)


def _empty(folder: Path) -> None:
    _files(folder, "pictures")[0].write_bytes(b"")


def _garble_the_index(folder: Path) -> None:
    _files(folder, "json")[0].write_text(json.dumps({"digest": 3}))


def _remove_the_index(folder: Path) -> None:
    _files(folder, "json")[0].unlink()


@pytest.mark.parametrize("damage", [_truncate, _flip_a_bit, _empty, _garble_the_index, _remove_the_index])
def test_a_damaged_cache_is_drawn_again(tmp_path: Path, damage) -> None:  # type: ignore[no-untyped-def]  # noqa: ANN001
    first = load_bank(tmp_path, kinds=1, variants=1)
    damage(tmp_path)
    drawn: list[int] = []
    again = load_bank(tmp_path, kinds=1, variants=1, progress=lambda done, _total: drawn.append(done))
    assert drawn == [1]
    assert again.digest == first.digest


def test_another_version_gets_a_cache_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    before = bank_maker.plan(1, 1).key
    monkeypatch.setattr(bank_maker, "VERSION", bank_maker.VERSION + 1)
    assert bank_maker.plan(1, 1).key != before


VARIANT = 7


def test_what_is_drawn_and_measured_now_is_what_the_kept_bank_holds(builtin_bank: ObjectBank) -> None:
    remedy = "other pictures or tables need another bank_maker.VERSION or bank_file.TABLES"
    for kind in KINDS:
        drawn, name = bank_maker.draw(kind.name, VARIANT), f"{kind.name}-{VARIANT:02}"
        assert np.array_equal(drawn, builtin_bank.picture(name)), remedy
    assert measure(drawn) == builtin_bank.visibility[name], remedy


@pytest.mark.parametrize("kept", ["", "X86_V3"])
def test_a_processor_without_newer_instructions_draws_the_same_pixels(kept: str) -> None:
    program = (
        "import hashlib; from generator_service.drawing.bank_maker import draw;"
        "from generator_service.drawing.kinds import KINDS;"
        "print(hashlib.sha256(b''.join(draw(kind.name, 9).tobytes() for kind in KINDS)).hexdigest())"
    )
    pixels = b"".join(bank_maker.draw(kind.name, 9).tobytes() for kind in KINDS)
    numpy_core = np._core._multiarray_umath  # type: ignore[attr-defined]
    found = [name for name in numpy_core.__cpu_dispatch__ if numpy_core.__cpu_features__[name]]
    removed = [name for name in found if name != kept]
    environment = {**os.environ, "NPY_DISABLE_CPU_FEATURES": " ".join(removed)}
    answer = subprocess.run(
        [sys.executable, "-c", program], check=True, capture_output=True, text=True, env=environment
    )
    assert answer.stdout.strip() == hashlib.sha256(pixels).hexdigest()


def test_two_processes_starting_together_draw_the_bank_once(tmp_path: Path) -> None:
    program = (
        "import sys; from pathlib import Path; from generator_service.drawing.bank import load_bank;"
        f"b = load_bank(Path({str(tmp_path)!r}), kinds=2, variants=2, progress=lambda *_: print('drew'));"
        "print(b.digest)"
    )
    outputs: list[str] = []

    def start() -> None:
        done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
        outputs.append(done.stdout)

    threads = [threading.Thread(target=start) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(output.count("drew") for output in outputs) == [0, 4]
    assert len({output.split()[-1] for output in outputs}) == 1
    assert len(_files(tmp_path, "pictures")) == len(_files(tmp_path, "json")) == 1
    assert len(list(tmp_path.iterdir())) == 4, "no temporary files stay behind"


def test_a_disk_that_forgets_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bank_file, "store", lambda *_: None)
    with pytest.raises(bank_file.CacheUnusable, match="check the disk"):
        load_bank(tmp_path, kinds=1, variants=1)


@pytest.mark.parametrize(("kinds", "variants"), [(0, 1), (25, 1), (1, 0), (None, 44)])
def test_a_bank_that_does_not_exist_is_refused(kinds: int | None, variants: int) -> None:
    with pytest.raises(ValueError, match="kinds must be 1 to 24"):
        bank_maker.plan(kinds, variants)


def test_the_command_draws_the_bank_and_tells_its_digest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(bank_maker, "plan", lambda _kinds, _variants: bank_maker.Plan((("mug", 0), ("mug", 1)), "k"))
    assert bank.main([str(tmp_path)]) == 0
    spoken = capsys.readouterr()
    assert load_bank(tmp_path).digest in spoken.out
    assert "drawing objects: 2 of 2\n" in spoken.err


def test_the_command_without_a_folder_explains_itself(capsys: pytest.CaptureFixture[str]) -> None:
    assert bank.main([]) == 2
    assert "usage" in capsys.readouterr().err
