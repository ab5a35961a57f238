"""Moves the answers of submissions that were scored long ago from rows to one object each, packed.

Every step can be the last before a kill. The object is written before the row names it. Its name is its digest, so
repeating a step changes nothing. Once the row names the object, readers use it. Then the rows are deleted in slices. At
last the submission's row says that they are gone.
"""

import logging
from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa

from scoring_service.generator import GeneratorError
from scoring_service.jobs.context import WorkerContext
from tetrad.internal.kept_answers import KeptAnswer, digest_of, object_name, pack_answers
from tetrad.server.database import read_transaction, write_transaction
from tetrad.server.objects import StoreError
from tetrad.server.scoring_tables import answers, items, questions, submissions

AT_ONCE = 20  # submissions a round, so that it stays short
ITEMS_A_SLICE = 1000  # whose rows a transaction deletes
COLUMNS = [answers.c[name] for name in KeptAnswer.__struct_fields__]
ENDED = ("scored", "void")

log = logging.getLogger(__name__)


def prune_answers(context: WorkerContext, before: int, now: int) -> int:
    """Keep the answers of submissions that were scored before `before` (ms) as objects, and delete their rows.

    Return how many submissions were done.

    Raises:
        StoreError, GeneratorError: the rest is done in a later round.
    """
    waiting = find_due(context.engine, before)
    return sum(_prune(context, str(row.id), row.size, row.answers_object, now) for row in waiting)


def find_due(engine: sa.Engine, before: int) -> Sequence[Any]:
    """Return id, size and object of the submissions whose rows are to go, the oldest first."""
    s = submissions.c
    query = sa.select(s.id, s.size, s.answers_object).where(s.pruned_at.is_(None), s.scored_at.is_not(None))
    query = query.where(s.scored_at <= before, s.state.in_(ENDED)).order_by(s.scored_at).limit(AT_ONCE)
    with read_transaction(engine) as connection:
        return connection.execute(query).all()


def prune_or_put_off(context: WorkerContext, before: int, now: int) -> None:
    """Prune what is due; write to the log if that can't be done now."""
    try:
        pruned = prune_answers(context, before, now)
    except (StoreError, GeneratorError) as error:
        log.warning("pruning answers put off: %s", error)
        return
    if pruned:
        log.info("answers are pruned", extra={"count": pruned})


def _prune(context: WorkerContext, submission: str, size: int, kept: str | None, now: int) -> bool:
    if kept is None and not _keep(context, submission):
        return False
    context.generator.pack_draws([submission])
    for first in range(0, size, ITEMS_A_SLICE):
        with write_transaction(context.engine) as connection:
            for table in (answers, questions, items):
                mine = sa.delete(table).where(table.c.submission_id == submission)
                connection.execute(mine.where(table.c.item >= first, table.c.item < first + ITEMS_A_SLICE))
    with write_transaction(context.engine) as connection:
        this = sa.update(submissions).where(submissions.c.id == submission, submissions.c.answers_object.is_not(None))
        connection.execute(this.values(pruned_at=now))
    return True


def _keep(context: WorkerContext, submission: str) -> bool:
    """Write the object and name it in the row; False where the answers changed meanwhile: their team was deleted."""
    with read_transaction(context.engine) as connection:
        body = pack_answers(_rows(connection, submission))
    digest = digest_of(body)
    name = object_name(submission, digest)
    context.store.put(name, body)
    mine = submissions.c.id == submission
    with write_transaction(context.engine) as connection:
        row = connection.execute(sa.select(submissions).where(mine).with_for_update()).one_or_none()
        is_same = (
            row is not None
            and row.answers_object is None
            and digest_of(pack_answers(_rows(connection, submission))) == digest
        )
        if is_same:
            connection.execute(sa.update(submissions).where(mine).values(answers_object=name, answers_digest=digest))
    if not is_same and (row is None or row.answers_object != name):
        context.store.delete(name)
    return is_same or (row is not None and row.answers_object is not None)


def _rows(connection: sa.Connection, submission: str) -> list[KeptAnswer]:
    query = sa.select(*COLUMNS).where(answers.c.submission_id == submission)
    return [KeptAnswer(*row) for row in connection.execute(query)]
