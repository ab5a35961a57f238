"""Tests of deadlines: the effects of the server's clock on open submissions."""

import sqlalchemy as sa

from api.database import schema
from scoring_service.jobs.sweeper import drop_lapsed, lapse_unseen, queue_expired
from tests.integration.scoring import sealed_toy
from tests.integration.scoring.rows import add_submission, event_kinds, submission_row
from tetrad.server.database import read_transaction, write_transaction

DEADLINE = 1_000


def test_a_fetched_submission_past_its_deadline_is_queued_with_the_answers_it_has(any_engine: sa.Engine) -> None:
    add_submission(any_engine, state="open", deadline_at=DEADLINE, answers=sealed_toy.right_answers("sub_1", 1))
    assert queue_expired(any_engine, DEADLINE - 1) == []
    assert lapse_unseen(any_engine, DEADLINE) == []
    assert queue_expired(any_engine, DEADLINE) == ["sub_1"]
    row = submission_row(any_engine)
    assert (row.state, row.finish_reason, row.finished_at) == ("queued", "deadline", DEADLINE)
    assert event_kinds(any_engine) == ["finished"]
    assert queue_expired(any_engine, DEADLINE + 1) == []


def test_a_submission_nobody_fetched_leaves_only_its_line_in_the_log(any_engine: sa.Engine) -> None:
    add_submission(any_engine, state="open", deadline_at=DEADLINE, fetched_at=None)
    line = {"number": 1, "submission_id": "sub_1", "commitment": "c", "at": "t", "previous": "p", "entry": "e"}
    opened = {"submission_id": "sub_1", "at": 1, "kind": "opened", "data": "{}"}
    with write_transaction(any_engine) as connection:
        connection.execute(sa.insert(schema.commitments).values(line))
        connection.execute(sa.insert(schema.events).values(opened))
    assert queue_expired(any_engine, DEADLINE) == []
    assert drop_lapsed(any_engine, ["sub_1"]) == 0, "not before it is marked"
    for _ in range(2):  # a round that was broken off is taken up again
        assert lapse_unseen(any_engine, DEADLINE) == ["sub_1"]
    assert drop_lapsed(any_engine, ["sub_1"]) == 1
    with read_transaction(any_engine) as connection:
        assert connection.execute(sa.select(schema.submissions)).all() == []
        assert len(connection.execute(sa.select(schema.commitments)).all()) == 1


def test_finished_and_running_submissions_are_left_alone(engine: sa.Engine) -> None:
    add_submission(engine, "sub_1", state="queued", deadline_at=DEADLINE, fetched_at=None)
    add_submission(engine, "sub_2", state="open", deadline_at=2 * DEADLINE, fetched_at=None)
    add_submission(engine, "sub_3", state="scored", deadline_at=DEADLINE)
    assert queue_expired(engine, DEADLINE) == []
    assert lapse_unseen(engine, DEADLINE) == []
    assert drop_lapsed(engine, ["sub_1", "sub_2", "sub_3"]) == 0
