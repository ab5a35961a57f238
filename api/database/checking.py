"""Looks for damage in the api's database at the api's start.

A damaged SQLite file ends the start, because writing to it would make it worse. A Postgres is read in the background,
by one process, at most once a day: that can take long, and others write to it whatever one process does.
"""

import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import sqlalchemy as sa

from api.database.schema import damages, scrubs
from tetrad.server.clock import DAY_MS, now_ms
from tetrad.server.damage import DATABASE, forget_damage, known_damage, raise_alarm
from tetrad.server.database import write_transaction
from tetrad.server.database_damage import DatabaseDamagedError, check_database
from tetrad.server.named_objects import digest_in

STOP_SECONDS = 5.0  # a process that ends waits so long for the statement that reads a table

log = logging.getLogger(__name__)


@contextmanager
def checked_database(engine: sa.Engine, upgrade: Callable[[], None]) -> Iterator[None]:
    """Check a SQLite file, upgrade the database, and check a Postgres in the background.

    What an earlier process found in rows is forgotten: whoever meets it again tells it again.

    Raises:
        DatabaseDamagedError: the SQLite file is damaged.
    """
    is_file = engine.dialect.name == "sqlite"
    if is_file:
        check_database(engine)
    upgrade()
    for subject in known_damage(engine):
        if not digest_in(subject) and (is_file or subject != DATABASE):
            forget_damage(engine, subject)
    if is_file:
        yield
        return
    stop = threading.Event()
    check = threading.Thread(target=check_once_a_day, args=(engine, stop), name="database-check", daemon=True)
    check.start()
    try:
        yield
    finally:
        stop.set()
        check.join(STOP_SECONDS)


def check_once_a_day(engine: sa.Engine, stop: threading.Event | None = None) -> bool:
    """Check the database unless a process began to within a day and found it whole; return whether this one did."""
    try:
        if not _take_turn(engine, now_ms()):
            return False
        if check_database(engine, stop):
            forget_damage(engine, DATABASE)
            log.info("the database was checked")
        else:
            _give_back_turn(engine)
    except DatabaseDamagedError as error:
        raise_alarm(engine, DATABASE, str(error))
    except sa.exc.SQLAlchemyError as error:
        log.warning("the check of the database was put off", extra={"error": type(error).__name__})
    return True


def _take_turn(engine: sa.Engine, now: int) -> bool:
    s = scrubs.c
    with write_transaction(engine) as connection:
        row = connection.execute(sa.select(scrubs).where(s.subject == DATABASE).with_for_update()).one_or_none()
        was_damaged = connection.execute(sa.select(damages).where(damages.c.subject == DATABASE)).first() is not None
        if row is not None and 0 <= now - row.begun_at < DAY_MS and not was_damaged:
            return False
        turn = {"begun_at": now, "ended_at": None, "place": "", "lease_until": 0}
        if row is None:
            connection.execute(sa.insert(scrubs).values(subject=DATABASE, **turn))
        else:
            connection.execute(sa.update(scrubs).where(s.subject == DATABASE).values(**turn))
    return True


def _give_back_turn(engine: sa.Engine) -> None:
    with write_transaction(engine) as connection:
        connection.execute(sa.delete(scrubs).where(scrubs.c.subject == DATABASE))
