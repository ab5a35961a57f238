"""Idempotency records: plain replies. For a reply that held an API key, only the key's id.

Existing records are kept for their day, so that nothing is done twice. Their replies were encrypted with a key that
nobody has now; a repeat is answered with an error that says so.
"""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"

ANSWERED = (
    "INSERT INTO idempotency_records (id, fingerprint, lease, leased_until, created_at) "
    "SELECT id, '', '', 0, created_at FROM kept_replies WHERE reply IS NOT NULL"
)


def upgrade() -> None:
    op.create_table(
        "idempotency_records",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("fingerprint", sa.String(length=64), nullable=False),
        sa.Column("lease", sa.String(length=32), nullable=False),
        sa.Column("leased_until", sa.BigInteger(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("reply", sa.LargeBinary(), nullable=True),
        sa.Column("api_key_id", sa.String(length=64), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_idempotency_records")),
    )
    op.create_index(op.f("ix_idempotency_records_created_at"), "idempotency_records", ["created_at"], unique=False)
    op.execute(ANSWERED)
    op.drop_table("kept_replies")
