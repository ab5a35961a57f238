"""The outbox in SQLite and in Postgres: who may take a row, and who may still write to it."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
import sqlalchemy as sa

from scoring_service.jobs.ledger import submissions, verifications
from scoring_service.jobs.outbox import (
    Claim,
    ClaimLostError,
    claim,
    due,
    exhausted,
    postpone,
    renew,
    retry_later,
    write_as_holder,
)
from tests.integration.scoring.rows import add_submission, add_verification, submission_row
from tetrad.internal.jobs import queued_again
from tetrad.server.database import write_transaction

LEASE = 1000


def claimed(engine: sa.Engine, now: int) -> Claim:
    held = claim(engine, submissions, "sub_1", now, LEASE)
    assert held is not None
    return held


def test_a_queued_row_is_due_until_it_is_claimed(engine: sa.Engine) -> None:
    add_submission(engine)
    assert [row.id for row in due(engine, submissions, 0)] == ["sub_1"]
    assert claimed(engine, 0).attempt == 1
    assert due(engine, submissions, LEASE) == []
    assert claim(engine, submissions, "sub_1", LEASE, LEASE) is None


@pytest.mark.parametrize("state", ["open", "scored", "failed", "void"])
def test_only_queued_rows_can_be_claimed(engine: sa.Engine, state: str) -> None:
    add_submission(engine, state=state)
    assert due(engine, submissions, 0) == []
    assert claim(engine, submissions, "sub_1", 0, LEASE) is None


def test_of_many_workers_at_once_exactly_one_claims(engine: sa.Engine) -> None:
    add_submission(engine)
    together = threading.Barrier(8)

    def take(_: int) -> Claim | None:
        together.wait()
        return claim(engine, submissions, "sub_1", 0, LEASE)

    with ThreadPoolExecutor(8) as workers:
        taken = [held for held in workers.map(take, range(8)) if held is not None]
    assert [held.attempt for held in taken] == [1]


def test_a_lease_that_ended_frees_the_row_for_the_next_attempt(engine: sa.Engine) -> None:
    add_submission(engine)
    claimed(engine, 0)
    assert claimed(engine, LEASE + 1).attempt == 2


def test_a_renewed_lease_keeps_others_away(engine: sa.Engine) -> None:
    add_submission(engine)
    assert renew(engine, claimed(engine, 0), 5 * LEASE)
    assert claim(engine, submissions, "sub_1", 2 * LEASE, LEASE) is None


def test_a_holder_that_was_overtaken_can_write_nothing(engine: sa.Engine) -> None:
    add_submission(engine)
    slow, fast = claimed(engine, 0), claimed(engine, LEASE + 1)
    assert not renew(engine, slow, 9 * LEASE)
    assert not retry_later(engine, slow, 0, "no")
    with pytest.raises(ClaimLostError, match="attempt 1 of sub_1"), write_transaction(engine) as connection:
        write_as_holder(connection, slow, state="scored")
    with write_transaction(engine) as connection:
        write_as_holder(connection, fast, state="scored")
    assert submission_row(engine).state == "scored"


def test_only_one_of_two_writers_of_the_same_attempt_ends_it(engine: sa.Engine) -> None:
    add_submission(engine)
    held = claimed(engine, 0)
    with write_transaction(engine) as connection:
        write_as_holder(connection, held, state="scored")
    with pytest.raises(ClaimLostError), write_transaction(engine) as connection:
        write_as_holder(connection, held, state="failed")


def test_a_postponed_attempt_is_not_counted_and_waits(engine: sa.Engine) -> None:
    add_submission(engine)
    assert postpone(engine, claimed(engine, 0), 500)
    assert due(engine, submissions, 500) == []
    assert claimed(engine, 501).attempt == 1


def test_a_failed_attempt_is_counted_and_waits_with_its_reason(engine: sa.Engine) -> None:
    add_submission(engine)
    assert retry_later(engine, claimed(engine, 0), 500, "why")
    assert (submission_row(engine).state, submission_row(engine).failure) == ("queued", "why")
    assert claimed(engine, 501).attempt == 2


def test_rows_whose_last_attempt_died_are_exhausted(engine: sa.Engine) -> None:
    add_submission(engine)
    claimed(engine, 0)
    last = claimed(engine, LEASE + 1)
    assert exhausted(engine, submissions, LEASE + 2, 2) == []
    assert exhausted(engine, submissions, 3 * LEASE, 2) == [last]


def test_a_row_that_is_queued_again_has_all_its_attempts_and_none_of_its_old_holders(engine: sa.Engine) -> None:
    add_submission(engine)
    stalled, last = claimed(engine, 0), claimed(engine, LEASE + 1)
    with write_transaction(engine) as connection:
        again = {"attempt": queued_again(last.attempt), "lease_until": None}  # api/operator/submissions.py
        connection.execute(sa.update(submissions).values(again))
    assert exhausted(engine, submissions, 0, 1) == []
    first = claimed(engine, 0)
    assert (first.tries, due(engine, submissions, LEASE + 1)[0].tries) == (1, 1)
    assert exhausted(engine, submissions, LEASE + 1, 1) == [first]
    assert [renew(engine, held, LEASE) for held in (stalled, last, first)] == [False, False, True]
    assert postpone(engine, first, 0)
    assert claimed(engine, 1).tries == 1


def test_verifications_have_the_same_outbox(engine: sa.Engine) -> None:
    add_verification(engine, "claims/1.json")
    held = claim(engine, verifications, "ver_1", 0, LEASE)
    assert held == Claim(verifications, "ver_1", 1)
