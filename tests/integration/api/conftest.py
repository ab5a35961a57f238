"""The api over real databases, with the stand-in generator as a real process and itself in process."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from litestar import Litestar
from litestar.testing import TestClient
from msgspec.structs import replace

from api.database.upgrading import upgrade
from api.settings import ApiSettings
from tests.integration.api.assembled import client_of
from tests.integration.api.operator import OPERATOR_TOKEN, Operator
from tests.integration.api.stand_in import PRACTICE_TOKEN, SEALED_TOKEN
from tests.integration.api.team import Team
from tests.integration.conftest import MakeDatabase, create_database
from tests.serving import served
from tetrad.server.database import make_engine

Client = TestClient[Litestar]


@pytest.fixture(scope="session")
def generator_url() -> Iterator[str]:
    with served("tests.integration.api.stand_in:create_app") as generator:
        yield generator.url


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
def settings(tmp_path: Path, generator_url: str, migrated: Path) -> ApiSettings:
    shutil.copy(migrated, tmp_path / "api.db")
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
def any_settings(request: pytest.FixtureRequest, settings: ApiSettings, new_postgres: MakeDatabase) -> ApiSettings:
    """Return settings for each kind of database in turn."""
    if request.param == "sqlite":
        return settings
    return replace(settings, database_url=new_postgres("api", request.getfixturevalue("migrated_postgres")))


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
