"""Deleting a team: nothing personal is left anywhere, and what others' results rest on is still checkable."""

import asyncio
from types import SimpleNamespace
from typing import Any, cast
from unittest.mock import patch

import pytest
import sqlalchemy as sa
from litestar.testing import TestClient
from msgspec import json
from msgspec.structs import replace

from api.app import create_app
from api.database.schema import answers, items, metadata, questions, rescorings
from api.settings import ApiSettings
from api.upstream.generator import Generator
from scoring_service.jobs.context import WorkerContext
from scoring_service.jobs.retention import prune_answers
from tests.integration.api.conftest import BOTH_DATABASES, Client
from tests.integration.api.operator import Operator
from tests.integration.api.scoring import Scoring, finished, metric
from tests.integration.api.team import Team
from tests.ports import free_port
from tetrad.commitments import first_broken
from tetrad.contracts.log import LogPage
from tetrad.contracts.rescoring import ProposedReport
from tetrad.internal.kept_answers import unpack_answers
from tetrad.server.objects import FolderStore, StoreError, open_store

BOARD = "/v1/leaderboards/trio?track=plain"
PERSONAL = ("Ada Lovelace", "ada@example.org", "team-gone", "ada's nonce")


@pytest.fixture
def gone(client: Client, operator: Operator) -> Team:
    body = {"name": "team-gone", "title": "Ada Lovelace", "contact": "ada@example.org"}
    made = client.post("/v1/teams", json=body).json()
    team = Team(client, made["key"], made["about"]["id"])
    assert team.post("/v1/models", {"name": "model-one", "url": "https://example.org/ada@example.org"}).is_success
    operator.call("PUT", "teams/team-gone/approvals/imsitu", {"submissions_cap": 1})
    return team


def everything(engine: sa.Engine) -> str:
    with engine.connect() as connection:
        return repr([connection.execute(sa.select(table)).all() for table in metadata.sorted_tables])


def board(client: Client) -> list[tuple[Any, ...]]:
    rows = client.get(BOARD).json()["rows"]
    return [(row["score"], row["rank_best"], row["rank_worst"], row["items"], row["unread_share"]) for row in rows]


@BOTH_DATABASES
def test_what_is_personal_goes_and_boards_and_the_log_stay_as_they_were(  # the whole story in one place
    gone: Team, client: Client, operator: Operator, scoring: Scoring, settings: ApiSettings
) -> None:
    other = Team.registered(client, "team-other")
    scoring.score(other, finished(other, size=12), total=6.0)
    public = finished(gone, size=12)
    scoring.score(gone, public, total=12.0)
    private = finished(gone, visibility="private", nonce="ada's nonce")
    scoring.score(gone, private)
    unfinished = gone.open(nonce="ada's nonce")
    before, log = board(client), client.get("/v1/commitments").content
    team_id = gone.get("/v1/teams/me").json()["id"]

    wrong = operator.refused(422, "teams/team-gone/delete", confirm="team-one")
    assert wrong["faults"][0]["field"] == "confirm"
    done = operator.post("teams/team-gone/delete", confirm="team-gone", public_reason="at their request")

    assert (done["submissions_kept"], done["submissions_deleted"]) == (1, 2)
    assert board(client) == before
    assert client.get("/v1/commitments").content == log
    assert first_broken(json.decode(log, type=LogPage).entries) is None
    kept = everything(scoring.engine)
    assert [text for text in PERSONAL if text in kept] == []
    assert gone.get("/v1/teams/me").status_code == 401
    names = {row["team"]: row["model"] for row in client.get(BOARD).json()["rows"]}
    assert names == {"team-other": "model-one", done["team"]["name"]: f"{done['team']['name']}-model-1"}
    assert done["team"]["name"].startswith("deleted-")
    store = open_store(settings.store_url)
    assert store.get(f"reports/{private}/1.json") is None
    report = client.get(f"/v1/submissions/{public}/report")
    assert report.status_code == 200
    assert all(question["response"] is None for question in revealed(client, public))
    for submission in (private, unfinished):
        assert client.get(f"/v1/submissions/{submission}/report").status_code == 404
    record = operator.get(f"teams/{team_id}")
    assert (record["team"]["state"], record["team"]["state_reason"]) == ("deleted", "at their request")
    assert (record["contact"], record["keys"], record["team"]["approvals"]) == (None, 0, [])
    assert operator.acts(team_id)[0]["details"] == {"submissions_kept": 1, "submissions_deleted": 2}


def revealed(client: Client, submission: str) -> list[dict[str, Any]]:
    items = client.get(f"/v1/submissions/{submission}/items").json()["items"]
    return [question for item in items for question in item["questions"]]


def test_a_deleted_team_s_name_is_free_and_nothing_of_it_can_be_changed(
    gone: Team, client: Client, operator: Operator
) -> None:
    name = operator.post("teams/team-gone/delete", confirm="team-gone")["team"]["name"]
    operator.refused(404, "teams/team-gone/approve")
    for path in (f"teams/{name}/approve", f"teams/{name}/suspend"):
        operator.refused(409, path, reason="x")
    operator.refused(409, f"teams/{name}/delete", confirm=name)
    assert client.post("/v1/teams", json={"name": "team-gone"}).status_code == 201


def test_a_deletion_that_cannot_reach_what_lies_elsewhere_changes_nothing_and_is_asked_for_again(
    gone: Team, client: Client, operator: Operator, scoring: Scoring, settings: ApiSettings
) -> None:
    private = finished(gone, visibility="private")
    scoring.score(gone, private)
    with patch.object(FolderStore, "delete", side_effect=StoreError("away")):
        operator.refused(503, "teams/team-gone/delete", confirm="team-gone")
    generatorless = replace(settings, generator_url=f"http://127.0.0.1:{free_port()}")
    with TestClient(create_app(generatorless)) as other:
        Operator(other).refused(503, "teams/team-gone/delete", confirm="team-gone")
    operator.refused(422, "teams/team-gone/delete", confirm="team-gone", public_reason="a\0b")
    assert gone.get(f"/v1/submissions/{private}/report").status_code == 200
    operator.post("teams/team-gone/delete", confirm="team-gone")
    assert open_store(settings.store_url).get(f"reports/{private}/1.json") is None
    assert [act["act"] for act in operator.acts()].count("delete team") == 1


def propose(scoring: Scoring, submission: str, state: str) -> str:
    """Add a rescoring as scoring leaves it, and return the name of its object."""
    name = f"reports/{submission}/res_{state}-1.json"
    scoring.store.put(name, b"{}")
    headline = metric(3.0, 4)
    proposed = ProposedReport(
        revision=2,
        object=name,
        digest="0" * 64,
        headline=headline,
        asked=1,
        unread=0,
        missing=0,
        scored_at=1,
        differences=[],
    )
    row = {"id": f"res_{submission}_{state}", "batch": "rsb_1", "submission_id": submission, "reason": "x"}
    told = {"state": state, "created_at": 1, "report": json.encode(proposed).decode()}
    with scoring.engine.begin() as connection:
        connection.execute(sa.insert(rescorings).values(row | told))
    return name


def test_reports_that_were_proposed_and_never_applied_go_too(gone: Team, operator: Operator, scoring: Scoring) -> None:
    public, private = finished(gone), finished(gone, visibility="private")
    for submission in (public, private):
        scoring.score(gone, submission)
    of_private = [propose(scoring, private, "proposed")]
    of_public = [propose(scoring, public, state) for state in ("proposed", "dropped")]
    applied = propose(scoring, public, "applied")
    with patch.object(FolderStore, "delete", side_effect=StoreError("away")):
        operator.refused(503, "teams/team-gone/delete", confirm="team-gone")
    with scoring.engine.connect() as connection:
        states = set(connection.execute(sa.select(rescorings.c.state)).scalars())
    assert states == {"dropped", "applied"}, "nobody applies what may be deleted already"
    operator.post("teams/team-gone/delete", confirm="team-gone")
    assert [scoring.store.get(name) for name in (*of_private, *of_public, applied)] == [None, None, None, b"{}"]
    with scoring.engine.connect() as connection:
        assert connection.execute(sa.select(rescorings.c.state)).scalars().all() == ["applied"]


@BOTH_DATABASES
def test_a_proposal_that_is_made_while_its_team_is_deleted_is_asked_about_again(
    gone: Team, operator: Operator, scoring: Scoring
) -> None:
    public = finished(gone)
    scoring.score(gone, public)
    made: list[str] = []

    def meanwhile(*_: object) -> None:
        made.append(propose(scoring, public, "proposed"))

    with patch.object(Generator, "close_draws", side_effect=meanwhile):
        operator.refused(409, "teams/team-gone/delete", confirm="team-gone")
    assert scoring.store.get(made[0]) == b"{}"
    operator.post("teams/team-gone/delete", confirm="team-gone")
    assert scoring.store.get(made[0]) is None


def test_more_draws_are_closed_than_one_request_takes(gone: Team, settings: ApiSettings) -> None:
    first, last = gone.open(), gone.open()
    generator = Generator(settings)
    generator.close_draws([first, *(f"sub_{number}" for number in range(10_000)), last])
    after: str | None = ""
    while after is not None:
        page = generator.open_draws(after)
        assert not {first, last} & {draw.submission for draw in page.draws}
        after = page.next
    asyncio.run(generator.close())


def test_every_table_of_a_team_is_known_to_the_deletion() -> None:
    """Tables made later are cleared by the names of their columns; one that names a team otherwise is found here."""
    named = {table.name: set(table.c.keys()) for table in metadata.sorted_tables}
    for table in metadata.sorted_tables:
        for key in table.foreign_keys:
            wanted = {
                "teams": "team_id",
                "submissions": "submission_id",
                "models": "model_id",
                "evaluations": "team_id",
                "keys": "team_id",
                "datasets": "dataset_id",
            }
            assert wanted[key.column.table.name] in named[table.name]


def pruned(scoring: Scoring) -> None:
    """Move all answers of scored submissions to objects, as scoring's sweeper does."""
    context = SimpleNamespace(engine=scoring.engine, store=scoring.store, generator=NothingToPack())
    assert prune_answers(cast("WorkerContext", context), 2**60, 1) > 0


class NothingToPack:
    """The generator of these tests records nothing that could be packed."""

    def pack_draws(self, submissions: list[str]) -> None:
        assert submissions


def test_revealed_items_and_pictures_are_the_same_once_their_rows_are_gone(
    gone: Team, client: Client, scoring: Scoring
) -> None:
    submission = finished(gone, size=12)
    scoring.score(gone, submission, total=12.0)
    page = f"/v1/submissions/{submission}/items?limit=5"
    before = client.get(page).json()
    assert any(question["response"] for item in before["items"] for question in item["questions"])
    pruned(scoring)
    with scoring.engine.connect() as connection:
        for table in (answers, questions, items):
            assert connection.execute(sa.select(table)).all() == []
    assert client.get(page).json() == before
    after = client.get(f"{page}&cursor={before['next']}").json()
    assert {item["item"] for item in after["items"]} == set(range(5, 10))
    told = gone.get(f"/v1/submissions/{submission}").json()
    assert (told["state"], told["progress"]["questions_answered"]) == ("scored", 12)
    (name,) = scoring.store.names(f"answers/{submission}")
    scoring.store.put(name, b"other")
    away = client.get(page)
    assert (away.status_code, "digest differs" in away.json()["detail"]) == (503, True)


@pytest.mark.parametrize("interrupted", [False, True], ids=["at-once", "asked-again"])
def test_replies_in_objects_go_with_their_team_and_what_others_rest_on_stays(
    gone: Team, client: Client, operator: Operator, scoring: Scoring, *, interrupted: bool
) -> None:
    public, private = finished(gone, size=12), finished(gone, visibility="private")
    scoring.score(gone, public, total=12.0)
    scoring.score(gone, private)
    pruned(scoring)
    before = revealed(client, public)
    if interrupted:
        with patch("api.operator.deleting._delete_submissions", side_effect=StoreError("killed here")):
            operator.refused(503, "teams/team-gone/delete", confirm="team-gone")
    operator.post("teams/team-gone/delete", confirm="team-gone")
    assert list(scoring.store.names(f"answers/{private}")) == []
    (name,) = scoring.store.names(f"answers/{public}")
    kept = list(unpack_answers(scoring.store.get(name) or b""))
    assert len(kept) == 12
    assert {one.response for one in kept} == {None}
    after = revealed(client, public)
    assert after == [{**question, "response": None} for question in before]
    assert before != after
