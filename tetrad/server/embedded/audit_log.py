"""The audit log of a data directory: what an operator did to its files, without the api.

It stands alone because it writes to a table of the api's; the command line opens no database itself.
"""

import json
import sqlite3
import time
from contextlib import closing

from tetrad.server.embedded.backups import open_database
from tetrad.server.embedded.data_directory import DataDirectory, EmbeddedError
from tetrad.server.locks import write_lock

LOCAL = "local"  # the operator's name in the log: anybody who may read the files of the data directory
INSERT = "INSERT INTO operator_acts (at, operator, act, subject, reason, details) VALUES (?, ?, ?, ?, ?, ?)"


def note(data: DataDirectory, act: str, *, reason: str = "", **details: object) -> None:
    """Append a line to the audit log. A data directory that was never started has no log: nothing is written.

    Raises:
        EmbeddedError: the database is not of this version yet.
    """
    if not data.database.exists():
        return
    row = (time.time_ns() // 1_000_000, LOCAL, act, "instance", reason, json.dumps(details))
    try:
        with write_lock(str(data.database)), closing(open_database(data.database)) as connection:
            connection.execute(INSERT, row)
    except (sqlite3.Error, OSError) as error:
        raise EmbeddedError(
            f"{data.database}: the audit log can't be written ({error}); start this version once"
        ) from error
