"""A board is made once for each of its versions, by every process for itself, and shows what the database says."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
import sqlalchemy as sa
from litestar.testing import TestClient
from msgspec import json

from api.app import create_app
from api.boards.finished_boards import FinishedBoards
from api.boards.queries import board_query
from api.boards.source_names import sources_digest
from api.database.schema import board_versions, reports, submissions
from api.database.upgrading import grant_to_scoring
from api.settings import ApiSettings
from tests.integration.api.conftest import BOTH_DATABASES, Client
from tests.integration.api.operator import Operator
from tests.integration.api.scoring import Scoring, finished
from tests.integration.api.team import Team
from tests.integration.api.test_board_order import BOARD, START, fetched, scored
from tetrad.contracts.rescoring import KeptDifference

Row = tuple[str, str, float | None, int, int, int]


@pytest.fixture
def clients(settings: ApiSettings, client: Client) -> Iterator[list[Client]]:
    """Two api processes of one deployment, as far as a board can tell: nothing but the database joins them."""
    with TestClient(create_app(settings)) as other:
        yield [client, other]


@contextmanager
def statements(client: Client) -> Iterator[list[str]]:
    """Collect what the api asks its database."""
    seen: list[str] = []

    def note(_c: Any, _cursor: Any, statement: str, *_: Any) -> None:
        seen.append(statement)

    engine = client.app.state.context.engine
    sa.event.listen(engine, "before_cursor_execute", note)
    try:
        yield seen
    finally:
        sa.event.remove(engine, "before_cursor_execute", note)


def about_submissions(seen: list[str]) -> list[str]:
    return [one for one in seen if "FROM submissions" in one]


def shown(client: Client) -> dict[str, Any]:
    reply = client.get(BOARD)
    assert reply.status_code == 200, reply.text
    found: dict[str, Any] = reply.json()
    return found


def rows(client: Client) -> list[Row]:
    names = ("team", "model", "score", "items", "waiting", "unfinished")
    return [tuple(row[name] for name in names) for row in shown(client)["rows"]]


@BOTH_DATABASES
def test_a_look_at_an_unchanged_board_reads_no_submission(team: Team, scoring: Scoring) -> None:
    scored(team, scoring, 3.0)
    with statements(team.client) as first:
        before = shown(team.client)
    assert about_submissions(first), "the first look reads them, or this test sees nothing"
    with statements(team.client) as again:
        assert shown(team.client) == before
        assert team.client.get(f"{BOARD}&limit=1").json()["rows"] == before["rows"]
    assert not about_submissions(again), again


@BOTH_DATABASES
def test_a_change_of_a_row_reads_the_submissions_of_that_row_only(team: Team, scoring: Scoring) -> None:
    scored(team, scoring, 3.0)
    other = Team.registered(team.client, "team-two")
    scored(other, scoring, 1.0)
    shown(team.client)
    scored(other, scoring, 2.0)
    reads: list[Any] = []
    engine = team.client.app.state.context.engine

    def note(_c: Any, _cursor: Any, statement: str, parameters: Any, *_: Any) -> None:
        if "FROM submissions" in statement and "void_reason" not in statement:
            reads.append(parameters)

    sa.event.listen(engine, "before_cursor_execute", note)
    try:
        assert {row[:4] for row in rows(team.client)} == {
            ("team-one", "model-one", 0.75, 4),
            ("team-two", "model-one", 0.375, 8),
        }
    finally:
        sa.event.remove(engine, "before_cursor_execute", note)
    (read,) = reads
    values = list(read.values()) if isinstance(read, dict) else list(read)
    assert len([value for value in values if str(value).startswith("mdl_")]) == 1, values


@pytest.fixture
def changes(team: Team, scoring: Scoring, operator: Operator, engine: sa.Engine) -> dict[str, Callable[[], Any]]:
    """Return the changes of a board by name; each is made once on a board of two rows."""
    first = scored(team, scoring, 3.0)
    other = Team.registered(team.client, "team-two")
    kept = scored(other, scoring, 4.0, at=START + 1)
    place = {"benchmark": "trio", "track": "plain", "team": "team-one", "model": "model-one", "reason": "leaked"}

    def rescore() -> None:
        with engine.begin() as connection:
            connection.execute(
                sa.text("UPDATE reports SET total = 1.0, revision = 2 WHERE submission_id = :id"), {"id": first}
            )

    def leave_off(reason: str | None) -> None:
        with engine.begin() as connection:
            connection.execute(sa.update(submissions).where(submissions.c.id == kept).values(unranked=reason))

    return {
        "fetched": lambda: fetched(team),
        "scored": lambda: scored(team, scoring, 1.0),
        "queued and then scored": lambda: scoring.score(team, finished(team, size=4), 2.0),
        "rescored": rescore,
        "another model of the team": lambda: team.post("/v1/models", {"name": "model-two"}),
        "hidden": lambda: operator.post("rows/hide", **place),
        "hidden for another reason": lambda: operator.post("rows/hide", **{**place, "reason": "copied"}),
        "shown again": lambda: operator.post("rows/show", **place),
        "left off the boards": lambda: leave_off("estimates"),
        "on the boards again": lambda: leave_off(None),
        "void": lambda: operator.post(f"submissions/{kept}/void", reason="the bank was broken"),
        "deleted": lambda: operator.post(
            "teams/team-one/delete", confirm="team-one", public_reason="asked for", reason="asked for"
        ),
    }


@BOTH_DATABASES
def test_every_process_shows_every_change_at_its_next_look(
    clients: list[Client], changes: dict[str, Callable[[], Any]]
) -> None:
    for client in clients:
        shown(client)
    for name, change in changes.items():
        before = [client.get(BOARD) for client in clients]
        assert before[0].json() == before[1].json()
        change()
        after = [client.get(BOARD) for client in clients]
        assert after[0].json() == after[1].json(), name
        assert after[0].json() != before[0].json(), f"{name}: the board is the one of before"
        assert {one.headers["ETag"] for one in after} != {one.headers["ETag"] for one in before}, name
        assert made_afresh(clients[0]) == after[0].json(), f"{name}: what was kept is mended into another board"


def made_afresh(client: Client) -> dict[str, Any]:
    """Return the board as a process that has kept nothing makes it."""
    context = client.app.state.context
    info = context.cards.get("trio")
    where = board_query(info.card, [("track", "plain")])
    whole = FinishedBoards(context.engine).get(info.card, where, sources_digest(info, "plain", [])).whole
    found: dict[str, Any] = json.decode(json.encode(whole))
    return found


@BOTH_DATABASES
def test_a_process_begins_with_the_pools_that_another_has_kept(
    clients: list[Client], changes: dict[str, Callable[[], Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("api.boards.finished_boards.LEAST_SUBMISSIONS", 1)
    before = shown(clients[0])
    with statements(clients[1]) as first:
        assert shown(clients[1]) == before
    assert not reads_of_scores(first), "the other's pools are of this version"
    for name, change in changes.items():
        change()
        with monkeypatch.context() as patch:
            patch.setattr("api.boards.finished_boards.read_pools", lambda *_: None)
            own = made_afresh(clients[0])
        assert made_afresh(clients[1]) == own, f"{name}: what was kept is mended into another board"
        monkeypatch.setattr("api.boards.finished_boards.MOST_CHANGED_ROWS", 0)
        assert made_afresh(clients[1]) == own, f"{name}: kept anew"


def reads_of_scores(seen: list[str]) -> list[str]:
    return [one for one in about_submissions(seen) if "reports.total" in one]


def test_scoring_counts_changes_without_a_right_to_the_counts(
    settings: ApiSettings, engine: sa.Engine, team: Team, scoring: Scoring
) -> None:
    if engine.dialect.name == "sqlite":
        pytest.skip("SQLite has no roles")
    submission = finished(team, size=4)
    with engine.begin() as connection:
        connection.execute(sa.text("DROP ROLE IF EXISTS board_scorer"))
        connection.execute(sa.text("CREATE ROLE board_scorer"))
        grant_to_scoring(connection, "board_scorer")
    counts = sa.select(sa.func.sum(board_versions.c.version))
    with engine.begin() as connection:
        before = connection.execute(counts).scalar_one()
        connection.execute(sa.text("SET LOCAL ROLE board_scorer"))
        scored_now = "UPDATE submissions SET state = 'scored', scored_at = 1 WHERE id = :id"
        connection.execute(sa.text(scored_now), {"id": submission})
    with engine.begin() as connection:
        assert connection.execute(counts).scalar() == before + 1
        connection.execute(sa.text("SET LOCAL ROLE board_scorer"))
        with pytest.raises(sa.exc.ProgrammingError, match="permission denied"):
            connection.execute(sa.text("UPDATE board_versions SET version = 0"))
    with engine.begin() as connection:
        connection.execute(sa.text("DROP OWNED BY board_scorer"))
        connection.execute(sa.text("DROP ROLE board_scorer"))


def test_a_page_that_the_client_has_is_not_sent_again(team: Team, scoring: Scoring) -> None:
    scored(team, scoring, 3.0)
    scored(Team.registered(team.client, "team-two"), scoring, 1.0)
    first = team.client.get(f"{BOARD}&limit=1")
    second = team.client.get(f"{BOARD}&limit=1&cursor={first.json()['next']}")
    assert first.headers["ETag"] != second.headers["ETag"] != team.client.get(BOARD).headers["ETag"]
    for address, page in ((f"{BOARD}&limit=1", first), (str(second.request.url), second)):
        same = team.client.get(address, headers={"If-None-Match": page.headers["ETag"]})
        assert (same.status_code, same.content, same.headers["ETag"]) == (304, b"", page.headers["ETag"])
    scored(team, scoring, 1.0)
    changed = team.client.get(f"{BOARD}&limit=1", headers={"If-None-Match": first.headers["ETag"]})
    assert (changed.status_code, changed.json()["rows"][0]["items"]) == (200, 8)


def test_the_differences_of_a_row_stand_beside_its_score(team: Team, scoring: Scoring, engine: sa.Engine) -> None:
    """Differences 1, 0, 0 and -1, 1 in two submissions; a third report is from before there were any."""
    kept = {
        scored(team, scoring, 3.0): KeptDifference(name="gap", items=3, total=1.0, squares=1.0),
        scored(team, scoring, 3.0): KeptDifference(name="gap", items=2, total=0.0, squares=2.0),
    }
    scored(team, scoring, 3.0)
    with engine.begin() as connection:
        for submission, one in kept.items():
            its = reports.c.submission_id == submission
            connection.execute(sa.update(reports).where(its).values(differences=json.encode([one]).decode()))
    (row,) = shown(team.client)["rows"]
    (difference,) = row["differences"]
    bounds = difference.pop("interval")
    assert difference == {"name": "gap", "value": pytest.approx(0.2), "items": 5}
    assert (bounds["lower"], bounds["upper"]) == pytest.approx((-0.838850, 1.0), abs=1e-6)
    assert (row["score"], row["items"]) == (0.75, 12), "a difference moves no score"
