"""Idempotency-Key over real databases: once, the same reply, and no API key in any table."""

import hashlib
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from uuid import UUID, uuid4

import httpx
import pytest
import sqlalchemy as sa
from msgspec import json

from api.database import idempotency
from api.database.idempotency import ClientKey, KeptReply, Lease
from api.database.schema import idempotency_records, keys, metadata, models, submissions, teams, verifications
from api.errors import DomainError
from api.http.problems import status_of
from tests.integration.api.conftest import BOTH_DATABASES, Client
from tests.integration.api.scoring import Scoring, finished
from tests.integration.api.team import NONCE, Team

KEY = str(UUID(int=7))
SUBMISSION = {"benchmark": "trio", "track": "plain", "model": "model-one", "size": 2, "nonce": NONCE}
CREATED = ("Location", "Cache-Control", "Retry-After", "Content-Type")


def post(team: Team, path: str, body: Any, key: str = KEY) -> httpx.Response:
    return team.client.post(path, json=body, headers={**team.headers, "Idempotency-Key": key})


def count(engine: sa.Engine, table: sa.Table) -> int:
    with engine.connect() as connection:
        return int(connection.execute(sa.select(sa.func.count()).select_from(table)).scalar_one())


def same(first: httpx.Response, second: httpx.Response) -> None:
    """Assert that the second reply is the first one again."""
    assert (second.status_code, second.content) == (first.status_code, first.content)
    assert [second.headers.get(name) for name in CREATED] == [first.headers.get(name) for name in CREATED]
    assert "Idempotency-Replayed" not in first.headers
    assert second.headers["Idempotency-Replayed"] == "true"


@pytest.mark.parametrize(
    ("path", "body", "table"),
    [
        ("/v1/models", {"name": "fine"}, models),
        ("/v1/submissions", SUBMISSION, submissions),
    ],
    ids=["models", "submissions"],
)
@BOTH_DATABASES
def test_a_creation_sent_again_gets_the_same_reply_and_makes_nothing(
    team: Team, engine: sa.Engine, path: str, body: dict[str, Any], table: sa.Table
) -> None:
    before = count(engine, table)
    first = post(team, path, body)
    assert first.status_code == 201
    same(first, post(team, path, body))
    same(first, post(team, path, body, f'"{KEY}"'))
    assert count(engine, table) == before + 1
    other = post(team, path, {**body, "name" if "name" in body else "size": 1 if "size" in body else "other"})
    assert (other.status_code, other.json()["faults"][0]["field"]) == (422, "Idempotency-Key")
    assert post(team, path, {**body, "name": "next"} if "name" in body else body, str(uuid4())).status_code == 201


def assert_in_no_table(engine: sa.Engine, *secrets: str) -> None:
    with engine.connect() as connection:
        for table in metadata.sorted_tables:
            for row in connection.execute(sa.select(table)):
                held = b"".join(value if isinstance(value, bytes) else str(value).encode() for value in row)
                assert not [secret for secret in secrets if secret.encode() in held], table.name


@BOTH_DATABASES
def test_a_team_is_registered_once_and_a_repeat_replaces_the_api_key_that_was_lost(
    client: Client, engine: sa.Engine
) -> None:
    def register(name: str = "north") -> httpx.Response:
        return client.post("/v1/teams", json={"name": name}, headers={"Idempotency-Key": KEY})

    def ask(key: str) -> httpx.Response:
        return client.get("/v1/teams/me", headers={"Authorization": f"Bearer {key}"})

    replies = [register() for _ in range(3)]
    assert [reply.status_code for reply in replies] == [201] * 3
    assert [reply.headers.get("Idempotency-Replayed") for reply in replies] == [None, "true", "true"]
    assert len({reply.json()["team"]["id"] for reply in replies}) == 1
    told = [reply.json()["key"] for reply in replies]
    assert [ask(key).status_code for key in told] == [401, 401, 200]
    assert replies[2].json()["about"]["scopes"] == replies[0].json()["about"]["scopes"]
    assert register("south").status_code == 422
    assert (count(engine, teams), count(engine, keys)) == (1, 3)
    assert_in_no_table(engine, *told, told[0][12:], KEY, UUID(KEY).hex)


@BOTH_DATABASES
def test_a_further_api_key_is_replaced_too_and_one_that_was_revoked_is_not(team: Team, engine: sa.Engine) -> None:
    made = [post(team, "/v1/keys", {"name": "ci", "scopes": ["read"]}).json() for _ in range(2)]
    listed = {key["id"]: key for key in team.get("/v1/keys").json()["keys"] if key["name"] == "ci"}
    assert [listed[one["about"]["id"]]["revoked_at"] is None for one in made] == [False, True]
    assert {tuple(key["scopes"]) for key in listed.values()} == {("read",)}
    assert_in_no_table(engine, *(one["key"] for one in made))
    path = f"/v1/keys/{made[1]['about']['id']}"
    assert team.client.delete(path, headers=team.headers).status_code == 204
    again = post(team, "/v1/keys", {"name": "ci", "scopes": ["read"]})
    assert (again.status_code, "new Idempotency-Key" in again.json()["detail"]) == (409, True)
    assert post(team, "/v1/keys", {"name": "ci", "scopes": ["read"]}).status_code == 409, "the record stays"
    assert post(team, "/v1/keys", {"name": "ci"}).status_code == 422


@BOTH_DATABASES
def test_of_repeats_at_once_all_but_the_last_api_key_are_revoked(client: Client, engine: sa.Engine) -> None:
    def register(_: int = 0) -> httpx.Response:
        return client.post("/v1/teams", json={"name": "north"}, headers={"Idempotency-Key": KEY})

    register()
    with ThreadPoolExecutor(8) as pool:
        replies = list(pool.map(register, range(8)))
    assert {reply.status_code for reply in replies} <= {201, 409}
    with engine.connect() as connection:
        live = connection.execute(sa.select(keys.c.hash).where(keys.c.revoked_at.is_(None))).scalars().all()
    told = {hashlib.sha256(reply.json()["key"].encode()).hexdigest() for reply in replies if reply.status_code == 201}
    assert len(live) == 1
    assert set(live) <= told


@BOTH_DATABASES
def test_a_verification_is_queued_once(team: Team, scoring: Scoring, engine: sa.Engine) -> None:
    claim = json.encode({"report": scoring.score(team, finished(team))})
    replies = [team.client.post("/v1/verifications", content=claim, headers={"Idempotency-Key": KEY}) for _ in range(2)]
    assert replies[0].status_code == 202
    same(*replies)
    assert count(engine, verifications) == 1


def test_keys_of_other_credentials_and_other_routes_are_other_keys(client: Client, team: Team) -> None:
    other = Team.registered(client, "team-two")
    first = post(team, "/v1/models", {"name": "fine"})
    assert "Idempotency-Replayed" not in post(other, "/v1/models", {"name": "fine"}).headers
    assert post(team, "/v1/keys", {"name": "ci"}).status_code == 201
    same(first, post(team, "/v1/models", {"name": "fine"}))


@BOTH_DATABASES
def test_what_was_refused_leaves_the_key_free(team: Team) -> None:
    assert post(team, "/v1/submissions", {**SUBMISSION, "model": "unknown"}).status_code == 422
    assert post(team, "/v1/submissions", SUBMISSION).status_code == 201
    taken = post(team, "/v1/models", {"name": "model-one"}, "k2")
    assert taken.status_code == 409
    assert post(team, "/v1/models", {"name": "free"}, "k2").status_code == 201


@BOTH_DATABASES
def test_of_requests_at_once_one_creates_and_the_rest_wait_or_get_its_reply(team: Team, engine: sa.Engine) -> None:
    before = count(engine, submissions)
    with ThreadPoolExecutor(12) as pool:
        replies = list(pool.map(lambda _: post(team, "/v1/submissions", SUBMISSION), range(12)))
    assert count(engine, submissions) == before + 1
    assert {reply.status_code for reply in replies} <= {201, 409}
    assert len({reply.content for reply in replies if reply.status_code == 201}) == 1
    for waiting in (reply for reply in replies if reply.status_code == 409):
        assert waiting.headers["Retry-After"] == "1"
        assert "in flight" in waiting.json()["detail"]
    assert post(team, "/v1/submissions", SUBMISSION).headers["Idempotency-Replayed"] == "true"


@BOTH_DATABASES
def test_a_process_that_dies_in_flight_frees_the_key_after_a_while(team: Team, engine: sa.Engine) -> None:
    post(team, "/v1/submissions", SUBMISSION)
    before = count(engine, submissions)
    now = int(time.time() * 1000)
    with engine.begin() as connection:
        die(connection, until=now + 60_000)
    assert post(team, "/v1/submissions", SUBMISSION).status_code == 409
    with engine.begin() as connection:
        die(connection, until=now - 1)
    first = post(team, "/v1/submissions", SUBMISSION)
    assert first.status_code == 201
    same(first, post(team, "/v1/submissions", SUBMISSION))
    assert count(engine, submissions) == before + 1


def die(connection: sa.Connection, until: int) -> None:
    """Leave what a process leaves that was killed between its lease and its commit: the lease alone."""
    connection.execute(sa.update(idempotency_records).values(reply=None, leased_until=until, lease="of the dead"))


@BOTH_DATABASES
def test_whoever_lost_its_lease_creates_nothing(team: Team, engine: sa.Engine) -> None:
    before = count(engine, models)
    key = ClientKey("0" * 64, "f")
    held = idempotency.lease(engine, key)
    assert isinstance(held, Lease)
    with engine.begin() as connection:
        connection.execute(sa.update(idempotency_records).values(leased_until=1))
    overtaking = idempotency.lease(engine, key)
    assert isinstance(overtaking, Lease)
    reply = KeptReply(201, {}, b"{}")
    with pytest.raises(DomainError, match="overtaken") as lost, engine.begin() as connection:
        idempotency.keep_reply(connection, held, reply)
    assert status_of(lost.value) == 409
    idempotency.release(engine, held)
    with engine.begin() as connection:
        idempotency.keep_reply(connection, overtaking, reply)
    assert idempotency.lease(engine, key) == reply
    assert count(engine, models) == before


@BOTH_DATABASES
def test_a_key_that_is_freed_while_another_request_asks_for_it_is_leased_or_in_flight(engine: sa.Engine) -> None:
    key = ClientKey("1" * 64, "f")

    def hold_and_let_go(_: int) -> int:
        try:
            held = idempotency.lease(engine, key)
        except DomainError as error:
            return status_of(error)
        assert isinstance(held, Lease)
        idempotency.release(engine, held)
        return 0

    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(hold_and_let_go, range(400))) <= {0, 409}


@BOTH_DATABASES
def test_replies_are_kept_for_a_day_and_then_swept(team: Team, engine: sa.Engine) -> None:
    first = post(team, "/v1/submissions", SUBMISSION)
    with engine.begin() as connection:
        connection.execute(
            sa.update(idempotency_records).values(created_at=idempotency_records.c.created_at - 24 * 3_600_000 + 60_000)
        )
    same(first, post(team, "/v1/submissions", SUBMISSION))
    with engine.begin() as connection:
        connection.execute(sa.update(idempotency_records).values(created_at=idempotency_records.c.created_at - 120_000))
    again = post(team, "/v1/submissions", SUBMISSION)
    assert again.status_code == 201
    assert again.json()["id"] != first.json()["id"]
    assert count(engine, idempotency_records) == 1


@pytest.mark.parametrize("key", ["", "a b", "é", "x" * 256], ids=["empty", "space", "accent", "long"])
def test_a_key_that_is_none_is_refused(team: Team, key: str) -> None:
    headers = {**team.headers, "Idempotency-Key": key.encode()}
    reply = team.client.post("/v1/models", json={"name": "fine"}, headers=headers)  # type: ignore[arg-type]
    assert (reply.status_code, reply.json()["faults"][0]["field"]) == (422, "Idempotency-Key")


def test_without_a_credential_a_key_has_to_be_one_that_nobody_guesses(client: Client) -> None:
    reply = client.post("/v1/teams", json={"name": "north"}, headers={"Idempotency-Key": "1"})
    assert reply.status_code == 422
    assert "UUID" in reply.json()["faults"][0]["remedy"]
