"""Photographs of packages: added whole package by whole package, mined, and served as soon as they are there."""

import hashlib
import zipfile
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from generator_service import following
from generator_service.benchmark import Benchmark
from generator_service.benchmarks.visanalog import BENCHMARK as VISANALOG
from generator_service.benchmarks.visanalog.photographs.bank import TABLES
from generator_service.commands import __main__ as program
from generator_service.commands import sources
from generator_service.mining.catalogue import jobs
from generator_service.mining.jobs import mine
from generator_service.mounting import Mounted
from generator_service.registry import Registry, mount
from generator_service.sources import packaged
from generator_service.sources.fetching import PackageUnavailable
from generator_service.sources.packaged import PACKAGES, PHOTOGRAPHS, build_photographs, progress_text
from generator_service.sources.store import Head, SourceStore, of_folder, open_sources
from generator_service.sources.tables import find_table
from tests.benchmarks.visanalog.photographs import painted, write_photographs
from tests.debs import write_deb
from tests.unit.generator_service.sources.pictures import add, png

WHEELS, DEB = (
    ("scikit_image-0.26.0-py3-none-any.whl", "scikit_learn-1.9.1-py3-none-any.whl"),
    "lomiri-wallpapers-16.04_20.04.0-2_all.deb",
)

BENCHMARK = replace(
    VISANALOG,
    card=msgspec.structs.replace(
        VISANALOG.card,
        tracks=tuple(track for track in VISANALOG.card.tracks if "people" not in VISANALOG.kinds_of(track.name)),
    ),
)
"""VISANALOG's tracks that need no people."""


@pytest.fixture(scope="module")
def given(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with packages of these names: one painted photograph in each, for to mine one takes two seconds."""
    folder = tmp_path_factory.mktemp("packages")
    for number, wheel in enumerate(WHEELS):
        with zipfile.ZipFile(folder / wheel, "w") as archive:
            archive.writestr(f"data/painted_{number}.png", png(painted(number)))
            archive.writestr("data/logo.png", png(painted(99)))
    write_deb(folder / DEB, {"usr/share/backgrounds/painted_2.png": png(painted(2))})
    return folder


@pytest.fixture(autouse=True)
def _photographs_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take painted photographs for those of the packages."""
    names = ["data/painted_0.png", "data/painted_1.png", "usr/share/backgrounds/painted_2.png"]
    digests = [hashlib.sha256(png(painted(number))).hexdigest() for number in range(len(names))]
    monkeypatch.setattr(
        packaged,
        "PACKAGES",
        tuple(
            replace(package, files={name: digest})
            for package, name, digest in zip(PACKAGES, names, digests, strict=True)
        ),
    )


def _copied(given: Path, folder: Path, *names: str) -> Path:
    folder.mkdir()
    for name in names:
        (folder / name).write_bytes((given / name).read_bytes())
    return folder


def _names(store: SourceStore, head: Head) -> set[str]:
    return set(store.open(head).by_name)


def test_every_photograph_taken_is_credited_and_has_a_name_of_its_own() -> None:
    names = [Path(name).stem for package in PACKAGES for name in package.files]
    assert len(names) == len(set(names)) == 25
    for package in PACKAGES:
        told = " ".join(package.credits)
        assert all(Path(name).stem.partition("_by_")[0] in told for name in package.files)
        assert all(any(word in line for word in ("CC", "public domain", "no known")) for line in package.credits)


def test_photographs_of_all_packages_are_added_and_nothing_else_of_them(store: SourceStore, given: Path) -> None:
    head = build_photographs(store, given)
    assert head.title == "photographs:packaged"
    assert _names(store, head) == {f"painted_{number}.png" for number in range(3)}
    assert head.access == "public"
    assert len(head.credits) == sum(len(package.credits) for package in PACKAGES)


def test_a_source_that_is_there_stays_as_it_is_and_no_package_is_asked_for(
    store: SourceStore, given: Path, tmp_path: Path
) -> None:
    assert build_photographs(store, given) == build_photographs(store, tmp_path / "nothing")


def test_debian_s_photographs_are_left_out_together(
    store: SourceStore, given: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """One that can't be had and one of other bytes give the same source."""
    head = build_photographs(store, _copied(given, tmp_path / "wheels", *WHEELS))
    assert _names(store, head) == {f"painted_{number}.png" for number in range(2)}
    assert not any("lomiri" in line for line in head.credits)
    assert "made without those of lomiri-wallpapers-16.04" in capsys.readouterr().err
    other = _copied(given, tmp_path / "other", *WHEELS)
    write_deb(other / DEB, {"usr/share/backgrounds/painted_2.png": png(painted(7))})
    again = build_photographs(of_folder(tmp_path / "again"), other)
    assert again.digest == head.digest


def test_a_wheel_of_other_bytes_is_refused_and_the_card_says_why(
    store: SourceStore, given: Path, tmp_path: Path
) -> None:
    other = _copied(given, tmp_path / "other", WHEELS[0], DEB)
    with zipfile.ZipFile(other / WHEELS[1], "w") as archive:
        archive.writestr("data/painted_1.png", png(painted(11)))
    with pytest.raises(PackageUnavailable, match=r"has another data/painted_1\.png"):
        build_photographs(store, other)
    assert store.heads(PHOTOGRAPHS) == []
    assert "can't be made" in progress_text(store)
    assert "has another data/painted_1.png" in progress_text(store)
    assert "--given FOLDER" in progress_text(store)
    build_photographs(store, given)
    assert "can't be made" not in progress_text(store)


def _served(store: SourceStore, bank_folder: Path, beside: tuple[str, ...]) -> Registry:
    return mount([BENCHMARK], open_sources(f"file://{store.folder},file://{bank_folder}"), beside=beside)


def _visanalog(served: Registry) -> Mounted:
    mounted = served.newest("visanalog")
    assert mounted is not None
    return mounted


def _tracks(served: Registry) -> dict[str, str]:
    """Return the tracks that are on the card, with what they lack."""
    mounted = _visanalog(served)
    return {track.name: mounted.lacking.get(track.name, "") for track in mounted.benchmark.card.tracks}


def test_a_running_service_serves_photographs_once_they_are_there_and_mined(
    store: SourceStore, given: Path, bank_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(following, "LOOK_AGAIN_SECONDS", 0.0)
    served = _served(store, bank_folder, (PHOTOGRAPHS,))
    assert _tracks(served)["composed"] == ""
    assert "is not there yet; wait about two minutes" in _tracks(served)["photographs"]
    composed = _visanalog(served).digest_of("composed")
    head = build_photographs(store, given)
    assert "is being mined; wait" in _tracks(served)["photographs"]
    assert sources.build(store, PHOTOGRAPHS, None).digest == head.digest
    assert _tracks(served) == {"composed": "", "photographs": ""}
    mounted = _visanalog(served)
    assert mounted.digest_of("composed") == composed
    assert mounted.identity("photographs", "end-to-end", {}).bank != composed
    assert [source.name for source in served.sources(mounted) if source.kind == PHOTOGRAPHS] == ["packaged"]


def test_photographs_that_cannot_be_had_leave_the_other_track_served(
    store: SourceStore, bank_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(following, "LOOK_AGAIN_SECONDS", 0.0)
    served = _served(store, bank_folder, (PHOTOGRAPHS,))
    with pytest.raises(PackageUnavailable):
        sources.build(store, PHOTOGRAPHS, tmp_path / "nothing")
    assert "can't be made" in _tracks(served)["photographs"]
    before = _visanalog(served)
    assert _visanalog(served) is before, "what has not changed is not mounted again"
    assert before.identity("composed", "end-to-end", {})


def test_nothing_is_waited_for_where_nothing_makes_photographs(store: SourceStore, bank_folder: Path) -> None:
    assert list(_tracks(_served(store, bank_folder, ()))) == ["composed"]


def test_photographs_are_made_beside_the_service_only_where_they_are_lacking(
    store: SourceStore, given: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def beside(asked: SourceStore, *found: Benchmark) -> list[str]:
        for module in (program, sources):
            monkeypatch.setattr(module, "find_benchmarks", lambda _folders=(): iter(found))
        monkeypatch.setattr(sources, "prepare", lambda *_given: sources.NOTHING_DRAWN)
        assert program.main(["prepare", "--store", f"file://{asked.folder}"]) == 0
        told: list[str] = msgspec.json.decode(capsys.readouterr().out)["beside"]
        return told

    assert beside(store) == []
    assert beside(store, BENCHMARK) == [PHOTOGRAPHS]
    head = build_photographs(store, given)
    assert beside(store, BENCHMARK) == [PHOTOGRAPHS], "they are there and not mined"
    mine(store, head, jobs()["visanalog"], lambda *_counts: None)
    assert all(find_table(store, head.digest, name) is not None for name in TABLES)
    assert beside(store, BENCHMARK) == []
    own = of_folder(tmp_path / "own")
    add(own, PHOTOGRAPHS, write_photographs(tmp_path / "mine", 2), "mine")
    assert beside(own, BENCHMARK) == [], "an operator's photographs stay the default"
