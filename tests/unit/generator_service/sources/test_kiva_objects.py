"""KiVA's own 300 objects, as an operator would add them: `tetrad source add objects`."""

import os
import re
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from generator_service.benchmarks.kiva.eligible import prepare
from generator_service.commands.__main__ import main
from generator_service.sources.objects import open_bank
from generator_service.sources.store import SourceStore
from tests.unit.generator_service.sources.pictures import add, at

DATA = Path(os.environ.get("TETRAD_DATA", Path(__file__).parents[5] / "shared" / "data")) / "kiva" / "objects"
DOUBLE = re.compile(r"(.+): is the same picture as (.+); keep one of them")
DOUBLES = 77


@pytest.fixture(scope="module")
def objects() -> Path:
    if not DATA.is_dir():
        pytest.skip(f"KiVA's object pictures are not at {DATA}: set TETRAD_DATA to the folder that holds kiva/")
    return DATA


def drawn(path: Path) -> bytes:
    """Return what a picture shows, cut to what is there."""
    picture = np.asarray(Image.open(path).convert("RGBA"))
    rows, columns = np.nonzero(picture[..., 3])
    return picture[rows.min() : rows.max() + 1, columns.min() : columns.max() + 1].tobytes()


def test_its_doubles_are_refused_by_name_and_nothing_is_added(
    objects: Path, store: SourceStore, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["add", "objects", str(objects), "--name", "kiva-objects", *at(store)]) == 1
    first, *lines = [line for line in capsys.readouterr().err.splitlines() if not line.startswith("adding")]
    assert first == f"{DOUBLES} faults; nothing was added:"
    assert len(lines) == DOUBLES
    for line in lines:
        double = DOUBLE.fullmatch(line.strip())
        assert double, line
        refused, kept = (objects / name for name in double.groups())
        assert refused.parent != kept.parent, "the doubles lie in different groups"
        assert drawn(refused) == drawn(kept)
    assert store.heads() == []


def test_the_others_make_a_bank_for_every_track(objects: Path, store: SourceStore, tmp_path: Path) -> None:
    """Of every third picture, whose tables take long."""
    some = sorted(objects.rglob("*.png"))[::3]
    for picture in some:
        copy = tmp_path / "some" / picture.relative_to(objects)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(picture.read_bytes())
    added = add(store, "objects", tmp_path / "some", "kiva-objects", leave_out=True)
    assert added.head.files == len(some) - len(added.left_out)
    assert added.left_out
    bank = open_bank(store, "kiva-objects")
    groups = {record.group for record in bank.objects}
    assert len(groups) == 3
    assert all(len(kinds) >= 20 for kinds in prepare(bank).eligible.values())
