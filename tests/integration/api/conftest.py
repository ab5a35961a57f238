"""The api over real databases, with the real generator as a process and itself in process."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from litestar import Litestar
from litestar.testing import TestClient

from api.database.upgrading import upgrade
from api.settings import ApiSettings
from tests.integration.api.assembled import client_of
from tests.integration.api.operator import OPERATOR_TOKEN, Operator
from tests.integration.api.scoring import Scoring
from tests.integration.api.team import Team
from tests.integration.api.trio import trio_served
from tests.integration.conftest import MakeDatabase
from tests.integration.real_generator import PRACTICE_TOKEN, SEALED_TOKEN
from tests.postgres import create_database
from tests.serving import served
from tetrad.server.database import make_engine

Client = TestClient[Litestar]
BOTH_DATABASES = pytest.mark.parametrize("database", ["sqlite", "postgres"], indirect=True)
"""For a test of what differs between them: locks, ON CONFLICT, triggers, texts, order, or writes at once."""


@pytest.fixture(scope="session")
def generator_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of the generator's record, where tests damage items and pictures."""
    return tmp_path_factory.mktemp("generator")


@pytest.fixture(scope="session")
def generator_url(generator_folder: Path) -> Iterator[str]:
    with trio_served(generator_folder) as generator:
        yield generator.url


@pytest.fixture(scope="session")
def gateway_url() -> Iterator[str]:
    """Return the address of a stand-in for the gateway."""
    with served("tests.integration.api.stand_in_gateway:create_app") as gateway:
        yield gateway.url


@pytest.fixture(scope="session")
def migrated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return an SQLite file with this version's tables: to copy it takes less than to migrate an empty one."""
    path = tmp_path_factory.mktemp("migrated") / "api.db"
    engine = make_engine(f"sqlite:///{path}")
    upgrade(engine)
    engine.dispose()
    return path


@pytest.fixture(scope="session")
def migrated_postgres(postgres: Any) -> str:
    """Return the name of a Postgres database with this version's tables."""
    engine = make_engine(create_database(postgres, "migrated"))
    upgrade(engine)
    engine.dispose()
    return "migrated"


@pytest.fixture
def database(request: pytest.FixtureRequest) -> str:
    """Return the kind of database: SQLite, unless the test is marked with `BOTH_DATABASES`."""
    return getattr(request, "param", "sqlite")


@pytest.fixture
def database_url(database: str, request: pytest.FixtureRequest, tmp_path: Path, new_postgres: MakeDatabase) -> str:
    """Return the address of a fresh database with this version's tables."""
    if database == "postgres":
        return new_postgres("api", request.getfixturevalue("migrated_postgres"))
    return f"sqlite:///{shutil.copy(request.getfixturevalue('migrated'), tmp_path / 'api.db')}"


@pytest.fixture
def settings(tmp_path: Path, generator_url: str, database_url: str) -> ApiSettings:
    return ApiSettings(
        database_url=database_url,
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
def operator(client: Client) -> Operator:
    return Operator(client)


@pytest.fixture
def scoring(settings: ApiSettings, engine: sa.Engine) -> Scoring:
    return Scoring(settings, engine)
