"""A table of the replies to POSTs with an Idempotency-Key."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    op.create_table(
        "kept_replies",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("fingerprint", sa.String(length=64), nullable=False),
        sa.Column("claim", sa.String(length=32), nullable=False),
        sa.Column("claimed_until", sa.BigInteger(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("reply", sa.LargeBinary(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_kept_replies")),
    )
    op.create_index(op.f("ix_kept_replies_created_at"), "kept_replies", ["created_at"], unique=False)
