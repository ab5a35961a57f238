"""The api over real databases, with the stand-in generator as a real process and itself in process."""

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest
import sqlalchemy as sa
from litestar import Litestar
from litestar.testing import TestClient
from msgspec.structs import replace

from api.settings import ApiSettings
from tests.integration.api.assembled import client_of
from tests.integration.api.operator import OPERATOR_TOKEN, Operator
from tests.integration.api.stand_in import PRACTICE_TOKEN, SEALED_TOKEN
from tests.integration.api.team import Team
from tests.ports import free_port

ROOT = Path(__file__).parents[3]
Client = TestClient[Litestar]


@pytest.fixture(scope="session")
def generator_url() -> Iterator[str]:
    port = free_port()
    app = "tests.integration.api.stand_in:create_app"
    command = [sys.executable, "-m", "granian", "--interface", "asgi", "--factory", "--port", str(port), app]
    process = subprocess.Popen([*command, "--log-level", "warning"], cwd=ROOT)
    url = f"http://127.0.0.1:{port}"
    try:
        wait_for(url, process)
        yield url
    finally:
        process.terminate()
        process.wait(10)


def wait_for(url: str, process: "subprocess.Popen[bytes]") -> None:
    for _ in range(200):
        assert process.poll() is None, "the stand-in did not start"
        try:
            if httpx.get(f"{url}/health/ready").is_success:
                return
        except httpx.TransportError:
            time.sleep(0.1)
    raise AssertionError("the stand-in does not answer")


@pytest.fixture
def settings(tmp_path: Path, generator_url: str) -> ApiSettings:
    return ApiSettings(
        database_url=f"sqlite:///{tmp_path / 'api.db'}",
        store_url=f"file://{tmp_path / 'objects'}",
        generator_url=generator_url,
        generator_practice_token=PRACTICE_TOKEN,
        generator_sealed_token=SEALED_TOKEN,
        operator_token=f"ada={OPERATOR_TOKEN}",
        log_level="WARNING",
    )


@pytest.fixture
def client(settings: ApiSettings) -> Iterator[Client]:
    with client_of(settings) as client:
        yield client


@pytest.fixture(params=["sqlite", "postgres"])
def any_settings(
    request: pytest.FixtureRequest, settings: ApiSettings, new_postgres: Callable[[str], str]
) -> ApiSettings:
    """Return settings for each kind of database in turn."""
    if request.param == "sqlite":
        return settings
    return replace(settings, database_url=new_postgres("api"))


@pytest.fixture
def any_client(any_settings: ApiSettings) -> Iterator[Client]:
    with client_of(any_settings) as client:
        yield client


@pytest.fixture
def any_engine(any_settings: ApiSettings, any_client: Client) -> Iterator[sa.Engine]:
    assert any_client
    engine = sa.create_engine(any_settings.database_url)
    yield engine
    engine.dispose()


@pytest.fixture
def engine(settings: ApiSettings, client: Client) -> Iterator[sa.Engine]:
    assert client
    engine = sa.create_engine(settings.database_url)
    yield engine
    engine.dispose()


@pytest.fixture
def team(client: Client) -> Team:
    return Team.registered(client, "team-one")


@pytest.fixture
def any_team(any_client: Client) -> Team:
    return Team.registered(any_client, "team-one")


@pytest.fixture
def operator(client: Client) -> Operator:
    return Operator(client)


@pytest.fixture
def any_operator(any_client: Client) -> Operator:
    return Operator(any_client)
