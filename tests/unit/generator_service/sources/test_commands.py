"""The commands over a folder of banks, and draws that outlive the bank they were sealed with."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from generator_service.banks import __main__ as program
from generator_service.banks import commands, gallery
from generator_service.banks.household import building, package
from generator_service.banks.mounting import mount_pictures
from generator_service.banks.shelf import Shelf
from generator_service.drawing.bank_file import finished
from PIL import Image

from generator_service.benchmark import Benchmark
from generator_service.benchmarks.kiva import BENCHMARK
from generator_service.drawing import bank as bank_module
from generator_service.drawing import bank_file
from generator_service.drawing.bank import ObjectBank, load_bank, silent
from generator_service.drawing.canvas import Picture
from generator_service.drawing.visibility import Appearance, measure
from generator_service.parameters import IdentityError
from generator_service.practice import Practice
from generator_service.registry import mount
from generator_service.sealing.record import Record
from generator_service.sealing.sealed_draws import Sealing, UnloadableVersionError
from tests.unit.generator_service.sources.pictures import hook, png, write
from tetrad.internal.draws import DrawRequest
from tetrad.internal.practice import PracticeItemRequest

PICTURES = {f"{kind}-{number}.png": png(hook(2 * row + number)) for row, kind in enumerate("abc") for number in (1, 2)}
OTHERS = {
    f"{kind}-{number}.png": png(hook(9 + 2 * row + number)) for row, kind in enumerate("xyz") for number in (1, 2)
}


@pytest.fixture
def banks(tmp_path: Path) -> Path:
    """A folder with two mounted banks."""
    for name, files in (("first", PICTURES), ("second", OTHERS)):
        mount_pictures(Shelf(tmp_path / "banks"), write(tmp_path / name, files), name, silent)
    return tmp_path / "banks"


def _sealing(record: Record, banks: Path, name: str) -> Sealing:
    return Sealing("s" * 32, record, mount([BENCHMARK], banks, name))


def _request(submission: str) -> DrawRequest:
    return DrawRequest(
        submission=submission, nonce="n" * 16, benchmark="kiva", track="kiva", setting="full", parameters={}, size=4
    )


def test_open_draws_keep_their_bank_when_the_operator_serves_another(banks: Path, tmp_path: Path) -> None:
    record = Record(f"sqlite:///{tmp_path}/generator.sqlite")
    before = _sealing(record, banks, "first")
    old = before.seal(_request("sub_1"))
    asked = before.shown("sub_1", 0)[1].questions
    after = _sealing(record, banks, "second")
    after.check_versions()
    new = after.seal(_request("sub_2"))
    assert new.identity.bank != old.identity.bank, "a fresh draw is of the bank that is served"
    mounted, item = after.shown("sub_1", 0)
    assert (mounted.bank_name, item.questions) == ("first", asked)
    assert after.seal(_request("sub_1")) == old
    with pytest.raises(commands.Refused, match="1 open draws need bank 'first'"):
        commands.remove(banks, "first", f"sqlite:///{tmp_path}/generator.sqlite")
    for place in bank_file.places(banks):
        if place.name == "first":
            bank_file.remove(place)
    without = _sealing(record, banks, "second")
    with pytest.raises(
        UnloadableVersionError, match=rf"1 open of kiva version {BENCHMARK.version} with bank {old.identity.bank[:12]}"
    ):
        without.check_versions()
    after.reveal("sub_1", [])
    without.check_versions()
    record.close()


def test_practice_items_of_a_bank_that_is_kept_are_still_made(banks: Path) -> None:
    served = mount([BENCHMARK], banks, "first").newest("kiva")
    assert served is not None
    request = PracticeItemRequest(identity=served.identity("kiva", "full", {}), seed="5", index=0, answers=[])
    solution = Practice(mount([BENCHMARK], banks, "first")).solution(request)
    assert Practice(mount([BENCHMARK], banks, "second")).solution(request) == solution
    commands.remove(banks, "first", None)
    with pytest.raises(IdentityError) as refused:
        Practice(mount([BENCHMARK], banks, "second")).solution(request)
    assert "from bank second" in refused.value.faults[0].problem


def test_a_benchmark_without_pictures_needs_no_bank(tmp_path: Path) -> None:
    words: Benchmark = _changed(BENCHMARK, prepare_bank=None)
    registry = mount([words], tmp_path / "nowhere", "absent")
    mounted = registry.newest("kiva")
    assert mounted is not None
    assert (mounted.bank_digest, mounted.bank_name) == ("none", "none")
    assert registry.of("kiva", words.version, "f" * 64) is None
    assert registry.of("chess", 1, "none") is None


def _changed(benchmark: Benchmark, **changes: Any) -> Benchmark:
    return type(benchmark)(**{**{name: getattr(benchmark, name) for name in benchmark.__dataclass_fields__}, **changes})


def test_tables_are_measured_again_by_other_code(banks: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = Shelf(banks).open("first")
    monkeypatch.setattr(bank_file, "_tables", lambda: "tables-of-other-code")
    measured: list[int] = []

    def counted(picture: Picture) -> Appearance:
        measured.append(1)
        return measure(picture)

    monkeypatch.setattr(bank_module, "measure", counted)
    after = Shelf(banks).open("first")
    assert after.digest == before.digest
    assert after.visibility == before.visibility
    assert len(measured) == 6
    Shelf(banks).open("first")
    assert len(measured) == 6, "they are kept"


def test_a_damaged_bank_is_not_served(banks: Path) -> None:
    place = next(place for place in bank_file.places(banks) if place.name == "first")
    digest = Shelf(banks).open("first").digest
    place.file("pictures").write_bytes(b"")
    assert Shelf(banks).find(digest) is None
    with pytest.raises(LookupError, match="serve one of builtin"):
        Shelf(banks).open("first")


def _say(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> Any:
    assert program.main(arguments) == 0
    return msgspec.json.decode(capsys.readouterr().out)


def test_the_program_adds_lists_and_removes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder, pictures = str(tmp_path / "banks"), str(write(tmp_path / "p", PICTURES))
    added = _say(["add", folder, pictures, "--name", "mine"], capsys)
    assert (added["name"], added["objects"], added["kinds"]) == ("mine", 6, 3)
    assert [bank["digest"] for bank in _say(["list", folder], capsys)] == [added["digest"]]
    prepared = _say(["prepare", folder, "--wanted", "mine"], capsys)
    assert (prepared["name"], prepared["chiral"]) == ("mine", 6)
    assert _say(["remove", folder, "mine"], capsys)["name"] == "mine"
    assert _say(["list", folder], capsys) == []
    assert list((tmp_path / "banks").iterdir()) == [tmp_path / "banks" / "bank.lock"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["add", "{}", "{}/p", "--name", "household"], "bank of our own"),
        (["add", "{}", "{}/nowhere", "--name", "mine"], "no folder, zip or tar"),
        (["add", "{}", "{}/p", "--name", "mine"], "bad.png: is empty"),
        (["remove", "{}", "mine"], "bank 'mine' is not in"),
        (["remove", "{}", "builtin"], "can't be removed"),
        (["prepare", "{}", "--wanted", "mine"], "mount it: tetrad corpus add"),
        (["prepare", "{}", "--wanted", "household", "--source", "{}/nowhere"], "give the package"),
        (["build", "mine", "{}"], "is no bank of ours"),
        (["build", "household", "{}", "--source", "{}/nowhere"], "give the package"),
    ],
    ids=lambda value: value if isinstance(value, str) else " ".join(value[:2]),
)
def test_the_program_refuses_with_reasons_on_standard_error(
    arguments: list[str], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path / "p", {"bad.png": png(hook() * 0)})
    assert program.main([argument.format(tmp_path) for argument in arguments]) == 1
    spoken = capsys.readouterr()
    assert said in spoken.err
    assert spoken.out == ""


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the built-in bank be two objects."""

    def two(folder: Path, **_: Any) -> ObjectBank:
        return load_bank(folder, kinds=1, variants=2)

    monkeypatch.setattr(commands, "load_bank", two)


@pytest.mark.usefixtures("quick")
def test_without_the_household_models_the_built_in_bank_is_served_and_the_remedy_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def nothing(*_: Any) -> None:
        raise package.PackageUnavailable("apt-get is not here")

    monkeypatch.setattr(building, "build", nothing)
    assert program.main(["prepare", str(tmp_path)]) == 0
    spoken = capsys.readouterr()
    assert msgspec.json.decode(spoken.out)["name"] == "builtin"
    assert "household bank: apt-get is not here; serving the built-in bank instead" in spoken.err
    assert "TETRAD_HOUSEHOLD_FROM=PATH make up" in spoken.err


@pytest.mark.usefixtures("quick")
def test_household_is_served_where_it_is_and_builtin_where_it_is_wanted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shelf = Shelf(tmp_path)
    assert shelf.served("") == "builtin"
    shelf.keep("household", [finished(hook(1, side=256), name="hook-00", kind="hook", variant=0)])
    assert shelf.served("") == "household"
    assert shelf.served("builtin") == "builtin"
    assert _say(["prepare", str(tmp_path)], capsys)["name"] == "household"
    for command in (["prepare", str(tmp_path), "--wanted", "builtin"], ["build", "builtin", str(tmp_path)]):
        assert _say(command, capsys)["name"] == "builtin"


def test_the_sheet_shows_every_kind_and_the_credits(banks: Path, tmp_path: Path) -> None:
    bank = Shelf(banks).open("first")
    assert gallery.sheet(bank).size == (12 * 96, 110)
    credited = gallery.sheet(replace(bank, credits=("Pole by Cy (CC BY 3.0, Other)",)))
    assert credited.size == (12 * 96, 122)
    assert (np.asarray(credited)[112:] < 128).any(), "the credit is written below"
    out = tmp_path / "sheet.png"
    assert gallery.main([str(banks), "second", str(out), "--number", "1"]) == 0
    with Image.open(out) as page:
        cells = np.asarray(page.convert("RGB"))[14:110, : 3 * 96].reshape(96, 3, 96, 3)
    assert all((cells[:, cell] < 200).any() for cell in range(3))


def test_the_sheet_of_a_bank_that_is_not_there_is_left_out(
    banks: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert gallery.main([str(banks), "third", str(tmp_path / "sheet.png")]) == 0
    assert "no sheet of third" in capsys.readouterr().err
    assert not (tmp_path / "sheet.png").exists()
