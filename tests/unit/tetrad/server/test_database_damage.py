"""SQLite's quick_check tells of damage by an error, or by what it finds: both are damage."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tetrad.server.database import make_engine
from tetrad.server.database_damage import DatabaseDamagedError, check_database

FREE_PAGES = 36  # the place of their number in the file's header


def test_what_quick_check_finds_is_damage(tmp_path: Path) -> None:
    path = tmp_path / "some.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE kept (n INTEGER)")
    engine = make_engine(f"sqlite:///{path}")
    assert check_database(engine)
    engine.dispose()
    with path.open("r+b") as file:
        file.seek(FREE_PAGES)
        file.write((5).to_bytes(4, "big"))
    with pytest.raises(DatabaseDamagedError, match=r"(?s)some\.db is damaged .*freelist"):
        check_database(engine)
    engine.dispose()
