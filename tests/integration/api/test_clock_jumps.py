"""The clock jumps an hour forward and back in the middle of everything: nothing is lost, and nothing done twice."""

from collections.abc import Iterator
from types import SimpleNamespace
from uuid import uuid4

import pytest
import sqlalchemy as sa

from api.database import idempotency
from api.database.idempotency import ClientKey, Lease
from api.database.schema import submissions, usage_by_hour, verifications
from api.errors import StateConflictError
from scoring_service.jobs.sweeper import drop_lapsed, lapse_unseen, queue_expired
from tests.integration.api.conftest import Client
from tests.integration.api.team import Team
from tetrad.server import clock
from tetrad.server.clock import now_ms, patient_ms
from tetrad.server.outbox import find_exhausted, lease_next, renew, write_as_holder

HOUR = 3_600_000
LEASE_MS, MOST = 20_000, 3
JUMPS = pytest.mark.parametrize("jump", [HOUR, -HOUR], ids=["forward", "back"])


class HandedIn:
    """A clock that stands still unless it is moved: `pass_time` for time that passes, `jump` to set it."""

    def __init__(self) -> None:
        self.wall = self.steady = 1_800_000_000_000

    def jump(self, milliseconds: int) -> None:
        self.wall += milliseconds

    def pass_time(self, milliseconds: int) -> None:
        self.wall += milliseconds
        self.steady += milliseconds


@pytest.fixture
def hands(monkeypatch: pytest.MonkeyPatch) -> Iterator[HandedIn]:
    hands = HandedIn()
    kept = SimpleNamespace(time_ns=lambda: hands.wall * 1_000_000, clock_gettime_ns=lambda _: hands.steady * 1_000_000)
    monkeypatch.setattr(clock, "time", kept)
    patient_ms.begin()
    yield hands
    monkeypatch.undo()
    patient_ms.begin()


def sweep(engine: sa.Engine) -> None:
    """Do what the sweeper does about deadlines."""
    queue_expired(engine, patient_ms())
    drop_lapsed(engine, lapse_unseen(engine, patient_ms()))


@JUMPS
def test_a_submission_is_answered_through_jumps(
    jump: int, hands: HandedIn, client: Client, team: Team, engine: sa.Engine
) -> None:
    seen, unseen = team.open(size=4, deadline_hours=0.5), team.open(size=1, deadline_hours=0.5)
    asked = team.questions(seen)
    hands.jump(jump)
    sweep(engine)
    sealed = [{"item": one["item"], "question": "what-0", "response": "A"} for one in asked]
    assert team.seal(seen, *sealed[:2]).status_code == 200
    hands.jump(-jump)
    sweep(engine)
    assert team.seal(seen, *sealed).json()["accepted"] == 2, "two were sealed before"
    assert {team.get(f"/v1/submissions/{one}").json()["state"] for one in (seen, unseen)} == {"open"}
    hands.pass_time(HOUR)
    sweep(engine)
    assert team.get(f"/v1/submissions/{unseen}").status_code == 404
    left = team.get(f"/v1/submissions/{seen}").json()
    assert (left["state"], left["progress"]["questions_answered"]) == ("queued", 4)


def test_a_clock_that_stays_ahead_ends_deadlines_in_the_end(hands: HandedIn, team: Team, engine: sa.Engine) -> None:
    seen = team.open(size=4, deadline_hours=0.5)
    team.questions(seen)
    hands.jump(HOUR)
    sweep(engine)
    assert team.get(f"/v1/submissions/{seen}").json()["state"] == "open"
    hands.pass_time(HOUR)
    sweep(engine)
    assert team.get(f"/v1/submissions/{seen}").json()["state"] == "queued"


def add_row(engine: sa.Engine, **values: object) -> None:
    row = {"id": "ver_1", "object": "x", "state": "queued", "created_at": 1, "asker": "a", "attempt": 0, **values}
    with engine.begin() as connection:
        connection.execute(sa.delete(verifications))
        connection.execute(sa.insert(verifications).values(row))


@JUMPS
def test_of_two_workers_that_hold_a_row_after_a_jump_one_ends_it(jump: int, hands: HandedIn, engine: sa.Engine) -> None:
    add_row(engine)
    first = lease_next(engine, verifications, now_ms(), LEASE_MS, MOST)
    assert first is not None
    assert lease_next(engine, verifications, now_ms(), LEASE_MS, MOST) is None
    hands.jump(jump)
    second = lease_next(engine, verifications, now_ms(), LEASE_MS, MOST)
    assert second is not None, "the row doesn't wait for an hour"
    assert not renew(engine, first, now_ms() + LEASE_MS)
    with engine.begin() as connection:
        write_as_holder(connection, second, state="done")
    assert lease_next(engine, verifications, now_ms(), LEASE_MS, MOST) is None


@JUMPS
def test_the_last_attempt_of_a_worker_that_lives_is_not_given_up(jump: int, hands: HandedIn, engine: sa.Engine) -> None:
    add_row(engine, attempt=MOST - 1)
    last = lease_next(engine, verifications, now_ms(), LEASE_MS, MOST)
    assert last is not None
    hands.jump(jump)
    assert find_exhausted(engine, verifications, patient_ms(), MOST) == []
    assert renew(engine, last, now_ms() + LEASE_MS)
    hands.pass_time(LEASE_MS + 1)
    if jump < 0:
        assert find_exhausted(engine, verifications, patient_ms(), MOST) == [last], "it died"


@JUMPS
def test_a_creation_under_one_key_is_done_once_and_a_dead_request_frees_its_key(
    jump: int, hands: HandedIn, client: Client, team: Team, engine: sa.Engine
) -> None:
    key = ClientKey("record", "fingerprint")
    held = idempotency.lease(engine, key)
    assert isinstance(held, Lease)
    with pytest.raises(StateConflictError):
        idempotency.lease(engine, key)
    hands.jump(jump)
    assert isinstance(idempotency.lease(engine, key), Lease), "the first request died"
    with engine.begin() as connection, pytest.raises(StateConflictError):
        idempotency.keep_api_key(connection, held, "key_1")
    headers = {**team.headers, "Idempotency-Key": uuid4().hex}
    made = client.post("/v1/models", json={"name": "twice"}, headers=headers)
    hands.jump(-jump)
    again = client.post("/v1/models", json={"name": "twice"}, headers=headers)
    assert (made.status_code, again.json()) == (201, made.json())


@JUMPS
def test_a_day_s_items_are_counted_once(jump: int, hands: HandedIn, team: Team, engine: sa.Engine) -> None:
    for step in (0, jump, -jump):
        hands.jump(step)
        team.open(size=5)
    with engine.connect() as connection:
        counted = sa.select(sa.func.sum(usage_by_hour.c.amount)).where(usage_by_hour.c.subject == "items")
        assert connection.execute(counted).scalar_one() == 15
        assert connection.execute(sa.select(sa.func.count()).select_from(submissions)).scalar_one() == 3
    assert team.get("/v1/teams/me").json()["usage"]["items_a_day"] == 15
