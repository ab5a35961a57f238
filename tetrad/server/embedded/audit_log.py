"""Acts on a home's files in the operators' log: what is done beside the api is written down like what it does."""

import json
import sqlite3
import time
from contextlib import closing

from tetrad.server.embedded.backups import opened
from tetrad.server.embedded.data_directory import EmbeddedError, Home
from tetrad.server.write_lock import write_turn

LOCAL = "local"  # whoever may read the home's files
INSERT = "INSERT INTO operator_acts (at, operator, act, subject, reason, details) VALUES (?, ?, ?, ?, ?, ?)"


def note(home: Home, act: str, *, reason: str = "", **details: object) -> None:
    """Append a line to the log; a home that was never started has none, and nothing to be done to it.

    Raises:
        EmbeddedError: the database is not of this version yet.
    """
    if not home.database.exists():
        return
    row = (time.time_ns() // 1_000_000, LOCAL, act, "instance", reason, json.dumps(details))
    try:
        with write_turn(str(home.database)), closing(opened(home.database)) as connection:
            connection.execute(INSERT, row)
    except (sqlite3.Error, OSError) as error:
        raise EmbeddedError(f"{home.database}: the act can't be logged ({error}); start this version once") from error
