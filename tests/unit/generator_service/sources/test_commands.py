"""The commands over a store, and draws that outlive the source they were sealed with."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from PIL import Image

from generator_service import benchmarks
from generator_service.benchmarks.kiva import BENCHMARK
from generator_service.commands import object_sheet, sources
from generator_service.commands.__main__ import main
from generator_service.commands.sources import remove_source
from generator_service.drawing.bank import ObjectBank, finish_drawing, silent
from generator_service.parameters import IdentityError
from generator_service.practice import Practice
from generator_service.registry import mount
from generator_service.sealing.record import Record
from generator_service.sealing.sealed_draws import Sealing, UnloadableVersionError
from generator_service.sources.fetching import PackageUnavailable
from generator_service.sources.household import building
from generator_service.sources.objects import keep_objects, load_bank, open_bank
from generator_service.sources.serving import ServedSources
from generator_service.sources.store import SourceError, SourceStore
from tests.unit.generator_service.sources.pictures import add, at, hook, png, write
from tetrad.internal.draws import DrawRequest
from tetrad.internal.practice import PracticeItemRequest

TOYS = Path(__file__).parents[3] / "toy_benchmarks"
PICTURES = {f"{kind}-{number}.png": png(hook(2 * row + number)) for row, kind in enumerate("abc") for number in (1, 2)}
OTHERS = {
    f"{kind}-{number}.png": png(hook(9 + 2 * row + number)) for row, kind in enumerate("xyz") for number in (1, 2)
}


@pytest.fixture
def banks(store: SourceStore, tmp_path: Path) -> SourceStore:
    """A store with two sources of objects."""
    for name, files in (("first", PICTURES), ("second", OTHERS)):
        add(store, "objects", write(tmp_path / name, files), name)
    return store


def _sealing(record: Record, banks: SourceStore, name: str) -> Sealing:
    return Sealing("s" * 32, record, mount([BENCHMARK], banks, name))


def _request(submission: str) -> DrawRequest:
    return DrawRequest(
        submission=submission, nonce="n" * 16, benchmark="kiva", track="kiva", setting="full", parameters={}, size=4
    )


def test_open_draws_keep_their_source_when_the_operator_serves_another(banks: SourceStore, tmp_path: Path) -> None:
    record = Record(f"sqlite:///{tmp_path}/generator.sqlite")
    before = _sealing(record, banks, "first")
    old = before.seal(_request("sub_1"))
    asked = before.opened_item("sub_1", 0)[1].questions
    after = _sealing(record, banks, "second")
    after.check_versions()
    new = after.seal(_request("sub_2"))
    assert new.identity.bank != old.identity.bank, "a fresh draw is of the source that is served"
    mounted, item = after.opened_item("sub_1", 0)
    assert (mounted.bank_name, item.questions) == ("first", asked)
    assert after.seal(_request("sub_1")) == old
    with pytest.raises(SourceError, match="1 open draws need objects:first"):
        remove_source(banks, "objects", "first", record=f"sqlite:///{tmp_path}/generator.sqlite")
    banks.remove([banks.head("objects", "first")])
    without = _sealing(record, banks, "second")
    with pytest.raises(
        UnloadableVersionError, match=rf"1 open of kiva version {BENCHMARK.version} with bank {old.identity.bank[:12]}"
    ):
        without.check_versions()
    after.reveal("sub_1", [])
    without.check_versions()
    record.close()


def test_practice_items_of_a_source_that_is_kept_are_still_made(banks: SourceStore) -> None:
    served = mount([BENCHMARK], banks, "first").newest("kiva")
    assert served is not None
    request = PracticeItemRequest(identity=served.identity("kiva", "full", {}), seed="5", index=0, answers=[])
    solution = Practice(mount([BENCHMARK], banks, "first")).solution(request)
    assert Practice(mount([BENCHMARK], banks, "second")).solution(request) == solution
    remove_source(banks, "objects", "first", record=None)
    with pytest.raises(IdentityError) as refused:
        Practice(mount([BENCHMARK], banks, "second")).solution(request)
    assert "from second" in refused.value.faults[0].problem


def test_a_benchmark_without_sources_needs_none(store: SourceStore) -> None:
    words = replace(BENCHMARK, kinds=(), prepare=None)
    registry = mount([words], store, "absent")
    mounted = registry.newest("kiva")
    assert mounted is not None
    assert (mounted.bank_digest, mounted.bank_name) == ("none", "none")
    assert registry.of("kiva", words.version, "f" * 64) is None
    assert registry.of("chess", 1, "none") is None


def _say(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> Any:
    assert main(arguments) == 0
    return msgspec.json.decode(capsys.readouterr().out)


def test_the_program_adds_lists_checks_and_removes(
    store: SourceStore, tmp_path: Path, capsys: pytest.CaptureFixture[str], no_stage: list[str]
) -> None:
    pictures = str(write(tmp_path / "p", PICTURES))
    added = _say(["add", "objects", pictures, "--name", "mine", "--credit", "By Ann", *at(store)], capsys)
    assert (added["kind"], added["name"], added["files"], added["credits"]) == ("objects", "mine", 6, ["By Ann"])
    listed = _say(["list", *at(store)], capsys)
    assert ([source["digest"] for source in listed["sources"]], listed["unfinished"]) == ([added["digest"]], [])
    assert _say(["check", "objects:mine", *at(store)], capsys)["digest"] == added["digest"]
    prepared = _say(["prepare", "--wanted", "mine", *at(store)], capsys)
    assert (prepared["name"], prepared["objects"], prepared["kinds"]) == ("mine", 6, 3)
    assert no_stage == ["stage"], "it is drawn while progress is shown, for CARV"
    assert _say(["remove", "objects:mine", *at(store)], capsys)[0]["name"] == "mine"
    assert _say(["list", *at(store)], capsys)["sources"] == []
    assert [name for place in ("packs", "manifests", "tables") for name in store.objects.names(place)] == []


def test_the_program_adds_published_items_by_their_layout(
    store: SourceStore, kiva_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    added = _say(["add", "published", str(kiva_folder), "--layout", "kiva", *at(store)], capsys)
    assert (added["name"], added["access"]) == ("kiva-published", "approved")
    assert _say(["check", "published:kiva-published", *at(store)], capsys) == added
    assert main(["add", "published", str(kiva_folder), "--layout", "marvel", *at(store)]) == 1
    assert "JSON: there must be one .json file" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["add", "objects", "{}/p", "--name", "household"], "source of our own"),
        (["add", "objects", "{}/nowhere", "--name", "mine"], "give a folder, a .zip, a .tar"),
        (["add", "objects", "{}/p", "--name", "mine"], "bad.png: is empty"),
        (
            ["add", "sounds", "{}/p", "--name", "mine"],
            "use one of objects, stage, people, photographs, situations, lexicon",
        ),
        (["add", "stage", "{}/p", "--name", "mine"], "takes no files"),
        (["add", "published", "{}/p", "--layout", "chess"], "give one of kiva, kiva-adults, marvel"),
        (["check", "objects:mine"], "there is no source objects:mine"),
        (["check", "mine"], "write KIND:NAME"),
        (["remove", "objects:mine"], "there is no source objects:mine"),
        (["prepare", "--wanted", "mine"], "tetrad source add objects PATH --name mine"),
        (["prepare", "--wanted", "household", "--household", "{}/nowhere"], "give the package"),
        (["build", "mine"], "is not a source that can be built"),
        (["build", "household", "--household", "{}/nowhere"], "nowhere"),
    ],
    ids=lambda value: value if isinstance(value, str) else " ".join(value[:2]),
)
def test_the_program_refuses_with_reasons_on_standard_error(
    arguments: list[str], said: str, store: SourceStore, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path / "p", {"bad.png": png(hook() * 0)})
    assert main([*(argument.format(tmp_path) for argument in arguments), *at(store)]) == 1
    spoken = capsys.readouterr()
    assert said in spoken.err
    assert spoken.out == ""


@pytest.fixture(autouse=True)
def no_stage(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Draw no stage, which takes half a minute; return the names of what would have been drawn for benchmarks."""
    drawn: list[str] = []
    build = sources.build

    def build_others(store: SourceStore, name: str, *given: Any, **options: Any) -> Any:
        drawn.append(name)
        return None if name == "stage" else build(store, name, *given, **options)

    monkeypatch.setattr(sources, "build", build_others)
    return drawn


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the built-in bank be two objects."""

    def two(store: SourceStore, **_: Any) -> ObjectBank:
        return load_bank(store, kinds=1, variants=2)

    monkeypatch.setattr(sources, "load_bank", two)


@pytest.mark.usefixtures("quick")
def test_without_the_household_models_the_built_in_objects_are_served_and_the_remedy_named(
    store: SourceStore, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def nothing(*_: Any) -> None:
        raise PackageUnavailable("apt-get is not installed")

    monkeypatch.setattr(building, "build", nothing)
    assert main(["prepare", *at(store)]) == 0
    spoken = capsys.readouterr()
    assert msgspec.json.decode(spoken.out)["name"] == "builtin"
    assert "household bank: apt-get is not installed; serving the built-in bank instead" in spoken.err
    assert "TETRAD_HOUSEHOLD_FROM=PATH make up" in spoken.err


def test_nothing_is_drawn_where_no_benchmark_draws_from_objects(
    store: SourceStore, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A folder of benchmarks that has the toy alone."""
    monkeypatch.setattr(benchmarks, "__path__", [str(TOYS)])
    assert _say(["prepare", *at(store)], capsys) == {"name": "", "digest": "", "objects": 0, "kinds": 0, "beside": []}
    assert store.heads() == []


@pytest.mark.usefixtures("quick")
def test_household_is_served_where_it_is_and_builtin_where_it_is_wanted(
    store: SourceStore, capsys: pytest.CaptureFixture[str]
) -> None:
    drawn = [finish_drawing(hook(1, side=256), name="hook-00", kind="hook", variant=0)]
    keep_objects(store, "household", drawn)
    default = ServedSources(store).default("objects")
    assert default is not None
    assert default.name == "household"
    assert _say(["prepare", *at(store)], capsys)["name"] == "household"
    assert _say(["prepare", "--wanted", "builtin", *at(store)], capsys)["name"] == "builtin"
    assert _say(["build", "builtin", *at(store)], capsys)["name"] == "builtin"


def test_the_sheet_shows_every_kind_and_the_credits(banks: SourceStore, tmp_path: Path) -> None:
    bank = open_bank(banks, "first")
    assert object_sheet.sheet(bank).size == (12 * 96, 110)
    credited = object_sheet.sheet(replace(bank, credits=("Pole by Cy (CC BY 3.0, Other)",)))
    assert credited.size == (12 * 96, 122)
    assert (np.asarray(credited)[112:] < 128).any(), "the credit is written below"
    out = tmp_path / "sheet.png"
    assert object_sheet.main([str(banks.folder), "second", str(out), "--number", "1"]) == 0
    with Image.open(out) as page:
        cells = np.asarray(page.convert("RGB"))[14:110, : 3 * 96].reshape(96, 3, 96, 3)
    assert all((cells[:, cell] < 200).any() for cell in range(3))


def test_the_sheet_of_objects_that_are_not_there_is_left_out(
    banks: SourceStore, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert object_sheet.main([str(banks.folder), "third", str(tmp_path / "sheet.png")]) == 0
    assert "no sheet of third" in capsys.readouterr().err
    assert not (tmp_path / "sheet.png").exists()


def test_progress_is_told(store: SourceStore, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    add(store, "objects", write(tmp_path / "p", PICTURES), "mine")
    assert main(["check", "objects:mine", *at(store)]) == 0
    assert "checking: 6 files of 6" in capsys.readouterr().err
    silent(1, 1)
