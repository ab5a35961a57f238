"""Damage to a database's file, as a broken disk makes it."""

import sqlite3
from contextlib import closing
from pathlib import Path


def zero_pages(path: Path, *tables: str) -> None:
    """Fill the first page of each table and of its indexes with zeros, in a SQLite file that nobody has open."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        (size,) = connection.execute("PRAGMA page_size").fetchone()
        found = connection.execute("SELECT tbl_name, rootpage FROM sqlite_master WHERE rootpage > 0").fetchall()
    assert set(tables) <= {table for table, _ in found}
    with path.open("r+b") as file:
        for root in [root for table, root in found if table in tables]:
            file.seek((root - 1) * size)
            file.write(bytes(size))
