"""Writes what each team used in a period as CSV, a line for each team: for operators who divide the cost."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from datetime import UTC, date, datetime, time
from itertools import chain

import sqlalchemy as sa

from api.database.schema import evaluations, settlements, submissions, teams
from api.errors import InvalidInputError
from tetrad.money import NANODOLLARS_A_DOLLAR
from tetrad.reporting.csv_table import write_table
from tetrad.server.database import read_transaction

COLUMNS = ("team", "name", "state", "submissions", "items", "answers", "scored", "evaluations", "dollars", "estimated")
OF_TEAM = "team|"  # the budget of a team among those that a settlement counts to


def write_usage(engine: sa.Engine, since: date, until: date) -> str:
    """Return CSV (RFC 4180) of what teams used from the day `since` to the day before `until`, in UTC; oldest first.

    Submissions count by when they were opened; one of which no question was fetched lapses, and then counts no more.
    Calls of models count by when they were booked, in US dollars. What of that is `estimated` nobody has measured.

    Raises:
        InvalidInputError: the period has no day.
    """
    if since >= until:
        raise InvalidInputError.at("until", until.isoformat(), "is not after the first day", "name a later day")
    bounds = _start_of(since), _start_of(until)
    with read_transaction(engine) as connection:
        named = connection.execute(sa.select(teams.c.id, teams.c.name, teams.c.state).order_by(teams.c.id)).all()
        counts = _count_submissions(connection, bounds), _count_evaluations(connection, bounds)
        used = _merge(chain(*counts, _sum_costs(connection, bounds)))
    rows = ({"team": row.id, "name": row.name, "state": row.state, **used[row.id]} for row in named)
    return write_table(COLUMNS, rows, missing="0")


def _start_of(day: date) -> int:
    return int(datetime.combine(day, time(), UTC).timestamp() * 1000)


def _count_submissions(connection: sa.Connection, bounds: tuple[int, int]) -> Iterable[tuple[str, Mapping[str, str]]]:
    s = submissions.c
    counts = {
        "submissions": sa.func.count(),
        "items": sa.func.sum(s.size),
        "answers": sa.func.sum(s.answered_count),
        "scored": sa.func.sum(sa.case((s.state == "scored", 1), else_=0)),
    }
    query = sa.select(s.team_id, *(count.label(name) for name, count in counts.items())).group_by(s.team_id)
    for row in connection.execute(query.where(_within(s.opened_at, bounds))).mappings():
        yield row["team_id"], {name: str(row[name]) for name in counts}


def _count_evaluations(connection: sa.Connection, bounds: tuple[int, int]) -> Iterable[tuple[str, Mapping[str, str]]]:
    e = evaluations.c
    query = sa.select(e.team_id, sa.func.count()).where(_within(e.created_at, bounds)).group_by(e.team_id)
    for team, count in connection.execute(query):
        yield team, {"evaluations": str(count)}


def _sum_costs(connection: sa.Connection, bounds: tuple[int, int]) -> Iterable[tuple[str, Mapping[str, str]]]:
    """Yield what each team's calls cost. A team is named by its budget, for its name may have been another."""
    c = settlements.c
    estimated = sa.func.sum(sa.case((c.estimated, c.cost), else_=0))
    query = sa.select(c.budgets, sa.func.sum(c.cost), estimated).where(_within(c.at, bounds)).group_by(c.budgets)
    sums: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for budgets, cost, guessed in connection.execute(query):
        for team in (line.removeprefix(OF_TEAM) for line in budgets.splitlines() if line.startswith(OF_TEAM)):
            sums[team][0] += int(cost)
            sums[team][1] += int(guessed)
    for team, (cost, guessed) in sums.items():
        yield team, {"dollars": _dollars(cost), "estimated": _dollars(guessed)}


def _within(column: sa.ColumnElement[int], bounds: tuple[int, int]) -> sa.ColumnElement[bool]:
    return sa.and_(column >= bounds[0], column < bounds[1])


def _dollars(nanodollars: int) -> str:
    return f"{nanodollars / NANODOLLARS_A_DOLLAR:.6f}"


def _merge(found: Iterable[tuple[str, Mapping[str, str]]]) -> Mapping[str, dict[str, str]]:
    merged: dict[str, dict[str, str]] = defaultdict(dict)
    for team, counts in found:
        merged[team] |= counts
    return merged
