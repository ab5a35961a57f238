"""Operators and results: hidden rows, void submissions, queueing again, secrets. Scoring is played by the tests."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
import sqlalchemy as sa
from litestar.testing import TestClient
from msgspec.structs import replace

from api.app import create_app
from api.database.schema import events, submissions
from api.settings import ApiSettings
from api.upstream.generator import Generator
from tests.integration.api.conftest import Client
from tests.integration.api.operator import Operator
from tests.integration.api.team import Team
from tests.integration.api.test_outcomes import Scoring, finished
from tests.ports import free_port
from tetrad.server.outbox import lease_next, renew

BOARD = "/v1/leaderboards/trio?track=plain"
ROW = {"team": "team-one", "model": "model-one", "benchmark": "trio", "track": "plain"}
Board = Callable[[], dict[str, Any]]


@pytest.fixture
def scoring(any_settings: ApiSettings, any_engine: sa.Engine) -> Scoring:
    return Scoring(any_settings, any_engine)


@pytest.fixture
def board(any_client: Client) -> Board:
    def get() -> dict[str, Any]:
        found: dict[str, Any] = any_client.get(BOARD).json()
        return found

    return get


@pytest.fixture
def rival(any_client: Client, scoring: Scoring) -> Team:
    """A second team, with a lower score than the first is given."""
    other = Team.registered(any_client, "team-two")
    scoring.score(other, finished(other, size=40), total=8.0)
    return other


def test_a_hidden_row_has_no_rank_moves_no_other_and_says_why(
    any_team: Team, rival: Team, scoring: Scoring, any_operator: Operator, board: Board
) -> None:
    scoring.score(any_team, finished(any_team, size=40), total=40.0)
    ranks = {row["model"] + row["team"]: (row["rank_best"], row["rank_worst"]) for row in board()["rows"]}
    assert ranks == {"model-oneteam-one": (1, 1), "model-oneteam-two": (2, 2)}
    shown = any_operator.post("rows/hide", **ROW, reason="answers were leaked")
    assert shown == board()
    assert [(row["team"], row["rank_best"], row["rank_worst"]) for row in shown["rows"]] == [("team-two", 1, 1)]
    (hidden,) = shown["hidden"]
    assert (hidden["team"], hidden["model"], hidden["reason"]) == ("team-one", "model-one", "answers were leaked")
    again = any_operator.post("rows/hide", **{**ROW, "track": None}, reason="another reason")["hidden"]
    assert [one["reason"] for one in again] == ["another reason"]
    back = any_operator.post("rows/show", **ROW, reason="it was a mistake")
    assert (len(back["rows"]), back["hidden"]) == (2, [])
    any_operator.refused(409, "rows/show", **ROW, reason="again")
    assert [act["act"] for act in any_operator.acts()] == ["show row", "hide row", "hide row"]


def test_a_row_is_hidden_on_one_board_and_stays_on_the_others(
    any_team: Team, scoring: Scoring, any_operator: Operator, any_client: Client, board: Board
) -> None:
    scoring.score(any_team, finished(any_team, size=12))
    scoring.score(any_team, finished(any_team, size=12, parameters={"tint": "blue"}))
    any_operator.post("rows/hide", **ROW, parameters={"tint": "blue"}, reason="wrong colours")
    assert any_team.post("/v1/models", {"name": "elsewhere"}).status_code == 201
    (fault,) = any_operator.refused(404, "rows/hide", **{**ROW, "model": "elsewhere"}, reason="x")["faults"]
    assert (fault["field"], fault["problem"]) == ("model", "has no public submission on this board")
    assert len(board()["rows"]) == 1
    assert any_client.get(f"{BOARD}&tint=blue").json()["rows"] == []


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
    any_team: Team, scoring: Scoring, any_operator: Operator, any_client: Client, board: Board
) -> None:
    submission = finished(any_team, size=12)
    scoring.score(any_team, submission)
    done = any_operator.post(f"submissions/{submission}/void", reason="the bank was broken")
    assert (done["state"], done["void_reason"]) == ("void", "the bank was broken")
    shown = board()
    assert shown["rows"] == []
    expected = {"submission": submission, "model": "model-one", "team": "team-one", "reason": "the bank was broken"}
    assert shown["void"] == [expected]
    for name in ("report", "items"):
        reply = any_client.get(f"/v1/submissions/{submission}/{name}")
        assert (reply.status_code, "void: the bank was broken" in reply.json()["detail"]) == (409, True)
    assert [event["kind"] for event in any_team.get(f"/v1/submissions/{submission}/events").json()][-1] == "void"
    again = any_operator.refused(409, f"submissions/{submission}/void", reason="again")
    assert "void already" in again["detail"]
    assert any_operator.acts(submission)[0]["details"] == {"state": "scored"}


def test_an_open_submission_that_is_void_takes_no_more_answers(any_team: Team, any_operator: Operator) -> None:
    submission = any_team.open()
    any_operator.post(f"submissions/{submission}/void", reason="the track is withdrawn")
    reply = any_team.get(f"/v1/submissions/{submission}/questions")
    assert (reply.status_code, "is void" in reply.json()["detail"]) == (409, True)
    any_operator.refused(404, f"submissions/sub_{'0' * 32}/void", reason="x")
    any_operator.refused(404, "submissions/other/void", reason="x")


def test_a_private_void_submission_is_nobody_else_s_to_see(
    any_team: Team, any_operator: Operator, any_client: Client, board: Board
) -> None:
    submission = any_team.open(visibility="private")
    any_operator.post(f"submissions/{submission}/void", reason="x")
    assert any_client.get(f"/v1/submissions/{submission}/report").status_code == 404
    assert board()["void"] == []


def test_only_a_failed_submission_is_queued_again(
    any_team: Team, any_operator: Operator, any_engine: sa.Engine
) -> None:
    submission = finished(any_team)
    any_operator.refused(409, f"submissions/{submission}/requeue")
    stalled = lease_next(any_engine, submissions, 0, 1, 5)
    with any_engine.begin() as connection:
        failed = "UPDATE submissions SET state = 'failed', attempt = 5, failure = 'scoring met ValueError'"
        connection.execute(sa.text(failed))
    done = any_operator.post(f"submissions/{submission}/requeue", reason="the scorer is mended")
    assert (done["state"], done["attempts"], done["failure"]) == ("queued", 0, None)
    (act,) = any_operator.acts(submission)
    assert (act["act"], act["details"]) == ("requeue", {"failure": "scoring met ValueError", "attempts": 5})
    assert [event["kind"] for event in any_team.get(f"/v1/submissions/{submission}/events").json()][-1] == "requeued"
    held = lease_next(any_engine, submissions, 0, 1, 5)
    assert stalled is not None
    assert held is not None
    assert (stalled.tries, held.tries) == (1, 1)
    assert [renew(any_engine, one, 1) for one in (stalled, held)] == [False, True], "who stalled before holds nothing"
    assert any_team.get(f"/v1/submissions/{submission}").json()["attempts"] == 1


def close_others(settings: ApiSettings) -> None:
    """Close the draws that tests before have left open in the stand-in: one may grow too old while a test runs."""
    generator = Generator(settings)
    while draws := generator.open_draws("").draws:
        generator.close_draws([draw.submission for draw in draws])
    asyncio.run(generator.close())


def test_draws_that_nobody_can_answer_are_let_go_and_the_others_need_their_secret(
    any_team: Team, any_operator: Operator, any_engine: sa.Engine, any_settings: ApiSettings
) -> None:
    close_others(any_settings)
    lapsed, void, kept = (any_team.open(nonce="long ago") for _ in range(3))
    fresh = any_team.open()
    with any_engine.begin() as connection:
        for column in (events.c.submission_id, submissions.c.id):
            connection.execute(sa.delete(column.table).where(column.in_((lapsed, fresh))))
    any_operator.post(f"submissions/{void}/void", reason="x")
    found = any_operator.post("secrets/review")
    assert found["closed"] == 2, "the lapsed and the void one, not the one that is being opened"
    (secret,) = found["secrets"]
    assert (secret["current"], secret["loaded"]) == (True, True)
    assert secret["needed_by"] == 2
    assert any_operator.acts("secrets")[0]["details"] == {"closed": 2}
    again = any_operator.post("secrets/review")
    assert (again["closed"], again["secrets"]) == (0, found["secrets"])
    assert any_team.get(f"/v1/submissions/{kept}/questions").status_code == 200


def test_a_rescoring_sent_again_is_the_same_one_even_while_the_generator_is_away(
    any_team: Team, scoring: Scoring, any_operator: Operator, any_settings: ApiSettings
) -> None:
    submission = finished(any_team)
    scoring.score(any_team, submission)
    away = replace(any_settings, generator_url=f"http://127.0.0.1:{free_port()}")
    headers = {"Authorization": f"Bearer {any_operator.token}", "Idempotency-Key": "k1"}
    body = {"submission": submission, "reason": "a better reader"}
    with TestClient(create_app(away)) as client:
        first, second = (client.post("/v1/admin/rescorings", json=body, headers=headers) for _ in range(2))
    assert (first.status_code, first.json()["counts"]) == (202, {"queued": 1})
    assert (second.content, second.headers["Idempotency-Replayed"]) == (first.content, "true")
    assert second.headers["Location"] == f"/v1/admin/rescorings/{first.json()['id']}"
    assert any_operator.get(f"rescorings/{first.json()['id']}") == first.json()
    assert [act["act"] for act in any_operator.acts()] == ["rescore"]


def test_what_no_database_can_keep_is_refused_by_name(any_team: Team, scoring: Scoring, any_operator: Operator) -> None:
    submission = finished(any_team)
    scoring.score(any_team, submission)
    for status, path, body, field in (
        (422, "rows/hide", {**ROW, "reason": "a\0b"}, "reason"),
        (422, "rows/hide", {**ROW, "model": "a\0b", "reason": "x"}, "model"),
        (422, "rescorings", {"submission": submission, "reason": "a\0b"}, "reason"),
    ):
        assert any_operator.refused(status, path, **body)["faults"][0]["field"] == field
    any_operator.refused(422, "rescorings", benchmark="trio", version=2**70, reason="x")
