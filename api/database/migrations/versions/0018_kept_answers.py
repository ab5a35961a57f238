"""Answers of scored submissions are kept in the object store once their rows are gone."""

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"

UNPRUNED = sa.text("pruned_at IS NULL AND scored_at IS NOT NULL")


def upgrade() -> None:
    op.add_column("submissions", sa.Column("answers_object", sa.String(200)))
    op.add_column("submissions", sa.Column("answers_digest", sa.String(64)))
    op.add_column("submissions", sa.Column("pruned_at", sa.BigInteger()))
    op.create_index(
        "ix_submissions_unpruned",
        "submissions",
        ["scored_at"],
        unique=False,
        postgresql_where=UNPRUNED,
        sqlite_where=UNPRUNED,
    )
