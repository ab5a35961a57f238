"""Scoring is notified after the commit, of ids only, and a Redis that is away costs nobody anything."""

import logging
from collections.abc import Iterator

import pytest
from litestar.testing import TestClient
from msgspec.structs import replace
from redis import Redis
from rq import Queue
from rq.serializers import JSONSerializer

from api.app import create_app
from api.settings import ApiSettings
from api.upstream.job_notifier import FORGOTTEN_SECONDS, JobNotifier
from tests.integration.api.team import Team
from tests.ports import free_port
from tetrad.internal.jobs import QUEUE


@pytest.fixture
def queue(valkey: str) -> Iterator[Queue]:
    with Redis.from_url(valkey) as redis:
        redis.flushall()
        yield Queue(QUEUE, connection=redis, serializer=JSONSerializer)


def test_scoring_is_notified_of_a_finished_submission_by_id(settings: ApiSettings, valkey: str, queue: Queue) -> None:
    with TestClient(create_app(replace(settings, redis_url=valkey))) as client:
        team = Team.registered(client, "north")
        by_answers, by_request = team.open(size=1), team.open(size=1)
        team.answer_all(by_answers)
        team.questions(by_request)
        assert queue.count == 1
        team.post(f"/v1/submissions/{by_request}/finish")
        assert client.get("/health/ready").json()["redis"] == "up"
    jobs = queue.jobs
    assert [(job.func_name, job.args) for job in jobs] == [
        ("score_submission", [name]) for name in (by_answers, by_request)
    ]
    assert all(0 < queue.connection.ttl(job.key) <= FORGOTTEN_SECONDS for job in jobs)


def test_every_outbox_has_its_notification(valkey: str, queue: Queue) -> None:
    notifier = JobNotifier(valkey)
    notifier.score("sub_1")
    notifier.verify("ver_1")
    notifier.rescore("res_1")
    notifier.close()
    assert [(job.func_name, job.args) for job in queue.jobs] == [
        ("score_submission", ["sub_1"]),
        ("verify_report", ["ver_1"]),
        ("rescore_submission", ["res_1"]),
    ]


def test_a_redis_that_is_away_is_logged_and_costs_nothing(
    settings: ApiSettings, caplog: pytest.LogCaptureFixture
) -> None:
    away = f"redis://127.0.0.1:{free_port()}"
    with TestClient(create_app(replace(settings, redis_url=away))) as client:
        logging.getLogger().addHandler(caplog.handler)
        team = Team.registered(client, "north")
        submission = team.open(size=1)
        team.answer_all(submission)
        assert team.get(f"/v1/submissions/{submission}").json()["state"] == "queued"
        ready = client.get("/health/ready")
        logging.getLogger().removeHandler(caplog.handler)
    assert (ready.status_code, ready.json()["redis"]) == (200, "degraded")
    assert "no worker was notified" in caplog.text
