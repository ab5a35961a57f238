"""The errors by which databases say that their files are damaged. It needs no library: backups know no SQLAlchemy."""

import sqlite3

PRIMARY_CODE = 0xFF  # of an extended code of SQLite: https://www.sqlite.org/rescode.html
SQLITE_DAMAGES = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})
POSTGRES_DAMAGES = frozenset({"XX001", "XX002"})  # SQLSTATE: data_corrupted, index_corrupted


def is_damage(error: BaseException | None) -> bool:
    """Return whether the error of a driver, or SQLAlchemy's around it, says that the database is damaged."""
    error = getattr(error, "orig", None) or error
    code = getattr(error, "sqlite_errorcode", None)
    if code is not None:
        return code & PRIMARY_CODE in SQLITE_DAMAGES
    return getattr(error, "sqlstate", None) in POSTGRES_DAMAGES
