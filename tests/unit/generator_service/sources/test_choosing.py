"""Several sources at once: named, defaults, combined digests, parts, access, and what a missing one leaves unserved."""

import dataclasses
import shutil
from pathlib import Path
from typing import Any

import msgspec
import pytest
from litestar import Litestar
from litestar.testing import TestClient
from msgspec.structs import replace

from generator_service import following, offered
from generator_service.app import create_app
from generator_service.benchmark import Benchmark
from generator_service.commands.sources import remove_source
from generator_service.finding import find_benchmarks
from generator_service.mounting import Mounted, TrackUnreadyError
from generator_service.parameters import IdentityError
from generator_service.practice import Practice
from generator_service.registry import Registry, mount
from generator_service.sealing.record import Record
from generator_service.sealing.refusals import SourceClosedError
from generator_service.sealing.sealed_draws import Sealing
from generator_service.settings import GeneratorSettings
from generator_service.sources.objects import load_bank
from generator_service.sources.parts import part_digest, part_of
from generator_service.sources.published import layouts
from generator_service.sources.serving import ServedSources, parse_defaults
from generator_service.sources.store import Head, SourceError, SourceStore, head_name, of_folder
from generator_service.sources.tables import table_name, write_table
from tests.photographs import write_photographs
from tests.published import write_marvel
from tests.unit.generator_service.sources.pictures import add, add_corpus
from tetrad.contracts.benchmarks import BenchmarkList
from tetrad.internal.draws import DrawRequest
from tetrad.internal.practice import PracticeItemRequest, PracticeRequest
from tetrad.internal.source_digests import combine_digests
from tetrad.server.objects import StoreError

FOLDER = Path(__file__).parents[3] / "source_benchmarks"
DRAW = DrawRequest(
    submission="sub_1", nonce="n", benchmark="glimpse", track="photographs", setting="full", parameters={}, size=3
)
NAMES: dict[str, Any] = {"seed": "7", "setting": "full", "benchmark": "glimpse"}


@pytest.fixture
def benchmark() -> Benchmark:
    return next(benchmark for benchmark in find_benchmarks([FOLDER]) if benchmark.name == "glimpse")


@pytest.fixture(scope="module")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a store with two sources of photographs and a few objects, to be copied."""
    folder = tmp_path_factory.mktemp("two")
    store = of_folder(folder / "sources")
    add(store, "photographs", write_photographs(folder / "one", 12), "one", access="public")
    add(store, "photographs", write_photographs(folder / "two", 12, first=50), "two", access="approved")
    load_bank(store, kinds=2, variants=3)
    objects = store.heads("objects")[0]
    store.replace_head(replace(objects, name="few"))
    store.objects.delete(head_name(objects))
    return folder / "sources"


@pytest.fixture
def two(tmp_path: Path, drawn: Path) -> SourceStore:
    """A store of its own with two sources of photographs and a few objects."""
    return of_folder(shutil.copytree(drawn, tmp_path / "sources"))


def registry_of(store: SourceStore, benchmark: Benchmark) -> Registry:
    return mount([benchmark], store, "few")


def request(track: str = "photographs", **more: Any) -> PracticeRequest:
    return PracticeRequest(**NAMES, track=track, **more)


def shown(registry: Registry, **more: Any) -> list[str]:
    """Return the names of the pictures of some practice items."""
    practice = Practice(registry)
    batch = practice.batch(request(limit=30, **more))
    asked = [
        PracticeItemRequest(identity=batch.identity, seed="7", index=item.index, allowed=more.get("allowed", []))
        for item in batch.items
    ]
    scenes = [practice.solution(request).scene for request in asked]
    return [str(name) for scene in scenes for name in scene["order"]]  # type: ignore[attr-defined]


def test_the_first_that_was_added_is_the_default_and_others_go_by_name(two: SourceStore, benchmark: Benchmark) -> None:
    registry = registry_of(two, benchmark)
    one, other = (two.head("photographs", name) for name in ("one", "two"))
    practice = Practice(registry)
    assert practice.batch(request()).identity.bank == one.digest
    named = practice.batch(request(sources=["photographs:two"], allowed=["photographs:two"]))
    assert named.identity.bank == other.digest
    assert set(shown(registry)) <= {f"jumping_{number}.jpg" for number in range(12)}
    other_names = set(shown(registry, sources=["photographs:two"], allowed=["photographs:two"]))
    assert other_names <= {f"jumping_{number}.jpg" for number in range(50, 62)}
    defaults = mount([benchmark], two, "few", defaults="photographs:two").newest("glimpse")
    assert defaults is not None
    assert defaults.digest_of("photographs") == other.digest


def test_a_draw_from_two_kinds_has_one_canonical_digest(two: SourceStore, benchmark: Benchmark) -> None:
    registry = registry_of(two, benchmark)
    digests = {kind: two.heads(kind)[0].digest for kind in ("objects", "photographs")}
    identity = Practice(registry).batch(request("both")).identity
    assert identity.bank == combine_digests(digests) == combine_digests(dict(reversed(digests.items())))
    assert identity.bank not in digests.values()
    kept = registry.of("glimpse", 1, identity.bank)
    assert kept is not None
    assert kept.digest_of("both") == identity.bank
    other = Practice(registry).batch(request("both", sources=["photographs:two"], allowed=["photographs:two"]))
    fresh = registry_of(of_folder(Path(two.folder or "")), benchmark).of("glimpse", 1, other.identity.bank)
    assert fresh is not None, "another process finds the sources by the digest alone"
    assert fresh.heads["photographs"].name == "two"


@pytest.mark.parametrize(
    ("named", "said"),
    [
        (["photographs:three"], "no source photographs:three"),
        (["photographs"], "is not a source"),
        (["sounds:one"], "is not a source"),
        (["objects:few"], "draws from photographs on track photographs"),
        (["photographs:one", "photographs:two"], "takes one source of the kind photographs"),
    ],
)
def test_a_name_that_can_t_be_drawn_from_is_refused_by_field(
    two: SourceStore, benchmark: Benchmark, named: list[str], said: str
) -> None:
    with pytest.raises(IdentityError) as refused:
        Practice(registry_of(two, benchmark)).batch(request(sources=named))
    (fault,) = refused.value.faults
    assert (fault.field, said in fault.problem) == ("source", True), fault


def test_sources_are_told_with_who_may_draw_from_them(two: SourceStore, benchmark: Benchmark) -> None:
    registry = registry_of(two, benchmark)
    mounted = registry.newest("glimpse")
    assert mounted is not None
    told = {source.title: (source.default, source.access, source.tracks) for source in registry.sources(mounted)}
    assert told == {
        "objects:few": (True, "public", ("both",)),
        "photographs:one": (True, "public", ("photographs", "both")),
        "photographs:two": (False, "approved", ("photographs", "both")),
    }


def test_only_those_who_may_draw_from_a_source(two: SourceStore, benchmark: Benchmark, tmp_path: Path) -> None:
    registry = registry_of(two, benchmark)
    practice = Practice(registry)
    named = request(sources=["photographs:two"])
    for allowed in ([], ["teams"], ["photographs:one"]):
        with pytest.raises(SourceClosedError, match="photographs:two is for approved teams"):
            practice.batch(replace(named, allowed=allowed))
    identity = practice.batch(replace(named, allowed=["photographs:two"])).identity
    asked = PracticeItemRequest(identity=identity, seed="7", index=0)
    with pytest.raises(SourceClosedError):
        practice.solution(asked)
    assert practice.solution(replace(asked, allowed=["photographs:two"])).keys
    record = Record(f"sqlite:///{tmp_path}/generator.sqlite")
    sealing = Sealing("s" * 32, record, registry)
    with pytest.raises(SourceClosedError):
        sealing.seal(replace(DRAW, sources=["photographs:two"]))
    sealed = sealing.seal(replace(DRAW, sources=["photographs:two"], allowed=["photographs:two"]))
    assert sealed.identity.bank == two.head("photographs", "two").digest
    assert sealing.seal(replace(DRAW, allowed=["photographs:two"])) == sealed, "asked again, it is the same draw"
    record.close()


@pytest.fixture
def elsewhere(two: SourceStore, monkeypatch: pytest.MonkeyPatch) -> SourceStore:
    """The same store as another process has it open; whoever draws looks into it each time."""
    monkeypatch.setattr(offered, "LISTED_SECONDS", 0.0)
    monkeypatch.setattr(following, "LOOK_AGAIN_SECONDS", 0.0)
    return of_folder(two.folder or Path())


def test_a_source_that_another_process_replaces_or_retires_is_followed(
    two: SourceStore, elsewhere: SourceStore, benchmark: Benchmark, tmp_path: Path
) -> None:
    practice = Practice(registry_of(two, benchmark))
    named = request(sources=["photographs:two"], allowed=["photographs:two"])
    before = practice.batch(named).identity
    kept = practice.batch(replace(named, track="both")).identity
    remove_source(elsewhere, "photographs", "two", record=None, retire=True)
    with pytest.raises(IdentityError, match="photographs:two"):
        practice.batch(named)
    add(elsewhere, "photographs", write_photographs(tmp_path / "new", 12, first=80), "two", access="approved")
    new = elsewhere.head("photographs", "two").digest
    assert new != before.bank
    assert practice.batch(named).identity.bank == new
    asked = PracticeItemRequest(identity=before, seed="7", index=1, allowed=["photographs:two"])
    assert practice.solution(asked).keys, "what was drawn before can still be made"
    remove_source(elsewhere, "photographs", "two", record=None, with_reports=True, folders=[FOLDER])
    for identity in (before, kept):
        with pytest.raises(IdentityError, match="this instance draws glimpse from"):
            practice.solution(replace(asked, identity=identity, index=2))


def test_a_default_that_another_process_retires_makes_way_for_the_next_or_for_none(
    two: SourceStore, elsewhere: SourceStore, benchmark: Benchmark, tmp_path: Path
) -> None:
    registry = registry_of(two, benchmark)
    record = Record(f"sqlite:///{tmp_path}/generator.sqlite")
    practice, sealing = Practice(registry), Sealing("s" * 32, record, registry)
    sealing.seal(DRAW)
    one, other = (two.head("photographs", name).digest for name in ("one", "two"))
    assert practice.batch(request()).identity.bank == one
    remove_source(elsewhere, "photographs", "one", record=None, retire=True)
    assert practice.batch(request(allowed=["photographs:two"])).identity.bank == other
    remove_source(elsewhere, "photographs", "two", record=None, retire=True)
    mounted = registry.newest("glimpse")
    assert mounted is not None
    assert [source.title for source in registry.sources(mounted)] == ["objects:few"]
    for track in ("photographs", "both"):
        with pytest.raises(TrackUnreadyError) as refused:
            practice.batch(request(track))
        assert "photographs:two is offered no longer" in refused.value.fault.problem
    assert sealing.opened_item("sub_1", 2)[1].questions, "the draw that was sealed goes on"
    add(elsewhere, "photographs", write_photographs(tmp_path / "new", 12, first=80), "three", access="public")
    assert practice.batch(request()).identity.bank == elsewhere.head("photographs", "three").digest
    record.close()


def test_what_is_drawn_from_needs_no_look_into_the_store_for_some_seconds(
    two: SourceStore, benchmark: Benchmark, monkeypatch: pytest.MonkeyPatch
) -> None:
    registry = registry_of(two, benchmark)
    practice = Practice(registry)
    named = request(sources=["photographs:two"], allowed=["photographs:two"])
    first = practice.batch(named).identity
    monkeypatch.setattr(SourceStore, "heads", lambda *_: pytest.fail("it looked into the store"))
    assert practice.batch(named).identity == first


def test_a_store_that_is_away_is_drawn_from_as_it_was(
    two: SourceStore, elsewhere: SourceStore, benchmark: Benchmark, monkeypatch: pytest.MonkeyPatch
) -> None:
    practice = Practice(registry_of(two, benchmark))
    named = request(sources=["photographs:two"], allowed=["photographs:two"])
    first = practice.batch(named).identity

    def fail(*_: object) -> list[Head]:
        raise StoreError("the bucket can't be reached")

    monkeypatch.setattr(SourceStore, "heads", fail)
    assert practice.batch(named).identity == first
    assert practice.batch(request()).items


def test_a_divided_source_shows_practice_and_submissions_different_pictures(
    tmp_path: Path, benchmark: Benchmark
) -> None:
    store = of_folder(tmp_path / "sources")
    folder = write_photographs(tmp_path / "p", 40)
    head = add(store, "photographs", folder, "p", access="public", practice_permille=400).head
    registry = mount([replace_card(benchmark)], store)
    practice = Practice(registry)
    permitted = set(shown(registry))
    assert permitted
    assert {part_of(head.digest, name, 400) for name in permitted} == {"practice"}
    record = Record(f"sqlite:///{tmp_path}/generator.sqlite")
    sealing = Sealing("s" * 32, record, registry)
    sealed = sealing.seal(replace(DRAW, size=30))
    assert sealed.identity.bank == part_digest(head.digest, "sealed", 400)
    orders = [sealing.opened_item("sub_1", index)[1].scene.order for index in range(30)]
    used = {name for order in orders for name in order}
    assert {part_of(head.digest, name, 400) for name in used} == {"sealed"}
    assert not used & permitted
    with pytest.raises(IdentityError, match="other pictures for practice"):
        practice.solution(PracticeItemRequest(identity=sealed.identity, seed="7", index=0))
    again = mount([replace_card(benchmark)], of_folder(tmp_path / "sources"))
    Sealing("s" * 32, record, again).check_versions()
    record.close()


def replace_card(benchmark: Benchmark) -> Benchmark:
    """Return the benchmark with the track of photographs alone."""
    card = replace(benchmark.card, tracks=benchmark.card.tracks[:1])
    return dataclasses.replace(benchmark, card=card, kinds=("photographs",))


def test_the_split_is_a_function_of_source_and_picture_and_keeps_its_share() -> None:
    parts = [part_of("a" * 64, f"{number}.jpg", 250) for number in range(4000)]
    assert 900 < parts.count("practice") < 1100
    assert parts == [part_of("a" * 64, f"{number}.jpg", 250) for number in range(4000)]
    assert parts != [part_of("b" * 64, f"{number}.jpg", 250) for number in range(4000)]
    digests = {part_digest("a" * 64, part, share) for part in ("practice", "sealed") for share in (250, 300)}
    assert len(digests) == 4
    assert part_digest("a" * 64, "sealed", None) == "a" * 64


def test_tables_that_items_depend_on_go_with_the_digest(two: SourceStore, benchmark: Benchmark) -> None:
    name = table_name("sizes/all", 1)
    with_table = dataclasses.replace(benchmark, tables={"photographs": (name,)})
    unready = mount([with_table], two, "few").newest("glimpse")
    assert unready is not None
    remedy = "make it, then start again: tetrad source mine photographs:one sizes"
    assert {track: remedy in lacking for track, lacking in unready.lacking.items()} == {
        "photographs": True,
        "both": True,
    }
    digest = two.head("photographs", "one").digest
    write_table(two, digest, name, [("jumping_0.jpg", {"width": 64})])
    mounted = mount([with_table], two, "few").newest("glimpse")
    assert mounted is not None
    first = mounted.digest_of("photographs")
    assert (first != digest, dict(mounted.lacking)) == (True, {})
    write_table(two, digest, name, [("jumping_0.jpg", {"width": 65})])
    again = mount([with_table], two, "few").newest("glimpse")
    assert again is not None
    assert again.digest_of("photographs") != first


def test_a_track_without_its_sources_is_not_served_and_the_others_are(
    tmp_path: Path, benchmark: Benchmark, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    store = of_folder(tmp_path / "sources")
    add(store, "photographs", write_photographs(tmp_path / "p", 5), "p")
    kinds = {"photographs": ("photographs",), "both": ("photographs", "situations")}
    half = dataclasses.replace(benchmark, kinds=kinds)
    mounted = mount([half], store).newest("glimpse")
    assert mounted is not None
    assert [track.name for track in mounted.benchmark.card.tracks] == ["photographs"]
    told = "".join(capsys.readouterr()) + "".join(str(vars(record)) for record in caplog.records)
    assert "tetrad source add situations PATH --name NAME" in told
    none = dataclasses.replace(benchmark, kinds={"photographs": ("situations",), "both": ("situations",)})
    assert mount([none], store).names() == []


def test_only_what_the_benchmarks_draw_from_is_opened(
    two: SourceStore, benchmark: Benchmark, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    default = ServedSources.default

    def noted(self: ServedSources, kind: str) -> Head | None:
        asked.append(kind)
        return default(self, kind)

    monkeypatch.setattr(ServedSources, "default", noted)
    mount([replace_card(benchmark)], two)
    assert asked == ["photographs"]
    mount([], two)
    assert asked == ["photographs"]


def test_defaults_are_read_from_settings() -> None:
    assert parse_defaults("photographs:a,situations:b", "mine") == {
        "photographs": "a",
        "situations": "b",
        "objects": "mine",
    }
    with pytest.raises(SourceError, match="write KIND:NAME"):
        parse_defaults("photographs")


def test_a_source_is_kept_while_draws_or_reports_need_it(
    two: SourceStore, benchmark: Benchmark, tmp_path: Path
) -> None:
    url = f"sqlite:///{tmp_path}/generator.sqlite"
    record = Record(url)
    sealing = Sealing("s" * 32, record, registry_of(two, benchmark))
    sealing.seal(replace(DRAW, track="both"))
    with pytest.raises(SourceError, match="1 open draws need photographs:one"):
        remove_source(two, "photographs", "one", record=url, folders=[FOLDER])
    sealing.reveal("sub_1", [])
    with pytest.raises(SourceError, match=r"1 reports can be verified .* \(--retire\)"):
        remove_source(two, "photographs", "one", record=url, folders=[FOLDER])
    remove_source(two, "photographs", "one", record=url, retire=True, folders=[FOLDER])
    fresh = registry_of(of_folder(Path(two.folder or "")), benchmark)
    mounted = fresh.newest("glimpse")
    assert mounted is not None
    assert mounted.heads["photographs"].name == "two", "it is not offered any longer"
    sealed = record.find("sub_1")
    assert sealed is not None
    assert fresh.of("glimpse", 1, sealed.sealed.identity.bank) is not None, "and still readable"
    remove_source(two, "photographs", "one", record=url, with_reports=True, folders=[FOLDER])
    assert [head.name for head in two.heads("photographs")] == ["two"]
    record.close()
    assert remove_source(two, "photographs", "two", record=url, folders=[FOLDER])
    packs = list(two.objects.names("packs"))
    assert len(packs) == 2, "of the objects and their table; those of the photographs are gone"
    with pytest.raises(SourceError, match="drawn by our own code"):
        remove_source(two, "objects", "few", record=None)


def test_over_http_sources_are_listed_and_refusals_are_422(
    two: SourceStore, settings: GeneratorSettings, tmp_path: Path
) -> None:
    settings = replace(
        settings, sources_url=f"file://{two.folder},{settings.sources_url}", benchmark_folders=str(FOLDER)
    )
    settings = replace(settings, database_url=f"sqlite:///{tmp_path}/other.sqlite")
    headers = {"Authorization": f"Bearer {settings.practice_token}"}
    client: TestClient[Litestar]
    with TestClient(create_app(settings)) as client:
        listed = msgspec.json.decode(
            client.get("/internal/benchmarks", headers=headers).content, type=BenchmarkList
        ).benchmarks
        (info,) = (info for info in listed if info.card.name == "glimpse")
        mounted_here = {"objects:household"}  # where `make up` ran in this checkout
        assert {source.title for source in info.sources} - mounted_here == {
            "objects:builtin",
            "objects:few",
            "photographs:one",
            "photographs:two",
        }
        assert info.bank_of("both") != info.bank_of("photographs")
        body = NAMES | {"track": "photographs", "sources": ["photographs:two"]}
        refused = client.post("/internal/practice/items", json=body, headers=headers)
        assert (refused.status_code, "approved teams" in refused.json()["detail"]) == (422, True)
        given = client.post("/internal/practice/items", json=body | {"allowed": ["photographs:two"]}, headers=headers)
        assert given.status_code == 200
        kiva = {"benchmark": "kiva", "track": "kiva", "setting": "full", "seed": "7", "sources": ["objects:few"]}
        small = client.post("/internal/practice/items", json=kiva, headers=headers)
        assert (small.status_code, small.json()["faults"][0]["field"]) == (422, "source")
        assert "add objects of two kinds" in small.json()["faults"][0]["remedy"]


def test_a_retired_corpus_is_there_for_its_open_draws_after_a_start_and_takes_no_new_ones(tmp_path: Path) -> None:
    name, folder = "marvel-published", tmp_path / "corpora"
    first = add_corpus(of_folder(folder), layouts()["marvel"], write_marvel(tmp_path / "first", 12))
    remove_source(of_folder(folder), "published", name, record=None, retire=True)
    retired = mount([], of_folder(folder), published=True)
    assert "offered no longer" in _newest(retired, name).lacking[name]
    second = add_corpus(of_folder(folder), layouts()["marvel"], write_marvel(tmp_path / "second", 13))
    replaced = mount([], of_folder(folder), published=True)
    assert (_newest(replaced, name).bank_digest, _newest(replaced, name).lacking) == (second.digest, {})
    for registry in (retired, replaced):
        kept = registry.of(name, _newest(registry, name).benchmark.version, first.digest)
        assert (kept is not None and kept.bank_digest) == first.digest


def _newest(registry: Registry, name: str) -> Mounted:
    mounted = registry.newest(name)
    assert mounted is not None
    return mounted
