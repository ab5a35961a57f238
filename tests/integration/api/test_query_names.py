"""Names in a query that a route doesn't know: refused before anything is done, on every route."""

import re
from typing import Any

import pytest
from msgspec import json

from api.openapi import DOCUMENT, OPERATORS_DOCUMENT
from tests.integration.api.conftest import Client
from tests.integration.api.operator import OPERATOR_TOKEN
from tests.integration.api.team import Team

OPERATIONS = [
    (method.upper(), re.sub(r"\{[^}]*\}", "1", path))
    for document in (DOCUMENT, OPERATORS_DOCUMENT)
    for path, operations in json.decode(document.read_bytes())["paths"].items()
    for method in operations
    if path.startswith("/v1/")
]
ROWS = "/v1/benchmarks/1/rows"
BY_CARD = {
    "/v1/benchmarks/1/items",
    "/v1/benchmarks/1/counted",
    ROWS,
    "/v1/leaderboards/1",
    "/v1/comparisons/1",
}


@pytest.mark.parametrize(("method", "path"), OPERATIONS)
def test_no_route_takes_a_name_that_it_does_not_know(client: Client, method: str, path: str) -> None:
    headers = {} if path == ROWS else {"Authorization": f"Bearer {OPERATOR_TOKEN}"}  # rows know API keys alone
    path = path.replace("s/1", "s/trio") if path in BY_CARD else path
    reply = client.request(method, f"{path}?colour=red", headers=headers)
    assert reply.status_code == 422
    (fault,) = reply.json()["faults"]
    assert (fault["field"], fault["value"], fault["problem"]) == ("colour", "red", "is no query name here")
    assert fault["remedy"]


def state_of(team: Team, submission: str) -> tuple[str, int]:
    shown: dict[str, Any] = team.get(f"/v1/submissions/{submission}").json()
    return shown["state"], shown["progress"]["questions_answered"]


@pytest.mark.parametrize("query", ["dry-run=true", "dryrun=1", "dry_run=true&dry_run=false"])
def test_a_misspelt_dry_run_seals_nothing(team: Team, query: str) -> None:
    submission = team.open()
    question = team.questions(submission)[0]
    answer = {"item": question["item"], "question": question["question"]["id"], "answer": "A"}
    reply = team.post(f"/v1/submissions/{submission}/answers?{query}", {"answers": [answer]})
    assert (reply.status_code, state_of(team, submission)) == (422, ("open", 0))


def test_finishing_has_no_dry_run(team: Team) -> None:
    submission = team.open()
    team.questions(submission)
    reply = team.post(f"/v1/submissions/{submission}/finish?dry_run=true")
    assert (reply.status_code, state_of(team, submission)[0]) == (422, "open")
    assert "nothing is asked by query" in reply.json()["faults"][0]["remedy"]


def test_the_remedy_names_what_there_is(team: Team) -> None:
    reply = team.get("/v1/submissions?state=open")
    assert reply.json()["faults"][0]["remedy"] == "use cursor, limit"
    assert (
        team.get("/v1/submissions/sub_1/questions?form=tar").json()["faults"][0]["remedy"]
        == "use cursor, limit, items, format"
    )
