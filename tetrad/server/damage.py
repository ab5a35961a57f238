"""Damage of what services keep: an object or a row that is read back differs from what was written.

Whoever meets it raises the alarm: an error in the log, a row of `damages`, which /health/ready shows, and DamageError,
which a request answers by 503. Scoring's scrub deletes the row once the object is whole again.
"""

import logging

import sqlalchemy as sa

from tetrad.server.clock import now_ms
from tetrad.server.database import read_rows, write_transaction
from tetrad.server.named_objects import find_problem
from tetrad.server.objects import ObjectStore
from tetrad.server.scoring_tables import damages

DATABASE = "database"
"""The subject of damage of the database itself."""
MOST_SHOWN = 10

log = logging.getLogger(__name__)


class DamageError(Exception):
    """Something is damaged: its name and the problem."""

    def __init__(self, subject: str, problem: str) -> None:
        super().__init__(f"{subject} is damaged: {problem}; an operator has to restore it from a backup")
        self.subject = subject
        self.problem = problem


def read_object(engine: sa.Engine, store: ObjectStore, name: str, digest: str) -> bytes:
    """Return the object that was written with this digest.

    Raises:
        DamageError: it is missing or differs; the alarm is raised.
        StoreError: the store is out of reach.
    """
    body = store.get(name)
    problem = find_problem(body, digest)
    if body is None or problem is not None:
        raise raise_alarm(engine, name, str(problem))
    return body


def raise_alarm(engine: sa.Engine, subject: str, problem: str) -> DamageError:
    """Tell operators of the damage, once, and return the error to raise."""
    error = DamageError(subject, problem)
    try:
        if not read_rows(engine, sa.select(damages.c.subject).where(damages.c.subject == subject)):
            log.error("alarm: %s", error, extra={"subject": subject})
            _record(engine, subject, problem)
    except sa.exc.SQLAlchemyError as away:
        log.error("alarm: %s", error, extra={"subject": subject, "not_recorded": type(away).__name__})  # noqa: TRY400
    return error


def _record(engine: sa.Engine, subject: str, problem: str) -> None:
    row = {"subject": subject, "problem": problem, "found_at": now_ms()}
    with write_transaction(engine) as connection:
        if connection.execute(sa.select(damages.c.subject).where(damages.c.subject == subject)).first() is None:
            connection.execute(sa.insert(damages).values(row))


def forget_damage(engine: sa.Engine, subject: str) -> None:
    """Take off the list what is damaged no more."""
    if read_rows(engine, sa.select(damages.c.subject).where(damages.c.subject == subject)):
        with write_transaction(engine) as connection:
            connection.execute(sa.delete(damages).where(damages.c.subject == subject))
        log.warning("no longer damaged: %s", subject)


def known_damage(engine: sa.Engine) -> dict[str, str]:
    """Return what is known to be damaged and not yet whole again, the oldest first, with the problem of each."""
    query = sa.select(damages.c.subject, damages.c.problem).order_by(damages.c.found_at).limit(MOST_SHOWN)
    return {row.subject: row.problem for row in read_rows(engine, query)}
