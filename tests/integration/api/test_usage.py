"""What each team used in a period, as CSV: counted in the period alone, for each team alone."""

import csv
from datetime import UTC, date, datetime, timedelta
from typing import Any

import sqlalchemy as sa

from api.database.schema import settlements, submissions
from tests.integration.api.conftest import BOTH_DATABASES, Client
from tests.integration.api.operator import Operator
from tests.integration.api.team import Team

DAY_MS = 86_400_000


def rows(operator: Operator, query: str = "") -> dict[str, dict[str, str]]:
    reply = operator.call("GET", f"usage{query}")
    assert (reply.status_code, reply.headers["Content-Type"]) == (200, "text/csv; charset=utf-8")
    return {row["name"]: row for row in csv.DictReader(reply.text.splitlines())}


def settlement(at: int, team_id: str, number: int, cost: int, *, estimated: bool = False) -> dict[str, Any]:
    row = {"id": f"{team_id}-{number}", "at": at, "epoch": 0, "cost": cost, "estimated": estimated, "changed_in": 0}
    row |= {"cost_before": 0, "team": "an earlier name", "account": "a", "model": "m"}
    return row | {"budgets": f"day|2026\nteam|{team_id}\ntoken|gwt_{number}"}


@BOTH_DATABASES
def test_usage_is_counted_by_team_and_by_day(client: Client, engine: sa.Engine, operator: Operator) -> None:
    one, two = Team.registered(client, "team-one"), Team.registered(client, "team-two")
    first, second = one.open(), one.open()
    two.open()
    now = int(datetime.now(UTC).timestamp() * 1000)
    ids = {record["team"]["name"]: record["team"]["id"] for record in operator.get("teams")["teams"]}
    with engine.begin() as connection:
        of_one = sa.update(submissions).where(submissions.c.id == first)
        connection.execute(of_one.values(state="scored", answered_count=7, opened_at=now - 40 * DAY_MS))
        connection.execute(sa.update(submissions).where(submissions.c.id == second).values(answered_count=3, size=10))
        calls = [settlement(now, ids["team-one"], 1, 1_500_000_000), settlement(now, ids["team-two"], 1, 4)]
        calls.append(settlement(now, ids["team-one"], 2, 250_000_000, estimated=True))
        calls.append(settlement(now - 40 * DAY_MS, ids["team-one"], 3, 9_000_000_000))
        connection.execute(sa.insert(settlements), calls)
    today = datetime.now(UTC).date()
    found = rows(operator, f"?since={today - timedelta(days=1)}")
    assert list(found) == ["team-one", "team-two"]
    told = {name: found["team-one"][name] for name in ("submissions", "items", "answers", "scored", "evaluations")}
    assert told == {"submissions": "1", "items": "10", "answers": "3", "scored": "0", "evaluations": "0"}
    assert (found["team-one"]["dollars"], found["team-one"]["estimated"]) == ("1.750000", "0.250000")
    assert (found["team-two"]["submissions"], found["team-two"]["dollars"]) == ("1", "0.000000")
    whole = rows(operator, "?since=2020-01-01")["team-one"]
    assert (whole["submissions"], whole["answers"], whole["scored"], whole["dollars"]) == ("2", "10", "1", "10.750000")
    assert rows(operator)["team-two"]["submissions"] == "1", "this month, today included"
    earlier = rows(operator, f"?since=2020-01-01&until={today}")
    assert earlier["team-two"]["submissions"] == "0", "the last day is not in it"


def test_a_period_without_a_day_and_a_day_that_is_none_are_refused(operator: Operator) -> None:
    for query, field in (("since=2026-11-02&until=2026-11-02", "until"), ("since=yesterday", "since")):
        refused = operator.call("GET", f"usage?{query}")
        assert refused.status_code == 422, refused.text
        assert field in refused.text
    assert rows(operator, f"?since={date(2020, 1, 1)}&until={date(2020, 1, 2)}") == {}
