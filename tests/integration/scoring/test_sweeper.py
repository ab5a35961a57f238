"""The sweeper in process: what it sees to, and that nothing it meets ends it."""

import threading
from pathlib import Path

import msgspec
import pytest
import sqlalchemy as sa

from scoring_service.jobs import sweeper
from scoring_service.jobs.context import WorkerContext
from scoring_service.jobs.sweeper import sweep, sweeping
from tests.integration.scoring.conftest import RealGenerator
from tests.integration.scoring.rows import add_submission, add_verification, submission_row
from tests.waiting import wait_until
from tetrad.server.clock import DAY_MS, now_ms
from tetrad.server.database import read_transaction
from tetrad.server.objects import StoreError
from tetrad.server.scoring_tables import verifications


def test_the_draw_of_what_nobody_saw_is_closed_before_its_row_is_dropped(
    context: WorkerContext, generator: RealGenerator, caplog: pytest.LogCaptureFixture
) -> None:
    add_submission(context.engine, "sub_1", state="open", deadline_at=1)
    add_submission(context.engine, "sub_2", state="open", deadline_at=1, fetched_at=None)
    generator.behave(status=503)
    sweep(context)
    assert submission_row(context.engine, "sub_1").state == "queued", "a generator that is away keeps nobody waiting"
    assert submission_row(context.engine, "sub_2").state == "open", "the row says that a draw is to be closed"
    assert "put off" in caplog.text
    generator.behave()
    sweep(context)
    assert generator.is_closed("sub_2")
    with pytest.raises(sa.exc.NoResultFound):
        submission_row(context.engine, "sub_2")
    sweep(context)


def test_verifications_are_dropped_with_their_reports_when_their_time_is_over(
    context: WorkerContext, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    long_ago = now_ms() - 31 * DAY_MS
    for name, state, ended in (("old", "done", long_ago), ("new", "done", now_ms()), ("due", "queued", None)):
        context.store.put(f"verifications/{name}.json", b"{}")
        add_verification(context.engine, f"verifications/{name}.json", f"ver_{name}", state=state, finished_at=ended)
    with monkeypatch.context() as broken:
        broken.setattr(context.store, "delete", refused)
        sweep(context)
    assert "dropping old verifications put off" in caplog.text
    assert verification_ids(context.engine) == {"ver_old", "ver_new", "ver_due"}, "a row names its report"
    sweep(context)
    assert verification_ids(context.engine) == {"ver_new", "ver_due"}
    found = [context.store.get(f"verifications/{name}.json") for name in ("old", "new", "due")]
    assert found == [None, b"{}", b"{}"]


def refused(*_: object) -> None:
    raise StoreError("the bucket is read-only")


def verification_ids(engine: sa.Engine) -> set[str]:
    with read_transaction(engine) as connection:
        return set(connection.execute(sa.select(verifications.c.id)).scalars())


def test_rounds_go_on_through_any_trouble(
    context: WorkerContext, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    troubles: list[Exception] = [RuntimeError("a defect"), sa.exc.OperationalError("the query", {}, Exception())]
    add_submission(context.engine, state="open", deadline_at=1)
    whole = sweeper.sweep

    def troubled(context: WorkerContext) -> bool:
        if troubles:
            raise troubles.pop()
        return whole(context)

    monkeypatch.setattr(sweeper, "sweep", troubled)
    found = threading.Event()
    with sweeping(context, found):
        wait_until(lambda: submission_row(context.engine).state == "queued", 10)
        wait_until(Path(context.settings.heartbeat_file).exists, 10)
    assert found.is_set(), "the worker is told of the row that is due"
    assert "sweep put off" in caplog.text
    assert "sweep failed" in caplog.text
    assert "the query" not in caplog.text


def test_without_a_heartbeat_file_there_is_no_heartbeat(context: WorkerContext) -> None:
    silent = msgspec.structs.replace(context, settings=msgspec.structs.replace(context.settings, heartbeat_file=""))
    add_submission(context.engine, state="open", deadline_at=1)
    with sweeping(silent, threading.Event()):
        wait_until(lambda: submission_row(context.engine).state == "queued", 10)
    assert not Path(context.settings.heartbeat_file).exists()
