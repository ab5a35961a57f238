"""Everything confirmed with 2xx survives kill -9, and every submission is scored within 60 s, whatever was killed."""

import threading
import time
from collections.abc import Callable, Iterator
from itertools import count

import pytest
import redis

from tests.answering import answer_all, first, open_questions, open_submission, wait_scored
from tests.instance import Instance
from tetrad.client import Client, ServiceError, TetradError
from tetrad.contracts.answers import Answer


@pytest.fixture(scope="module")
def team(instance: Instance) -> Iterator[Client]:
    with instance.team("chaos") as client:
        yield client


def answered(team: Client, model: str, size: int = 400) -> str:
    """Open a submission and seal an answer to everything that opens, but don't ask again: it stays open."""
    submission = open_submission(team, model, size=size, setting="shade-only")
    waiting = list(open_questions(team, submission.id))
    team.seal(submission.id, [Answer(item=one.item, question=one.question.id, answer=first(one)) for one in waiting])
    return submission.id


def patiently(act: Callable[[], object], seconds: float = 60) -> None:
    """Repeat a request until it works or turns out to have worked: what a client does when a server dies."""
    end = time.monotonic() + seconds
    while True:
        try:
            act()
        except ServiceError as error:
            if error.problem.status == 409:
                return
            if time.monotonic() > end or error.problem.status < 500:
                raise
        except TetradError:
            if time.monotonic() > end:
                raise
        else:
            return
        time.sleep(0.2)


@pytest.mark.parametrize("moment", [0.0, 0.05, 0.2])
def test_a_killed_worker_leaves_the_submission_scored(instance: Instance, team: Client, moment: float) -> None:
    submission = answered(team, f"worker-{moment}")
    patiently(lambda: team.finish(submission))
    time.sleep(moment)
    instance.kill("scoring")
    report = wait_scored(team, submission)
    assert (report.questions_asked, report.missing) == (400, 0)


def test_a_flushed_redis_leaves_the_submission_scored(instance: Instance, team: Client) -> None:
    submissions = [answered(team, f"flushed-{place}") for place in range(3)]
    admin = redis.Redis.from_url(instance.admin_redis_url())
    stop = threading.Event()

    def flush() -> None:
        while not stop.is_set():
            admin.flushall()
            time.sleep(0.01)

    thread = threading.Thread(target=flush)
    thread.start()
    try:
        for submission in submissions:
            team.finish(submission)
        time.sleep(2)
    finally:
        stop.set()
        thread.join()
    assert all(wait_scored(team, submission).missing == 0 for submission in submissions)


def test_a_killed_redis_leaves_the_submission_scored(instance: Instance, team: Client) -> None:
    submission = answered(team, "redis-killed")
    instance.kill("valkey")
    team.finish(submission)
    assert wait_scored(team, submission).missing == 0


def test_a_killed_api_loses_no_answer_it_had_acknowledged(instance: Instance, team: Client) -> None:
    submission = open_submission(team, "api-killed", size=200, setting="shade-only").id
    waiting = list(open_questions(team, submission))
    acknowledged: list[int] = []
    killed = threading.Event()
    number = count()

    def seal(index: int) -> None:
        one = waiting[index]
        team.seal(submission, [Answer(item=one.item, question=one.question.id, answer=first(one))])
        acknowledged.append(one.item)

    def kill() -> None:
        while len(acknowledged) < 30:
            time.sleep(0.001)
        instance.kill("api")
        killed.set()

    killer = threading.Thread(target=kill)
    killer.start()
    for index in number:
        try:
            seal(index)
        except TetradError:
            break
        if killed.is_set() or index == len(waiting) - 1:
            break
    killer.join()
    instance.wait_ready()
    left = {one.item for one in open_questions(team, submission)}
    assert len(acknowledged) >= 30
    assert not left & set(acknowledged)
    team.finish(submission)
    report = wait_scored(team, submission)
    results = {result.item: result.verdict for result in report.questions}
    assert all(results[item] in {"correct", "incorrect"} for item in acknowledged)
    assert report.questions_asked == 200


def test_an_api_killed_at_the_finish_leaves_the_submission_scored(instance: Instance, team: Client) -> None:
    submission = answered(team, "finish-killed")
    killer = threading.Thread(target=lambda: instance.kill("api"))
    killer.start()
    patiently(lambda: team.finish(submission))
    killer.join()
    instance.wait_ready()
    patiently(lambda: team.finish(submission))
    assert wait_scored(team, submission).missing == 0


def test_a_killed_generator_only_delays(instance: Instance, team: Client) -> None:
    submission = answered(team, "generator-killed")
    instance.kill("generator")
    team.finish(submission)
    assert wait_scored(team, submission).missing == 0
    instance.wait_ready()
    other = open_submission(team, "after", size=5)
    answer_all(team, other.id)
    assert wait_scored(team, other.id).missing == 0
