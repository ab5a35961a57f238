import hashlib

import numpy as np
import pytest

from generator_service.drawing import gallery
from generator_service.drawing.bank import ObjectBank
from generator_service.drawing.bank_maker import VARIANTS
from generator_service.drawing.kinds import KINDS

NAMES = [kind.name for kind in KINDS]


def test_there_are_twenty_four_kinds_and_a_thousand_objects(builtin_bank: ObjectBank) -> None:
    assert len(set(NAMES)) == 24
    assert len(builtin_bank.objects) >= 1024
    assert {name: sum(record.kind == name for record in builtin_bank.objects) for name in NAMES} == dict.fromkeys(
        NAMES, VARIANTS
    )


def test_every_picture_is_centred_and_just_fits_the_circle_of_any_turn(builtin_bank: ObjectBank) -> None:
    for name in NAMES:
        rows, columns = np.nonzero(builtin_bank.picture(f"{name}-05")[..., 3] > 0)
        assert abs(rows.min() + rows.max() - 255) <= 2, name
        assert abs(columns.min() + columns.max() - 255) <= 2, name
        reach = np.sqrt((rows - 127.5) ** 2 + (columns - 127.5) ** 2).max()
        assert 118 < reach < 123, name


def test_edges_are_smooth_and_the_middle_is_solid(builtin_bank: ObjectBank) -> None:
    for name in NAMES:
        alpha = builtin_bank.picture(f"{name}-03")[..., 3]
        assert len(np.unique(alpha)) == 10, f"{name}: three by three samples a pixel give ten levels"
        assert (alpha == 255).sum() > 4 * ((alpha > 0) & (alpha < 255)).sum(), f"{name}: a bicycle has the most edge"


def test_no_two_objects_look_alike(builtin_bank: ObjectBank) -> None:
    hashes = {hashlib.sha256(builtin_bank.picture(record.id).tobytes()).digest() for record in builtin_bank.objects}
    assert len(hashes) == len(builtin_bank.objects)
    for name in NAMES:
        small = np.stack([builtin_bank.picture(f"{name}-{k:02}")[4::8, 4::8].astype(int) for k in range(VARIANTS)])
        for k in range(VARIANTS - 1):
            apart = (np.abs(small[k + 1 :] - small[k]).max(axis=3) > 16).sum(axis=(1, 2))
            assert apart.min() > 20, f"{name}-{k:02} has a double"


def test_at_least_eighteen_kinds_are_chiral_by_measure(builtin_bank: ObjectBank) -> None:
    always = {name for name in NAMES if all(record.chiral for record in builtin_bank.objects if record.kind == name)}
    assert len(always) >= 18
    for record in builtin_bank.objects[::7]:
        picture = builtin_bank.picture(record.id).astype(int)
        differs = (np.abs(picture - picture[:, ::-1]).max(axis=2) > 24).sum()
        assert not record.chiral or differs > 0.25 * (picture[..., 3] > 0).sum()


def test_every_object_has_several_colours(builtin_bank: ObjectBank) -> None:
    for name in NAMES:
        picture = builtin_bank.picture(f"{name}-00")
        solid = picture[picture[..., 3] == 255][:, :3].astype(int)
        # The hue sector (six of them) or near-grey of each pixel, and light against dark.
        spread = solid.max(axis=1) - solid.min(axis=1)
        sector = np.where(spread < 24, 6, solid.argmax(axis=1) * 2 + (solid.argmin(axis=1) > solid.argmax(axis=1)))
        counts = np.bincount(sector * 2 + (solid.sum(axis=1) > 380), minlength=14)
        assert (counts > 0.02 * len(solid)).sum() >= 2, name


def test_the_gallery_shows_every_kind_in_a_row(tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:  # type: ignore[no-untyped-def]  # noqa: ANN001
    monkeypatch.setattr(gallery, "KINDS", KINDS[:2])
    out = tmp_path / "sheet.png"
    assert gallery.main([str(out), "--columns", "2", "--first", "42"]) == 0
    page = gallery.sheet(2, 42)
    assert page.size == (110 + 2 * 96, 2 * 96)
    assert out.stat().st_size > 4_000
    cells = np.asarray(page)[:, 110:].reshape(2, 96, 2, 96, 3)
    assert all((cells[row, :, column] < 200).any() for row in range(2) for column in range(2))
