"""Many rows at once, into both databases: text comes back as it was, and a row that can't be kept leaves none."""

from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
import sqlalchemy as sa

from tests.integration.conftest import MakeDatabase
from tetrad.server.database import insert_rows, make_engine, read_transaction, write_transaction

table = sa.Table(
    "order",  # a name that must be quoted
    sa.MetaData(),
    sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("text", sa.Text),
    sa.Column("at", sa.BigInteger),
    sa.Column("closing", sa.Boolean),
)
TEXTS = ["plain", "", None, "\\N", "\\.", "a\tb\r\nc\\", "'; DROP TABLE x", '"quoted", {braces}', "ünïcode 🧩 \u2028"]
ROWS = [
    {"number": number, "text": text, "at": 2**40 + number, "closing": number % 2 == 1}
    for number, text in enumerate(TEXTS)
]


@pytest.fixture(params=["sqlite", "postgres"])
def engine(request: pytest.FixtureRequest, tmp_path: Path, new_postgres: MakeDatabase) -> Iterator[sa.Engine]:
    engine = make_engine(f"sqlite:///{tmp_path}/x.db" if request.param == "sqlite" else new_postgres("rows"))
    with write_transaction(engine) as connection:
        table.create(connection)
    yield engine
    engine.dispose()


def kept(engine: sa.Engine) -> list[dict[str, object]]:
    with read_transaction(engine) as connection:
        return [dict(row._mapping) for row in connection.execute(sa.select(table).order_by(table.c.number))]


def test_rows_come_back_as_they_were(engine: sa.Engine) -> None:
    with write_transaction(engine) as connection:
        insert_rows(connection, table, ROWS)
        insert_rows(connection, table, [])
    assert kept(engine) == ROWS


def test_a_row_that_is_there_already_leaves_none_of_them(engine: sa.Engine) -> None:
    with write_transaction(engine) as connection:
        insert_rows(connection, table, ROWS[:1])
    with pytest.raises((sa.exc.IntegrityError, psycopg.IntegrityError)), write_transaction(engine) as connection:
        insert_rows(connection, table, ROWS[::-1])
    assert kept(engine) == ROWS[:1]


def test_a_database_that_goes_away_meanwhile_is_sqlalchemys_error(new_postgres: MakeDatabase) -> None:
    engine = make_engine(new_postgres("cut"))
    with write_transaction(engine) as connection:
        table.create(connection)
    with pytest.raises(sa.exc.OperationalError):
        insert_when_cut_off(engine)
    assert kept(engine) == []
    engine.dispose()


def insert_when_cut_off(engine: sa.Engine) -> None:
    with write_transaction(engine) as connection, engine.connect() as other:
        mine = connection.execute(sa.text("SELECT pg_backend_pid()")).scalar_one()
        other.execute(sa.text("SELECT pg_terminate_backend(:pid)"), {"pid": mine})
        insert_rows(connection, table, ROWS)


def test_a_block_that_fails_later_takes_the_rows_back(engine: sa.Engine) -> None:
    with pytest.raises(LookupError):
        insert_and_fail(engine)
    assert kept(engine) == []


def insert_and_fail(engine: sa.Engine) -> None:
    with write_transaction(engine) as connection:
        insert_rows(connection, table, ROWS)
        raise LookupError
