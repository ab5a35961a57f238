import hashlib
import os
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

from generator_service.drawing import bank, bank_maker
from generator_service.drawing.bank import ObjectBank
from generator_service.drawing.kinds import KINDS
from generator_service.drawing.visibility import measure
from generator_service.sources.objects import load_bank
from generator_service.sources.store import of_folder


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
        "from pathlib import Path; from generator_service.sources.objects import load_bank;"
        f"print(load_bank(Path({str(tmp_path)!r}), kinds=2, variants=3).digest)"
    )
    answer = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    assert answer.stdout.strip() == small_bank.digest


def test_the_digest_depends_on_ids_and_pixels_and_not_on_how_they_run_together() -> None:
    digests = {bank.digest(fields) for fields in (["a", "bc"], ["ab", "c"], ["a", "bd"], ["abc"])}
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

    with of_folder(tmp_path).lock():
        threading.Thread(target=serve, daemon=True).start()
        assert opened.wait(10)


def test_the_whole_bank_has_the_digest_that_is_written_down(builtin_bank: ObjectBank) -> None:
    assert builtin_bank.digest == bank_maker.DIGEST
    assert len(builtin_bank.objects) == 1032


def test_another_version_is_another_recipe(monkeypatch: pytest.MonkeyPatch) -> None:
    before = bank_maker.plan(1, 1).recipe
    monkeypatch.setattr(bank_maker, "VERSION", 99)
    assert bank_maker.plan(1, 1).recipe != before


VARIANT = 7


def test_what_is_drawn_and_measured_now_is_what_the_kept_bank_holds(builtin_bank: ObjectBank) -> None:
    remedy = "other pictures or tables need another bank_maker.VERSION or visibility.VERSION"
    for kind in KINDS:
        drawn, name = bank_maker.draw(kind.name, VARIANT), f"{kind.name}-{VARIANT:02}"
        assert np.array_equal(drawn, builtin_bank.picture(name)), remedy
    assert measure(drawn) == builtin_bank.visibility[name], remedy


@pytest.mark.parametrize("kept", ["", "X86_V3"])
def test_a_processor_without_newer_instructions_draws_the_same_pixels(kept: str, builtin_bank: ObjectBank) -> None:
    program = (
        "import hashlib; from generator_service.drawing.bank_maker import draw;"
        "from generator_service.drawing.kinds import KINDS;"
        "print(hashlib.sha256(b''.join(draw(kind.name, 9).tobytes() for kind in KINDS)).hexdigest())"
    )
    pixels = b"".join(builtin_bank.picture(f"{kind.name}-09").tobytes() for kind in KINDS)
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
        "import sys; from pathlib import Path; from generator_service.sources.objects import load_bank;"
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
    assert len(of_folder(tmp_path).heads()) == 1
    assert not list(tmp_path.rglob(".part-*")), "no temporary files stay behind"


@pytest.mark.parametrize(("kinds", "variants"), [(0, 1), (25, 1), (1, 0), (None, 44)])
def test_a_bank_that_does_not_exist_is_refused(kinds: int | None, variants: int) -> None:
    with pytest.raises(ValueError, match="kinds must be 1 to 24"):
        bank_maker.plan(kinds, variants)
