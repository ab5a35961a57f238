"""Submissions enter a row in the order in which they were fetched, and the row says what waits for what."""

from typing import Any

import sqlalchemy as sa

from tests.integration.api.conftest import Client
from tests.integration.api.operator import Operator
from tests.integration.api.scoring import Scoring, finished
from tests.integration.api.team import Team

BOARD = "/v1/leaderboards/trio?track=plain"
DAY = 86_400_000
START = 1_800_000_000_000


def fetched(team: Team, **fields: Any) -> str:
    submission = team.open(**fields)
    team.questions(submission)
    return submission


def scored(team: Team, scoring: Scoring, total: float, size: int = 4, at: int = START) -> str:
    submission = finished(team, size=size)
    scoring.score(team, submission, total, at)
    return submission


def rows(team: Team) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = team.client.get(BOARD).json()["rows"]
    return found


def counts(team: Team) -> tuple[float | None, int, int, int, int]:
    """Return of the only row: score, items, attempts, waiting, unfinished."""
    (row,) = rows(team)
    return row["score"], row["items"], row["attempts"], row["waiting"], row["unfinished"]


def test_what_was_fetched_behind_an_unfinished_submission_waits_for_it(team: Team, scoring: Scoring) -> None:
    scored(team, scoring, 3.0)
    looks_bad = fetched(team, size=4)
    scored(team, scoring, 3.0)
    assert counts(team) == (0.75, 4, 1, 1, 1)
    team.post(f"/v1/submissions/{looks_bad}/finish")
    assert counts(team) == (0.75, 4, 1, 1, 1), "it is queued, and has no score yet"
    scoring.score(team, looks_bad, 0.0)
    assert counts(team) == (0.5, 12, 3, 0, 0)


def test_a_row_of_which_everything_waits_is_there_without_a_score(team: Team, scoring: Scoring) -> None:
    fetched(team)
    assert rows(team) == []
    scored(team, scoring, 12.0, size=12)
    assert counts(team) == (None, 0, 0, 1, 1)
    (row,) = rows(team)
    assert (row["rank_best"], row["group"], row["ranked_since"]) == (None, None, None)
    assert row["first_scored_at"] == "2027-01-15T08:00:00.000Z"


def test_a_failed_submission_holds_up_until_it_is_scored_or_void(
    team: Team, scoring: Scoring, operator: Operator, engine: sa.Engine
) -> None:
    failed = finished(team)
    scored(team, scoring, 4.0)
    with engine.begin() as connection:
        connection.execute(sa.text("UPDATE submissions SET state = 'failed' WHERE id = :id"), {"id": failed})
    assert counts(team) == (None, 0, 0, 1, 1)
    operator.post(f"submissions/{failed}/void", reason="the bank was broken")
    assert counts(team) == (1.0, 4, 1, 0, 0)


def test_what_nobody_saw_what_is_private_and_other_boards_and_models_hold_up_nothing(
    team: Team, scoring: Scoring
) -> None:
    team.open()
    fetched(team, visibility="private")
    fetched(team, parameters={"tint": "blue"})
    team.post("/v1/models", {"name": "model-two"})
    fetched(team, model="model-two")
    scored(team, scoring, 4.0)
    assert counts(team) == (1.0, 4, 1, 0, 0)


def test_the_first_fetch_decides_not_the_opening(team: Team, scoring: Scoring) -> None:
    opened_first = team.open(size=4)
    scored(team, scoring, 4.0)
    team.questions(opened_first)
    assert counts(team) == (1.0, 4, 1, 0, 1)


def test_a_place_in_a_group_is_not_kept_by_one_early_item(client: Client, scoring: Scoring) -> None:
    squatter, honest = Team.registered(client, "squatter"), Team.registered(client, "honest")
    scored(squatter, scoring, 1.0, size=1, at=START)
    scored(honest, scoring, 11.0, size=12, at=START + DAY)
    scored(squatter, scoring, 11.0, size=12, at=START + 2 * DAY)
    first, second = rows(honest)
    assert [(row["team"], row["group"]) for row in (first, second)] == [("honest", 1), ("squatter", 1)]
    assert (first["first_scored_at"], first["ranked_since"]) == ("2027-01-16T08:00:00.000Z",) * 2
    assert (second["first_scored_at"], second["ranked_since"]) == (
        "2027-01-15T08:00:00.000Z",
        "2027-01-17T08:00:00.000Z",
    )
