"""The choice of the job that gets the next slice, with times that the tests make up.

The queries that choose and count run in Postgres, too; what follows from the counts does not hang on the database.
"""

from collections import Counter

import pytest
import sqlalchemy as sa

from api.database import schema
from scoring_service.jobs.turns import KINDS, Turn, Turns, drop_idle
from tests.integration.scoring.rows import add_submission, add_verification
from tetrad.server.clock import now_ms
from tetrad.server.database import read_rows, write_transaction
from tetrad.server.scoring_tables import rescorings, scoring_turns, verifications

LEASE_MS = 1000


@pytest.fixture
def turns(engine: sa.Engine) -> Turns:
    return Turns(engine, LEASE_MS, 5)


@pytest.fixture
def any_turns(any_engine: sa.Engine) -> Turns:
    return Turns(any_engine, LEASE_MS, 5)


def add_of(engine: sa.Engine, team: str, submission: str, **values: object) -> None:
    """Add a queued submission of a team, which is made if need be."""
    with write_transaction(engine) as connection:
        if connection.execute(sa.select(schema.teams).where(schema.teams.c.id == team)).one_or_none() is None:
            connection.execute(sa.insert(schema.teams).values(id=team, name=team, title=team, created_at=1))
    add_submission(engine, submission, 4, **{"team_id": team, "finished_at": now_ms(), **values})


def end_slice(engine: sa.Engine, turn: Turn, *, at: int, ends: bool) -> None:
    """Do what a job does at the end of a slice: keep a row and give the job back, or end it."""
    table = turn.lease.table
    with write_transaction(engine) as connection:
        if ends:
            connection.execute(sa.update(table).where(table.c.id == turn.lease.id).values(state="scored"))
            return
        connection.execute(sa.update(table).where(table.c.id == turn.lease.id).values(lease_until=None, attempt=0))
        number = sa.select(sa.func.count()).where(schema.scoring_slices.c.job_id == turn.lease.id).scalar_subquery()
        row = {"job_id": turn.lease.id, "number": number, "at": at, "made_by": "x", "body": b""}
        connection.execute(sa.insert(schema.scoring_slices).values(row))


def take(engine: sa.Engine, turns: Turns, seconds: float = 1.0, *, at: int = 0, ends: bool = False) -> str:
    turn = turns.next()
    assert turn is not None
    end_slice(engine, turn, at=at, ends=ends)
    turns.charge(turn, seconds)
    return turn.lease.id


def test_a_small_job_has_the_next_turn_beside_a_large_one(any_engine: sa.Engine, any_turns: Turns) -> None:
    add_of(any_engine, "large", "sub_large", finished_at=1)
    for at in range(10):
        assert take(any_engine, any_turns, at=100 + at) == "sub_large"
    add_of(any_engine, "small", "sub_small", finished_at=1000)
    taken = [take(any_engine, any_turns, at=1001), take(any_engine, any_turns, at=1002)]
    assert "sub_small" in taken, "it waits for one slice at most, whatever kind of turn is next"


def test_a_team_with_many_jobs_has_no_more_time_than_one_with_a_single_job(engine: sa.Engine, turns: Turns) -> None:
    for place in range(20):
        add_of(engine, "many", f"sub_many_{place:02}")
    add_of(engine, "one", "sub_one")
    got = Counter(take(engine, turns, at=place + now_ms())[:7] for place in range(80))
    assert got["sub_one"] > 25, got


def test_time_is_counted_by_weight(engine: sa.Engine, turns: Turns) -> None:
    add_of(engine, "new", "sub_new", weight=1)
    add_of(engine, "old", "sub_old", weight=4)
    got = Counter(take(engine, turns, at=place) for place in range(80))
    assert got["sub_old"] > 2 * got["sub_new"] > 0, got


def test_turns_are_counted_in_time_not_in_number(engine: sa.Engine, turns: Turns) -> None:
    for place in range(100):
        add_of(engine, "quick", f"sub_quick_{place:03}")
    add_of(engine, "slow", "sub_slow")
    quick = slow = 0
    for place in range(100):
        turn = turns.next()
        assert turn is not None
        is_slow = turn.lease.id == "sub_slow"
        quick, slow = quick + (not is_slow), slow + is_slow
        end_slice(engine, turn, at=now_ms() + place, ends=not is_slow)
        turns.charge(turn, 1.0 if is_slow else 0.01)
        if quick > 60:
            break
    assert slow < 20, f"{slow} turns of a second beside {quick} of a hundredth"


def test_new_teams_without_end_starve_no_large_job(engine: sa.Engine, turns: Turns) -> None:
    """Each new team is first in line by the time that it had; the large job has its turns by how long it waited."""
    add_of(engine, "large", "sub_large", finished_at=1)
    for at in range(5):
        take(engine, turns, at=10 + at)
    got: Counter[str] = Counter()
    for place in range(60):
        at = 100 + 2 * place
        for twin in "ab":
            add_of(engine, f"new_{place}{twin}", f"sub_{place:03}{twin}", finished_at=at)
        turn = turns.next()
        assert turn is not None
        got[turn.lease.id] += 1
        end_slice(engine, turn, at=at + 1, ends=turn.lease.id != "sub_large")
        turns.charge(turn, 0.1)
    assert got["sub_large"] >= 1, "it had a slice now and then"
    assert got["sub_large"] < 30, "and the others had theirs"


def test_a_team_that_was_away_has_saved_up_nothing(engine: sa.Engine, turns: Turns) -> None:
    add_of(engine, "busy", "sub_busy")
    for at in range(100):
        take(engine, turns, at=at)
    for place in range(30):
        add_of(engine, "back", f"sub_back_{place:02}")
    got = Counter(take(engine, turns, at=now_ms() + place)[:8] for place in range(20))
    assert got["sub_busy"] >= 5, "it does not wait until the other one has had as much in its life"


def test_verifications_and_rescorings_have_a_share_and_no_more(engine: sa.Engine, turns: Turns) -> None:
    for place in range(40):
        add_verification(engine, f"verifications/{place}.json", f"ver_{place:02}")
        add_of(engine, "team", f"sub_{place:02}")
        row = {"id": f"res_{place:02}", "batch": "b", "submission_id": "sub_00", "reason": "r", "state": "queued"}
        with write_transaction(engine) as connection:
            connection.execute(sa.insert(schema.rescorings).values(created_at=1, **row))
    got = Counter(turn_of(engine, turns) for _ in range(60))
    assert 4 <= got[verifications.name] <= 8, got
    assert 4 <= got[rescorings.name] <= 8, got


def test_a_kind_that_had_no_work_has_saved_up_nothing(engine: sa.Engine, turns: Turns) -> None:
    add_of(engine, "team", "sub_0")
    for at in range(100):
        take(engine, turns, at=at)
    for place in range(10):
        add_verification(engine, f"verifications/{place}.json", f"ver_{place:02}")
    got = Counter(turn_of(engine, turns) for _ in range(10))
    assert got["verifications"] <= 3, got


def turn_of(engine: sa.Engine, turns: Turns) -> str:
    turn = turns.next()
    assert turn is not None
    table = turn.lease.table
    with write_transaction(engine) as connection:
        connection.execute(sa.update(table).where(table.c.id == turn.lease.id).values(lease_until=None, attempt=0))
    turns.charge(turn, 1.0)
    return str(table.name)


def test_a_deleted_submission_is_not_counted(any_engine: sa.Engine, any_turns: Turns) -> None:
    add_of(any_engine, "team", "sub_0")
    turn = any_turns.next()
    assert turn is not None
    with write_transaction(any_engine) as connection:
        connection.execute(sa.delete(schema.submissions))
    any_turns.charge(turn, 1.0)
    assert read_rows(any_engine, sa.select(scoring_turns)) == []


def test_times_that_say_nothing_are_dropped(any_engine: sa.Engine) -> None:
    rows = [{"team_id": "", "used": 50}, {"team_id": "ahead", "used": 51}, {"team_id": "behind", "used": 50}]
    with write_transaction(any_engine) as connection:
        connection.execute(sa.insert(schema.scoring_turns), rows)
        drop_idle(connection)
    assert {row.team_id for row in read_rows(any_engine, sa.select(scoring_turns))} == {"", "ahead"}
    assert len(KINDS) == 4
