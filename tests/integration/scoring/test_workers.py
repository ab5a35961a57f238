"""Worker processes as they run in production, and what happens to them there."""

import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
import sqlalchemy as sa
from redis import Redis

from scoring_service.doorbell import open_queue, ring
from scoring_service.settings import ScoringSettings
from tests.integration.scoring import toy
from tests.integration.scoring.conftest import StandIn, eventually
from tests.integration.scoring.rows import add_submission, event_kinds, report_rows, submission_row
from tetrad.contracts.jobs import SCORE_SUBMISSION
from tetrad.contracts.reports import Report
from tetrad.serving.objects import open_store

pytestmark = pytest.mark.slow

Start = Callable[[], "subprocess.Popen[bytes]"]


def is_scored(engine: sa.Engine) -> bool:
    return str(submission_row(engine).state) == "scored"


def test_a_rung_submission_is_scored_within_two_seconds(
    sqlite_engine: sa.Engine, settings: ScoringSettings, redis: "Redis[bytes]", start_worker: Start
) -> None:
    start_worker()
    eventually(Path(settings.heartbeat_file).exists, 20)
    add_submission(sqlite_engine, answers=toy.right_answers("sub_1", 4))
    ring(open_queue(redis), SCORE_SUBMISSION, "sub_1", 0)
    eventually(lambda: is_scored(sqlite_engine), 2)
    row = report_rows(sqlite_engine)[0]
    body = open_store(settings.store_url).get(str(row.object))
    assert body is not None
    report = msgspec.json.decode(body, type=Report)
    assert (report.headline.value, report.seed) == (1.0, toy.seed_of("sub_1"))
    assert event_kinds(sqlite_engine) == ["scored"]


def test_a_killed_workers_submission_is_scored_by_another_once_its_lease_ends(
    sqlite_engine: sa.Engine, generator: StandIn, start_worker: Start
) -> None:
    generator.behave(delay=30)
    add_submission(sqlite_engine, answers=toy.right_answers("sub_1", 4))
    first = start_worker()
    eventually(lambda: submission_row(sqlite_engine).attempt == 1, 20)
    first.send_signal(signal.SIGKILL)
    first.wait(10)
    generator.behave()
    start_worker()
    eventually(lambda: is_scored(sqlite_engine), 20)
    assert submission_row(sqlite_engine).attempt == 2
    assert len(report_rows(sqlite_engine)) == 1
