"""Transactions: a writer waits its turn, a block that fails leaves nothing, a read sees one moment."""

import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest
import sqlalchemy as sa

from tetrad.server import database
from tetrad.server.database import make_engine, read_transaction, write_transaction
from tetrad.server.locks import NEXT, TURN

metadata = sa.MetaData()
counts = sa.Table("counts", metadata, sa.Column("name", sa.String(20), primary_key=True), sa.Column("n", sa.Integer))
notes = sa.Table("notes", metadata, sa.Column("of", sa.ForeignKey("counts.name")))
ONE = sa.select(counts.c.n).where(counts.c.name == "one")


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[sa.Engine]:
    engine = make_engine(f"sqlite:///{tmp_path}/x.sqlite")
    with write_transaction(engine) as connection:
        metadata.create_all(connection)
        connection.execute(sa.insert(counts).values(name="one", n=0))
    yield engine
    engine.dispose()


def raise_by_one(connection: sa.Connection) -> None:
    number = connection.execute(ONE).scalar_one()
    connection.execute(sa.update(counts).values(n=number + 1))


def number(engine: sa.Engine) -> int:
    with read_transaction(engine) as connection:
        return int(connection.execute(ONE).scalar_one())


def test_ten_writers_that_read_before_they_write_lose_nothing(engine: sa.Engine) -> None:
    def work(_: int) -> None:
        for _ in range(10):
            with write_transaction(engine) as connection:
                raise_by_one(connection)

    with ThreadPoolExecutor(10) as pool:
        list(pool.map(work, range(10)))
    assert number(engine) == 100


def test_a_writer_holds_the_lock_from_its_first_moment(engine: sa.Engine, tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "x.sqlite", timeout=0, isolation_level=None)) as other:
        with write_transaction(engine), pytest.raises(sqlite3.OperationalError, match="locked"):
            other.execute("BEGIN IMMEDIATE")
        other.execute("BEGIN IMMEDIATE")


def test_a_second_writer_waits_for_the_first(engine: sa.Engine) -> None:
    entered, seen = threading.Event(), []

    def second() -> None:
        entered.wait()
        with write_transaction(engine) as connection:
            seen.append(connection.execute(ONE).scalar_one())

    thread = threading.Thread(target=second)
    thread.start()
    with write_transaction(engine) as connection:
        entered.set()
        thread.join(0.3)
        assert thread.is_alive()
        raise_by_one(connection)
    thread.join(10)
    assert seen == [1]


def test_a_writer_gets_its_turn_beside_one_that_writes_without_a_pause(engine: sa.Engine) -> None:
    """With SQLite's own waiting it came last of all, after 1,000 of the others; with one lock often after hundreds."""
    done, began, waited = threading.Event(), threading.Barrier(3), []

    def without_a_pause() -> None:
        began.wait()
        for _ in range(1000):
            if done.is_set():
                return
            with write_transaction(engine) as connection:
                raise_by_one(connection)
                time.sleep(0.001)

    with ThreadPoolExecutor(2) as pool:
        pool.submit(without_a_pause)
        pool.submit(without_a_pause)
        began.wait()
        for _ in range(5):
            before = number(engine)
            with write_transaction(engine) as connection:
                waited.append(connection.execute(ONE).scalar_one() - before)
        done.set()
    assert max(waited) < 100


HOLD = """
import sys, time
from tetrad.server.database import make_engine, write_transaction
with write_transaction(make_engine(sys.argv[1])) as connection:
    connection.exec_driver_sql("UPDATE counts SET n = 7")
    print("held", flush=True)
    time.sleep(60)
"""


def test_a_process_that_is_killed_in_its_turn_frees_it_and_wrote_nothing(engine: sa.Engine) -> None:
    command = [sys.executable, "-c", HOLD, str(engine.url)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        with ThreadPoolExecutor(1) as pool:
            waiting = pool.submit(write_one, engine)
            time.sleep(0.2)
            assert not waiting.done()
            process.kill()
            waiting.result(10)
    assert number(engine) == 1


def test_whoever_waits_for_its_turn_holds_no_connection(engine: sa.Engine) -> None:
    """A pool has 15: writers that wait would keep readers out."""
    with ThreadPoolExecutor(20) as pool:
        with write_transaction(engine) as connection:
            raise_by_one(connection)
            waiting = [pool.submit(write_one, engine) for _ in range(20)]
            time.sleep(0.2)
            assert number(engine) == 0
            assert not any(each.done() for each in waiting)
        for each in waiting:
            each.result(30)
    assert number(engine) == 21


def test_a_write_inside_another_is_refused_and_not_waited_for(engine: sa.Engine) -> None:
    with write_transaction(engine) as connection:
        with pytest.raises(RuntimeError, match="inside another"):
            write_one(engine)
        raise_by_one(connection)
    write_one(engine)
    assert number(engine) == 2


def test_a_file_that_somebody_else_made_keeps_nobody_out(engine: sa.Engine) -> None:
    for end in (TURN, NEXT):
        (path := Path(f"{engine.url.database}{end}")).touch()
        path.chmod(0o444)
    write_one(engine)
    assert number(engine) == 1


def test_a_queue_that_cannot_be_kept_is_the_database_s_error(engine: sa.Engine) -> None:
    Path(f"{engine.url.database}{NEXT}").unlink()
    Path(f"{engine.url.database}{NEXT}").mkdir()
    with pytest.raises(sa.exc.OperationalError, match="write lock"):
        write_one(engine)


@pytest.mark.parametrize("url", ["sqlite://", "sqlite:///:memory:", "sqlite:///file::memory:?uri=true"])
def test_a_database_in_memory_has_no_queue(url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    engine = make_engine(url)
    with write_transaction(engine) as connection:
        metadata.create_all(connection)
    engine.dispose()
    assert list(tmp_path.iterdir()) == []


def test_a_queue_waits_once_for_whoever_did_not_queue(
    engine: sa.Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "BUSY_TIMEOUT_MS", 500)
    with closing(sqlite3.connect(tmp_path / "x.sqlite", timeout=0, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        begun = time.monotonic()
        with ThreadPoolExecutor(20) as pool:
            waiting = [pool.submit(write_one, engine) for _ in range(20)]
        assert all(isinstance(each.exception(), sa.exc.OperationalError) for each in waiting)
        assert time.monotonic() - begun < 20 * 0.5 * 0.95, "each waited for itself"
    write_one(engine)
    assert number(engine) == 1


def write_one(engine: sa.Engine) -> None:
    with write_transaction(engine) as connection:
        raise_by_one(connection)


def twice_the_same_name(connection: sa.Connection) -> None:
    raise_by_one(connection)
    connection.execute(sa.insert(counts).values(name="one", n=5))


def interrupted(connection: sa.Connection) -> None:
    raise_by_one(connection)
    raise KeyboardInterrupt


@pytest.mark.parametrize(
    ("block", "error"), [(twice_the_same_name, sa.exc.IntegrityError), (interrupted, KeyboardInterrupt)]
)
def test_a_block_that_fails_is_undone_and_frees_the_lock(
    engine: sa.Engine, block: Callable[[sa.Connection], None], error: type[BaseException]
) -> None:
    with pytest.raises(error), write_transaction(engine) as connection:
        block(connection)
    assert number(engine) == 0
    with write_transaction(engine) as connection:
        raise_by_one(connection)
    assert number(engine) == 1


def test_a_read_sees_one_moment_while_others_write(engine: sa.Engine) -> None:
    with read_transaction(engine) as connection:
        before = connection.execute(ONE).scalar_one()
        with write_transaction(engine) as other:
            raise_by_one(other)
        assert connection.execute(ONE).scalar_one() == before
    assert number(engine) == before + 1


def test_what_a_reading_block_writes_is_not_kept(engine: sa.Engine) -> None:
    with read_transaction(engine) as connection:
        raise_by_one(connection)
    assert number(engine) == 0


def test_references_are_enforced_and_the_journal_is_write_ahead(engine: sa.Engine) -> None:
    with pytest.raises(sa.exc.IntegrityError), write_transaction(engine) as connection:
        connection.execute(sa.insert(notes).values(of="nobody"))
    with read_transaction(engine) as connection:
        found = {
            name: connection.exec_driver_sql(f"PRAGMA {name}").scalar() for name in ("journal_mode", "synchronous")
        }
    assert found == {"journal_mode": "wal", "synchronous": 2}


def test_another_address_is_postgres_and_connects_only_when_used() -> None:
    engine = make_engine("postgresql+psycopg://nobody@127.0.0.1:1/none")
    assert engine.dialect.name == "postgresql"
    with pytest.raises(sa.exc.OperationalError), read_transaction(engine):
        pass
