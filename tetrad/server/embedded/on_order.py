"""Wait until there is a data set to make or to remove, and become the worker that does it.

    python -m tetrad.server.embedded.on_order DATABASE MODULE

A worker holds 150 MiB, and most instances never make a data set. This process imports no library but Python's own,
and looks at one index of the SQLite file. The worker ends when it has been idle, and the supervisor starts this again.

It stands alone because it runs as a program.
"""

import os
import runpy
import sqlite3
import sys
import time
from contextlib import closing
from pathlib import Path

from tetrad.internal.jobs import RETENTION_DAYS

LOOK_SECONDS = 2.0
HEARTBEAT = "TETRAD_BULK_HEARTBEAT_FILE"
"""The variable that names the file to touch, for the watchdog: by this process, and by the worker that it becomes."""
QUERY = """
SELECT 1 WHERE EXISTS (SELECT 1 FROM datasets WHERE state IN ('queued', 'making', 'paused'))
OR EXISTS (SELECT 1 FROM datasets WHERE unreferenced_at < ?)
"""


def is_work(database: str) -> bool:
    """Return whether a data set waits for a worker; False where the database or its tables are not there yet."""
    before = int((time.time() - RETENTION_DAYS * 86_400) * 1000)
    try:
        with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as connection:
            return connection.execute(QUERY, (before,)).fetchone() is not None
    except sqlite3.Error:
        return False


def main() -> None:
    database, module = sys.argv[1:]
    heartbeat = os.environ.get(HEARTBEAT)
    while not is_work(database):
        if heartbeat:
            Path(heartbeat).touch()
        time.sleep(LOOK_SECONDS)
    sys.argv = [module]
    runpy.run_module(module, run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
