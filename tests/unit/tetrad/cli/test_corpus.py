"""`tetrad corpus` over a home of its own: the generator's module does the work in its own process."""

from pathlib import Path

import msgspec
import numpy as np
import pytest
from generator_service.banks.shelf import Shelf
from tests.unit.generator_service.banks.pictures import hook, png, write

from tetrad.cli.main import main
from tetrad.cli.operator import banks, corpus

PICTURES = {f"group/{kind}-{number}.png": png(hook(3 * number + ord(kind))) for kind in "ab" for number in (1, 2)}


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TETRAD_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


def _run(*words: str) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["corpus", *words])
    assert ended.value.code == 0


def test_a_folder_is_mounted_listed_and_removed(home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = write(tmp_path / "2 My Pictures!", PICTURES)
    _run("add", "objects", str(folder))
    said = capsys.readouterr().out
    assert "Bank my-pictures: 4 objects of 2 kinds, digest " in said
    assert "Serve it: TETRAD_BANK=my-pictures make up" in said
    assert len(Shelf(home / "bank").open("my-pictures").objects) == 4
    _run("list", "--json")
    listed = msgspec.json.decode(capsys.readouterr().out)
    assert [(bank["name"], bank["objects"]) for bank in listed["banks"]] == [("my-pictures", 4)]
    _run("list")
    assert "my-pictures" in capsys.readouterr().out
    _run("remove", "my-pictures")
    assert list(Shelf(home / "bank").kept()) == []


def test_a_bank_that_is_named_like_a_corpus_is_removed_as_a_bank(home: Path, tmp_path: Path) -> None:
    _run("add", "objects", str(write(tmp_path / "pictures", PICTURES)), "--name", "mine-published")
    assert [index.name for _, index in Shelf(home / "bank").kept()] == ["mine-published"]
    _run("remove", "mine-published")
    assert list(Shelf(home / "bank").kept()) == []


def test_what_is_refused_is_named_and_the_exit_status_says_so(
    home: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    folder = write(tmp_path / "pictures", PICTURES | {"bad.png": png(np.zeros((60, 60, 4), np.uint8))})
    with pytest.raises(SystemExit) as ended:
        main(["corpus", "add", "objects", str(folder), "--name", "mine"])
    assert ended.value.code == 1
    assert "bad.png: is empty: no pixel is solid; leave it out" in capfd.readouterr().err
    _run("add", "objects", str(folder), "--name", "mine", "--partial", "--json")
    assert len(msgspec.json.decode(capfd.readouterr().out)["left_out"]) == 1
    assert [index.name for _, index in Shelf(home / "bank").kept()] == ["mine"]


def test_a_kind_of_data_that_is_none_is_refused_with_those_there_are(
    home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["corpus", "add", "sounds", str(tmp_path)])
    assert ended.value.code == 1
    assert f"use one of {', '.join((corpus.OBJECTS, *corpus.LAYOUTS))}" in capsys.readouterr().err


def test_the_credits_a_bank_asks_for_are_listed(
    home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    bank = {"name": "household-by", "digest": "d" * 64, "objects": 1, "kinds": 1, "credits": ["Pole by Cy (CC BY 3.0)"]}
    monkeypatch.setattr(banks, "run_module", lambda *_: [bank])
    _run("list", "--credit")
    assert capsys.readouterr().out == "household-by: Pole by Cy (CC BY 3.0)\n"


@pytest.mark.parametrize(
    ("path", "name"), [("Emoji_3D.zip", "emoji-3d-zip"), ("42", "objects"), ("é", "objects"), ("x" * 40, "x" * 32)]
)
def test_a_bank_is_named_after_its_path_unless_told(path: str, name: str) -> None:
    assert banks._name_of(Path(path)) == name
