"""A database that goes away and comes back, as an upgrade of Postgres does it: 503 meanwhile, and nothing twice."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from litestar.testing import TestClient
from msgspec.structs import replace
from psycopg import sql

from api.app import create_app
from api.settings import ApiSettings
from tests.integration.api.team import Team
from tests.integration.conftest import MakeDatabase
from tests.postgres import administering
from tetrad.contracts.problems import Problem

NAME = "goes_away"
MODEL = {"name": "model-two"}


@contextmanager
def away(postgres: Any) -> Iterator[None]:
    """Cut all connections to the database, and let in no new ones."""
    name = sql.Identifier(NAME)
    with administering(postgres) as connection:
        connection.execute(sql.SQL("ALTER DATABASE {} ALLOW_CONNECTIONS false").format(name))
        connection.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s", [NAME])
        yield
        connection.execute(sql.SQL("ALTER DATABASE {} ALLOW_CONNECTIONS true").format(name))


def test_a_request_is_told_to_come_again_and_then_finds_all_as_it_was(
    settings: ApiSettings, postgres: Any, new_postgres: MakeDatabase, capfd: pytest.CaptureFixture[str]
) -> None:
    with TestClient(create_app(replace(settings, database_url=new_postgres(NAME)))) as client:
        team = Team.registered(client, "team-one")
        headers = {**team.headers, "Idempotency-Key": "one"}
        with away(postgres):
            refused = [
                client.get("/v1/models", headers=headers),
                client.post("/v1/models", json=MODEL, headers=headers),
            ]
        made = client.post("/v1/models", json=MODEL, headers=headers)
        again = client.post("/v1/models", json=MODEL, headers=headers)
        listed = client.get("/v1/models", headers=headers).json()
    for reply in refused:
        problem = Problem(**reply.json())
        assert (reply.status_code, reply.headers["Retry-After"]) == (503, "5")
        assert "database" in problem.detail
        assert "Idempotency-Key" in problem.detail
    assert capfd.readouterr().err.count("the database failed") == len(refused)
    assert (made.status_code, again.status_code) == (201, 201)
    assert again.json() == made.json()
    assert [model["name"] for model in listed["models"]].count("model-two") == 1
