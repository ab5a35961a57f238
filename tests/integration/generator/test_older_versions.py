"""An upgrade of a benchmark's folder, as a start of the generator finds it: `OLDER` keeps open draws answerable."""

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from generator_service.benchmark import Benchmark
from generator_service.finding import find_benchmarks
from generator_service.registry import Registry, mount
from generator_service.sealing.record import Record
from generator_service.sealing.sealed_draws import Sealing, UnloadableVersionError
from generator_service.sources.store import Head, SourceStore, open_sources
from tests.photographs import write_photographs
from tests.unit.generator_service.sources.pictures import add
from tetrad.internal.draws import DrawRequest, ItemAnswers

ROOT = Path(__file__).parents[3]
TOY = ROOT / "tests" / "toy_benchmarks" / "toy" / "__init__.py"
START = """
import json, pathlib, sys
import msgspec
from generator_service.sealing.record import Record
from generator_service.finding import find_benchmarks
from generator_service.registry import mount
from generator_service.sealing.sealed_draws import Sealing
from tetrad.internal.draws import DrawRequest, ItemAnswers

folder, asked, *others = sys.argv[1:]
found = [one for one in find_benchmarks([pathlib.Path(folder)]) if one.name == "shades"]
mounted = mount(found, pathlib.Path(folder, "sources"))
sealing = Sealing("s" * 32, Record(f"sqlite:///{folder}/generator.sqlite"), mounted)
sealing.check_versions()
identity = dict(nonce="n", benchmark="shades", track="toy", setting="full", parameters={}, size=4)
sealed = [sealing.seal(DrawRequest(submission=name, **identity)).identity.version for name in (asked, *others)]
texts = [sealing.ask(name, [ItemAnswers(item=0)])[0].questions[0].text for name in (asked, *others)]
print(json.dumps(list(zip(sealed, texts))))
sealing.close([asked])
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder of benchmarks with one in it: the toy, under a name of its own."""
    place = tmp_path / "shades"
    place.mkdir()
    toy = TOY.read_text().replace('name="toy",\n    version=1', 'name="shades",\n    version=1')
    (place / "__init__.py").write_text(toy)
    return place


def start(folder: Path, *submissions: str) -> subprocess.CompletedProcess[str]:
    """Start, seal these draws unless they are, ask each, and close the first."""
    command = [sys.executable, "-c", START, str(folder.parent), *submissions]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)


def told(ended: subprocess.CompletedProcess[str]) -> list[list[object]]:
    assert ended.returncode == 0, ended.stderr
    versions: list[list[object]] = json.loads(ended.stdout)
    return versions


def test_an_upgrade_keeps_the_older_version_until_its_draws_close(folder: Path) -> None:
    first = (folder / "__init__.py").read_text()
    second = first.replace("version=1", "version=2").replace("What is the", "Which is the")
    old, new = [1, "What is the name of this shade?"], [2, "Which is the name of this shade?"]
    assert told(start(folder, "sub_0", "sub_1")) == [old, old]

    (folder / "__init__.py").write_text(second)  # drops it
    refused = start(folder, "sub_2")
    assert refused.returncode != 0
    assert "1 open of shades version 1" in refused.stderr
    assert "start the release before again" in refused.stderr

    (folder / "first.py").write_text(first)
    older = "from generator_service.benchmarks.shades import first\n\nOLDER = {1: first.BENCHMARK}\n"
    (folder / "__init__.py").write_text(f"{second}\n{older}")
    assert told(start(folder, "sub_1", "sub_2")) == [old, new]

    (folder / "__init__.py").write_text(second)
    assert told(start(folder, "sub_3", "sub_2")) == [new, new]


@pytest.fixture
def store(tmp_path: Path, bank_folder: Path) -> SourceStore:
    """Return a store with two sources of photographs, of which the first is the default, beside the built-in objects.

    One of the benchmark's tracks draws from objects too: a store without them would have them drawn.
    """
    store = open_sources(f"file://{tmp_path / 'sources'},file://{bank_folder}")
    add(store, "photographs", write_photographs(tmp_path / "one", 12), "one", access="public")
    add(store, "photographs", write_photographs(tmp_path / "two", 12, first=50), "two", access="public")
    return store


def glimpse(store: SourceStore) -> list[Benchmark]:
    """Return a benchmark of photographs: its newest version, then the first one, which draws from the second source."""
    found = find_benchmarks([ROOT / "tests" / "source_benchmarks"])
    first = next(benchmark for benchmark in found if benchmark.name == "glimpse")
    newest = replace(first, card=msgspec.structs.replace(first.card, version=2))
    return [newest, replace(first, bound={"photographs": store.head("photographs", "two").digest})]


def sealing(tmp_path: Path, registry: Registry) -> Sealing:
    return Sealing("s" * 32, Record(f"sqlite:///{tmp_path}/generator.sqlite"), registry)


def request_of_glimpse(submission: str) -> DrawRequest:
    return DrawRequest(
        submission=submission,
        nonce="n",
        benchmark="glimpse",
        track="photographs",
        setting="full",
        parameters={},
        size=4,
    )


def pictures(sealed: Sealing, submission: str) -> list[bytes]:
    """Return the pictures of the draw's first item."""
    [asked] = sealed.ask(submission, [ItemAnswers(item=0)])
    [question] = asked.questions
    mounted, item = sealed.opened_item(submission, 0)
    return [mounted.benchmark.render(mounted.bank, item.scene, picture.name).tobytes() for picture in question.pictures]


def test_an_older_version_draws_from_the_source_that_it_is_bound_to(tmp_path: Path, store: SourceStore) -> None:
    newest, first = glimpse(store)
    before = sealing(tmp_path, mount([first], store))
    identity = before.seal(request_of_glimpse("sub_old")).identity
    assert (identity.version, identity.bank) == (1, first.bound["photographs"])
    seen = pictures(before, "sub_old")

    after = sealing(tmp_path, mount([newest, first], store))
    after.check_versions()
    assert pictures(after, "sub_old") == seen
    identity = after.seal(request_of_glimpse("sub_new")).identity
    assert (identity.version, identity.bank) == (2, store.head("photographs", "one").digest)
    assert not set(pictures(after, "sub_new")) & set(seen)


def test_a_start_without_the_source_of_an_open_draw_is_refused_and_named(
    tmp_path: Path, store: SourceStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    newest, first = glimpse(store)
    sealing(tmp_path, mount([first], store)).seal(request_of_glimpse("sub_old"))
    bound, heads = first.bound["photographs"], SourceStore.heads

    def heads_left(store: SourceStore, kind: str | None = None) -> list[Head]:
        return [head for head in heads(store, kind) if head.digest != bound]

    monkeypatch.setattr(SourceStore, "heads", heads_left)
    lost = sealing(tmp_path, mount([newest, first], store))
    with pytest.raises(UnloadableVersionError, match=f"1 open of glimpse version 1 with bank {bound[:12]}"):
        lost.check_versions()
