"""Tests of which verifications are accepted, from whom and when. Nothing is kept of refused ones."""

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
import sqlalchemy as sa
from litestar.testing import TestClient
from msgspec import json
from msgspec.structs import replace

from api.app import create_app
from api.database.schema import submissions, verification_bytes, verifications
from api.settings import ApiSettings
from api.submissions import verifications as module
from api.submissions.verifications import LARGEST_WITHOUT_KEY, MOST_ITEMS, MOST_WAITING, MOST_WAITING_WITH_KEY
from scoring_service.jobs.sweeper import drop_verifications
from tests.integration.api.conftest import BOTH_DATABASES, Client
from tests.integration.api.scoring import Scoring, finished
from tests.integration.api.team import Team
from tetrad.contracts.reports import QuestionResult, Report
from tetrad.server.database import read_transaction, write_transaction


@pytest.fixture
def report(team: Team, scoring: Scoring) -> Report:
    return scoring.score(team, finished(team))


def of_size(report: Report, size: int) -> Report:
    first = (
        report.questions[0]
        if report.questions
        else QuestionResult(item=0, question="what", verdict="missing", answer=None, key="A", reason="", facets={})
    )
    return replace(report, size=size, questions=[replace(first, item=item) for item in range(size)])


def send(client: Client, report: Report, key: str = "") -> httpx.Response:
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    return client.post("/v1/verifications", content=json.encode({"report": report}), headers=headers)


@pytest.fixture
def kept(settings: ApiSettings, engine: sa.Engine, tmp_path: Path) -> Iterator[list[int]]:
    """Return nothing now; look at the end that there is a row for each object and an object for each row."""
    yield []
    with engine.connect() as connection:
        rows = connection.execute(sa.select(verifications.c.object, verifications.c.bytes)).all()
    folder = tmp_path / "objects"
    files = {f"verifications/{path.name}": path.stat().st_size for path in (folder / "verifications").glob("*")}
    assert files == {row.object: row.bytes for row in rows}


def test_without_a_key_a_thousand_items_are_taken_and_no_more(team: Team, report: Report, kept: list[int]) -> None:
    client = team.client
    assert send(client, of_size(report, MOST_ITEMS)).status_code == 202
    refused = send(client, of_size(report, MOST_ITEMS + 1))
    assert refused.status_code == 413
    assert refused.json()["faults"][0]["field"] == "report"
    assert "API key" in refused.json()["faults"][0]["remedy"]
    assert send(client, of_size(report, MOST_ITEMS + 1), team.key).status_code == 202


def test_without_a_key_a_long_body_is_refused_while_it_comes(team: Team, kept: list[int]) -> None:
    read = 0

    def pieces() -> Iterator[bytes]:
        nonlocal read
        for _ in range(64):
            read += 2**20
            yield bytes(2**20)

    reply = team.client.post("/v1/verifications", content=pieces())
    assert reply.status_code == 413
    assert str(LARGEST_WITHOUT_KEY) in reply.json()["detail"]
    with_key = team.client.post("/v1/verifications", content=bytes(LARGEST_WITHOUT_KEY + 1), headers=team.headers)
    assert with_key.status_code == 422, "it is read, and is no report"


@pytest.mark.parametrize("change", ["fewer", "more", "outside"])
def test_a_report_that_does_not_name_its_items_is_refused_before_it_is_kept(
    team: Team, report: Report, kept: list[int], change: str
) -> None:
    whole = of_size(report, 5)
    changed = {
        "fewer": replace(whole, questions=whole.questions[1:]),
        "more": replace(whole, size=4),
        "outside": replace(whole, questions=[*whole.questions[:4], replace(whole.questions[4], item=7)]),
    }[change]
    reply = send(team.client, changed)
    assert (reply.status_code, reply.json()["faults"][0]["field"]) == (422, "report.questions")
    assert send(team.client, whole).status_code == 202


@BOTH_DATABASES
def test_few_at_a_time_are_taken_from_an_address_and_more_from_a_team(
    team: Team, report: Report, engine: sa.Engine, kept: list[int]
) -> None:
    client, small = team.client, of_size(report, 1)
    assert [send(client, small).status_code for _ in range(MOST_WAITING)] == [202] * MOST_WAITING
    refused = send(client, small)
    assert (refused.status_code, refused.headers["Retry-After"]) == (429, "10")
    assert "from your address" in refused.json()["detail"]
    assert [send(client, small, team.key).status_code for _ in range(MOST_WAITING_WITH_KEY)] == [202] * 20
    assert send(client, small, team.key).status_code == 429
    with engine.begin() as connection:
        connection.execute(sa.update(verifications).values(state="done"))
    assert send(client, small).status_code == 202


def test_none_is_taken_while_queues_are_long(
    team: Team, report: Report, engine: sa.Engine, kept: list[int], settings: ApiSettings
) -> None:
    most = settings.verifications_queue
    small = of_size(report, 1)
    with engine.begin() as connection:
        row = connection.execute(sa.select(submissions)).mappings().one()
        waiting = [{**row, "id": f"sub_{place}", "state": "queued"} for place in range(2 * most)]
        connection.execute(sa.insert(submissions), waiting)
    refused = send(team.client, small)
    assert (refused.status_code, refused.headers["Retry-After"]) == (503, "30")
    assert f"{2 * most} submissions wait" in refused.json()["detail"]
    assert send(team.client, small, team.key).status_code == 202


@BOTH_DATABASES
def test_bytes_are_bounded_by_asker_and_in_all(
    team: Team, report: Report, engine: sa.Engine, kept: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    small = of_size(report, 1)
    size = len(json.encode(small))
    monkeypatch.setattr(module, "MOST_KEPT", size + 10)
    assert send(team.client, small).status_code == 202
    refused = send(team.client, small)
    assert (refused.status_code, "for your address" in refused.json()["detail"]) == (429, True)
    assert send(team.client, small, team.key).status_code == 202
    with write_transaction(engine) as connection:
        connection.execute(sa.update(verifications).values(state="done", finished_at=1))
    assert drop_verifications(engine, team.client.app.state.context.store, 2) == 2
    with read_transaction(engine) as connection:
        assert connection.execute(sa.select(verification_bytes)).all() == [("", 0)]
    assert send(team.client, small).status_code == 202, "what was deleted counts no more"
    monkeypatch.setattr(module, "MIB", 0)
    full = send(team.client, small, team.key)
    assert (full.status_code, full.headers["Retry-After"]) == (503, "3600")


def test_a_wrong_key_is_refused_before_the_body(team: Team, report: Report, kept: list[int]) -> None:
    assert send(team.client, of_size(report, 1), "tetrad_made-up").status_code == 401


def test_a_disk_that_is_full_is_told_by_health_and_in_the_log(
    settings: ApiSettings, capfd: pytest.CaptureFixture[str]
) -> None:
    """The disk is a real one; what is needed is more than any has."""
    with TestClient(create_app(replace(settings, least_free_mib=2**30))) as client:
        reply = client.get("/health/ready")
        client.get("/health/ready")
    assert reply.status_code == 503
    told = reply.json()["shortages"]
    assert set(told) == {"database", "objects"}
    assert "the disk of the database is full" in told["database"]
    assert "free some space or enlarge the volume" in told["database"]
    assert str(Path(settings.store_url.removeprefix("file://"))) not in reply.text
    log = capfd.readouterr()
    assert (log.out + log.err).count("the disk is full") == 2, "once for each disk"
