"""One instance for all e2e tests of a session, with the toy benchmark and tiny corpora beside the real ones.

A second one, with sources of photographs, is for those that need another instance or these.
Its gateway has a model at an upstream of ours, too. The key of that provider is looked for at the end in all that the
session left: logs, databases, objects.
"""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from generator_service.sources.published import add_published, layouts
from generator_service.sources.store import of_folder
from inference_gateway.settings import SHIPPED_MODELS
from tests.files import bytes_if_there
from tests.instance import Instance, running
from tests.integration.inference_gateway.upstream import Upstream
from tests.integration.inference_gateway.upstream import running as running_upstream
from tests.people import add_mannequins, has_people
from tests.photographs import write_photographs
from tests.published import write_kiva, write_marvel
from tests.unit.generator_service.sources.pictures import add
from tetrad.cli.main import main
from tetrad.client import Client

TOYS, BENCHMARKS_OF_SOURCES = (Path(__file__).parents[1] / name for name in ("toy_benchmarks", "source_benchmarks"))
TWO = "photographs:two"
CANARY = "sk-canary-of-the-e2e-tests-never-to-be-seen"
FAR = """
[far]
provider = "openai"
kind = "chat"
title = "Far: at a server of the tests"
address = "{url}/v1"
upstream = "its-name-there"
secret = {{ file = "{key}" }}
output_cap = 64
training = "never"

[dear]
provider = "openai"
kind = "chat"
title = "Dear: the same server, for money"
address = "{url}/v1"
upstream = "its-dear-name"
secret = {{ file = "{key}" }}
output_cap = 64
pictures = {{ tokens = 100 }}
price = {{ input = 1.0, output = 10.0, source = "a test", date = "2026-11-01" }}
training = "never"

[trained]
provider = "openai"
kind = "chat"
title = "Trained: its provider trains on what it gets"
address = "{url}/v1"
secret = {{ file = "{key}" }}
output_cap = 64
training = "trains"
"""


@pytest.fixture(scope="session")
def far() -> Iterator[Upstream]:
    """The server behind the gateway's model `far`."""
    with running_upstream() as upstream:
        yield upstream


@pytest.fixture(scope="session")
def instance(tmp_path_factory: pytest.TempPathFactory, bank_folder: Path, far: Upstream) -> Iterator[Instance]:
    folder = tmp_path_factory.mktemp("instance")
    store = of_folder(folder / "home" / "sources")
    add_published(store, layouts()["kiva"], str(write_kiva(folder / "kiva", trials=2)))
    add_published(store, layouts()["marvel"], str(write_marvel(folder / "marvel")))
    if not has_people(bank_folder):
        add_mannequins(store)
    models, key = folder / "models.toml", folder / "provider-key"
    key.write_text(CANARY)
    models.write_text(SHIPPED_MODELS.read_text() + FAR.format(url=far.url, key=key))
    with running(folder / "home", bank_folder, str(TOYS), models_file=models) as instance:
        yield instance
    assert_absent(CANARY, folder / "home")


@pytest.fixture(scope="session")
def source_instance(tmp_path_factory: pytest.TempPathFactory, bank_folder: Path) -> Iterator[Instance]:
    """An instance with a public source, a divided one for approved teams and one for teams."""
    folder = tmp_path_factory.mktemp("sources")
    store = of_folder(folder / "home" / "sources")
    add(store, "photographs", write_photographs(folder / "one", 12), "one", access="public")
    two = write_photographs(folder / "two", 40, first=50)
    add(store, "photographs", two, "two", practice_permille=400)
    add(store, "photographs", write_photographs(folder / "three", 12, first=100), "three", access="teams")
    with running(folder / "home", bank_folder, f"{TOYS}:{BENCHMARKS_OF_SOURCES}") as instance:
        yield instance


@pytest.fixture(scope="module")
def team(request: pytest.FixtureRequest, instance: Instance) -> Iterator[Client]:
    """A team of the module's own, called after it: `cli` in test_cli.py."""
    with instance.team(request.path.stem.removeprefix("test_")) as client:
        yield client


@dataclass
class Said:
    status: int
    out: str
    err: str

    def json(self) -> Any:
        return json.loads(self.out)


Run = Callable[..., Said]


@pytest.fixture
def anonymous(
    instance: Instance, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> Run:
    """Return what runs one command in a folder of its own, with the instance as default and no key."""
    monkeypatch.setenv("TETRAD_URL", instance.url)
    monkeypatch.setenv("TETRAD_CONFIG", str(tmp_path / "config" / "keys.json"))
    monkeypatch.delenv("TETRAD_KEY", raising=False)
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str) -> Said:
        capsys.readouterr()
        status = 0
        try:
            main(list(arguments))
        except SystemExit as ended:
            status = int(ended.code or 0)
        captured = capsys.readouterr()
        return Said(status, captured.out, captured.err)

    return run


@pytest.fixture
def run(anonymous: Run, team: Client, monkeypatch: pytest.MonkeyPatch) -> Run:
    """The same with the team's key."""
    monkeypatch.setenv("TETRAD_KEY", team._authorization["Authorization"].removeprefix("Bearer "))
    return anonymous


def assert_absent(secret: str, folder: Path) -> None:
    """Assert that no file of a folder holds the secret."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    assert files, "nothing was looked at"
    assert [str(path) for path in files if secret.encode() in bytes_if_there(path)] == []
