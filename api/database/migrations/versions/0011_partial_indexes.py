"""Indexes of what is open, queued or void: as small as that, however many submissions there have been."""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"

WHERE = {
    "ix_submissions_queued": ("submissions", ["id"], "state = 'queued'"),
    "ix_submissions_open": ("submissions", ["deadline_at"], "state = 'open'"),
    "ix_submissions_open_of_team": ("submissions", ["team_id", "deadline_at"], "state = 'open'"),
    "ix_submissions_void": ("submissions", ["board", "id"], "state = 'void'"),
    "ix_rescorings_queued": ("rescorings", ["id"], "state = 'queued'"),
    "ix_verifications_queued": ("verifications", ["id"], "state = 'queued'"),
}
WHOLE = {
    "ix_submissions_of_team": ("submissions", ["team_id", "id"]),
    "ix_submissions_of_team_by_time": ("submissions", ["team_id", "opened_at"]),
    "ix_events_of_submission": ("events", ["submission_id", "id"]),
    "ix_verifications_ended": ("verifications", ["finished_at"]),
}
REPLACED = {
    "ix_submissions_due": "submissions",
    "ix_submissions_team_id": "submissions",
    "ix_rescorings_due": "rescorings",
    "ix_verifications_due": "verifications",
    "ix_events_submission_id": "events",
}


def upgrade() -> None:
    for name, (table, columns, where) in WHERE.items():
        op.create_index(
            name, table, columns, unique=False, postgresql_where=sa.text(where), sqlite_where=sa.text(where)
        )
    for name, (table, columns) in WHOLE.items():
        op.create_index(name, table, columns, unique=False)
    for name, table in REPLACED.items():
        op.drop_index(name, table)
