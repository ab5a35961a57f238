"""Answers go from rows to an object; a kill -9 at any step loses nothing, on both databases."""

import os
import signal
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any

import msgspec
import pytest
import sqlalchemy as sa

from api.database import schema
from scoring_service.jobs import retention
from scoring_service.jobs.context import WorkerContext, open_context
from scoring_service.jobs.report_work import ReportJob, SubmissionAnswers
from scoring_service.jobs.retention import prune_answers, prune_or_put_off
from scoring_service.jobs.sweeper import sweep
from scoring_service.settings import ScoringSettings
from tests.integration.scoring import sealed_toy
from tests.integration.scoring.conftest import RealGenerator, work_until_done
from tests.integration.scoring.rows import add_submission, submission_row
from tetrad.contracts.reports import Report
from tetrad.internal.kept_answers import unpack_answers
from tetrad.server.clock import DAY_MS, now_ms
from tetrad.server.damage import DamageError
from tetrad.server.database import make_engine, read_transaction, write_transaction
from tetrad.server.outbox import Lease
from tetrad.server.scoring_tables import submissions

SIZE = 4
OLD, LATER = 1000, 2000
ROWS = (schema.questions, schema.items, schema.answers)


@contextmanager
def opened(engine: sa.Engine, settings: ScoringSettings, generator: RealGenerator) -> Iterator[WorkerContext]:
    """Give a worker's context with a submission that is scored, its questions and items."""
    url = engine.url.render_as_string(hide_password=False)
    here = open_context(msgspec.structs.replace(settings, database_url=url))
    add_scored(here, "sub_1")
    yield here
    here.close()


@pytest.fixture
def on(engine: sa.Engine, settings: ScoringSettings, generator: RealGenerator) -> Iterator[WorkerContext]:
    with opened(engine, settings, generator) as here:
        yield here


@pytest.fixture
def on_any(any_engine: sa.Engine, settings: ScoringSettings, generator: RealGenerator) -> Iterator[WorkerContext]:
    with opened(any_engine, settings, generator) as here:
        yield here


def add_scored(context: WorkerContext, submission: str) -> None:
    answers = [_as_reply(one) for one in sealed_toy.right_answers(submission, SIZE)]
    add_submission(context.engine, submission, SIZE, answers=answers)
    with write_transaction(context.engine) as connection:
        for one in answers:
            place = {"submission_id": submission, "item": one.item, "question": one.question}
            row = {**place, "shape": "{}", "pictures": "a.png", "opened_at": 1}
            connection.execute(sa.insert(schema.questions).values(row))
        for item in range(SIZE):
            row = {"submission_id": submission, "item": item, "closing": True, "finished": True}
            connection.execute(sa.insert(schema.items).values(row))
    work_until_done(context)
    with write_transaction(context.engine) as connection:
        scored = sa.update(schema.submissions).where(schema.submissions.c.id == submission)
        assert submission_row_in(connection, submission).state == "scored"
        connection.execute(scored.values(scored_at=OLD))


def submission_row_in(connection: sa.Connection, submission: str) -> sa.Row[Any]:
    return connection.execute(sa.select(schema.submissions).where(schema.submissions.c.id == submission)).one()


def _as_reply(answer: Any) -> Any:
    return msgspec.structs.replace(answer, answer=None, response=f"It is {answer.answer}", stop="complete")


def rows_left(context: WorkerContext, submission: str = "sub_1") -> list[int]:
    with read_transaction(context.engine) as connection:
        return [
            connection.execute(
                sa.select(sa.func.count()).select_from(table).where(table.c.submission_id == submission)
            ).scalar_one()
            for table in ROWS
        ]


def report_of(context: WorkerContext, submission: str = "sub_1") -> Report:
    with closing(ReportJob(context, Lease(submissions, submission, 1), submission).begin()) as work:
        while work.step():
            pass
        return work.report([], "2026-01-01T00:00:00Z")


def test_rows_go_and_scoring_again_gives_the_same_report(on_any: WorkerContext) -> None:
    before = report_of(on_any)
    add_scored(on_any, "sub_2")
    assert prune_answers(on_any, OLD, LATER) == 2
    assert rows_left(on_any) == rows_left(on_any, "sub_2") == [0, 0, 0]
    row = submission_row(on_any.engine)
    assert (row.pruned_at, row.state) == (LATER, "scored")
    assert report_of(on_any) == before
    assert {question.verdict for question in before.questions} == {"correct"}
    assert prune_answers(on_any, OLD, LATER) == 0


def test_kept_answers_are_fetched_once_for_all_ranges(on: WorkerContext, monkeypatch: pytest.MonkeyPatch) -> None:
    ranges = [range(item, item + 1) for item in range(SIZE)]
    in_rows = list(map(SubmissionAnswers(on, "sub_1", SIZE), ranges))
    prune_answers(on, OLD, LATER)
    fetched: list[str] = []
    get = type(on.store).get

    def counted(store: Any, name: str) -> bytes | None:
        fetched.append(name)
        return get(store, name)

    monkeypatch.setattr(type(on.store), "get", counted)
    found = list(map(SubmissionAnswers(on, "sub_1", SIZE), ranges))
    assert [sorted(part, key=str) for part in found] == [sorted(part, key=str) for part in in_rows]
    assert len(found) > len(fetched) == 1


def test_what_is_younger_or_not_scored_stays(on: WorkerContext) -> None:
    add_submission(on.engine, "sub_2", SIZE, state="failed", answers=sealed_toy.right_answers("sub_2", SIZE))
    add_submission(on.engine, "sub_3", SIZE, state="open", answers=sealed_toy.right_answers("sub_3", SIZE))
    left = rows_left(on)
    assert prune_answers(on, OLD - 1, LATER) == 0
    assert rows_left(on) == left
    assert prune_answers(on, LATER, LATER) == 1
    assert rows_left(on, "sub_2")[2] > 0
    assert rows_left(on, "sub_3")[2] > 0


@contextmanager
def killed_at(step: int, *, committed: bool) -> Iterator[None]:
    """Kill this process by SIGKILL in the write transaction number `step`, before or after it is committed."""
    seen = [0]

    @contextmanager
    def counting(engine: sa.Engine) -> Iterator[sa.Connection]:
        seen[0] += 1
        with write_transaction(engine) as connection:
            yield connection
            if seen[0] == step and not committed:
                os.kill(os.getpid(), signal.SIGKILL)
        if seen[0] == step:
            os.kill(os.getpid(), signal.SIGKILL)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(retention, "write_transaction", counting)
        patched.setattr(retention, "ITEMS_A_SLICE", 2)
        yield


@pytest.mark.parametrize("committed", [False, True], ids=["before-commit", "after-commit"])
@pytest.mark.parametrize("step", [1, 2, 3, 4])
def test_a_kill_at_any_step_loses_nothing_and_the_next_round_ends_it(
    on_any: WorkerContext, step: int, *, committed: bool
) -> None:
    before = report_of(on_any)
    url = on_any.engine.url.render_as_string(hide_password=False)
    on_any.engine.dispose()
    child = os.fork()
    if child == 0:
        try:
            with killed_at(step, committed=committed):
                prune_answers(msgspec.structs.replace(on_any, engine=make_engine(url)), OLD, LATER)
        finally:
            os._exit(3)  # it got past the step
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status)
    assert os.WTERMSIG(status) == signal.SIGKILL
    assert report_of(on_any) == before
    if (step, committed) != (4, True):  # the last step was done
        assert prune_answers(on_any, OLD, LATER) == 1
    assert rows_left(on_any) == [0, 0, 0]
    assert report_of(on_any) == before
    assert len(list(on_any.store.names("answers/sub_1"))) == 1


def test_a_generator_that_is_away_puts_it_off_and_nothing_is_deleted(
    on: WorkerContext, generator: RealGenerator, caplog: pytest.LogCaptureFixture
) -> None:
    left, before = rows_left(on), report_of(on)
    generator.behave(status=503)
    prune_or_put_off(on, OLD, LATER)
    assert "put off" in caplog.text
    assert rows_left(on) == left
    generator.behave()
    assert report_of(on) == before
    assert prune_answers(on, OLD, LATER) == 1


def test_answers_that_lose_their_replies_meanwhile_are_not_kept_with_them(
    on_any: WorkerContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The team is deleted between the reading of the rows and the naming of the object."""
    put = type(on_any.store).put

    def deleting(store: Any, name: str, body: bytes) -> None:
        put(store, name, body)
        with write_transaction(on_any.engine) as connection:
            connection.execute(sa.update(schema.answers).values(response=None, answer="A"))

    monkeypatch.setattr(type(on_any.store), "put", deleting)
    assert prune_answers(on_any, OLD, LATER) == 0
    monkeypatch.undo()
    assert list(on_any.store.names("answers/sub_1")) == []
    assert prune_answers(on_any, OLD, LATER) == 1
    (name,) = on_any.store.names("answers/sub_1")
    body = on_any.store.get(name)
    assert body is not None
    assert {one.response for one in unpack_answers(body)} == {None}


def test_an_object_that_was_changed_is_an_alarm(on: WorkerContext) -> None:
    assert prune_answers(on, OLD, LATER) == 1
    (name,) = on.store.names("answers/sub_1")
    for body in (b"other", None):
        if body is None:
            on.store.delete(name)
        else:
            on.store.put(name, body)
        with pytest.raises(DamageError, match="backup"):
            report_of(on)


def test_the_sweeper_prunes_after_the_days_that_are_set(on: WorkerContext) -> None:
    with write_transaction(on.engine) as connection:
        connection.execute(sa.update(schema.submissions).values(scored_at=now_ms() - 3 * DAY_MS))
    for days, left in ((4.0, True), (2.0, False)):
        settings = msgspec.structs.replace(on.settings, answer_rows_days=days)
        sweep(msgspec.structs.replace(on, settings=settings))
        assert (rows_left(on) != [0, 0, 0]) is left
