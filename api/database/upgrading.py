"""Brings a database to this version's tables, once, however many processes start together, and sets scoring's rights.

Scoring has a user of its own in Postgres, which may touch its ledger, and nothing else; bulk workers have one for data
sets. The api owns the tables, so it
grants the rights after every upgrade; a new table is closed to scoring until it is named here.
"""

from collections.abc import Mapping
from pathlib import Path

import sqlalchemy as sa

from tetrad.server.database import write_transaction
from tetrad.server.migrations import migrate

VERSIONS = Path(__file__).parent / "migrations" / "versions"
UPGRADE_LOCK = 0x7465_7472_6164  # "tetrad": an advisory lock is a number
_STATE = "state, attempt, lease_until, failure"
_KEPT = "answers_object, answers_digest, pruned_at"
RIGHTS: Mapping[str, tuple[str, ...]] = {
    "submissions": ("SELECT", "DELETE", f"UPDATE ({_STATE}, scored_at, finished_at, finish_reason, {_KEPT})"),
    "questions": ("SELECT", "DELETE"),
    "items": ("SELECT", "DELETE"),
    "answers": ("SELECT", "DELETE"),
    "reports": ("SELECT", "INSERT"),
    "superseded_reports": ("SELECT",),
    "damages": ("SELECT", "INSERT", "DELETE"),
    "scrubs": ("SELECT", "INSERT", "UPDATE"),
    "events": ("SELECT", "INSERT", "DELETE"),
    "rescorings": ("SELECT", f"UPDATE ({_STATE}, finished_at, revision, difference, report)"),
    "verifications": ("SELECT", "DELETE", f"UPDATE ({_STATE}, finished_at, result)"),
    "verification_bytes": ("SELECT", "UPDATE (bytes)", "DELETE"),
    "scoring_slices": ("SELECT", "INSERT", "DELETE"),
    "scoring_turns": ("SELECT", "INSERT", "UPDATE", "DELETE"),
}
COUNTERS = ("events_id_seq",)
BULK_RIGHTS: Mapping[str, tuple[str, ...]] = {
    "datasets": ("SELECT", "UPDATE", "DELETE"),
    "dataset_orders": ("SELECT",),
    "dataset_shards": ("SELECT", "UPDATE", "DELETE"),
    "dataset_events": ("SELECT", "INSERT", "DELETE"),
}
BULK_COUNTERS = ("dataset_events_id_seq",)


def upgrade(engine: sa.Engine, scoring_role: str = "", bulk_role: str = "") -> None:
    """Run the migrations that are missing, all in one transaction: a failed upgrade leaves nothing behind.

    On Postgres, `scoring_role` and `bulk_role` name the users whose rights are then set to what scoring and bulk
    workers need. Tables of a newer release, with which this one can live, stay as they are, and so do rights.

    Raises:
        NewerDatabaseError: this release can't live with the tables of a newer one.
    """
    with write_transaction(engine) as connection:
        if not migrate(connection, VERSIONS, lock=UPGRADE_LOCK):
            return
        if scoring_role:
            grant_to_scoring(connection, scoring_role)
        if bulk_role:
            grant(connection, bulk_role, BULK_RIGHTS, BULK_COUNTERS)


def grant_to_scoring(connection: sa.Connection, role: str) -> None:
    """Give the role of scoring the rights of `RIGHTS` alone."""
    grant(connection, role, RIGHTS, COUNTERS)


def grant(
    connection: sa.Connection, role: str, rights_of: Mapping[str, tuple[str, ...]], counters: tuple[str, ...]
) -> None:
    """Take every right from the role and give it these; does nothing where there are no roles (SQLite)."""
    if connection.dialect.name != "postgresql":
        return
    name = connection.dialect.identifier_preparer.quote(role)
    for what in ("TABLES", "SEQUENCES"):
        connection.execute(sa.text(f"REVOKE ALL ON ALL {what} IN SCHEMA public FROM {name}"))
    for table, rights in rights_of.items():
        connection.execute(sa.text(f"GRANT {', '.join(rights)} ON {table} TO {name}"))
    for counter in counters:
        connection.execute(sa.text(f"GRANT USAGE ON SEQUENCE {counter} TO {name}"))
