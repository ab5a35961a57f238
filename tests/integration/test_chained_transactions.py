"""A transaction that frees its locks before it is on the disk is on the disk when it ends: a crash loses none of it."""

import os
import signal
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from tests.postgres import address_of, start_postgres
from tetrad.server.database import chained_transaction, make_engine, read_rows, write_transaction

table = sa.Table("links", sa.MetaData(), sa.Column("number", sa.Integer, primary_key=True, autoincrement=False))
LINKS = 20


class Crashing:
    """A Postgres of its own, which can be killed and started again on the same files."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.server: Any = start_postgres(folder)

    @property
    def url(self) -> str:
        return address_of(self.server)

    def pids(self) -> list[int]:
        """Return the ids of the server's main process and of all others."""
        main = int((self.folder / "postmaster.pid").read_text().split()[0])
        return [main, *map(int, Path(f"/proc/{main}/task/{main}/children").read_text().split())]

    def kill(self) -> None:
        """kill -9 the server and all its processes, and wait until they are gone."""
        pids = self.pids()
        for pid in pids:
            with suppress(ProcessLookupError):  # the others end by themselves when the first has
                os.kill(pid, signal.SIGKILL)
        end = time.monotonic() + 30
        while any(Path(f"/proc/{pid}/exe").exists() for pid in pids) and time.monotonic() < end:
            time.sleep(0.02)

    def start_again(self) -> None:
        for left in (self.folder / "postmaster.pid", *self.folder.glob(".s.PGSQL*")):
            left.unlink(missing_ok=True)
        self.server.ensure_postgres_running()


@pytest.fixture
def crashing() -> Iterator[Crashing]:
    postgres = Crashing(Path(tempfile.mkdtemp(prefix="tetrad-crashing-")))
    yield postgres
    postgres.server.cleanup()


def test_what_has_ended_outlives_a_kill_of_postgres_at_the_same_moment(crashing: Crashing) -> None:
    engine = make_engine(crashing.url)
    with write_transaction(engine) as connection:
        table.create(connection)
    for number in range(LINKS):
        with chained_transaction(engine) as connection:
            connection.execute(sa.insert(table).values(number=number))
    crashing.kill()
    engine.dispose()
    crashing.start_again()
    engine = make_engine(crashing.url)
    kept = [row.number for row in read_rows(engine, sa.select(table).order_by(table.c.number))]
    engine.dispose()
    assert kept == list(range(LINKS))
