"""Chooses the job that gets the next slice.

There are four kinds of turns, and each has a share of a worker's time while it has work. Most turns belong to teams.
The team that had the least time goes first, so that a team that asks for little does not wait for one that asks for
much. Some turns belong to the submission that has waited longest for a slice. So a stream of new teams, each first in
line, delays the others but cannot starve them. Rescorings and verifications have shares of their own, however many
there are.

A team's time is counted in milliseconds, divided by the weight of the submission. Teams that were away
start with the time of the team that was served last, so that nobody saves up turns. The shares are counted by each
worker for itself.
"""

import logging
from collections.abc import Callable
from typing import NamedTuple

import sqlalchemy as sa

from tetrad.server.clock import now_ms
from tetrad.server.database import insert_into, read_rows, write_transaction
from tetrad.server.outbox import Lease, due_rows, lease_next
from tetrad.server.scoring_tables import rescorings, scoring_slices, scoring_turns, submissions, verifications

EVERYBODY = ""
"""A row under this name holds the time that the last served team had before its turn."""

log = logging.getLogger(__name__)


class Kind(NamedTuple):
    """A kind of turns: the outbox it serves, its share of the time, and its order of rows."""

    name: str
    outbox: sa.Table
    share: int
    order: Callable[[], tuple[sa.ColumnElement[object], ...]]


class Turn(NamedTuple):
    """A row that is leased, and the kind of turn it got."""

    kind: Kind
    lease: Lease


def _by_team() -> tuple[sa.ColumnElement[object], ...]:
    used = sa.func.coalesce(_time_of(submissions.c.team_id), 0)
    floor = sa.func.coalesce(_time_of(sa.literal(EVERYBODY)), 0)
    return sa.case((used > floor, used), else_=floor), *_by_wait(submissions, submissions.c.finished_at)


def _time_of(team: sa.ColumnElement[str]) -> sa.ScalarSelect[int]:
    turns = scoring_turns.alias()
    return sa.select(turns.c.used).where(turns.c.team_id == team).scalar_subquery()


def _by_wait(outbox: sa.Table, since: sa.ColumnElement[int]) -> tuple[sa.ColumnElement[object], ...]:
    """Order by how long a row has waited for a slice: since its last one, or since it was queued."""
    slices = scoring_slices.alias()
    last = sa.select(slices.c.at).where(slices.c.job_id == outbox.c.id).order_by(slices.c.number.desc()).limit(1)
    return sa.func.coalesce(last.scalar_subquery(), since, 0), outbox.c.id


KINDS = (
    Kind("teams", submissions, 6, _by_team),
    Kind("longest wait", submissions, 2, lambda: _by_wait(submissions, submissions.c.finished_at)),
    Kind("rescorings", rescorings, 1, lambda: _by_wait(rescorings, rescorings.c.created_at)),
    Kind("verifications", verifications, 1, lambda: _by_wait(verifications, verifications.c.created_at)),
)


class Turns:
    """Chooses rows for one worker."""

    def __init__(self, engine: sa.Engine, lease_ms: int, most_attempts: int) -> None:
        self._engine = engine
        self._lease_ms = lease_ms
        self._most_attempts = most_attempts
        self._used = dict.fromkeys((kind.name for kind in KINDS), 0.0)

    def next(self) -> Turn | None:
        """Lease the row whose turn it is, or return None where none is due."""
        without_work: list[str] = []
        for kind in sorted(KINDS, key=lambda kind: self._used[kind.name]):
            order = kind.order()
            lease = lease_next(self._engine, kind.outbox, now_ms(), self._lease_ms, self._most_attempts, order=order)
            if lease is not None:
                for name in without_work:  # a kind without work saves up no time
                    self._used[name] = max(self._used[name], self._used[kind.name])
                return Turn(kind, lease)
            without_work.append(kind.name)
        return None

    def upcoming(self, count: int) -> list[str]:
        """Return the submissions that are likely to be next, of those that no worker is at and none has begun."""
        rows = read_rows(self._engine, self._new().order_by(*_by_team()).limit(count))
        return [str(row.id) for row in rows]

    def has_new(self) -> bool:
        """Tell whether there is a submission that `upcoming` would return. False while the database is away."""
        try:
            return bool(read_rows(self._engine, self._new().limit(1)))
        except sa.exc.SQLAlchemyError:
            return False

    def _new(self) -> sa.Select[tuple[str]]:
        has_slices = sa.exists().where(scoring_slices.c.job_id == submissions.c.id)
        return due_rows(submissions, now_ms(), self._most_attempts).where(~has_slices)

    def charge(self, turn: Turn, seconds: float) -> None:
        """Count the time that a turn took. If the database is away, the time is not counted."""
        self._used[turn.kind.name] += seconds / turn.kind.share
        if turn.lease.table is not submissions:
            return
        try:
            self._charge_team(turn, seconds)
        except sa.exc.SQLAlchemyError as error:
            log.warning("a turn was not counted", extra={"row": turn.lease.id, "error": type(error).__name__})

    def _charge_team(self, turn: Turn, seconds: float) -> None:
        s, t = submissions.c, scoring_turns.c
        rows = read_rows(self._engine, sa.select(s.team_id, s.weight).where(s.id == turn.lease.id))
        if not rows:
            return  # it was deleted meanwhile
        team, cost = rows[0].team_id, max(1, round(seconds * 1000 / rows[0].weight))
        with write_transaction(self._engine) as connection:
            known = sa.select(t.team_id, t.used).where(t.team_id.in_((EVERYBODY, team)))
            used: dict[str, int] = {row.team_id: row.used for row in connection.execute(known)}
            floor = used.get(EVERYBODY, 0)
            before = max(used.get(team, 0), floor)
            if turn.kind is KINDS[0]:  # no waiting team had less: the others start from here
                _put(connection, EVERYBODY, before)
            _put(connection, team, before + cost)


def drop_idle(connection: sa.Connection) -> None:
    """Delete the times of teams that would start with the common time anyway."""
    t = scoring_turns.c
    floor = _time_of(sa.literal(EVERYBODY))
    connection.execute(sa.delete(scoring_turns).where(t.team_id != EVERYBODY, t.used <= floor))


def _put(connection: sa.Connection, team: str, used: int) -> None:
    row = insert_into(connection, scoring_turns).values(team_id=team, used=used)
    connection.execute(row.on_conflict_do_update(index_elements=["team_id"], set_={"used": used}))
