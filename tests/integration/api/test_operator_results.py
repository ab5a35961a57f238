"""Operators and results: hidden rows, void submissions, queueing again, secrets. Scoring is played by the tests."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from litestar.testing import TestClient
from msgspec.structs import replace

from api.app import create_app
from api.database.schema import events, submissions
from api.settings import ApiSettings
from api.upstream.generator import Generator
from generator_service.sealing.record import draws
from tests.integration.api.conftest import BOTH_DATABASES, Client
from tests.integration.api.operator import Operator
from tests.integration.api.scoring import Scoring, finished
from tests.integration.api.team import Team
from tests.integration.real_generator import record_url
from tests.ports import free_port
from tetrad.server.database import make_engine, write_transaction
from tetrad.server.outbox import lease_next, renew

BOARD = "/v1/leaderboards/trio?track=plain"
ROW = {"team": "team-one", "model": "model-one", "benchmark": "trio", "track": "plain"}
Board = Callable[[], dict[str, Any]]


@pytest.fixture
def board(client: Client) -> Board:
    def get() -> dict[str, Any]:
        found: dict[str, Any] = client.get(BOARD).json()
        return found

    return get


@pytest.fixture
def rival(client: Client, scoring: Scoring) -> Team:
    """A second team, with a lower score than the first is given."""
    other = Team.registered(client, "team-two")
    scoring.score(other, finished(other, size=40), total=8.0)
    return other


def test_a_hidden_row_has_no_rank_moves_no_other_and_says_why(
    team: Team, rival: Team, scoring: Scoring, operator: Operator, board: Board
) -> None:
    scoring.score(team, finished(team, size=40), total=40.0)
    ranks = {row["model"] + row["team"]: (row["rank_best"], row["rank_worst"]) for row in board()["rows"]}
    assert ranks == {"model-oneteam-one": (1, 1), "model-oneteam-two": (2, 2)}
    shown = operator.post("rows/hide", **ROW, reason="answers were leaked")
    assert shown == board()
    assert [(row["team"], row["rank_best"], row["rank_worst"]) for row in shown["rows"]] == [("team-two", 1, 1)]
    (hidden,) = shown["hidden"]
    assert (hidden["team"], hidden["model"], hidden["reason"]) == ("team-one", "model-one", "answers were leaked")
    again = operator.post("rows/hide", **{**ROW, "track": None}, reason="another reason")["hidden"]
    assert [one["reason"] for one in again] == ["another reason"]
    back = operator.post("rows/show", **ROW, reason="it was a mistake")
    assert (len(back["rows"]), back["hidden"]) == (2, [])
    operator.refused(409, "rows/show", **ROW, reason="again")
    assert [act["act"] for act in operator.acts()] == ["show row", "hide row", "hide row"]


def test_a_row_is_hidden_on_one_board_and_stays_on_the_others(
    team: Team, scoring: Scoring, operator: Operator, client: Client, board: Board
) -> None:
    scoring.score(team, finished(team, size=12))
    scoring.score(team, finished(team, size=12, parameters={"tint": "blue"}))
    operator.post("rows/hide", **ROW, parameters={"tint": "blue"}, reason="wrong colours")
    assert team.post("/v1/models", {"name": "elsewhere"}).status_code == 201
    (fault,) = operator.refused(404, "rows/hide", **{**ROW, "model": "elsewhere"}, reason="x")["faults"]
    assert (fault["field"], fault["problem"]) == ("model", "has no public submission on this board")
    assert len(board()["rows"]) == 1
    assert client.get(f"{BOARD}&tint=blue").json()["rows"] == []


@pytest.mark.parametrize(
    ("change", "status"),
    [
        ({"team": "nobody"}, 404),
        ({"model": "nothing"}, 404),
        ({"benchmark": "nothing"}, 404),
        ({"version": 9}, 404),
        ({"track": "nothing"}, 422),
        ({"parameters": {"tint": "green"}}, 422),
        ({"parameters": {"wording": "child"}}, 422),
        ({"reason": ""}, 422),
    ],
    ids=str,
)
def test_a_row_that_is_on_no_board_is_refused(
    team: Team, operator: Operator, change: dict[str, Any], status: int
) -> None:
    operator.refused(status, "rows/hide", **{**ROW, "reason": "x", **change})
    assert operator.acts() == []


def test_a_void_submission_counts_nowhere_and_says_why_to_everybody(
    team: Team, scoring: Scoring, operator: Operator, client: Client, board: Board
) -> None:
    submission = finished(team, size=12)
    scoring.score(team, submission)
    done = operator.post(f"submissions/{submission}/void", reason="the bank was broken")
    assert (done["state"], done["void_reason"]) == ("void", "the bank was broken")
    shown = board()
    assert shown["rows"] == []
    expected = {"submission": submission, "model": "model-one", "team": "team-one", "reason": "the bank was broken"}
    assert shown["void"] == [expected]
    for name in ("report", "items"):
        reply = client.get(f"/v1/submissions/{submission}/{name}")
        assert (reply.status_code, "void: the bank was broken" in reply.json()["detail"]) == (409, True)
    assert [event["kind"] for event in team.get(f"/v1/submissions/{submission}/events").json()][-1] == "void"
    again = operator.refused(409, f"submissions/{submission}/void", reason="again")
    assert "void already" in again["detail"]
    assert operator.acts(submission)[0]["details"] == {"state": "scored"}


def test_an_open_submission_that_is_void_takes_no_more_answers(team: Team, operator: Operator) -> None:
    submission = team.open()
    operator.post(f"submissions/{submission}/void", reason="the track is withdrawn")
    reply = team.get(f"/v1/submissions/{submission}/questions")
    assert (reply.status_code, "is void" in reply.json()["detail"]) == (409, True)
    operator.refused(404, f"submissions/sub_{'0' * 32}/void", reason="x")
    operator.refused(404, "submissions/other/void", reason="x")


def test_a_private_void_submission_is_nobody_else_s_to_see(
    team: Team, operator: Operator, client: Client, board: Board
) -> None:
    submission = team.open(visibility="private")
    operator.post(f"submissions/{submission}/void", reason="x")
    assert client.get(f"/v1/submissions/{submission}/report").status_code == 404
    assert board()["void"] == []


def test_only_a_failed_submission_is_queued_again(team: Team, operator: Operator, engine: sa.Engine) -> None:
    submission = finished(team)
    operator.refused(409, f"submissions/{submission}/requeue")
    stalled = lease_next(engine, submissions, 0, 1, 5)
    with engine.begin() as connection:
        failed = "UPDATE submissions SET state = 'failed', attempt = 5, failure = 'scoring met ValueError'"
        connection.execute(sa.text(failed))
    done = operator.post(f"submissions/{submission}/requeue", reason="the scorer is mended")
    assert (done["state"], done["attempts"], done["failure"]) == ("queued", 0, None)
    (act,) = operator.acts(submission)
    assert (act["act"], act["details"]) == ("requeue", {"failure": "scoring met ValueError", "attempts": 5})
    assert [event["kind"] for event in team.get(f"/v1/submissions/{submission}/events").json()][-1] == "requeued"
    held = lease_next(engine, submissions, 0, 1, 5)
    assert stalled is not None
    assert held is not None
    assert (stalled.tries, held.tries) == (1, 1)
    assert [renew(engine, one, 1) for one in (stalled, held)] == [False, True], "who stalled before holds nothing"
    assert team.get(f"/v1/submissions/{submission}").json()["attempts"] == 1


def close_others(settings: ApiSettings) -> None:
    """Close the draws that tests before have left open: one may grow too old while a test runs."""
    generator = Generator(settings)
    while found := generator.open_draws("").draws:
        generator.close_draws([draw.submission for draw in found])
    asyncio.run(generator.close())


def seal_long_ago(generator_folder: Path) -> None:
    """Make all open draws ones that were sealed long ago."""
    record = make_engine(record_url(generator_folder))
    with write_transaction(record) as connection:
        connection.execute(sa.update(draws).values(sealed_at=0))
    record.dispose()


def test_draws_that_nobody_can_answer_are_let_go_and_the_others_need_their_secret(
    team: Team, operator: Operator, engine: sa.Engine, settings: ApiSettings, generator_folder: Path
) -> None:
    close_others(settings)
    lapsed, void, kept = (team.open() for _ in range(3))
    seal_long_ago(generator_folder)
    fresh = team.open()
    with engine.begin() as connection:
        for column in (events.c.submission_id, submissions.c.id):
            connection.execute(sa.delete(column.table).where(column.in_((lapsed, fresh))))
    operator.post(f"submissions/{void}/void", reason="x")
    found = operator.post("secrets/review")
    assert found["closed"] == 2, "the lapsed and the void one, not the one that is being opened"
    (secret,) = found["secrets"]
    assert (secret["current"], secret["loaded"]) == (True, True)
    assert secret["needed_by"] == 2
    assert operator.acts("secrets")[0]["details"] == {"closed": 2}
    again = operator.post("secrets/review")
    assert (again["closed"], again["secrets"]) == (0, found["secrets"])
    assert team.get(f"/v1/submissions/{kept}/questions").status_code == 200


def test_a_rescoring_sent_again_is_the_same_one_even_while_the_generator_is_away(
    team: Team, scoring: Scoring, operator: Operator, settings: ApiSettings
) -> None:
    submission = finished(team)
    scoring.score(team, submission)
    away = replace(settings, generator_url=f"http://127.0.0.1:{free_port()}")
    headers = {"Authorization": f"Bearer {operator.token}", "Idempotency-Key": "k1"}
    body = {"submission": submission, "reason": "a better reader"}
    with TestClient(create_app(away)) as client:
        first, second = (client.post("/v1/admin/rescorings", json=body, headers=headers) for _ in range(2))
    assert (first.status_code, first.json()["counts"]) == (202, {"queued": 1})
    assert (second.content, second.headers["Idempotency-Replayed"]) == (first.content, "true")
    assert second.headers["Location"] == f"/v1/admin/rescorings/{first.json()['id']}"
    assert operator.get(f"rescorings/{first.json()['id']}") == first.json()
    assert [act["act"] for act in operator.acts()] == ["rescore"]


@BOTH_DATABASES
def test_what_no_database_can_keep_is_refused_by_name(team: Team, scoring: Scoring, operator: Operator) -> None:
    submission = finished(team)
    scoring.score(team, submission)
    for status, path, body, field in (
        (422, "rows/hide", {**ROW, "reason": "a\0b"}, "reason"),
        (422, "rows/hide", {**ROW, "model": "a\0b", "reason": "x"}, "model"),
        (422, "rescorings", {"submission": submission, "reason": "a\0b"}, "reason"),
    ):
        assert operator.refused(status, path, **body)["faults"][0]["field"] == field
    operator.refused(422, "rescorings", benchmark="trio", version=2**70, reason="x")
