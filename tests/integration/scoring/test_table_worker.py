"""What a worker does with jobs that are none of ours. Jobs go through a real Valkey."""

import json
import os
import threading
import zlib
from pathlib import Path
from typing import Any

import pytest
from redis import Redis
from rq import Queue
from rq.job import Callback, Job
from rq.serializers import JSONSerializer

from scoring_service.jobs.job_notifier import open_queues, ring, waiting
from scoring_service.jobs.table_job import TableJob, job_class_of
from scoring_service.jobs.table_worker import NOT_KEPT, TableWorker, assert_ours
from tetrad.internal.jobs import DELIVERY, QUEUE, SCORE_SUBMISSION, VERIFY_REPORT

TOUCHED = "touched"


@pytest.fixture
def looked_at() -> list[str]:
    return []


@pytest.fixture
def jobs(looked_at: list[str]) -> type[TableJob]:
    def explode(row_id: str) -> None:
        raise RuntimeError(f"the key of {row_id} is B")

    return job_class_of({"look": looked_at.append, "explode": explode})


def work(redis: "Redis[bytes]", jobs: type[TableJob]) -> None:
    TableWorker(redis, jobs, threading.Event()).work(burst=True, logging_level=None)


def everything_in(redis: "Redis[bytes]") -> str:
    """Every value in Redis as text, jobs' bodies and tracebacks unpacked."""
    readers: dict[bytes, Any] = {
        b"string": redis.get,
        b"hash": redis.hgetall,
        b"list": lambda key: redis.lrange(key, 0, -1),
        b"set": redis.smembers,
        b"zset": lambda key: redis.zrange(key, 0, -1),
        b"stream": redis.xrange,
    }
    return " ".join(f"{key!r} {readers[kind(redis, key)](key)!r}" for key in redis.keys("*"))


def test_a_job_of_the_table_runs_and_leaves_nothing(
    redis: "Redis[bytes]", jobs: type[TableJob], looked_at: list[str]
) -> None:
    ring(open_queues(redis), "look", "sub_1", 0)
    work(redis, jobs)
    assert looked_at == ["sub_1"]
    assert "sub_1" not in everything_in(redis)


@pytest.mark.parametrize("function", ["os.system", "posix.system", "subprocess.call", "look.__class__", ""])
def test_a_job_that_names_another_function_is_refused_and_not_run(
    redis: "Redis[bytes]", jobs: type[TableJob], tmp_path: Path, function: str, caplog: pytest.LogCaptureFixture
) -> None:
    queue = Queue(QUEUE, connection=redis, serializer=JSONSerializer)
    queue.enqueue_call(func=function, args=(f"touch {tmp_path}/{TOUCHED}",), job_id="bad")
    work(redis, jobs)
    assert not (tmp_path / TOUCHED).exists()
    assert not Job.exists("bad", redis)
    assert "job refused: it is not in the table of jobs" in caplog.text
    assert "Traceback" not in everything_in(redis)


@pytest.mark.parametrize(
    "call",
    [
        ("look", None, ["a", "b"], {}),
        ("look", None, [], {}),
        ("look", None, [7], {}),
        ("look", None, ["../../etc/passwd"], {}),
        ("look", None, ["sub_1"], {"row_id": "sub_2"}),
        ("look", {"an": "instance"}, ["sub_1"], {}),
        (["look"], None, ["sub_1"], {}),
        ("look", None),
    ],
)
def test_a_job_of_the_table_with_anything_but_one_row_id_is_refused(
    redis: "Redis[bytes]", jobs: type[TableJob], looked_at: list[str], call: tuple[object, ...]
) -> None:
    push(redis, json.dumps(call).encode())
    work(redis, jobs)
    assert looked_at == []
    assert redis.exists("rq:job:raw") == 0


def test_a_pickle_is_not_opened(redis: "Redis[bytes]", jobs: type[TableJob], tmp_path: Path) -> None:
    Queue(QUEUE, connection=redis).enqueue_call(func=os.system, args=(f"touch {tmp_path}/{TOUCHED}",), job_id="raw")
    work(redis, jobs)
    assert not (tmp_path / TOUCHED).exists()
    assert redis.exists("rq:job:raw") == 0


def test_a_job_of_the_table_brings_no_callbacks_webhooks_or_retries_along(
    redis: "Redis[bytes]", jobs: type[TableJob], looked_at: list[str]
) -> None:
    called = Callback("os.getcwd")
    queue = Queue(QUEUE, connection=redis, serializer=JSONSerializer)
    queue.enqueue_call(func="look", args=("sub_1",), job_id="raw", on_success=called, on_failure=called, result_ttl=0)
    extra: dict[str | bytes, bytes | float | int | str] = {
        "retries_left": "3",
        "repeats_left": "3",
        "group_id": "g",
        "dependency_ids": '["other"]',
    }
    hook = [{"url": "http://127.0.0.1:9/", "job_status": "finished"}]
    redis.hset("rq:job:raw", mapping={**extra, "webhooks": json.dumps(hook)})
    job = jobs.fetch("raw", redis, JSONSerializer)
    assert (job.success_callback, job.failure_callback, job.stopped_callback) == (None, None, None)
    assert (job.webhooks, job.retries_left, job.repeats_left, job.group_id) == ([], None, None, None)
    work(redis, jobs)
    assert looked_at == ["sub_1"]
    assert redis.exists("rq:job:raw") == 0


def test_a_job_that_fails_leaves_no_traceback_in_redis(redis: "Redis[bytes]", jobs: type[TableJob]) -> None:
    ring(open_queues(redis), "explode", "sub_1", 0)
    work(redis, jobs)
    left = everything_in(redis)
    assert NOT_KEPT in left or "explode-sub_1-0" in left
    assert "RuntimeError" not in left
    assert "is B" not in left
    (result,) = jobs.fetch("explode-sub_1-0", redis, JSONSerializer).results()
    assert result.exc_string == NOT_KEPT
    assert 0 < redis.ttl("rq:job:explode-sub_1-0") <= DELIVERY["failure_ttl"]


def test_a_job_read_by_rqs_own_class_is_not_run(redis: "Redis[bytes]") -> None:
    with pytest.raises(Exception, match="not read as a job of the table"):
        assert_ours(Job.create("os.getcwd", connection=redis))


def test_a_job_resolves_to_its_function_of_the_table(
    redis: "Redis[bytes]", jobs: type[TableJob], looked_at: list[str]
) -> None:
    jobs.create("look", args=("sub_1",), connection=redis, serializer=JSONSerializer).func("ignored")
    assert looked_at == ["sub_1"]


def test_what_a_dead_worker_left_is_cleared(redis: "Redis[bytes]", jobs: type[TableJob]) -> None:
    redis.lpush(f"rq:queue:{QUEUE}:intermediate", "dead")
    redis.zadd(f"rq:wip:{QUEUE}", {"dead:execution": 1, "alive:execution": 9e12})
    work(redis, jobs)
    assert redis.exists(f"rq:queue:{QUEUE}:intermediate") == 0
    assert redis.zrange(f"rq:wip:{QUEUE}", 0, -1) == [b"alive:execution"]


def test_rings_are_known_by_their_ids_until_they_are_taken(redis: "Redis[bytes]", jobs: type[TableJob]) -> None:
    queues = open_queues(redis)
    ring(queues, "look", "sub_1", 0)
    ring(queues, "look", "sub_2", 3)
    assert waiting(queues) == {"look-sub_1-0", "look-sub_2-3"}
    work(redis, jobs)
    assert waiting(queues) == set()


def test_what_teams_wait_for_goes_before_what_anybody_asks_for(redis: "Redis[bytes]") -> None:
    done: list[str] = []
    queues = open_queues(redis)
    for place in range(3):
        ring(queues, VERIFY_REPORT, f"ver_{place}", 0)
    for place in range(3):
        ring(queues, SCORE_SUBMISSION, f"sub_{place}", 0)
    work(redis, job_class_of({SCORE_SUBMISSION: done.append, VERIFY_REPORT: done.append}))
    assert done == ["sub_0", "sub_1", "sub_2", "ver_0", "ver_1", "ver_2"]


def push(redis: "Redis[bytes]", body: bytes) -> None:
    redis.hset("rq:job:raw", mapping={"data": zlib.compress(body), "origin": QUEUE, "status": "queued"})
    redis.rpush(f"rq:queue:{QUEUE}", "raw")
    redis.sadd("rq:queues", f"rq:queue:{QUEUE}")


def kind(redis: "Redis[bytes]", key: bytes) -> bytes:
    found: bytes = redis.execute_command("TYPE", key)
    return found
