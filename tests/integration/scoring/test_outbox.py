"""The outbox: who may take a row, and who may still write to it; in Postgres too where several take or write."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
import sqlalchemy as sa

from tests.integration.scoring.rows import add_submission, add_verification, submission_row
from tetrad.internal.jobs import queued_again
from tetrad.server.database import write_transaction
from tetrad.server.outbox import (
    Lease,
    LeaseLostError,
    find_exhausted,
    lease_next,
    postpone,
    renew,
    retry_later,
    write_as_holder,
)
from tetrad.server.scoring_tables import submissions, verifications

LEASE = 1000
MOST = 5


def leased(engine: sa.Engine, now: int) -> Lease:
    held = lease_next(engine, submissions, now, LEASE, MOST)
    assert held is not None
    return held


def test_a_queued_row_is_due_until_it_is_leased(any_engine: sa.Engine) -> None:
    add_submission(any_engine)
    about = {"team_id": "team_1", "evaluation_id": None, "request_id": None, "traceparent": None}
    assert leased(any_engine, 0) == Lease(submissions, "sub_1", 1, about)
    assert lease_next(any_engine, submissions, LEASE, LEASE, MOST) is None


@pytest.mark.parametrize("state", ["open", "scored", "failed", "void"])
def test_only_queued_rows_can_be_leased(engine: sa.Engine, state: str) -> None:
    add_submission(engine, state=state)
    assert lease_next(engine, submissions, 0, LEASE, MOST) is None


def test_of_many_workers_at_once_exactly_one_takes_the_only_row(any_engine: sa.Engine) -> None:
    add_submission(any_engine)
    together = threading.Barrier(8)

    def take(_: int) -> Lease | None:
        together.wait()
        return lease_next(any_engine, submissions, 0, LEASE, MOST)

    with ThreadPoolExecutor(8) as workers:
        taken = [held for held in workers.map(take, range(8)) if held is not None]
    assert [held.attempt for held in taken] == [1]


def test_workers_that_come_together_take_different_rows(any_engine: sa.Engine) -> None:
    for place in range(8):
        add_submission(any_engine, f"sub_{place}")
    together = threading.Barrier(4)

    def take(_: int) -> list[str]:
        together.wait()
        found = []
        while lease := lease_next(any_engine, submissions, 0, LEASE, MOST):
            found.append(lease.id)
        return found

    with ThreadPoolExecutor(4) as workers:
        taken = [name for names in workers.map(take, range(4)) for name in names]
    assert sorted(taken) == [f"sub_{place}" for place in range(8)]


def test_rows_are_taken_in_the_order_of_their_ids_and_spent_ones_are_not(engine: sa.Engine) -> None:
    for name, attempt in (("sub_3", 0), ("sub_1", MOST), ("sub_2", MOST - 1)):
        add_submission(engine, name, attempt=attempt)
    assert [leased(engine, 0).id, leased(engine, 0).id] == ["sub_2", "sub_3"]
    assert lease_next(engine, submissions, 0, LEASE, MOST) is None


def test_a_lease_that_ended_frees_the_row_for_the_next_attempt(engine: sa.Engine) -> None:
    add_submission(engine)
    leased(engine, 0)
    assert leased(engine, LEASE + 1).attempt == 2


def test_a_renewed_lease_keeps_others_away(engine: sa.Engine) -> None:
    add_submission(engine)
    assert renew(engine, leased(engine, 0), 5 * LEASE)
    assert lease_next(engine, submissions, 2 * LEASE, LEASE, MOST) is None


def test_a_holder_that_was_overtaken_can_write_nothing(any_engine: sa.Engine) -> None:
    add_submission(any_engine)
    slow, fast = leased(any_engine, 0), leased(any_engine, LEASE + 1)
    assert not renew(any_engine, slow, 9 * LEASE)
    assert not retry_later(any_engine, slow, 0, "no")
    with pytest.raises(LeaseLostError, match="attempt 1 of sub_1"), write_transaction(any_engine) as connection:
        write_as_holder(connection, slow, state="scored")
    with write_transaction(any_engine) as connection:
        write_as_holder(connection, fast, state="scored")
    assert submission_row(any_engine).state == "scored"


def test_only_one_of_two_writers_of_the_same_attempt_ends_it(any_engine: sa.Engine) -> None:
    add_submission(any_engine)
    held = leased(any_engine, 0)
    with write_transaction(any_engine) as connection:
        write_as_holder(connection, held, state="scored")
    with pytest.raises(LeaseLostError), write_transaction(any_engine) as connection:
        write_as_holder(connection, held, state="failed")


def test_a_postponed_attempt_is_not_counted_and_waits(engine: sa.Engine) -> None:
    add_submission(engine)
    assert postpone(engine, leased(engine, 0), 500)
    assert lease_next(engine, submissions, 500, LEASE, MOST) is None
    assert leased(engine, 501).attempt == 1


def test_a_failed_attempt_is_counted_and_waits_with_its_reason(engine: sa.Engine) -> None:
    add_submission(engine)
    assert retry_later(engine, leased(engine, 0), 500, "why")
    assert (submission_row(engine).state, submission_row(engine).failure) == ("queued", "why")
    assert leased(engine, 501).attempt == 2


def test_rows_whose_last_attempt_died_are_exhausted(engine: sa.Engine) -> None:
    add_submission(engine)
    leased(engine, 0)
    last = leased(engine, LEASE + 1)
    assert find_exhausted(engine, submissions, LEASE + 2, 2) == []
    assert find_exhausted(engine, submissions, 3 * LEASE, 2) == [last]


def test_a_row_that_is_queued_again_has_all_its_attempts_and_none_of_its_old_holders(engine: sa.Engine) -> None:
    add_submission(engine)
    stalled, last = leased(engine, 0), leased(engine, LEASE + 1)
    with write_transaction(engine) as connection:
        again = {"attempt": queued_again(last.attempt), "lease_until": None}  # api/operator/submissions.py
        connection.execute(sa.update(submissions).values(again))
    assert find_exhausted(engine, submissions, 0, 1) == []
    first = leased(engine, 0)
    assert first.tries == 1
    assert find_exhausted(engine, submissions, LEASE + 1, 1) == [first]
    assert [renew(engine, held, LEASE) for held in (stalled, last, first)] == [False, False, True]
    assert postpone(engine, first, 0)
    assert leased(engine, 1).tries == 1


def test_verifications_have_the_same_outbox(engine: sa.Engine) -> None:
    add_verification(engine, "claims/1.json")
    held = lease_next(engine, verifications, 0, LEASE, MOST)
    assert held == Lease(verifications, "ver_1", 1, {"request_id": None, "traceparent": None})
