"""The sweeper in process: what it rings for, and that nothing it meets ends it."""

from pathlib import Path

import msgspec
import pytest
import sqlalchemy as sa
from redis import Redis

from scoring_service.jobs import sweeper
from scoring_service.jobs.context import Workplace
from scoring_service.jobs.job_notifier import open_queues, waiting
from scoring_service.jobs.ledger import verifications
from scoring_service.jobs.sweeper import sweep, sweeping
from tests.integration.scoring.conftest import StandIn, eventually
from tests.integration.scoring.rows import add_submission, add_verification, submission_row
from tetrad.internal.jobs import QUEUE, SCORE_SUBMISSION, VERIFY_REPORT, job_id
from tetrad.server.clock import now_ms
from tetrad.server.database import read_transaction
from tetrad.server.objects import StoreError


def test_everything_due_is_rung_for_once(workplace: Workplace, redis: "Redis[bytes]") -> None:
    add_submission(workplace.engine, "sub_1")
    add_submission(workplace.engine, "sub_2", attempt=2, lease_until=1)
    add_submission(workplace.engine, "sub_3", attempt=1, lease_until=now_ms() + 60_000)
    add_verification(workplace.engine, "verifications/1.json")
    queues = open_queues(redis)
    assert sweep(workplace, queues) == 3
    assert waiting(queues) == {
        job_id(SCORE_SUBMISSION, "sub_1", 0),
        job_id(SCORE_SUBMISSION, "sub_2", 2),
        job_id(VERIFY_REPORT, "ver_1", 0),
    }
    assert sweep(workplace, queues) == 0


def test_a_flushed_redis_is_rung_again(workplace: Workplace, redis: "Redis[bytes]") -> None:
    add_submission(workplace.engine)
    assert sweep(workplace, open_queues(redis)) == 1
    redis.flushall()
    assert sweep(workplace, open_queues(redis)) == 1


def test_a_ring_that_died_in_a_workers_hand_is_rung_again(workplace: Workplace, redis: "Redis[bytes]") -> None:
    """Its record is still in Redis then, and a check for that alone would wait for ever."""
    add_submission(workplace.engine)
    queues = open_queues(redis)
    sweep(workplace, queues)
    redis.lpop(queues[QUEUE].key)
    assert redis.exists(f"rq:job:{job_id(SCORE_SUBMISSION, 'sub_1', 0)}")
    assert sweep(workplace, queues) == 1


def test_deadlines_and_spent_attempts_are_seen_to(workplace: Workplace, redis: "Redis[bytes]") -> None:
    add_submission(workplace.engine, "sub_1", state="open", deadline_at=1)
    add_submission(workplace.engine, "sub_2", state="open", deadline_at=1, fetched_at=None)
    add_submission(workplace.engine, "sub_3", attempt=5, lease_until=1)
    assert sweep(workplace, open_queues(redis)) == 1
    assert submission_row(workplace.engine, "sub_1").state == "queued"
    assert submission_row(workplace.engine, "sub_3").state == "failed"


def test_the_draw_of_what_nobody_saw_is_closed_before_its_row_is_dropped(
    workplace: Workplace, redis: "Redis[bytes]", generator: StandIn, caplog: pytest.LogCaptureFixture
) -> None:
    add_submission(workplace.engine, "sub_1", state="open", deadline_at=1)
    add_submission(workplace.engine, "sub_2", state="open", deadline_at=1, fetched_at=None)
    generator.behave(status=503)
    assert sweep(workplace, open_queues(redis)) == 1, "a generator that is away keeps nobody else waiting"
    assert submission_row(workplace.engine, "sub_2").state == "open", "the row says that a draw is to be closed"
    assert "put off" in caplog.text
    generator.behave()
    assert sweep(workplace, open_queues(redis)) == 0
    assert generator.closed() == ["sub_2"]
    with pytest.raises(sa.exc.NoResultFound):
        submission_row(workplace.engine, "sub_2")
    sweep(workplace, open_queues(redis))
    assert generator.closed() == []


def test_verifications_are_dropped_with_their_reports_when_their_time_is_over(
    workplace: Workplace, redis: "Redis[bytes]", monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    long_ago = now_ms() - 31 * sweeper.DAY_MS
    for name, state, ended in (("old", "done", long_ago), ("new", "done", now_ms()), ("due", "queued", None)):
        workplace.store.put(f"verifications/{name}.json", b"{}")
        add_verification(workplace.engine, f"verifications/{name}.json", f"ver_{name}", state=state, finished_at=ended)
    with monkeypatch.context() as broken:
        broken.setattr(workplace.store, "delete", refused)
        sweep(workplace, open_queues(redis))
    assert "dropping old verifications put off" in caplog.text
    assert verification_ids(workplace.engine) == {"ver_old", "ver_new", "ver_due"}, "a row names its report"
    sweep(workplace, open_queues(redis))
    assert verification_ids(workplace.engine) == {"ver_new", "ver_due"}
    found = [workplace.store.get(f"verifications/{name}.json") for name in ("old", "new", "due")]
    assert found == [None, b"{}", b"{}"]


def refused(*_: object) -> None:
    raise StoreError("the bucket is read-only")


def verification_ids(engine: sa.Engine) -> set[str]:
    with read_transaction(engine) as connection:
        return set(connection.execute(sa.select(verifications.c.id)).scalars())


def test_rounds_go_on_through_any_trouble(
    workplace: Workplace, redis: "Redis[bytes]", monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    troubles: list[Exception] = [RuntimeError("a defect"), sa.exc.OperationalError("the query", {}, Exception())]
    add_submission(workplace.engine)
    whole = sweeper.sweep

    def troubled(*args: object) -> int:
        if troubles:
            raise troubles.pop()
        return whole(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(sweeper, "sweep", troubled)
    with sweeping(workplace, open_queues(redis)):
        eventually(lambda: waiting(open_queues(redis)), 10)
        eventually(Path(workplace.settings.heartbeat_file).exists, 10)
    assert "sweep put off" in caplog.text
    assert "sweep failed" in caplog.text
    assert "the query" not in caplog.text


def test_without_a_heartbeat_file_there_is_no_heartbeat(workplace: Workplace, redis: "Redis[bytes]") -> None:
    silent = msgspec.structs.replace(workplace, settings=msgspec.structs.replace(workplace.settings, heartbeat_file=""))
    add_submission(workplace.engine)
    with sweeping(silent, open_queues(redis)):
        eventually(lambda: waiting(open_queues(redis)), 10)
    assert not Path(workplace.settings.heartbeat_file).exists()
