"""The rights of scoring's own user of Postgres in the api's database: its ledger, and nothing else.

The api owns the tables, so it grants the rights after every upgrade; a table that a later version brings is closed to
scoring until it is named here.
"""

from collections.abc import Mapping

import sqlalchemy as sa

_STATE = "state, attempt, lease_until, failure"
RIGHTS: Mapping[str, tuple[str, ...]] = {
    "submissions": ("SELECT", "DELETE", f"UPDATE ({_STATE}, scored_at, finished_at, finish_reason)"),
    "questions": ("SELECT", "DELETE"),
    "items": ("SELECT", "DELETE"),
    "answers": ("SELECT", "DELETE"),
    "reports": ("SELECT", "INSERT"),
    "events": ("SELECT", "INSERT", "DELETE"),
    "rescorings": ("SELECT", f"UPDATE ({_STATE}, finished_at, revision, difference, report)"),
    "verifications": ("SELECT", "DELETE", f"UPDATE ({_STATE}, finished_at, result)"),
}
COUNTERS = ("events_id_seq",)


def grant_to_scoring(connection: sa.Connection, role: str) -> None:
    """Take every right from the role and give it those of `RIGHTS`; does nothing where there are no roles (SQLite)."""
    if connection.dialect.name != "postgresql":
        return
    name = connection.dialect.identifier_preparer.quote(role)
    for what in ("TABLES", "SEQUENCES"):
        connection.execute(sa.text(f"REVOKE ALL ON ALL {what} IN SCHEMA public FROM {name}"))
    for table, rights in RIGHTS.items():
        connection.execute(sa.text(f"GRANT {', '.join(rights)} ON {table} TO {name}"))
    for counter in COUNTERS:
        connection.execute(sa.text(f"GRANT USAGE ON SEQUENCE {counter} TO {name}"))
