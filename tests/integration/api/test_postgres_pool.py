"""Connections to Postgres: as many as are set, kept open, asked whether they live only after a pause, no idle words."""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
import sqlalchemy as sa
from litestar.testing import TestClient
from msgspec.structs import replace

from api.app import create_app
from api.settings import ApiSettings
from tests.postgres import administering
from tetrad.server import database
from tetrad.server.database import (
    TooManyConnectionsError,
    check_connections,
    make_engine,
    read_rows,
    read_transaction,
    write_transaction,
)

NAME = "pooled"
CONNECTIONS = 3
OWN = sa.text("SELECT pg_backend_pid() AS pid")
CUT = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s"


@pytest.fixture
def engine(new_postgres: Callable[[str], str]) -> Iterator[sa.Engine]:
    engine = make_engine(new_postgres(NAME), CONNECTIONS)
    yield engine
    engine.dispose()


def pid_of(engine: sa.Engine) -> int:
    return int(read_rows(engine, OWN)[0].pid)


def test_many_threads_share_the_connections_that_are_set_and_open_no_others(engine: sa.Engine) -> None:
    opened: list[Any] = []
    sa.event.listen(engine, "connect", lambda connection, _: opened.append(connection))
    all_at_once = threading.Barrier(30)

    def work(_: int) -> set[int]:
        all_at_once.wait()
        return {pid_of(engine) for _ in range(20)}

    with ThreadPoolExecutor(30) as pool:
        pids = set().union(*pool.map(work, range(30)))
    assert len(opened) == len(pids) == CONNECTIONS


def test_a_connection_that_was_cut_while_it_was_idle_is_replaced_unnoticed(
    engine: sa.Engine, postgres: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "PING_AFTER_SECONDS", 0.0)
    before = pid_of(engine)
    with administering(postgres) as connection:
        connection.execute(CUT, [NAME])
    assert pid_of(engine) != before


def test_a_connection_in_steady_use_is_not_pinged(engine: sa.Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    pid_of(engine)
    pinged: list[object] = []

    def ping(connection: object) -> bool:
        pinged.append(connection)
        return True

    monkeypatch.setattr(engine.dialect, "do_ping", ping)
    for _ in range(20):
        pid_of(engine)
    assert pinged == []
    monkeypatch.setattr(database, "PING_AFTER_SECONDS", 0.0)
    pid_of(engine)
    assert len(pinged) == 1, "or this test would see no ping"


def test_a_single_read_begins_no_transaction_and_one_of_several_queries_does(engine: sa.Engine) -> None:
    alone = sa.text("SELECT now() = statement_timestamp() AS alone, current_setting('transaction_isolation') AS level")
    assert tuple(read_rows(engine, alone)[0]) == (True, "read committed")
    with read_transaction(engine) as connection:
        connection.execute(sa.text("SELECT 1"))
        assert tuple(connection.execute(alone).one()) == (False, "repeatable read")
    assert tuple(read_rows(engine, alone)[0]) == (True, "read committed")


def test_what_the_driver_has_prepared_outlives_a_reading_transaction(engine: sa.Engine) -> None:
    for _ in range(10):
        with read_transaction(engine) as connection:
            connection.execute(sa.text("SELECT count(*) FROM pg_class"))
    prepared = sa.text("SELECT count(*) FROM pg_prepared_statements WHERE statement LIKE '%FROM pg_class'")
    assert read_rows(engine, prepared)[0][0] == 1


def test_a_pool_that_the_database_has_no_room_for_is_refused_at_the_start(
    settings: ApiSettings, new_postgres: Callable[[str], str]
) -> None:
    app = create_app(replace(settings, database_url=new_postgres(NAME), database_connections=500))
    with pytest.raises(ExceptionGroup) as caught, TestClient(app):
        pass
    said = str(caught.value.exceptions[0])
    assert isinstance(caught.value.exceptions[0], TooManyConnectionsError)
    assert said.startswith("TETRAD_API_DATABASE_CONNECTIONS is 500, but the database has room for ")


def test_a_pool_that_does_not_fit_beside_what_is_in_use_is_told_of(
    engine: sa.Engine, caplog: pytest.LogCaptureFixture
) -> None:
    row = read_rows(engine, sa.text("SELECT current_setting('max_connections')::int AS most"))[0]
    fits = row.most - database.KEPT_FREE - 3
    check_connections(engine, 1, "X")
    assert caplog.messages == []
    with read_transaction(engine), read_transaction(engine):
        check_connections(engine, fits, "X", "lower X ")
    (said,) = caplog.messages
    assert said.startswith(f"X is {fits}, but the database has ")
    assert "are in use" in said
    assert said.endswith("; lower X so that the pools of all processes fit together, or raise max_connections")


def test_sqlite_lets_in_any_number(tmp_path: Any) -> None:
    check_connections(make_engine(f"sqlite:///{tmp_path}/x.db"), 500, "X")


def test_a_lock_that_is_held_is_waited_for_no_longer_than_stated(
    new_postgres: Callable[[str], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "LOCK_TIMEOUT_MS", 200)
    engine = make_engine(new_postgres(NAME), CONNECTIONS)
    held = sa.text("SELECT pg_advisory_xact_lock(7)")
    try:
        with write_transaction(engine) as holder:
            holder.execute(held)
            with pytest.raises(sa.exc.OperationalError, match="lock timeout"), write_transaction(engine) as other:
                other.execute(held)
        with write_transaction(engine) as connection:
            connection.execute(held)
    finally:
        engine.dispose()


def test_a_transaction_that_stands_still_is_undone_and_lets_others_go_on(
    new_postgres: Callable[[str], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "IDLE_TIMEOUT_MS", 200)
    engine = make_engine(new_postgres(NAME), CONNECTIONS)
    try:
        with pytest.raises(sa.exc.OperationalError, match="idle transaction"), write_transaction(engine) as stopped:
            _stand_still(stopped, engine)
    finally:
        engine.dispose()


def _stand_still(stopped: sa.Connection, engine: sa.Engine) -> None:
    held = sa.text("SELECT pg_advisory_xact_lock(7)")
    stopped.execute(held)
    with write_transaction(engine) as other:  # it waits until Postgres ends the one that stands still
        other.execute(held)
    stopped.execute(sa.text("SELECT 1"))
