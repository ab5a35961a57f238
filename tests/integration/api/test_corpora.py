"""Fixed corpora over the public api: approval, caps, and nothing of any single item."""

import hashlib
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
import sqlalchemy as sa
from msgspec import json
from msgspec.structs import replace

from api.database.schema import commitments, reports, rescorings, submissions
from api.settings import ApiSettings
from api.teams.approvals import approve
from tests.integration.api.conftest import BOTH_DATABASES, Client
from tests.integration.api.operator import Operator
from tests.integration.api.scoring import Scoring, metric, report_on
from tests.integration.api.team import NONCE, Team
from tetrad.contracts.items import DrawIdentity
from tetrad.contracts.reports import Report
from tetrad.contracts.rescoring import ProposedReport
from tetrad.internal.item_ids import item_id
from tetrad.server.objects import open_store

NAME = "trio-published"


def opening(**change: Any) -> dict[str, Any]:
    return {"benchmark": NAME, "track": "plain", "model": "model-one", "size": 5, "nonce": NONCE, **change}


def approve_for(engine: sa.Engine, team: Team, cap: int) -> None:
    with engine.begin() as connection:
        approve(connection, team.get("/v1/teams/me").json()["id"], NAME, cap, 0)


@pytest.fixture
def approved(team: Team, engine: sa.Engine) -> Team:
    approve_for(engine, team, 2)
    return team


def test_a_team_that_is_not_approved_opens_nothing_and_leaves_no_trace(team: Team, engine: sa.Engine) -> None:
    reply = team.post("/v1/submissions", opening())
    assert reply.status_code == 403
    assert "trio-published is a fixed corpus, for approved teams only" in reply.json()["detail"]
    with engine.connect() as connection:
        for table in (submissions, commitments):
            assert connection.execute(sa.select(sa.func.count()).select_from(table)).scalar_one() == 0
    assert team.post("/v1/submissions", opening(benchmark="trio")).status_code == 201


def test_an_approved_team_opens_up_to_its_cap(approved: Team, engine: sa.Engine) -> None:
    replies = [approved.post("/v1/submissions", opening()) for _ in range(3)]
    assert [reply.status_code for reply in replies] == [201, 201, 403]
    assert "opened 2 of its 2 submissions" in replies[2].json()["detail"]
    approve_for(engine, approved, 3)
    assert approved.post("/v1/submissions", opening()).status_code == 201


@BOTH_DATABASES
def test_of_many_at_once_no_more_than_the_cap_are_opened(approved: Team) -> None:
    with ThreadPoolExecutor(8) as pool:
        statuses = list(pool.map(lambda _: approved.post("/v1/submissions", opening()).status_code, range(8)))
    assert sorted(statuses) == [201, 201, *[403] * 6]


def test_too_few_items_to_report_on_are_refused(approved: Team) -> None:
    reply = approved.post("/v1/submissions", opening(size=4))
    (fault,) = reply.json()["faults"]
    assert (reply.status_code, fault["field"], fault["remedy"]) == (422, "size", "use 5 to 20")


def test_an_unknown_benchmark_is_named_before_anything_else(team: Team) -> None:
    assert team.post("/v1/submissions", opening(benchmark="none")).json()["faults"][0]["field"] == "benchmark"


@pytest.fixture
def scored(approved: Team, settings: ApiSettings, engine: sa.Engine) -> str:
    """A public submission with the report that scoring writes of a corpus."""
    submission = approved.open(benchmark=NAME)
    approved.questions(submission)
    approved.post(f"/v1/submissions/{submission}/finish")
    scoring = Scoring(settings, engine)
    scoring.score(approved, submission)
    exact = report_on(approved.get(f"/v1/submissions/{submission}").json(), 3.0)
    told = replace(exact, questions=[], aggregates_only=True)
    body = json.encode(told)
    open_store(settings.store_url).put(f"reports/{submission}/1.json", body)
    with engine.begin() as connection:
        of_it = sa.update(reports).where(reports.c.submission_id == submission)
        connection.execute(of_it.values(digest=hashlib.sha256(body).hexdigest()))
    return submission


def test_the_report_is_public_and_its_items_are_not(approved: Team, client: Client, scored: str) -> None:
    path = f"/v1/submissions/{scored}"
    report = json.decode(client.get(f"{path}/report").content, type=Report)
    assert report.aggregates_only
    for reply in (client.get(f"{path}/items"), approved.get(f"{path}/items")):
        assert reply.status_code == 403
        assert "trio-published is a fixed corpus" in reply.json()["detail"]


def test_its_board_has_published_figures_no_rows_and_says_why(approved: Team, client: Client, scored: str) -> None:
    board = client.get(f"/v1/leaderboards/{NAME}?track=plain").json()
    assert (board["rows"], board["notice"]) == ([], "Fixed items.")
    assert {one["metric"] for one in board["reference"]} == {board["metric"]}
    assert client.get("/v1/leaderboards/trio").json()["notice"] is None


def test_operators_are_shown_no_rows_of_its_board_either(
    approved: Team, client: Client, engine: sa.Engine, scored: str
) -> None:
    row = {"team": "team-one", "model": "model-one", "benchmark": NAME, "track": "plain"}
    operator = Operator(client)
    assert operator.post("rows/hide", **row, reason="x")["rows"] == []
    assert operator.post("rows/show", **row, reason="x")["rows"] == []
    batch = operator.post("rescorings", submission=scored, reason="a better reader")["id"]
    proposed = ProposedReport(
        revision=2,
        object="x",
        digest="0" * 64,
        headline=metric(1.0, 5),
        asked=5,
        unread=0,
        missing=0,
        scored_at=1,
        differences=[],
    )
    with engine.begin() as connection:
        values = {"state": "proposed", "report": json.encode(proposed).decode()}
        connection.execute(sa.update(rescorings).values(values))
    assert operator.get(f"rescorings/{batch}")["ranks"] == []


def test_its_practice_items_are_refused_with_the_reason(approved: Team, client: Client, scored: str) -> None:
    reply = client.get(f"/v1/benchmarks/{NAME}/items")
    assert reply.status_code == 422
    assert reply.json()["detail"].startswith("trio-published is a fixed corpus: its items can't be redrawn")
    identity = json.decode(json.encode(approved.get(f"/v1/submissions/{scored}").json()["identity"]), type=DrawIdentity)
    item = item_id(replace(identity, bank="0" * 64), "1", 0)
    assert client.get(f"/v1/items/{item}/solution").status_code == 404
