"""The scrub: reads every object that a row names once a week, and compares it with its digest.

Each round of the sweeper reads for a bounded time. The place that was reached stands in the row of `scrubs`, so that
another round, another worker or a restart goes on from there. What is damaged is told to operators; what is whole again
is taken off their list. A SQLite file is checked, too, when a pass begins.
"""

import logging
from collections.abc import Iterator, Mapping, Sequence
from time import monotonic
from typing import Any

import sqlalchemy as sa

from scoring_service.jobs.context import WorkerContext
from tetrad.server.clock import now_ms
from tetrad.server.damage import DATABASE, forget_damage, raise_alarm
from tetrad.server.database import insert_into, read_rows, write_transaction
from tetrad.server.database_damage import DatabaseDamagedError, check_database
from tetrad.server.named_objects import TABLES, NamedObject, digest_in, find_problem, is_named, objects_after
from tetrad.server.scoring_tables import damages, scrubs

OBJECTS = "objects"
WEEK_MS = 7 * 24 * 60 * 60 * 1000
LEASE_MS = 60_000  # longer than a round; after a kill another worker goes on
ROUND_SECONDS = 0.5  # of a round of the sweeper, which comes every ten seconds
LOOKED_AGAIN = 10  # damaged objects a round
BEGINNING = f"{TABLES[0]} "

log = logging.getLogger(__name__)


def scrub(context: WorkerContext, seconds: float = ROUND_SECONDS) -> int:
    """Read objects for about so long, if a pass is due or under way and no other worker is at it; return how many.

    Raises:
        StoreError, SQLAlchemyError: a later round goes on.
    """
    _look_again(context)
    place = _take(context.engine, now_ms())
    if place is None:
        return 0
    if place == BEGINNING:
        _check_sqlite(context.engine)
    end, number = monotonic() + seconds, 0
    for found in _objects_from(context.engine, place):
        here = f"{found.table} {found.key}"
        if number and here != place and monotonic() > end:  # each round reads at least the objects of one key
            _write(context.engine, {"place": place, "lease_until": 0})
            return number
        _check(context, found)
        place, number = here, number + 1
    _write(context.engine, {"ended_at": now_ms(), "place": BEGINNING, "lease_until": 0})
    log.info("every object was read")
    return number


def _take(engine: sa.Engine, now: int) -> str | None:
    """Take the turn of the scrub; return the place to go on from, None if nothing is due or another has the turn."""
    mine = scrubs.c.subject == OBJECTS
    row = next(iter(read_rows(engine, sa.select(scrubs).where(mine))), None)
    if row is not None and not _is_due(row, now):
        return None
    first = {"subject": OBJECTS, "begun_at": now, "ended_at": None, "place": BEGINNING, "lease_until": 0}
    with write_transaction(engine) as connection:
        connection.execute(insert_into(connection, scrubs).values(first).on_conflict_do_nothing())
        row = connection.execute(sa.select(scrubs).where(mine).with_for_update()).one()
        if not _is_due(row, now):
            return None
        begin = {} if row.ended_at is None else {"begun_at": now, "ended_at": None, "place": BEGINNING}
        connection.execute(sa.update(scrubs).where(mine).values(lease_until=now + LEASE_MS, **begin))
    return str(begin.get("place", row.place))


def _is_due(row: sa.Row[Any], now: int) -> bool:
    """Return whether the row's pass goes on or a new one begins. A time that lies too far ahead is a clock's fault."""
    if now < row.lease_until <= now + 2 * LEASE_MS:
        return False
    return row.ended_at is None or not 0 <= now - row.begun_at < WEEK_MS


def _objects_from(engine: sa.Engine, place: str) -> Iterator[NamedObject]:
    """Yield the objects behind this place. Rows of one key come together."""
    table, _, key = place.partition(" ")
    for later in TABLES[TABLES.index(table) :]:
        key = key if later == table else ""
        while found := objects_after(_rows_of(engine), later, key):
            yield from found
            key = found[-1].key


def _check(context: WorkerContext, found: NamedObject) -> None:
    problem = find_problem(context.store.get(found.name), found.digest)
    if problem is not None and is_named(_rows_of(context.engine), found.name):  # not deleted since its row was read
        raise_alarm(context.engine, found.name, problem)


def _look_again(context: WorkerContext) -> None:
    """Take off the list what is whole again, or deleted: operators see at once that a restore worked."""
    query = sa.select(damages.c.subject).order_by(damages.c.found_at).limit(LOOKED_AGAIN)
    for subject in read_rows(context.engine, query):
        name = str(subject.subject)
        digest = digest_in(name)
        is_whole = digest and find_problem(context.store.get(name), digest) is None
        if is_whole or (digest and not is_named(_rows_of(context.engine), name)):
            forget_damage(context.engine, name)


def _check_sqlite(engine: sa.Engine) -> None:
    if engine.dialect.name != "sqlite":
        return  # scoring may read a part of a Postgres; the api checks it
    try:
        check_database(engine)
    except DatabaseDamagedError as error:
        raise_alarm(engine, DATABASE, str(error))


def _write(engine: sa.Engine, values: Mapping[str, object]) -> None:
    with write_transaction(engine) as connection:
        connection.execute(sa.update(scrubs).where(scrubs.c.subject == OBJECTS).values(**values))


def _rows_of(engine: sa.Engine) -> Any:
    def rows(text: str, parameters: Mapping[str, object]) -> Sequence[Any]:
        return read_rows(engine, sa.text(text).bindparams(**parameters))

    return rows
