"""After scoring: reports, revealed items, boards; verifications; health. Scoring itself is played by the tests."""

import socket
import time
from pathlib import Path
from unittest.mock import patch

import pytest
import sqlalchemy as sa
from litestar.testing import TestClient
from msgspec import json
from msgspec.structs import replace

from api.app import create_app
from api.database.schema import submissions, verifications
from api.routes import health
from api.settings import ApiSettings
from tests.integration.api.conftest import BOTH_DATABASES, Client
from tests.integration.api.scoring import Scoring, finished
from tests.integration.api.team import Team
from tests.integration.api.trio import key_of
from tests.ports import free_port
from tetrad import __version__
from tetrad.contracts.reports import Finding, Report
from tetrad.server.clock import now_ms


def test_a_report_is_told_once_scored_and_not_before(team: Team, scoring: Scoring) -> None:
    submission = finished(team)
    path = f"/v1/submissions/{submission}"
    waiting = team.get(f"{path}/report")
    assert (waiting.status_code, waiting.headers["Retry-After"]) == (409, "2")
    assert team.get(f"{path}/items").status_code == 409
    report = scoring.score(team, submission)
    reply = team.get(f"{path}/report")
    assert json.decode(reply.content, type=Report) == report
    page = team.get(f"{path}/report", Accept="text/markdown")
    assert page.headers["Content-Type"].startswith("text/markdown")
    assert submission in page.text
    shown = team.get(path).json()
    assert (shown["state"], shown["seed"], shown["headline"]["value"]) == ("scored", report.seed, 0.75)


def test_an_open_submission_has_no_report_and_no_time_to_wait_for(team: Team) -> None:
    reply = team.get(f"/v1/submissions/{team.open()}/report")
    assert reply.status_code == 409
    assert "Retry-After" not in reply.headers


def test_public_reports_are_for_anyone_and_private_ones_for_the_owner(
    client: Client, team: Team, scoring: Scoring
) -> None:
    public, private = finished(team), finished(team, visibility="private")
    assert client.get(f"/v1/submissions/{public}/report").status_code == 404
    for submission in (public, private):
        scoring.score(team, submission)
        assert team.get(f"/v1/submissions/{submission}/items").status_code == 200
    for below in ("report", "items"):
        assert client.get(f"/v1/submissions/{public}/{below}").status_code == 200
        assert client.get(f"/v1/submissions/{private}/{below}").status_code == 404


def test_no_cache_keeps_a_private_report_or_an_error_and_no_browser_guesses_a_type(
    client: Client, team: Team, scoring: Scoring
) -> None:
    submission = finished(team, visibility="private")
    scoring.score(team, submission)
    for below in ("", "/report", "/items", "/revisions"):
        path = f"/v1/submissions/{submission}{below}"
        kept = team.get(path).headers
        assert (kept["Cache-Control"], kept["X-Content-Type-Options"]) == ("private, no-store", "nosniff")
        refused = client.get(path).headers
        assert (refused["Cache-Control"], refused["X-Content-Type-Options"]) == ("no-store", "nosniff")


def test_revealed_items_come_with_keys_answers_and_replies(team: Team, scoring: Scoring) -> None:
    submission = finished(team)
    report = scoring.score(team, submission)
    first = team.get(f"/v1/submissions/{submission}/items?limit=3")
    assert [item["item"] for item in first.json()["items"]] == [0, 1, 2]
    assert first.json()["seed"] == report.seed
    assert 'rel="next"' in first.headers["Link"]
    reply = team.get(f"/v1/submissions/{submission}/items?cursor={first.json()['next']}")
    assert 'rel="first"' in reply.headers["Link"]
    assert 'rel="prev"' in reply.headers["Link"]
    second = reply.json()
    assert second["next"] is None
    (question,) = second["items"][0]["questions"]
    assert question["response"] == "number 3: A"
    assert question["key"]["label"] == question["answer"] == key_of(report.seed, 3, "what-0")
    practice = second["items"][0]["practice_id"]
    picture = question["question"]["pictures"][0]["url"]
    assert picture == f"/v1/items/{practice}/images/what-0-1.png"
    assert team.client.get(picture).status_code == 200
    assert team.client.get(f"/v1/items/{practice}/solution").json()["keys"]["what-0"] == question["key"]
    assert team.get(f"/v1/submissions/{submission}/items/3/images/what-0-1.png").status_code == 200


def test_a_report_that_is_not_in_the_store_is_a_failure_of_ours(team: Team, scoring: Scoring) -> None:
    submission = finished(team)
    scoring.score(team, submission)
    scoring.store.delete(f"reports/{submission}/1.json")
    assert team.get(f"/v1/submissions/{submission}/report").status_code == 503


def test_events_are_followed_until_the_submission_is_scored(team: Team, scoring: Scoring) -> None:
    submission = finished(team)
    scoring.score(team, submission)
    stream = team.get(f"/v1/submissions/{submission}/events", Accept="text/event-stream")
    assert stream.headers["Content-Type"].startswith("text/event-stream")
    kinds = [line.removeprefix("event: ") for line in stream.text.splitlines() if line.startswith("event: ")]
    assert kinds == ["opened", "finished", "scored"]


@BOTH_DATABASES
def test_a_board_pools_public_submissions_and_ranks_who_has_enough(client: Client, scoring: Scoring) -> None:
    best, small = Team.registered(client, "best"), Team.registered(client, "small")
    best.post("/v1/models", {"name": "unused"})
    for number, total in enumerate((6.0, 5.5)):
        scoring.score(best, finished(best, size=6), total, at=1_800_000_000_000 + number)
    scoring.score(best, finished(best, size=6, visibility="private"), 0.0)
    scoring.score(small, finished(small, size=4), 4.0)
    scoring.score(small, finished(small, size=4, parameters={"tint": "blue"}), 0.0)
    board = client.get("/v1/leaderboards/trio").json()
    assert [(row["team"], row["attempts"], row["items"]) for row in board["rows"]] == [("best", 2, 12), ("small", 1, 4)]
    first, second = board["rows"]
    assert (first["rank_best"], first["rank_worst"], first["group"]) == (1, 1, 1)
    assert first["score"] == pytest.approx(11.5 / 12)
    assert first["interval"]["lower"] < first["score"] < first["interval"]["upper"]
    assert first["team_models"] == 2
    assert first["unread_share"] == pytest.approx(2 / 12)
    assert first["first_scored_at"] == "2027-01-15T08:00:00.000Z"
    assert (second["rank_best"], second["rank_worst"], second["group"]) == (None, None, None)
    assert [row["name"] for row in board["reference"]] == ["adults"]
    assert board["parameters"] == {"repeats": 1, "tint": "red", "shiny": False}
    blue = client.get("/v1/leaderboards/trio?tint=blue&track=plain&setting=full&version=2").json()
    assert [row["team"] for row in blue["rows"]] == ["small"]
    assert [row["name"] for row in blue["reference"]] == ["adults", "apes"]


def test_boards_that_cannot_be_are_refused(client: Client) -> None:
    assert client.get("/v1/leaderboards/none").status_code == 404
    assert client.get("/v1/leaderboards/trio?version=9").status_code == 404
    wrong = client.get("/v1/leaderboards/trio?tint=green")
    assert (wrong.status_code, wrong.json()["faults"][0]["field"]) == (422, "tint")
    assert client.get("/v1/leaderboards/trio?track=other").json()["reference"][1]["name"] == "elsewhere"


def test_a_claimed_report_is_kept_and_queued(team: Team, scoring: Scoring, engine: sa.Engine) -> None:
    report = scoring.score(team, finished(team))
    reply = team.client.post("/v1/verifications", content=json.encode({"report": report}))
    assert reply.status_code == 202
    queued = reply.json()
    assert reply.headers["Location"] == f"/v1/verifications/{queued['id']}"
    assert team.client.get(reply.headers["Location"]).json() == queued
    with engine.begin() as connection:
        row = connection.execute(sa.select(verifications)).one()
        stored = scoring.store.get(row.object)
        assert stored is not None
        assert json.decode(stored, type=Report) == report
        found = [Finding(check="keys", ok=False, where="questions.0.what-0", claimed="A", found="B")]
        done = {"state": "done", "finished_at": 1, "result": json.encode(found).decode()}
        connection.execute(sa.update(verifications).values(done))
    told = team.client.get(reply.headers["Location"]).json()
    assert (told["state"], told["confirmed"], len(told["findings"])) == ("done", False, 1)


def test_a_store_that_is_away_is_said_to_be_and_nothing_is_queued(
    team: Team, scoring: Scoring, settings: ApiSettings, engine: sa.Engine, tmp_path: Path
) -> None:
    claim = json.encode({"report": scoring.score(team, finished(team))})
    (tmp_path / "file").write_bytes(b"")
    with TestClient(create_app(replace(settings, store_url=f"file://{tmp_path}/file/objects"))) as away:
        reply = away.post("/v1/verifications", content=claim)
    assert (reply.status_code, reply.headers["Retry-After"]) == (503, "30")
    assert "object store" in reply.json()["detail"]
    with engine.connect() as connection:
        assert connection.execute(sa.select(sa.func.count()).select_from(verifications)).scalar_one() == 0


NO_REPORTS = {
    "nothing": b"{}",
    "no UTF-8": b"\xff",
    "other fields": b'{"report": {"submission": "x"}}',
    "more": b'{"report": 1, "more": 2}',
    "deep": b'{"report": {"x": ' + b"[" * 200_000,
}


@pytest.mark.parametrize("body", NO_REPORTS.values(), ids=NO_REPORTS)
def test_a_claim_that_is_no_report_is_refused(client: Client, body: bytes) -> None:
    reply = client.post("/v1/verifications", content=body)
    assert (reply.status_code, reply.json()["faults"][0]["field"]) == (422, "report")


def test_an_unknown_verification_is_not_found(client: Client) -> None:
    for name in ("x", "ver_" + "0" * 32):
        assert client.get(f"/v1/verifications/{name}").status_code == 404


def test_health_tells_what_is_reachable(client: Client, settings: ApiSettings) -> None:
    assert client.get("/health/live").json() == {"status": "live"}
    ready = client.get("/health/ready")
    assert ready.status_code == 200
    assert ready.json() == {
        "version": __version__,
        "status": "ready",
        "database": "up",
        "generator": "up",
        "store": "up",
        "practice": "up",
        "redis": "not configured",
        "gateway": "not configured",
        "scoring": "idle",
        "rate_limits": "not configured",
    }
    away = replace(settings, generator_url=f"http://127.0.0.1:{free_port()}", store_url="s3://nowhere")
    with TestClient(create_app(away)) as other:
        reply = other.get("/health/ready")
    assert (reply.status_code, reply.json()["generator"], reply.json()["store"]) == (503, "down", "down")


def test_without_practice_there_are_no_practice_items_and_submissions_go_on(settings: ApiSettings) -> None:
    with TestClient(create_app(replace(settings, practice_url=f"http://127.0.0.1:{free_port()}"))) as client:
        ready = client.get("/health/ready")
        assert (ready.status_code, ready.json()["practice"], ready.json()["generator"]) == (200, "down", "up")
        assert client.get("/v1/benchmarks/trio/items?seed=1&limit=1").status_code == 503
        assert Team.registered(client, "north").open()


def test_a_stalled_scoring_and_a_gateway_that_is_away_are_told_and_requests_are_served(
    team: Team, client: Client, engine: sa.Engine, settings: ApiSettings
) -> None:
    submission = finished(team)

    def told(**values: int) -> tuple[int, str]:
        with engine.begin() as connection:
            connection.execute(sa.update(submissions).where(submissions.c.id == submission).values(values))
        ready = client.get("/health/ready")
        return ready.status_code, ready.json()["scoring"]

    assert told(attempt=1) == (200, "idle"), "it has waited for a moment only"
    assert told(finished_at=now_ms() - 61_000) == (200, "stalled")
    assert told(lease_until=now_ms() + 60_000) == (200, "working")
    assert told(lease_until=now_ms() - 1) == (200, "stalled")
    with TestClient(create_app(replace(settings, gateway_url=f"http://127.0.0.1:{free_port()}"))) as other:
        reply = other.get("/health/ready")
    assert (reply.status_code, reply.json()["gateway"]) == (200, "down")


def test_a_generator_that_hangs_is_told_before_a_probe_gives_up(settings: ApiSettings) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        with TestClient(create_app(replace(settings, generator_url=url, gateway_url=url))) as client:
            took = []
            for _ in range(3):  # a machine may pause once
                begun = time.monotonic()
                reply = client.get("/health/ready")
                took.append(time.monotonic() - begun)
    assert (reply.status_code, reply.json()["generator"], reply.json()["gateway"]) == (503, "down", "down")
    assert min(took) < 4, "as long as deploy/healthcheck.py waits"


@BOTH_DATABASES
def test_health_tells_that_the_database_is_gone(settings: ApiSettings) -> None:
    app = create_app(settings)
    with (
        TestClient(app) as client,
        patch.object(health, "read_transaction", side_effect=sa.exc.OperationalError("", {}, OSError())),
    ):
        reply = client.get("/health/ready")
    assert (reply.status_code, reply.json()["database"]) == (503, "down")
